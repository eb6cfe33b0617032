"""The scene: what a position looks like, in shapes and names, without a word about how it is drawn.

Lengths are in board units (a cell is about one unit wide), x to the right, y down. Colours are *roles* of the palette
(`seat0`, `board`, `ink`, ...) or `none`, so that the same scene is right in light and dark. A piece's shapes are placed
relative to the centre of its cell.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anyzero.views.svg import Theme

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
    """An outline in SVG's path language, scaled, then moved to (x, y); `width` is in board units even so."""

    data: str
    fill: str = "none"
    line: str = "none"
    width: float = 0.04
    x: float = 0.0
    y: float = 0.0
    scale: float = 1.0


@dataclass(frozen=True)
class Label:
    """Text centred on (x, y); `size` is that of the font: its capitals are about 0.7 of it tall."""

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
    text: str = "."  # what a terminal shows while the cell is empty
    line: str = "line"

    @property
    def centre(self) -> Point:
        xs, ys = [x for x, _ in self.outline], [y for _, y in self.outline]
        return (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2


@dataclass(frozen=True)
class Piece:
    cell: str
    text: str  # what a terminal shows: a letter or two; lines are separated by a line break
    name: str  # what a screen reader says: "white knight"
    shapes: tuple[Shape, ...]
    seat: int = -1  # whose it is; -1: nobody's


@dataclass(frozen=True)
class Scene:
    """A position as a picture. Drawn in this order: under, cells, pieces, over."""

    cells: tuple[Cell, ...]
    pieces: tuple[Piece, ...] = ()
    under: tuple[Shape, ...] = ()
    over: tuple[Shape, ...] = ()  # labels and lines on top of everything
    caption: str = ""  # whose turn it is, or how the game ended, in one line
    clicks: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """For each legal action, the cells to click, in order. Actions that share their clicks are asked about by text."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Cells that stand for another one when they are clicked: any of a column for the one that a stone falls to."""
    text_scale: tuple[float, float] = (2, 1)  # terminal columns and rows for one board unit
    title: str = ""  # the picture's name; where it is missing, the caption stands in

    def __post_init__(self) -> None:
        """Pieces and clicks name cells that exist, and no two cells share a name."""
        names = [cell.name for cell in self.cells]
        if len(set(names)) < len(names):
            raise ValueError("two cells of a scene have the same name")
        clicked = {name for cells in self.clicks.values() for name in cells}
        for name in sorted(({piece.cell for piece in self.pieces} | clicked) - set(names)):
            raise ValueError(f"the scene has no cell {name!r}")


@dataclass(frozen=True, repr=False)
class Picture:
    """A scene that draws itself: text in a terminal, SVG in a notebook or a file."""

    scene: Scene
    theme: "Theme" = "auto"

    @property
    def text(self) -> str:
        from anyzero.views.text import scene_to_text  # what draws is imported when it draws

        return scene_to_text(self.scene)

    @property
    def svg(self) -> str:
        from anyzero.views.svg import scene_to_svg

        return scene_to_svg(self.scene, self.theme)

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return self.text


def describe(scene: Scene) -> str:
    """The scene for a screen reader: `White pawn on a2, b2. Black king on e8. White to move.`"""
    places: dict[str, list[str]] = {}
    for piece in scene.pieces:
        places.setdefault(piece.name, []).append(piece.cell)
    pieces = [f"{name} on {', '.join(cells)}" for name, cells in places.items()] or ["the board is empty"]
    sentences = [*pieces, scene.caption] if scene.caption else pieces
    return " ".join(f"{sentence[:1].upper()}{sentence[1:]}." for sentence in sentences)
