"""`anyzero bench`: how fast it runs here."""

from typing import Annotated

import typer

from anyzero.cli.output import GameText, Json, examples, print_json
from anyzero.progress import progress
from anyzero.report import count


def check_seconds(seconds: float) -> float:
    """Typer lets nan through: it is neither too small nor too large."""
    if seconds != seconds:
        raise typer.BadParameter("nan is not a number of seconds")
    return seconds


Seconds = Annotated[
    float, typer.Option("--seconds", min=0.01, max=3600, callback=check_seconds, help="How long to measure.")
]

app = typer.Typer(help="Measure speed on this machine.", no_args_is_help=True, rich_markup_mode=None)


@app.command("rollouts", epilog=examples("anyzero bench rollouts hex:size=11 --threads 2"))
def rollouts(
    game: GameText,
    threads: Annotated[int, typer.Option("--threads", min=1, max=1024, help="CPU threads.")] = 1,
    target: Annotated[str, typer.Option("--target", help="cpu, cuda, interpreted or wasm.")] = "cpu",
    seconds: Seconds = 2.0,
    json: Json = False,
) -> None:
    """Random games per second from the start position."""
    from anyzero.games.load import load
    from anyzero.games.rollouts import bench_rollouts

    loaded = load(game)
    with progress(f"playing {loaded.text} at random", shown=not json):
        found = bench_rollouts(loaded, target=target, threads=threads, seconds=seconds)
    if json:
        print_json(found._asdict())
        return
    threads_used = count(found.threads, "thread")
    print(f"{found.game} on {found.target}, {threads_used}: {found.rollouts_per_s:,.0f} rollouts/s")
    print(f"{found.moves_per_s:,.0f} moves/s; ready after {found.compile_s:.2f} s")


@app.command("search", epilog=examples("anyzero bench search hex:size=11 uct:10000"))
def search(
    game: GameText,
    method: Annotated[str, typer.Argument(metavar="METHOD", help="A method and its budget: uct:10000, rave:0.5s.")],
    seconds: Seconds = 2.0,
    json: Json = False,
) -> None:
    """Simulations per second of searches from the start position."""
    from anyzero.games.load import load
    from anyzero.search.bench import bench_search

    loaded = load(game)
    with progress(f"searching {loaded.text}", shown=not json):
        found = bench_search(loaded, method, seconds=seconds)
    if json:
        print_json(found._asdict())
        return
    print(f"{found.game}, {found.method}: {found.simulations_per_s:,.0f} simulations/s, the best of {found.searches}")
    print(f"median {found.median_simulations_per_s:,.0f} simulations/s; ready after {found.ready_s:.2f} s")
    print(f"{found.simulations:,} simulations made {found.nodes:,} nodes of {found.bytes_per_node:.0f} bytes")
