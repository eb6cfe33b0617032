"""`anyzero solve`: the exact value of a position."""

from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anyzero import stopping
from anyzero.cli.output import GameText, Json, MovesText, StateText, load_position, print_json, print_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from anyzero.search.solve import Solution, Watch

EXAMPLES = (
    "Examples: anyzero solve tic_tac_toe    anyzero solve hex:size=4 --openings    "
    'anyzero solve chess --state "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1" --seconds 10'
)

SEATS = ("first", "second")


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
    with progress(quiet=json) as watch:
        found = run_solve(loaded, position, max_memory=max_memory, seconds=seconds, method=method, watch=watch)
    if json:
        text = loaded.format_state(position) if loaded.has("format_state") else None
        print_json({"game": loaded.text, "state": text, **found.to_json()})
    else:
        print_solution(found, SEATS[loaded.seat_to_move(position)], openings)
    if not found.solved:
        if not json:
            missing = "not solved" if found.value is None else "the value is exact, the best moves may not be all"
            print(f"{missing}: after {seconds:g} s {what_is_known(found)}")
        raise typer.Exit(1)


@contextmanager
def progress(*, quiet: bool) -> "Iterator[Watch]":
    """A line with the nodes so far on a terminal; on Ctrl-C, what was found out until then."""
    import sys

    from rich.console import Console

    console = Console(stderr=True, quiet=quiet or not sys.stderr.isatty())
    last: Solution | None = None
    try:
        with console.status("solving") as status:

            def watch(found: "Solution") -> None:
                nonlocal last
                last = found
                stopping.check()
                known = len(found.moves) - list(found.moves.values()).count(None)
                low, high = found.bounds
                status.update(f"{pace(found)}; value {signed(low)}..{signed(high)}, {known}/{len(found.moves)} moves")

            yield watch
    except KeyboardInterrupt:
        known = "nothing was found out" if last is None else f"{pace(last)}; {what_is_known(last)}"
        print(f"stopped; {known}, and nothing was kept", file=sys.stderr)
        raise typer.Exit(130) from None


def signed(value: int) -> str:
    return f"{value:+d}" if value else "0"


def pace(found: "Solution") -> str:
    rate = found.nodes / max(found.seconds, 1e-9) / 1e6
    return f"{found.nodes:,} nodes in {found.seconds:.1f} s ({rate:.2f} million/s)"


def what_is_known(found: "Solution") -> str:
    values = list(found.moves.values())
    decided = f"{len(values) - values.count(None)} of {len(values)} moves known"
    low, high = found.bounds
    return (
        f"value {signed(low)}, {decided}" if low == high else f"value from {signed(low)} to {signed(high)}, {decided}"
    )


def print_solution(found: "Solution", seat: str, openings: bool) -> None:
    """For people: the value, the moves that keep it, and what it took."""
    from anyzero.search.solve import OUTCOMES

    if openings:
        rows: list[tuple[Any, ...]] = [
            (move, "?", f"{signed(bounds.low)} to {signed(bounds.high)}")
            if bounds.value is None
            else (move, signed(bounds.value), OUTCOMES[bounds.value])
            for move, bounds in found.move_bounds.items()
        ]
        print_table(("move", "value", ""), rows)
    if found.value is not None:
        print(f"value {signed(found.value)}: a {found.outcome} for the {seat} seat, which is to move")
        print(f"best moves: {' '.join(found.best_moves)}")
    print(f"{pace(found)}, table {found.table_mb:g} MB")
