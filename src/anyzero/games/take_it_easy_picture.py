"""The picture of Take It Easy: hexagons in columns, tiles with three stripes, and the tile in hand beside the board."""

import math
from collections.abc import Sequence

from anyzero.views import Cell, Circle, Label, Piece, Polygon, Scene, Shape
from anyzero.views.boards import hexagon
from anyzero.views.scene import Point

COLUMNS = (3, 4, 5, 4, 3)
SIZE = 1.5
"""From a cell to its neighbour in the column, so that three numbers on a tile stay readable."""
RADIUS = SIZE / math.sqrt(3)
HAND = "hand"
HAND_CENTRE = (3.2 * SIZE, 0.0)

Tile = tuple[int, int, int]


def tiles_scene(tiles: Sequence[Tile | None], hand: Tile | None, points: int) -> Scene:
    """The board, with an empty place for the hand once the board is full."""
    cells = [
        Cell(str(cell), hexagon(*centre, RADIUS, pointy=False), text=str(cell)) for cell, centre in enumerate(CENTRES)
    ]
    cells.append(Cell(HAND, hexagon(*HAND_CENTRE, RADIUS, pointy=False), "page", text="", line="muted"))
    places = [(str(cell), tile) for cell, tile in enumerate(tiles)] + [(HAND, hand)]
    pieces = [tile_piece(name, tile) for name, tile in places if tile]
    empty = [cell for cell, tile in enumerate(tiles) if tile is None]
    numbers = [Label(*CENTRES[cell], str(cell), 0.36, "muted") for cell in empty]
    clicks = {cell: (str(cell),) for cell in empty} if hand else {}
    text = caption(hand, len(empty), points)
    return Scene(
        tuple(cells),
        tuple(pieces),
        over=(*numbers, Label(HAND_CENTRE[0], -0.75 * SIZE, "in hand", 0.36, "muted")),
        caption=text,
        clicks=clicks,
        text_scale=(6 / SIZE, 2 / SIZE),
        title="Take It Easy",
    )


def caption(hand: Tile | None, num_empty: int, points: int) -> str:
    if hand:
        return f"place {''.join(map(str, hand))}, {points} points so far"
    return f"a tile is drawn, {points} points so far" if num_empty else f"the end: {points} points"


def cell_centres() -> tuple[Point, ...]:
    """Down the columns, from left to right."""
    return tuple(
        (round(1.5 * RADIUS * (column - 2), 4), SIZE * (row - (size - 1) / 2))
        for column, size in enumerate(COLUMNS)
        for row in range(size)
    )


CENTRES = cell_centres()

STRIPES = (math.pi / 2, -math.pi / 6, math.pi / 6)
"""The way each direction goes: down, to the upper right, to the lower right (y points down)."""
NUMBER_PLACES = (-0.31 * SIZE, -0.31 * SIZE, 0.31 * SIZE)
"""Where on its stripe, from the middle, each number stands: above, lower left, lower right."""


def tile_piece(cell: str, tile: Tile) -> Piece:
    text = "".join(map(str, tile))
    shapes: list[Shape] = [Polygon(hexagon(0, 0, RADIUS * 0.96, pointy=False), "tile", "tile-edge", 0.03)]
    for value, angle in zip(tile, STRIPES, strict=True):
        shapes.append(Polygon(stripe(angle), f"series{value}"))
    for value, angle, place in zip(tile, STRIPES, NUMBER_PLACES, strict=True):
        x, y = place * math.cos(angle), place * math.sin(angle)
        shapes += [Circle(x, y, 0.2, f"series{value}"), Label(x, y, str(value), 0.34, "tile-ink", bold=True)]
    return Piece(cell, text, f"tile {text}", tuple(shapes))


def stripe(angle: float) -> tuple[Point, ...]:
    """A band through the middle of a tile, from edge to edge."""
    reach, half = 0.465 * SIZE, 0.08 * SIZE
    cos, sin = math.cos(angle), math.sin(angle)
    corners = ((reach, half), (-reach, half), (-reach, -half), (reach, -half))
    return tuple((round(x * cos - y * sin, 4), round(x * sin + y * cos, 4)) for x, y in corners)
