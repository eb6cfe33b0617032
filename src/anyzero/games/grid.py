"""Text of rectangular boards: rows from the top, `/` between them, empty cells counted (`2w1` is `..w.`)."""

import re
from collections.abc import Sequence
from itertools import groupby, product

from anyzero.views.boards import LETTERS

EMPTY = "."


def format_grid(cells: Sequence[str], columns: int, *, bottom_up: bool = True) -> str:
    """The text of cells in the order row * columns + column; `bottom_up` writes the last row first."""
    rows = [cells[start : start + columns] for start in range(0, len(cells), columns)]
    return "/".join(format_row(row) for row in (reversed(rows) if bottom_up else rows))


def format_row(row: Sequence[str]) -> str:
    runs = ((letter, len(list(run))) for letter, run in groupby(row))
    return "".join(str(length) if letter == EMPTY else letter * length for letter, length in runs)


def parse_grid(text: str, rows: int, columns: int, letters: str, *, bottom_up: bool = True) -> list[str]:
    """The cells of a text by `format_grid`; ValueError says what is wrong with it."""
    parts = text.split("/")
    if len(parts) != rows:
        raise ValueError(f"the board has {rows} rows, the text {len(parts)}")
    lines = [parse_row(part, columns, letters) for part in parts]
    return [letter for line in (reversed(lines) if bottom_up else lines) for letter in line]


def parse_row(text: str, columns: int, letters: str) -> str:
    if len(text) > columns:  # also keeps endless counts from becoming endless rows
        raise ValueError(f"row {text[: columns + 1]!r}... is longer than {columns} cells")
    tokens = re.findall(r"[0-9]{1,4}|.", text, re.DOTALL)
    cells = [EMPTY * int(token) if token.isascii() and token.isdigit() else token for token in tokens]
    row = "".join(cells)
    for letter in row:
        if letter != EMPTY and letter not in letters:
            raise ValueError(f"row {text!r} has {letter!r}, not one of {', '.join(letters)} or a count")
    if len(row) != columns:
        raise ValueError(f"row {text!r} has {len(row)} cells, not {columns}")
    return row


def lines_of(cells: Sequence[str], columns: int, length: int) -> list[list[int]]:
    """The straight lines of `length` equal letters, across, down and both ways aslant."""
    rows, found = len(cells) // columns, []
    for row, column in product(range(rows), range(columns)):
        for down, across in ((0, 1), (1, 0), (1, 1), (1, -1)):
            if row + down * (length - 1) < rows and 0 <= column + across * (length - 1) < columns:
                line = [(row + down * step) * columns + column + across * step for step in range(length)]
                if cells[line[0]] != EMPTY and len({cells[cell] for cell in line}) == 1:
                    found.append(line)
    return found


def split_fields(text: str, names: Sequence[str]) -> list[str]:
    """The text's words, one for each name; ValueError names what is missing."""
    words = text.split()
    if len(words) != len(names):
        raise ValueError(f"expected {len(names)} parts ({', '.join(names)}), got {len(words)}")
    return words


def parse_choice(word: str, choices: Sequence[str], meaning: str) -> int:
    """The index of a word in the choices."""
    if word not in tuple(choices):  # not a part of a text of choices
        raise ValueError(f"{meaning} is {word!r}, not one of {', '.join(choices)}")
    return choices.index(word)


def parse_number(word: str, low: int, high: int, meaning: str) -> int:
    """A whole number within bounds."""
    if not re.fullmatch(r"[0-9]{1,9}", word) or not low <= int(word) <= high:
        raise ValueError(f"{meaning} is {word!r}, not a number from {low} to {high}")
    return int(word)


def cell_index(name: str, rows: int, columns: int) -> int:
    """The number row * columns + column of a cell's name such as `c4`."""
    match = re.fullmatch(r"([a-z])([0-9]{1,2})", name)
    if match:
        column, row = LETTERS.index(match[1]), int(match[2]) - 1
        if column < columns and 0 <= row < rows:
            return row * columns + column
    raise ValueError(f"{name!r} is not a cell of a board of {rows} rows and {columns} columns")
