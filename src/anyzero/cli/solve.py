"""`anyzero solve`: the exact value of a position."""

from typing import Annotated

import typer

from anyzero.cli.output import GameText, Json, MovesText, StateText, load_position, print_json, print_parts

EXAMPLES = (
    "Examples: anyzero solve tic_tac_toe    anyzero solve hex:size=4 --openings    "
    'anyzero solve chess --state "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1" --seconds 10'
)


def solve(
    game: GameText,
    state: StateText = None,
    moves: MovesText = "",
    openings: Annotated[bool, typer.Option("--openings", help="Also show the exact value of every move.")] = False,
    max_memory: Annotated[
        int, typer.Option("--max-memory", metavar="MB", min=1, max=1_000_000, help="Size of the table.")
    ] = 256,
    seconds: Annotated[float | None, typer.Option("--seconds", help="Give up after this long.")] = None,
    method: Annotated[str, typer.Option("--method", help="both, depth (first) or proof (numbers).")] = "both",
    json: Json = False,
) -> None:
    """The exact value of a position and all its best moves: games of two seats, without chance, small enough."""
    from anyzero.search.solve import solve as run_solve

    loaded, position = load_position(game, state, moves)
    found = run_solve(loaded, position, max_memory=max_memory, seconds=seconds, method=method, progress=not json)
    if json:
        text = loaded.format_state(position) if loaded.has("format_state") else None
        print_json({"game": loaded.text, "state": text, **found.to_json()})
    else:
        print_parts(found.report(openings=openings))
    raise typer.Exit(0 if found.solved else 1)
