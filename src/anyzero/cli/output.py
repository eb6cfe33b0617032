"""Printing for people or for programs, and the position that the arguments of a command name."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from json import dumps as to_json
from typing import Any

HUMAN = "human"  # a person's seat


def answer(values: Any, parts: Iterable[Any], *, json: bool) -> None:
    """For programs the values as JSON, for people the sentences and tables."""
    if json:
        print(to_json(values))
        return
    for part in parts:
        if isinstance(part, str):
            print(part)
        else:
            print_table(*part)


def print_result(found: Any, about: Mapping[str, Any] | None = None, *, json: bool, **shown: Any) -> None:
    """A result for people, with what its `report` takes; for programs its stable fields and what they are `about`."""
    values = found.to_json() if json else None
    answer(values if about is None or values is None else {**about, **values}, found.report(**shown), json=json)


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


def load_position(game_text: str, state_text: str | None, moves: str = "") -> tuple[Any, Any]:
    """The game and the position that the arguments name: a start, and moves from there, chance's among them."""
    from anyzero.games.load import position_of

    game, state = position_of(game_text, state_text)
    return game, game.play(state, *moves.replace(",", " ").split())
