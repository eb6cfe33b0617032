"""Printing for people or for programs, and the position that the arguments of a command name."""

import sys
from collections.abc import Iterable
from json import dumps as to_json
from typing import Any

from anyzero.core.base.nouns import NamedValues, Numbers
from anyzero.core.base.report import Part, Sheet


def answer(values: Numbers, parts: Iterable[Part], *, json: bool) -> None:
    """For programs the values as JSON, for people the sentences and tables; plain and complete when
    they are piped.
    """
    for part in [to_json(values)] if json else parts:
        print(part) if isinstance(part, str) or not sys.stdout.isatty() else print_table(part)


def print_result(found: Any, about: NamedValues | None = None, *, json: bool, **shown: Any) -> None:
    """A result for people, with what its `report` takes; for programs its stable fields and what
    they are `about`.
    """
    values = found.to_json() if json else None
    answer(
        values if about is None or values is None else {**about, **values},
        found.report(**shown),
        json=json,
    )


def print_table(sheet: Sheet) -> None:
    """A table as wide as the terminal."""
    from rich.console import Console
    from rich.table import Column, Table
    from rich.text import Text

    # as Text, since rich would take [words] in brackets for markup
    table = Table(
        *(Column(Text(name)) for name in sheet.columns),
        box=None,
        pad_edge=False,
        header_style="bold",
    )
    for row in sheet.rows:
        table.add_row(*(Text(str(cell)) for cell in row))
    Console().print(table)


def load_position(game_text: str, state_text: str | None, moves: str = "") -> tuple[Any, Any]:
    """The game and the position that the arguments name: a start, and moves from there, chance's
    among them.
    """
    from anyzero.core.game.load import position_of

    game, state = position_of(game_text, state_text)
    words = moves.replace(",", " ").split()
    while words:  # the longest move at the front: a game's own texts may have several words
        texts = {
            tuple(text.lower().replace(",", " ").split()): text for text in game.legal_moves(state)
        }
        longest = max(
            (
                parts
                for parts in texts
                if [*parts] == [word.lower() for word in words[: len(parts)]]
            ),
            key=len,
            default=(),
        )
        state = game.play(state, texts[longest] if longest else words[0])
        words = words[max(1, len(longest)) :]
    return game, state
