"""`anyzero serve`, `uci`, `gtp` and `export`: for browsers, GUIs and other programs."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from anyzero.app.cli.options import PLAYERS, GameText, Json, argument, examples, option
from anyzero.app.cli.output import answer, print_result
from anyzero.app.records.seats import OPPONENT
from anyzero.core.base import stopping
from anyzero.core.base.nouns import Values

KEPT = "stopped; all games are saved, anyzero serve resumes them"


@examples(
    "anyzero serve --open",
    "anyzero serve --port 0 --game ./my_game.py",
    'anyzero serve --engine "Stockfish=uci:stockfish,elo=1400"',
    "anyzero play hex --web",
)
def serve_command(
    port: Annotated[int, option("0 means any free port.", min=0, max=65535)] = 8000,
    browser: Annotated[bool, option("Open the page in a browser.", name="--open")] = False,
    game: Annotated[list[str] | None, option("Your own game; may be repeated.", "FILE")] = None,
    engine: Annotated[
        list[str] | None,
        option("An engine that may take a seat; may be repeated.", "[NAME=]ENGINE"),
    ] = None,
    data: Annotated[
        Path | None, option("Where games are saved; by default in your data folder.", "FILE")
    ] = None,
    experiments: Annotated[
        Path, option("Folder with the tables of experiments.", "FOLDER")
    ] = Path(),
    host: Annotated[
        str, option("The address to listen on; by default only this machine.")
    ] = "127.0.0.1",
    prepare: Annotated[
        bool, option("Compile all games once the page is opened.", name="--prepare/--no-prepare")
    ] = True,
    json: Json = False,
) -> None:
    """Play, analyse and watch games in a browser.

    Everything stays on this machine, and games continue after a restart. Training runs and networks
    come from the folders runs and models.
    """
    config = {
        "port": port,
        "host": host,
        "games": tuple(game or ()),
        "engines": tuple(engine or ()),
    }
    config |= {"experiments": experiments, "prepare": prepare}
    run({**config, "data": data} if data else config, browser=browser, json=json)


def run(config: Values, *, browser: bool = False, json: bool = False, fragment: str = "") -> None:
    """Serve until Ctrl-C; `config` are fields of ServerConfig, `fragment` is the part of the page
    that is opened.
    """
    import webbrowser

    from anyzero.app.web.app import serving
    from anyzero.app.web.catalog import ServerConfig

    with stopping.telling(lambda: KEPT), serving(ServerConfig(**config)) as (address, thread):
        address += fragment
        answer({"url": address}, [f"anyzero is running at {address} (Ctrl-C stops it)"], json=json)
        sys.stdout.flush()
        if browser:
            webbrowser.open(address)
        with stopping.waiting():
            while thread.is_alive():
                thread.join(0.2)


# --- engines for GUIs and other programs


@examples(
    "anyzero uci",
    title="Example, and then line by line: position startpos moves e2e4, go nodes 500",
)
def uci_command() -> None:
    """Run as a chess engine for GUIs that speak UCI.

    Give the GUI the command `anyzero uci`.
    """
    from anyzero.app.protocols.uci import UciEngine
    from anyzero.tools.child import take_output

    engine = UciEngine(take_output())
    if serve_lines(engine.handle):
        engine.handle("quit")


@examples(
    "anyzero gtp hex:size=11,swap=true --player rave:2s",
    "anyzero gtp atarigo --player grave:5000",
    title="Examples, and then line by line: play b d4, genmove w, showboard",
    about=PLAYERS,
)
def gtp_command(
    game: GameText,
    player: Annotated[str, option("Answers genmove: rave:2000, grave:1s, level:hard.")] = OPPONENT,
    seed: Annotated[int, option("The same seed gives the same moves.")] = 0,
    resign: Annotated[
        float | None, option("Resign below this value (-0.9).", "VALUE", min=-1, max=1)
    ] = None,
) -> None:
    """Run as an engine for GUIs that speak GTP.

    Give the GUI the command `anyzero gtp GAME`, with any two-seat game without chance.
    """
    from anyzero.app.protocols.gtp import GtpEngine
    from anyzero.tools.child import take_output

    serve_lines(GtpEngine(game, player, take_output(), seed=seed, resign=resign).handle)


def serve_lines(handle: Callable[[str], bool]) -> bool:
    """Handle line by line; False once an engine was told to quit, True at the end of the input."""
    from anyzero.tools.child import read_lines

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
def export_command(
    game: Annotated[str, argument("A game: hex, hex:size=7 or ./my_game.py.", "GAME")] = "",
    all_games: Annotated[bool, option("All built-in games, for --web.", name="--all")] = False,
    net: Annotated[
        str | None,
        option("A run, a .safetensors file, best (the bundled net, the default), or none."),
    ] = None,
    onnx: Annotated[Path | None, option("Write the net as ONNX.", "FILE")] = None,
    bot: Annotated[
        Path | None, option("Write a player as a single file that needs only NumPy.", "FILE.py")
    ] = None,
    max_characters: Annotated[
        int | None, option("Maximum size of a bot; 100000 on CodinGame.", min=1)
    ] = None,
    c: Annotated[Path | None, option("Write rules and search for C.", "FOLDER")] = None,
    wasm: Annotated[Path | None, option("Write rules and search for JavaScript.", "FOLDER")] = None,
    web: Annotated[
        Path | None, option("Write the page as static files, without a server.", "FOLDER")
    ] = None,
    player: Annotated[
        str | None,
        option("The player for a bot, C or JavaScript: uct:200; for a bot also puct:0.04s@RUN."),
    ] = None,
    json: Json = False,
) -> None:
    """Write a game or its net as files for other programs."""
    from anyzero.core.base.errors import BadOptionError
    from anyzero.core.base.extras import find
    from anyzero.core.game.load import BUILT_IN

    if bool(game) == all_games:
        raise BadOptionError("name a game, or use --all for all of them")
    files = {"onnx": onnx, "c": c, "wasm": wasm, "web": web, "bot": bot}
    games = list(BUILT_IN) if all_games else game
    export_files = find("export").export
    written = export_files(games, net=net, player=player, max_characters=max_characters, **files)
    print_result(written, json=json)
