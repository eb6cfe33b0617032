"""`anyzero serve`: the web app."""

from pathlib import Path
from typing import Annotated, Any

import typer

from anyzero import stopping
from anyzero.cli.output import Json, examples, print_json

EXAMPLES = examples(
    "anyzero serve --open",
    "anyzero serve --port 0 --game ./my_game.py",
    'anyzero serve --engine "Stockfish=uci:stockfish,elo=1400"',
    "anyzero play hex --web",
)
KEPT = "stopped; all games are kept, anyzero serve goes on with them"

Port = Annotated[int, typer.Option("--port", min=0, max=65535, help="0 means any free port.")]


def serve(
    port: Port = 8000,
    browser: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    game: Annotated[
        list[str] | None,
        typer.Option("--game", metavar="FILE", help="A game of your own; may be repeated."),
    ] = None,
    engine: Annotated[
        list[str] | None,
        typer.Option("--engine", metavar="[NAME=]ENGINE", help="An engine that may take a seat; may be repeated."),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="FILE", help="Where games are kept; by default in your data folder."),
    ] = None,
    experiments: Annotated[
        Path, typer.Option("--experiments", metavar="FOLDER", help="Where the tables of experiments are.")
    ] = Path(),
    host: Annotated[
        str, typer.Option("--host", help="The address to listen on; by default only this machine.")
    ] = "127.0.0.1",
    prepare: Annotated[
        bool, typer.Option("--prepare/--no-prepare", help="Compile for all games once the page is opened.")
    ] = True,
    json: Json = False,
) -> None:
    """Play, analyse and watch games in a browser.

    Everything stays on this machine, and games go on after a restart. Training runs and networks are those of
    the folders runs and models.
    """
    named = {"games": tuple(game or ()), "engines": tuple(engine or ())}
    config = {"port": port, "host": host, **named, "experiments": experiments, "prepare": prepare}
    run({**config, "data": data} if data else config, browser=browser, json=json)


def run(config: dict[str, Any], *, browser: bool = False, json: bool = False, fragment: str = "") -> None:
    """Serve until Ctrl-C; `config` are fields of ServerConfig, `fragment` is the part of the page that is opened."""
    from anyzero.web.config import ServerConfig
    from anyzero.web.server import serving

    with stopping.telling(lambda: KEPT), serving(ServerConfig(**config)) as (address, thread):
        announce(address + fragment, browser=browser, json=json)
        with stopping.waiting():
            while thread.is_alive():
                thread.join(0.2)


def announce(address: str, *, browser: bool, json: bool) -> None:
    """Say where the page is, and open it if that is wanted."""
    import sys

    if json:
        print_json({"url": address})
        sys.stdout.flush()
    else:
        print(f"anyzero is at {address} (Ctrl-C ends it)", flush=True)
    if browser:
        import webbrowser

        webbrowser.open(address)
