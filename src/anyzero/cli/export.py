"""`anyzero export`: a game or its net as files for other programs."""

from pathlib import Path
from typing import Annotated

import typer

from anyzero.cli.output import GameText, Json, examples, print_result

EXAMPLES = examples(
    "anyzero export connect_four --onnx connect_four.onnx",
    "anyzero export hex:size=7 --net hex7 --onnx hex7.onnx",
    "anyzero export oware --c oware --player rave:5000",
)


def export(
    game: GameText,
    net: Annotated[str, typer.Option("--net", help="A run, a .safetensors file, or best: the net in the package.")] = (
        "best"
    ),
    onnx: Annotated[Path | None, typer.Option("--onnx", metavar="FILE", help="Write the net as ONNX.")] = None,
    c: Annotated[Path | None, typer.Option("--c", metavar="FOLDER", help="Write rules and search for C.")] = None,
    player: Annotated[str, typer.Option("--player", help="The search that C gets, with a number of simulations.")] = (
        "uct:10000"
    ),
    json: Json = False,
) -> None:
    """Write a game or its net as files for other programs."""
    from anyzero.export.door import export as write

    print_result(write(game, net=net, player=player, onnx=onnx, c=c), json=json)
