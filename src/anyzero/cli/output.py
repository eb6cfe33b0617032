"""What the commands share: their arguments, and printing for people or for programs."""

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any, TypeVar

import typer

GameText = Annotated[str, typer.Argument(metavar="GAME", help="A game: hex, hex:size=7 or ./my_game.py.")]
HUMAN = "human"  # a person's seat

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object for programs.")]
StateText = Annotated[str | None, typer.Option(help="A position as text; by default the start.")]
MovesText = Annotated[str, typer.Option(help="Moves to play first, separated by spaces.")]
ClusterAddress = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="Use a Ray cluster: auto, or host:port of its head.")
]


Command = TypeVar("Command", bound=Callable[..., None])
EPILOG = "epilog"  # where a command keeps the end of its help

PLAYERS = """
\b
Players:
  METHOD:BUDGET     a search with so many simulations, or seconds: uct:2000, rave:0.5s
  METHOD:BUDGET@NET a search led by a network: gumbel:64@RUN, gumbel:64@best
  random, level:easy, level:medium, level:hard
  uci:COMMAND, gtp:COMMAND, FILE.py    another engine, or a player of your own
Methods: flat, ucb, uct, amaf, rave, grave, halving, shuss, puct, gumbel, expectimax"""
"""What a player's text may be; the end of the help of commands that take players."""


def examples(*lines: str, title: str = "Examples:", about: str = "") -> Callable[[Command], Command]:
    """The end of a command's help: examples, each on a line of its own, and what else is good to know."""

    def note(command: Command) -> Command:
        command.__dict__[EPILOG] = "\n".join(["\b", title, *(f"  {line}" for line in lines), *about.splitlines()])
        return command

    return note


def print_json(value: Any) -> None:
    print(json.dumps(value))


def print_table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """A table for people; plain and complete when it is piped."""
    from rich.console import Console
    from rich.table import Column, Table
    from rich.text import Text

    # as Text, since rich would take [words] in brackets for markup
    table = Table(*(Column(Text(name)) for name in columns), box=None, pad_edge=False, header_style="bold")
    for row in rows:
        table.add_row(*(Text(str(cell)) for cell in row))
    Console(width=None if sys.stdout.isatty() else 200).print(table)


def print_result(found: Any, *, json: bool, about: Mapping[str, Any] | None = None, **shown: Any) -> None:
    """A result for people, with what its `report` takes; for programs its stable fields and what they are `about`."""
    if json:
        print_json({**(about or {}), **found.to_json()})
    else:
        print_parts(found.report(**shown))


def print_parts(parts: Iterable[Any]) -> None:
    for part in parts:
        if isinstance(part, str):
            print(part)
        else:
            print_table(*part)


def load_position(game_text: str, state_text: str | None, moves: str = "") -> tuple[Any, Any]:
    """The game and the position that the arguments name: a start, and moves from there, chance's among them."""
    from anyzero.games.load import load

    game = load(game_text)
    state = game.initial_state() if state_text is None else game.parse_state(state_text)
    return game, game.play(state, *moves.replace(",", " ").split())
