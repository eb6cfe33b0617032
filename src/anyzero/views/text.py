"""A scene as lines of text, plain or in colours: every cell and label at its place on a grid of letters."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import groupby
from math import floor
from typing import TYPE_CHECKING, NamedTuple

from anyzero.views.board import Label, Point, Scene

if TYPE_CHECKING:
    from rich.text import Text


class Letter(NamedTuple):
    text: str
    role: str  # what it belongs to, as a role of the palette: `seat0`, `muted`, ...


Canvas = dict[tuple[int, int], Letter]  # letters by row and column

MOST_STEPS = 24  # how often the scale is widened before texts may touch after all

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
"""How a terminal shows each role: colours that can be read on a light and on a dark background."""


@dataclass(frozen=True)
class PlacedText:
    """Lines of text around a point of the board."""

    centre: Point
    lines: tuple[str, ...]
    role: str = "ink"

    def place(self, scale: tuple[float, float]) -> Canvas:
        """The letters at their row and column; an even number of them leans to the left and to the top."""
        (x, y), (across, down) = self.centre, scale
        top = floor(y * down + 0.5) - len(self.lines) // 2
        middle = floor(x * across + 0.5)
        return {
            (top + row, middle - len(line) // 2 + column): Letter(letter, self.role)
            for row, line in enumerate(self.lines)
            for column, letter in enumerate(line)
        }


def scene_to_text(scene: Scene, marked: Collection[str] = ()) -> str:
    """The board with its labels, the caption below it; `marked` cells stand in brackets."""
    lines = [letters_text(line).rstrip() for line in canvas_lines(lay_out(scene, marked))]
    return "\n".join([*lines, *([printable(scene.caption)] if scene.caption else [])])


def scene_to_terminal(scene: Scene, marked: Collection[str] = ()) -> "Text":
    """What `scene_to_text` writes, in colours; `rich` leaves them out where there are none."""
    from rich.text import Text

    text = Text(no_wrap=True)
    for line in canvas_lines(lay_out(scene, marked)):
        while line and line[-1].text == " ":
            line.pop()
        for role, letters in groupby(line, key=lambda letter: letter.role):
            text.append(letters_text(letters), STYLES.get(role, "bold"))
        text.append("\n")
    text.append(printable(scene.caption))
    return text


def lay_out(scene: Scene, marked: Collection[str] = ()) -> Canvas:
    pieces, cells = {piece.cell: piece for piece in scene.pieces}, []
    for cell in scene.cells:  # what each shows: its piece, or itself
        piece = pieces.get(cell.name)
        role = "muted" if piece is None else f"seat{piece.seat}" if piece.seat >= 0 else "ink"
        cells.append(place_text(cell.centre, cell.text if piece is None else piece.text, role))
    labels = [place_text((shape.x, shape.y), shape.text, "muted") for shape in scene.over if isinstance(shape, Label)]
    scale = free_scale(cells, scene.text_scale)
    canvas: Canvas = {}
    for text in (*labels, *cells):
        canvas |= text.place(scale)
    for cell, text in zip(scene.cells, cells, strict=True):
        if cell.name in marked:
            add_brackets(canvas, text.place(scale))
    return canvas


def add_brackets(canvas: Canvas, letters: Canvas) -> None:
    """Brackets around a text, on its middle line; two marked texts side by side share a bar."""
    if not letters:
        return
    rows = sorted({row for row, _ in letters})
    row = rows[len(rows) // 2]
    columns = [column for found, column in letters if found == row]
    for column, bracket in ((min(columns) - 1, "["), (max(columns) + 1, "]")):
        before = canvas.get((row, column), Letter(" ", ""))
        if before.role == "accent" or before.text == " ":
            canvas[row, column] = Letter("|" if before.role == "accent" else bracket, "accent")


def place_text(centre: Point, text: str, role: str = "ink") -> PlacedText:
    return PlacedText(centre, tuple(printable(line) for line in text.split("\n")), role)


def free_scale(texts: list[PlacedText], least: tuple[float, float]) -> tuple[float, float]:
    """The scale, widened until no text touches another: pieces of several letters need more room."""
    across, down = least
    for _ in range(MOST_STEPS):
        pair = first_touching(texts, (across, down))
        if pair is None:
            break
        (x0, y0), (x1, y1) = (found.centre for found in pair)
        sideways = abs(x0 - x1) >= abs(y0 - y1)
        across, down = across + sideways, down + (not sideways)
    return across, down


def first_touching(texts: list[PlacedText], scale: tuple[float, float]) -> tuple[PlacedText, PlacedText] | None:
    """Two texts that overlap or stand side by side without a space between them."""
    taken: dict[tuple[int, int], PlacedText] = {}
    for text in texts:
        places = text.place(scale)
        for row, column in places:
            for near in (column - 1, column, column + 1):
                if (row, near) in taken:
                    return taken[row, near], text
        taken |= dict.fromkeys(places, text)
    return None


def canvas_lines(canvas: Canvas) -> list[list[Letter]]:
    """The letters row by row, from the first column in use."""
    if not canvas:
        return []
    rows, columns = [row for row, _ in canvas], [column for _, column in canvas]
    blank = Letter(" ", "")
    return [
        [canvas.get((row, column), blank) for column in range(min(columns), max(columns) + 1)]
        for row in range(min(rows), max(rows) + 1)
    ]


def letters_text(letters: Iterable[Letter]) -> str:
    return "".join(letter.text for letter in letters)


def printable(text: str) -> str:
    """The text with anything that could move a terminal's cursor replaced."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)
