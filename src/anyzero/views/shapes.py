"""What a picture consists of: shapes, cells and pieces.

Lengths are in board units (a cell is about one wide), x to the right, y down; colours are roles of
the palette (`seat0`, `ink`, ...) or `none`, suitable for light and dark. A piece's shapes are
placed relative to the centre of its cell.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

Point = tuple[float, float]


@dataclass(frozen=True)
class Polygon:
    points: tuple[Point, ...]
    fill: str = "none"
    line: str = "none"
    width: float = 0.04


@dataclass(frozen=True)
class Circle:
    x: float
    y: float
    radius: float
    fill: str = "none"
    line: str = "none"
    width: float = 0.04


@dataclass(frozen=True)
class Path:
    """An outline in SVG's path language, scaled, then moved to (x, y); `width` is in board units
    regardless.
    """

    data: str
    fill: str = "none"
    line: str = "none"
    width: float = 0.04
    x: float = 0.0
    y: float = 0.0
    scale: float = 1.0


@dataclass(frozen=True)
class Label:
    """Text centred on (x, y); `size` is the font size: capitals are about 0.7 of it tall."""

    x: float
    y: float
    text: str
    size: float = 0.4
    fill: str = "ink"
    bold: bool = False


Shape = Polygon | Circle | Path | Label


@dataclass(frozen=True)
class Cell:
    """A place that a move can name."""

    name: str
    outline: tuple[Point, ...]
    fill: str = "board"
    text: str = "."  # shown in a terminal while the cell is empty
    line: str = "line"

    @property
    def centre(self) -> Point:
        xs = [x for x, _ in self.outline]
        ys = [y for _, y in self.outline]
        return (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2


@dataclass(frozen=True)
class Kind:
    """A kind of piece."""

    text: str  # for a terminal: a letter or two; lines are separated by a line break
    name: str  # for a screen reader: "white knight"
    shapes: tuple[Shape, ...] = ()
    seat: int = -1  # its owner; -1: none

    def on(self, cell: str) -> "Piece":
        return Piece(**vars(self), cell=cell)


@dataclass(frozen=True)
class Piece(Kind):
    cell: str = ""  # its place


@dataclass(frozen=True, repr=False)
class Picture:
    """A position as cells, pieces and shapes, drawn in this order: under, cells, pieces, over."""

    cells: tuple[Cell, ...]
    pieces: tuple[Piece, ...] = ()
    under: tuple[Shape, ...] = ()
    over: tuple[Shape, ...] = ()  # labels and lines on top of everything
    caption: str = ""  # whose turn it is, or how the game ended, in one line
    clicks: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """For each legal action, the cells to click, in order. Actions with the same clicks are chosen
    by text.
    """
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Cells whose clicks count for another: any cell of a column for the one where a stone lands.
    """
    text_scale: tuple[float, float] = (2, 1)  # terminal columns and rows for one board unit
    title: str = ""  # the picture's name; if empty, the caption


def describe(scene: Picture) -> str:
    """The scene for a screen reader: `White pawn on a2, b2. Black king on e8. White to move.`"""
    places: dict[str, list[str]] = {}
    for piece in scene.pieces:
        places.setdefault(piece.name, []).append(piece.cell)
    pieces = [f"{name} on {', '.join(cells)}" for name, cells in places.items()] or [
        "the board is empty"
    ]
    sentences = [*pieces, scene.caption] if scene.caption else pieces
    return " ".join(f"{sentence[:1].upper()}{sentence[1:]}." for sentence in sentences)
