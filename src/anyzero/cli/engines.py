"""`anyzero uci` and `gtp`: engines for GUIs and other programs."""

from collections.abc import Callable
from typing import Annotated

import typer

from anyzero.cli.output import PLAYERS, GameText, examples

UCI_EXAMPLES = examples(
    "anyzero uci", title="Example, and then line by line: position startpos moves e2e4, go nodes 500"
)
GTP_EXAMPLES = examples(
    "anyzero gtp hex:size=11,swap=true --player rave:2s",
    "anyzero gtp atarigo --player grave:5000",
    title="Examples, and then line by line: play b d4, genmove w, showboard",
    about=PLAYERS,
)


def uci() -> None:
    """Be a chess engine for GUIs that speak UCI.

    Give the GUI the command `anyzero uci`.
    """
    from anyzero.child import take_output
    from anyzero.protocols.uci import UciEngine

    engine = UciEngine(take_output())
    if serve(engine.handle):
        engine.handle("quit")


def gtp(
    game: GameText,
    player: Annotated[
        str, typer.Option("--player", help="Who answers genmove: rave:2000, grave:1s, level:hard.")
    ] = "level:medium",
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same moves.")] = 0,
    resign: Annotated[
        float | None, typer.Option("--resign", metavar="VALUE", min=-1, max=1, help="Resign below this value (-0.9).")
    ] = None,
) -> None:
    """Be an engine for GUIs that speak GTP.

    Give the GUI the command `anyzero gtp GAME`; any game of two seats will do.
    """
    from anyzero.child import take_output
    from anyzero.protocols.gtp import GtpEngine

    serve(GtpEngine(game, player, take_output(), seed=seed, resign=resign).handle)


def serve(handle: Callable[[str], bool]) -> bool:
    """Handle line by line; False once an engine was told to quit, True at the end of the input."""
    from anyzero.child import read_lines

    return all(handle(line) for line in read_lines())
