"""`anyzero perft`: count the lines of play, the classic test of a move generator."""

import sys
import time
from typing import Annotated

import typer

from anyzero.cli.output import GameText, Json, MovesText, StateText, load_position, print_json, print_table

EXAMPLES = "Examples: anyzero perft chess 5    anyzero perft connect_four 7 --divide"


def perft(
    game: GameText,
    depth: Annotated[int, typer.Argument(min=0, max=50, help="How many plies.")],
    state: StateText = None,
    moves: MovesText = "",
    divide: Annotated[bool, typer.Option("--divide", help="Also the count below each move.")] = False,
    json: Json = False,
) -> None:
    """Count the sequences of moves of a given length."""
    from rich.console import Console
    from rich.progress import track

    from anyzero.games.perft import perft as count

    loaded, position = load_position(game, state, moves)
    count(loaded, position, 1)  # compile before the clock starts
    below: dict[str, int] = {}
    start = time.perf_counter()
    console = Console(stderr=True)
    quiet = json or not sys.stderr.isatty()
    actions = loaded.legal_actions(position) if depth > 0 else []
    for action in track(actions, "counting", console=console, transient=True, disable=quiet):
        below[loaded.format_action(position, action)] = count(loaded, loaded.play(position, action), depth - 1)
    seconds = time.perf_counter() - start
    nodes = sum(below.values()) if depth > 0 else 1
    if json:
        found = {"game": loaded.text, "depth": depth, "nodes": nodes, "seconds": round(seconds, 6)}
        print_json({**found, "divide": below} if divide else found)
        return
    if divide:
        print_table(("move", "leaves"), below.items())
    print(f"{nodes} leaves at depth {depth} in {seconds:.3f} s ({nodes / max(seconds, 1e-9) / 1e6:.1f} million/s)")
