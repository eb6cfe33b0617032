"""`anyzero serve`, `uci`, `gtp` and `export`: for browsers, GUIs and other programs."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from anyzero import stopping
from anyzero.cli.output import PLAYERS, GameText, Json, examples, print_json, print_result

KEPT = "stopped; all games are kept, anyzero serve goes on with them"

Port = Annotated[int, typer.Option("--port", min=0, max=65535, help="0 means any free port.")]


@examples(
    "anyzero serve --open",
    "anyzero serve --port 0 --game ./my_game.py",
    'anyzero serve --engine "Stockfish=uci:stockfish,elo=1400"',
    "anyzero play hex --web",
)
def serve(
    port: Port = 8000,
    browser: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    game: Annotated[list[str] | None, typer.Option(metavar="FILE", help="A game of your own; may be repeated.")] = None,
    engine: Annotated[
        list[str] | None, typer.Option(metavar="[NAME=]ENGINE", help="An engine that may take a seat; may be repeated.")
    ] = None,
    data: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where games are kept; by default in your data folder.")
    ] = None,
    experiments: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the tables of experiments are.")] = Path(),
    host: Annotated[str, typer.Option(help="The address to listen on; by default only this machine.")] = "127.0.0.1",
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


# --- engines for GUIs and other programs


@examples("anyzero uci", title="Example, and then line by line: position startpos moves e2e4, go nodes 500")
def uci() -> None:
    """Be a chess engine for GUIs that speak UCI.

    Give the GUI the command `anyzero uci`.
    """
    from anyzero.child import take_output
    from anyzero.protocols.uci import UciEngine

    engine = UciEngine(take_output())
    if serve_lines(engine.handle):
        engine.handle("quit")


@examples(
    "anyzero gtp hex:size=11,swap=true --player rave:2s",
    "anyzero gtp atarigo --player grave:5000",
    title="Examples, and then line by line: play b d4, genmove w, showboard",
    about=PLAYERS,
)
def gtp(
    game: GameText,
    player: Annotated[str, typer.Option(help="Who answers genmove: rave:2000, grave:1s, level:hard.")] = "level:medium",
    seed: Annotated[int, typer.Option(help="The same seed gives the same moves.")] = 0,
    resign: Annotated[
        float | None, typer.Option(metavar="VALUE", min=-1, max=1, help="Resign below this value (-0.9).")
    ] = None,
) -> None:
    """Be an engine for GUIs that speak GTP.

    Give the GUI the command `anyzero gtp GAME`; any game of two seats will do.
    """
    from anyzero.child import take_output
    from anyzero.protocols.gtp import GtpEngine

    serve_lines(GtpEngine(game, player, take_output(), seed=seed, resign=resign).handle)


def serve_lines(handle: Callable[[str], bool]) -> bool:
    """Handle line by line; False once an engine was told to quit, True at the end of the input."""
    from anyzero.child import read_lines

    return all(handle(line) for line in read_lines())


# --- files for other programs


@examples(
    "anyzero export connect_four --onnx connect_four.onnx",
    "anyzero export hex:size=7 --net hex7 --onnx hex7.onnx",
    "anyzero export oware --bot bot.py --player uct:0.04s --max-characters 100000",
    "anyzero export connect_four --web four",
    "anyzero export hex --wasm hex --player rave:5000",
    "anyzero export oware --c oware --player rave:5000",
)
def export(
    game: Annotated[str, typer.Argument(metavar="GAME", help="A game: hex, hex:size=7 or ./my_game.py.")] = "",
    all_games: Annotated[bool, typer.Option("--all", help="All games of the package, for --web.")] = False,
    net: Annotated[str, typer.Option(help="A run, a .safetensors file, best: the net in the package, or none.")] = (
        "best"
    ),
    onnx: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the net as ONNX.")] = None,
    bot: Annotated[
        Path | None, typer.Option(metavar="FILE.py", help="Write a player as one file that needs only NumPy.")
    ] = None,
    max_characters: Annotated[
        int | None, typer.Option(min=1, help="The most that a bot may have; 100000 on CodinGame.")
    ] = None,
    c: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Write rules and search for C.")] = None,
    wasm: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Write rules and search for JavaScript.")] = None,
    web: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Write the page for browsers, without a server.")
    ] = None,
    player: Annotated[
        str | None, typer.Option(help="Who a bot, C or JavaScript plays as: uct:200; a bot also puct:0.04s@RUN.")
    ] = None,
    json: Json = False,
) -> None:
    """Write a game or its net as files for other programs."""
    from anyzero.errors import BadOptionError
    from anyzero.export.door import export as write
    from anyzero.games.load import BUILT_IN

    if bool(game) == all_games:
        raise BadOptionError("name a game, or all of them by --all")
    folders = {"c": c, "wasm": wasm, "web": web}
    found = write(
        list(BUILT_IN) if all_games else game,
        net=net,
        player=player,
        onnx=onnx,
        **folders,
        bot=bot,
        max_characters=max_characters,
    )
    print_result(found, json=json)
