"""`anyzero search` and `solve`: what a method thinks of a position, and what is proven about it."""

from typing import Annotated

import typer

from anyzero.cli.output import (
    PLAYERS,
    GameText,
    Json,
    MovesText,
    StateText,
    examples,
    load_position,
    print_json,
    print_parts,
)

SEARCH_EXAMPLES = examples(
    "anyzero search hex:size=7 rave:5000",
    "anyzero search chess uct:2s --json",
    'anyzero search connect_four gumbel:64@RUN --moves "d d"',
    about=PLAYERS,
)
SOLVE_EXAMPLES = examples(
    "anyzero solve tic_tac_toe",
    "anyzero solve hex:size=4 --openings",
    'anyzero solve chess --state "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1" --seconds 10',
)


def search(
    game: GameText,
    method: Annotated[str, typer.Argument(help="A method and its budget: uct:2000, rave:1s,bias=1e-5, gumbel:64@RUN.")],
    state: StateText = None,
    moves: MovesText = "",
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same search.")] = 0,
    most: Annotated[int, typer.Option("--top", min=1, help="How many moves to show.")] = 10,
    json: Json = False,
) -> None:
    """Search a position and show what was found for each move."""
    from anyzero.players.search_player import SEARCHERS
    from anyzero.players.search_player import search as run_search
    from anyzero.players.text import split_player

    split_player(method, SEARCHERS)  # a method needs its budget here
    loaded, position = load_position(game, state, moves)
    found = run_search(loaded, position, method, seed=seed)
    if json:
        print_json({"game": loaded.text, "method": method, "seed": seed, **found.to_json()})
    else:
        print_parts(found.report(most))


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
    """Find the exact value of a position and all its best moves.

    For games of two seats without chance that are small enough; the exit code is 1 if the value was not found.
    """
    from anyzero.search.solve import solve as run_solve

    loaded, position = load_position(game, state, moves)
    found = run_solve(loaded, position, max_memory=max_memory, seconds=seconds, method=method, progress=not json)
    if json:
        text = loaded.format_state(position) if loaded.has("format_state") else None
        print_json({"game": loaded.text, "state": text, **found.to_json()})
    else:
        print_parts(found.report(openings=openings))
    raise typer.Exit(1 if found.value is None else 0)
