"""The picture of Take It Easy: hexagons in columns, and tiles with three coloured stripes."""

import math
from collections.abc import Iterator, Sequence

from anyzero.views import Board, Cell, Circle, Kind, Label, Polygon, Shape
from anyzero.views.boards import hexagon

SIZE = (
    1.5  # distance of neighbouring cells in a column, so that three numbers on a tile stay readable
)
RADIUS = SIZE / math.sqrt(3)
HAND_CENTRE = (3.2 * SIZE, 0.0)
STRIPES = (math.pi / 2, -math.pi / 6, math.pi / 6)
"""The angle of each direction: down, to the upper right, to the lower right (y points down)."""
NUMBER_PLACES = (-0.31 * SIZE, -0.31 * SIZE, 0.31 * SIZE)
"""The place of each number on its stripe, from the middle: above, lower left, lower right."""


def make_board(columns: Sequence[int], tiles: Sequence[tuple[int, int, int]]) -> Board:
    """Cells in columns of these lengths, from left to right, and a piece for each tile."""
    cells = [
        Cell(str(number), hexagon(*centre, RADIUS, pointy=False), text=str(number))
        for number, centre in enumerate(centres(columns))
    ]
    cells.append(
        Cell("hand", hexagon(*HAND_CENTRE, RADIUS, pointy=False), "page", text="", line="muted")
    )
    places = (f"place {down}{up}{right} ({down}↓{up}↗{right}↘)" for down, up, right in tiles)
    running = ["a tile is drawn", *places]
    return Board(
        tuple(cells),
        tuple(map(tile_kind, tiles)),
        marks=((Label(0, 0, "{cell}", 0.36, "muted"),),),
        captions=(*(f"{text}, {{0}} points so far" for text in running), "the end: {0} points"),
        over=(Label(HAND_CENTRE[0], -0.75 * SIZE, "in hand", 0.36, "muted"),),
        text_scale=(6 / SIZE, 2 / SIZE),
        title="Take It Easy",
    )


def centres(columns: Sequence[int]) -> Iterator[tuple[float, float]]:
    """The centres of the cells, down the columns from left to right."""
    for column, size in enumerate(columns):
        for row in range(size):
            yield round(1.5 * RADIUS * (column - 2), 4), SIZE * (row - (size - 1) / 2)


def tile_kind(tile: tuple[int, int, int]) -> Kind:
    text = "".join(map(str, tile))
    stripes = list[Shape]()
    numbers = list[Shape]()
    for value, angle, place in zip(tile, STRIPES, NUMBER_PLACES, strict=True):
        x, y = place * math.cos(angle), place * math.sin(angle)
        stripes.append(Polygon(stripe(angle), f"series{value}"))
        numbers += [
            Circle(x, y, 0.2, f"series{value}"),
            Label(x, y, str(value), 0.34, "tile-ink", bold=True),
        ]
    body = Polygon(hexagon(0, 0, RADIUS * 0.96, pointy=False), "tile", "tile-edge", 0.03)
    return Kind(text, f"tile {text}", (body, *stripes, *numbers))


def stripe(angle: float) -> tuple[tuple[float, float], ...]:
    """A band through the middle of a tile, from edge to edge."""
    reach = 0.465 * SIZE
    half = 0.08 * SIZE
    cos = math.cos(angle)
    sin = math.sin(angle)
    corners = ((reach, half), (-reach, half), (-reach, -half), (reach, -half))
    return tuple((round(x * cos - y * sin, 4), round(x * sin + y * cos, 4)) for x, y in corners)
