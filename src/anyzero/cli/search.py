"""`anyzero search`, `solve` and `bench`: what a method thinks of a position, what is proven about it, and how fast."""

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
    print_result,
)
from anyzero.progress import progress
from anyzero.report import count


@examples(
    "anyzero search hex:size=7 rave:5000",
    "anyzero search chess uct:2s --json",
    'anyzero search connect_four gumbel:64@RUN --moves "d d"',
    about=PLAYERS,
)
def search(
    game: GameText,
    method: Annotated[str, typer.Argument(help="A method and its budget: uct:2000, rave:1s,bias=1e-5, gumbel:64@RUN.")],
    state: StateText = None,
    moves: MovesText = "",
    seed: Annotated[int, typer.Option(help="The same seed gives the same search.")] = 0,
    most: Annotated[int, typer.Option("--top", min=1, help="How many moves to show.")] = 10,
    json: Json = False,
) -> None:
    """Search a position and show what was found for each move."""
    from anyzero.players.player import SEARCHERS
    from anyzero.players.player import search as run_search
    from anyzero.players.text import split_player

    split_player(method, SEARCHERS)  # a method needs its budget here
    loaded, position = load_position(game, state, moves)
    found = run_search(loaded, position, method, seed=seed)
    print_result(found, json=json, about={"game": loaded.text, "method": method, "seed": seed}, most=most)


@examples(
    "anyzero solve tic_tac_toe",
    "anyzero solve hex:size=4 --openings",
    'anyzero solve chess --state "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1" --seconds 10',
)
def solve(
    game: GameText,
    state: StateText = None,
    moves: MovesText = "",
    openings: Annotated[bool, typer.Option("--openings", help="Also show the exact value of every move.")] = False,
    max_memory: Annotated[int, typer.Option(metavar="MB", min=1, max=1_000_000, help="Size of the table.")] = 256,
    seconds: Annotated[float | None, typer.Option(help="Give up after this long.")] = None,
    method: Annotated[str, typer.Option(help="both, depth (first) or proof (numbers).")] = "both",
    json: Json = False,
) -> None:
    """Find the exact value of a position and all its best moves.

    For games of two seats without chance that are small enough; the exit code is 1 if the value was not found.
    """
    from anyzero.search.solve import solve as run_solve

    loaded, position = load_position(game, state, moves)
    found = run_solve(loaded, position, max_memory=max_memory, seconds=seconds, method=method, progress=not json)
    text = loaded.format_state(position) if loaded.has("format_state") else None
    print_result(found, json=json, about={"game": loaded.text, "state": text}, openings=openings)
    raise typer.Exit(1 if found.value is None else 0)


# --- how fast it runs here


def check_seconds(seconds: float) -> float:
    """Typer lets nan through: it is neither too small nor too large."""
    if seconds != seconds:
        raise typer.BadParameter("nan is not a number of seconds")
    return seconds


Seconds = Annotated[
    float, typer.Option("--seconds", min=0.01, max=3600, callback=check_seconds, help="How long to measure.")
]


@examples("anyzero bench rollouts hex:size=11 --threads 2")
def bench_rollouts(
    game: GameText,
    threads: Annotated[int, typer.Option(min=1, max=1024, help="CPU threads.")] = 1,
    target: Annotated[str, typer.Option(help="cpu, cuda, interpreted or wasm.")] = "cpu",
    seconds: Seconds = 2.0,
    json: Json = False,
) -> None:
    """Random games per second from the start position."""
    from anyzero.games.load import load
    from anyzero.games.rollouts import bench_rollouts as measure

    loaded = load(game)
    with progress(f"playing {loaded.text} at random", shown=not json):
        found = measure(loaded, target=target, threads=threads, seconds=seconds)
    if json:
        print_json(found._asdict())
        return
    threads_used = count(found.threads, "thread")
    print(f"{found.game} on {found.target}, {threads_used}: {found.rollouts_per_s:,.0f} rollouts/s")
    print(f"{found.moves_per_s:,.0f} moves/s; ready after {found.compile_s:.2f} s")


@examples("anyzero bench search hex:size=11 uct:10000")
def bench_search(
    game: GameText,
    method: Annotated[str, typer.Argument(metavar="METHOD", help="A method and its budget: uct:10000, rave:0.5s.")],
    seconds: Seconds = 2.0,
    json: Json = False,
) -> None:
    """Simulations per second of searches from the start position."""
    from anyzero.games.load import load
    from anyzero.search.search import bench_search as measure

    loaded = load(game)
    with progress(f"searching {loaded.text}", shown=not json):
        found = measure(loaded, method, seconds=seconds)
    if json:
        print_json(found._asdict())
        return
    print(f"{found.game}, {found.method}: {found.simulations_per_s:,.0f} simulations/s, the best of {found.searches}")
    print(f"median {found.median_simulations_per_s:,.0f} simulations/s; ready after {found.ready_s:.2f} s")
    print(f"{found.simulations:,} simulations made {found.nodes:,} nodes of {found.bytes_per_node:.0f} bytes")
