"""`anyzero gtp`: an engine for GTP programs such as HexGui."""

from typing import Annotated

import typer

from anyzero.cli.output import GameText

EXAMPLES = (
    "Examples: anyzero gtp hex:size=11,swap=true --player rave:2s    anyzero gtp atarigo --player grave:5000    "
    "and then, line by line: play b d4    genmove w    showboard"
)


def gtp(
    game: GameText,
    player: Annotated[str, typer.Option("--player", help="Who answers genmove: rave:2000, grave:1s, level:hard.")] = (
        "level:medium"
    ),
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same moves.")] = 0,
    resign: Annotated[
        float | None, typer.Option("--resign", metavar="VALUE", min=-1, max=1, help="Resign below this value (-0.9).")
    ] = None,
) -> None:
    """Play a game of two seats by GTP: give a GUI the command `anyzero gtp GAME`."""
    from anyzero.child import read_lines, take_output
    from anyzero.protocols.gtp import GtpEngine

    engine = GtpEngine(game, player, take_output(), seed=seed, resign=resign)
    for line in read_lines():
        if not engine.handle(line):
            return
