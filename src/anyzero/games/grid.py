"""Shared code of games on rectangular boards: the text of a position, sets of cells as words of
bits, symmetries.

The text has the rows from the top, separated by `/`, with empty cells counted (`2w1` is `..w.`).
Cells are numbered `row * columns + column`, from the bottom left or the top left.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import groupby

import numpy as np

from anyzero.core.base.cells import LETTERS, cell_name
from anyzero.core.base.nouns import Numbers, Planes, Rules, State, Word
from anyzero.core.compile.bits import trailing_zeros
from anyzero.core.compile.random import U
from anyzero.core.game.contract import OVER
from anyzero.core.game.game import Symmetry

EMPTY = "."


def cell_names(rows: int, columns: int) -> list[str]:
    return [cell_name(row, column) for row in range(rows) for column in range(columns)]


# --- positions as text


def format_position(
    cells: Sequence[str], columns: int, mover: str, *, bottom_up: bool = True
) -> str:
    return f"{format_grid(cells, columns, bottom_up=bottom_up)} {mover}"


def parse_position(
    text: str, rows: int, columns: int, marks: str, *, bottom_up: bool = True
) -> tuple[list[str], int]:
    """The content of the cells and the seat to move, from a `format_position` text; `marks` has one
    for each seat.
    """
    board, mover = split_fields(text, ("board", "side to move"))
    cells = parse_grid(board, rows, columns, marks, bottom_up=bottom_up)
    return cells, parse_choice(mover, marks, "the side to move")


def check_turn(cells: Sequence[str], letters: str, mover: int) -> None:
    """ValueError unless this seat is to move after stones placed in turn, the first letter's
    first.
    """
    first, second = (cells.count(letter) for letter in letters)
    if first - second != mover:
        counts = f"{first} {letters[0]} and {second} {letters[1]}"
        raise ValueError(f"with {counts} it cannot be the turn of {letters[mover]}")


def format_grid(cells: Sequence[str], columns: int, *, bottom_up: bool = True) -> str:
    """The text of cells in the order row * columns + column; `bottom_up` writes the last row
    first.
    """
    texts = []
    for start in range(0, len(cells), columns):
        runs = ((letter, len(list(run))) for letter, run in groupby(cells[start : start + columns]))
        texts.append(
            "".join(str(length) if letter == EMPTY else letter * length for letter, length in runs)
        )
    return "/".join(reversed(texts) if bottom_up else texts)


def parse_grid(
    text: str, rows: int, columns: int, letters: str, *, bottom_up: bool = True
) -> list[str]:
    """The cells of a text by `format_grid`; ValueError names the fault."""
    parts = text.split("/")
    if len(parts) != rows:
        raise ValueError(f"the board has {rows} rows, the text {len(parts)}")
    lines = [parse_row(part, columns, letters) for part in parts]
    return [letter for line in (reversed(lines) if bottom_up else lines) for letter in line]


def parse_row(text: str, columns: int, letters: str) -> str:
    if len(text) > columns:  # also keeps huge counts from becoming huge rows
        raise ValueError(f"row {text[: columns + 1]!r}... is longer than {columns} cells")
    row = re.sub("[0-9]{1,4}", lambda run: EMPTY * int(run[0]), text)
    for letter in row:
        if letter != EMPTY and letter not in letters:
            raise ValueError(
                f"row {text!r} has {letter!r}, not one of {', '.join(letters)} or a count"
            )
    if len(row) != columns:
        raise ValueError(f"row {text!r} has {len(row)} cells, not {columns}")
    return row


def captions(names: Sequence[str]) -> tuple[str, ...]:
    """Captions: who is to move, who has won, and a draw; for two seats, `caption_number` gives the
    index.
    """
    return (
        *(f"{name} to move" for name in names),
        *(f"{name} has won" for name in names),
        "a draw",
    )


def caption_number(mover: int, over: bool, won: bool) -> int:
    """Compiled: the index in `captions`, if only the side that has just moved can have won."""
    if not over:
        return mover
    return 3 - mover if won else 4


# --- games that start with an empty board, and those whose state has `mover` and `winner`


NOBODY = -1


def initial_state(rules: Rules, state: State) -> None:
    """The empty board, first seat to move: all zero."""


def seat_to_move(rules: Rules, state: State) -> int:
    if state.winner != NOBODY:
        return OVER
    return state.mover  # type: ignore[no-any-return]


def payoffs(rules: Rules, state: State, out: Numbers) -> None:
    out[state.winner] = 1.0
    out[1 - state.winner] = -1.0


# --- sets of cells


def letters_of(sets: Iterable[Word], letters: str, bits: Iterable[int]) -> list[str]:
    """The content of each cell: the letter of the first set that contains its bit, or `.`."""
    pairs = list(zip(letters, map(int, sets), strict=True))
    return [next((letter for letter, word in pairs if word >> bit & 1), EMPTY) for bit in bits]


def set_of(cells: Iterable[str], letter: str, bits: Iterable[int]) -> Word:
    """The cells with this letter as a word, each by its bit."""
    return U(sum(1 << bit for content, bit in zip(cells, bits, strict=True) if content == letter))


def write_cells(plane: Planes, cells: Word, width: int) -> None:
    """Compiled: set the cells of a word in a plane of zeros, `width` bits per row."""
    while cells:
        cell = trailing_zeros(cells)
        cells &= cells - U(1)
        plane[cell // width, cell % width] = 1.0


def draw_cells(pieces: Numbers, cells: Word, kind: int, flip: int = 0) -> None:
    """Compiled: put pieces of this kind on the cells of a word; `flip` is XORed into their
    numbers.
    """
    while cells:
        cell = trailing_zeros(cells)
        cells &= cells - U(1)
        pieces[cell ^ flip] = kind


def symmetry(cells: np.ndarray, num_planes: int, actions: np.ndarray | None = None) -> Symmetry:
    """The symmetry that moves the content of cell `cells[i]` to cell i; by default an action is a
    cell.
    """
    planes = np.concatenate([cells + plane * cells.size for plane in range(num_planes)])
    return Symmetry(planes, np.argsort(cells) if actions is None else actions)


def square_symmetries(size: int, num_planes: int) -> list[Symmetry]:
    """The seven rotations and reflections of a square whose actions are its cells."""
    cells = np.arange(size * size).reshape(size, size)
    turned = [
        np.rot90(board, quarter).ravel() for board in (cells, cells.T) for quarter in range(4)
    ]
    return [symmetry(board, num_planes) for board in turned[1:]]


# --- words of a text


def split_fields(text: str, names: Sequence[str], separator: str | None = None) -> list[str]:
    """The text's words, one for each name; ValueError names a missing one."""
    words = text.split(separator)
    if len(words) != len(names):
        raise ValueError(f"expected {len(names)} parts ({', '.join(names)}), got {len(words)}")
    return words


def parse_choice(word: str, choices: Sequence[str], meaning: str) -> int:
    if word not in tuple(choices):  # not a substring, if choices are a text
        raise ValueError(f"{meaning} is {word!r}, not one of {', '.join(choices)}")
    return choices.index(word)


def parse_number(word: str, low: int, high: int, meaning: str) -> int:
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
