"""A scene as lines of plain text: every cell and label at its place on a grid of characters."""

from dataclasses import dataclass
from math import floor

from anyzero.views.scene import Label, Point, Scene

Canvas = dict[tuple[int, int], str]
"""Letters by row and column."""

MOST_STEPS = 24
"""How often the scale is widened before texts may touch after all."""


@dataclass(frozen=True)
class Block:
    """Lines of text around a point of the board."""

    centre: Point
    lines: tuple[str, ...]

    def place(self, scale: tuple[float, float]) -> Canvas:
        """The letters at their row and column; an even number of them leans to the left and to the top."""
        (x, y), (across, down) = self.centre, scale
        top = floor(y * down + 0.5) - len(self.lines) // 2
        middle = floor(x * across + 0.5)
        return {
            (top + row, middle - len(line) // 2 + column): letter
            for row, line in enumerate(self.lines)
            for column, letter in enumerate(line)
        }


def scene_to_text(scene: Scene) -> str:
    """The board with its labels, the caption below it."""
    cells = cell_blocks(scene)
    labels = [block((shape.x, shape.y), shape.text) for shape in scene.over if isinstance(shape, Label)]
    scale = free_scale(cells, scene.text_scale)
    canvas: Canvas = {}
    for text in (*labels, *cells):
        canvas |= text.place(scale)
    return "\n".join([*canvas_lines(canvas), *([printable(scene.caption)] if scene.caption else [])])


def cell_blocks(scene: Scene) -> list[Block]:
    """What each cell shows: its piece, or itself."""
    pieces = {piece.cell: piece.text for piece in scene.pieces}
    return [block(cell.centre, pieces.get(cell.name, cell.text)) for cell in scene.cells]


def block(centre: Point, text: str) -> Block:
    return Block(centre, tuple(printable(line) for line in text.split("\n")))


def free_scale(blocks: list[Block], least: tuple[float, float]) -> tuple[float, float]:
    """The scale, widened until no text touches another: pieces of several letters need more room."""
    across, down = least
    for _ in range(MOST_STEPS):
        pair = first_touching(blocks, (across, down))
        if pair is None:
            break
        (x0, y0), (x1, y1) = (found.centre for found in pair)
        sideways = abs(x0 - x1) >= abs(y0 - y1)
        across, down = across + sideways, down + (not sideways)
    return across, down


def first_touching(blocks: list[Block], scale: tuple[float, float]) -> tuple[Block, Block] | None:
    """Two texts that overlap or stand side by side without a space between them."""
    taken: dict[tuple[int, int], Block] = {}
    for text in blocks:
        places = text.place(scale)
        for row, column in places:
            for near in (column - 1, column, column + 1):
                if (row, near) in taken:
                    return taken[row, near], text
        taken |= dict.fromkeys(places, text)
    return None


def canvas_lines(canvas: Canvas) -> list[str]:
    """The letters row by row, without spaces at the ends of lines."""
    if not canvas:
        return []
    rows, columns = [row for row, _ in canvas], [column for _, column in canvas]
    return [
        "".join(canvas.get((row, column), " ") for column in range(min(columns), max(columns) + 1)).rstrip()
        for row in range(min(rows), max(rows) + 1)
    ]


def printable(text: str) -> str:
    """The text with anything that could move a terminal's cursor replaced."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)
