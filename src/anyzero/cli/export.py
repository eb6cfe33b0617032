"""`anyzero export`: a game or its net as files for other programs."""

from pathlib import Path
from typing import Annotated

import typer

from anyzero.cli.output import Json, examples, print_result

EXAMPLES = examples(
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
    net: Annotated[
        str, typer.Option("--net", help="A run, a .safetensors file, best: the net in the package, or none.")
    ] = ("best"),
    onnx: Annotated[Path | None, typer.Option("--onnx", metavar="FILE", help="Write the net as ONNX.")] = None,
    bot: Annotated[
        Path | None, typer.Option("--bot", metavar="FILE.py", help="Write a player as one file that needs only NumPy.")
    ] = None,
    max_characters: Annotated[
        int | None, typer.Option("--max-characters", min=1, help="The most that a bot may have; 100000 on CodinGame.")
    ] = None,
    c: Annotated[Path | None, typer.Option("--c", metavar="FOLDER", help="Write rules and search for C.")] = None,
    wasm: Annotated[
        Path | None, typer.Option("--wasm", metavar="FOLDER", help="Write rules and search for JavaScript.")
    ] = None,
    web: Annotated[
        Path | None, typer.Option("--web", metavar="FOLDER", help="Write the page for browsers, without a server.")
    ] = None,
    player: Annotated[
        str | None,
        typer.Option("--player", help="Who a bot, C or JavaScript plays as: uct:200; a bot also puct:0.04s@RUN."),
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
