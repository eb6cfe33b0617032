"""The options and arguments of the commands, and the end of their help."""

from collections.abc import Callable
from typing import Annotated, Any, TypeVar

import typer


def option(meaning: str, shown: str | None = None, name: str = "", **limits: Any) -> Any:
    """An option of a command; `shown` stands for its value in the help, `name` is its own where
    that is another.
    """
    return typer.Option(*name.split(), metavar=shown, help=meaning, **limits)


def argument(meaning: str, shown: str | None = None, **limits: Any) -> Any:
    return typer.Argument(metavar=shown, help=meaning, **limits)


GameText = Annotated[str, argument("A game: hex, hex:size=7 or ./my_game.py.", "GAME")]
Json = Annotated[bool, option("Print JSON on one line, for scripts.", name="--json")]
StateText = Annotated[str | None, option("A position as text; by default the initial one.")]
MovesText = Annotated[str, option("Moves to play first, separated by spaces.")]
Cluster = Annotated[
    str | None, option("Use a Ray cluster: auto, or host:port of its head.", "ADDRESS")
]

Command = TypeVar("Command", bound=Callable[..., None])
EPILOG = "epilog"  # where a command keeps the end of its help

SEARCHES = """
\b
Searches:
  METHOD:BUDGET     a search; the budget is simulations or seconds: uct:2000, rave:0.5s
  METHOD:BUDGET@NET a search guided by a network: gumbel:64@RUN, gumbel:64@best
  level:NAME        beginner, easy, medium, hard or max
Methods: flat, ucb, uct, amaf, rave, grave, halving, shuss, puct, gumbel, expectimax"""
PLAYERS = (
    f"{SEARCHES}\nOther players: random; uci:COMMAND or gtp:COMMAND, a third-party "
    "engine; FILE.py, your own"
)
"""What a player's text may be; the end of the help of commands that take players."""


def examples(
    *lines: str, title: str = "Examples:", about: str = ""
) -> Callable[[Command], Command]:
    """The end of a command's help: examples, one per line, and further notes."""

    def note(command: Command) -> Command:
        command.__dict__[EPILOG] = "\n".join(
            ["\b", title, *(f"  {line}" for line in lines), *about.splitlines()]
        )
        return command

    return note
