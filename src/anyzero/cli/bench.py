"""`anyzero bench`: how fast it runs here."""

from typing import Annotated

import typer

from anyzero.cli.output import GameText, Json, print_json

app = typer.Typer(help="Measure speed on this machine.", no_args_is_help=True, rich_markup_mode=None)


@app.command("rollouts", epilog="Example: anyzero bench rollouts hex:size=11 --threads 2")
def rollouts(
    game: GameText,
    threads: Annotated[int, typer.Option("--threads", min=1, max=1024, help="CPU threads.")] = 1,
    target: Annotated[str, typer.Option("--target", help="cpu, cuda or interpreted.")] = "cpu",
    seconds: Annotated[float, typer.Option("--seconds", min=0.01, max=3600, help="How long to measure.")] = 2.0,
    json: Json = False,
) -> None:
    """Random games per second from the start position."""
    import sys

    from rich.console import Console

    from anyzero.games.bench import bench_rollouts
    from anyzero.games.load import load

    loaded = load(game)
    console = Console(stderr=True, quiet=json or not sys.stderr.isatty())
    with console.status(f"playing {loaded.text} at random"):
        found = bench_rollouts(loaded, target=target, threads=threads, seconds=seconds)
    if json:
        print_json(found._asdict())
        return
    print(f"{found.game} on {found.target}, {found.threads} thread(s): {found.rollouts_per_s:,.0f} rollouts/s")
    print(f"{found.moves_per_s:,.0f} moves/s; ready after {found.compile_s:.2f} s")
