"""A scene as lines of text, plain or coloured: every cell and label at its place on a grid of
characters.
"""

from collections.abc import Collection
from itertools import groupby
from math import floor
from typing import TYPE_CHECKING, NamedTuple

from anyzero.core.base.extras import MissingPartError, needs_package
from anyzero.views.shapes import Label, Picture, Point

if TYPE_CHECKING:
    from rich.text import Text


class Letter(NamedTuple):
    text: str
    role: str  # its role in the palette: `seat0`, `muted`, ...


Canvas = dict[tuple[int, int], Letter]  # letters by row and column
BLANK = Letter(" ", "")
MOST_LETTERS = 10_000  # in a line, and lines: more is a mistake, and would fill the memory

STYLES = {
    "": "",
    "ink": "bold",
    "muted": "dim",
    "accent": "bold magenta",
    "seat0": "bold bright_blue",
    "seat1": "bold dark_orange",
    "seat2": "bold",
    "seat3": "bold red",
}
"""The terminal style of each role: colours readable on a light and on a dark background."""


def scene_to_text(scene: Picture, marked: Collection[str] = ()) -> str:
    """The board with its labels, the caption below it; `marked` cells are in brackets."""
    return scene_to_terminal(scene, marked).plain.rstrip("\n")


def scene_to_terminal(scene: Picture, marked: Collection[str] = ()) -> "Text":
    """The same in colour; `rich` drops colours if the terminal has none."""
    try:
        from rich.text import Text
    except ModuleNotFoundError:
        raise MissingPartError(needs_package("rich")) from None
    canvas = lay_out(scene, marked)
    text = Text(no_wrap=True)
    rows = sorted(row for row, _ in canvas)
    left = min((column for _, column in canvas), default=0)
    if rows and max(rows[-1] - rows[0], max(column for _, column in canvas) - left) > MOST_LETTERS:
        raise ValueError(
            f"the picture as text is more than {MOST_LETTERS} letters wide or tall: is "
            "text_scale too large?"
        )
    for row in range(rows[0], rows[-1] + 1) if rows else ():
        used = [
            column for place, column in canvas if place == row and canvas[row, column].text != " "
        ]
        line = [
            canvas.get((row, column), BLANK)
            for column in range(left, max(used, default=left - 1) + 1)
        ]
        for role, letters in groupby(line, key=lambda letter: letter.role):
            text.append("".join(letter.text for letter in letters), STYLES.get(role, "bold"))
        text.append("\n")
    text.append(printable(scene.caption))
    return text


def lay_out(scene: Picture, marked: Collection[str] = ()) -> Canvas:
    """Labels, then each cell: its piece, or itself; pieces of several letters get more space."""
    pieces = {piece.cell: piece for piece in scene.pieces}
    texts = dict[str, tuple[str, str]]()
    canvas = Canvas()
    for cell in scene.cells:
        piece = pieces.get(cell.name)
        role = "muted" if piece is None else f"seat{piece.seat}" if piece.seat >= 0 else "ink"
        texts[cell.name] = cell.text if piece is None else piece.text, role
    lines = [text.split("\n") for text, _ in texts.values()]
    wide = max((len(line) for part in lines for line in part), default=0)
    tall = max(map(len, lines), default=0)
    scale = max(scene.text_scale[0], wide + 1), max(scene.text_scale[1], tall)
    for shape in scene.over:
        if isinstance(shape, Label):
            canvas |= place((shape.x, shape.y), scale, shape.text, "muted")
    placed = {cell.name: place(cell.centre, scale, *texts[cell.name]) for cell in scene.cells}
    for letters in placed.values():
        canvas |= letters
    for name, letters in placed.items():
        if name in marked:
            add_brackets(canvas, letters)
    return canvas


def place(centre: Point, scale: tuple[float, float], text: str, role: str) -> Canvas:
    """The letters of a text around a point; an even number is shifted to the left and to the
    top.
    """
    lines = text.split("\n")
    across, down = scale
    top = floor(centre[1] * down + 0.5) - len(lines) // 2
    middle = floor(centre[0] * across + 0.5)
    return {
        (top + row, middle - len(line) // 2 + column): Letter(letter, role)
        for row, line in enumerate(lines)
        for column, letter in enumerate(printable(line))
    }


def add_brackets(canvas: Canvas, letters: Canvas) -> None:
    """Brackets around a text, on its middle line; two adjacent marked texts share a bar."""
    if not letters:
        return
    rows = sorted({row for row, _ in letters})
    row = rows[len(rows) // 2]
    columns = [column for place, column in letters if place == row]
    for column, bracket in ((min(columns) - 1, "["), (max(columns) + 1, "]")):
        before = canvas.get((row, column), BLANK)
        if before.role == "accent" or before.text == " ":
            canvas[row, column] = Letter("|" if before.role == "accent" else bracket, "accent")


def printable(text: str) -> str:
    """The text with anything that could move a terminal's cursor replaced."""
    return "".join(
        letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text
    )
