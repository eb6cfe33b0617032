"""The picture of an Oware board: two rows of houses with their seeds, and the stores at both ends."""

import math

from anyzero.games.contract import OVER
from anyzero.views import Cell, Circle, Label, Piece, Polygon, Scene
from anyzero.views.boards import rounded
from anyzero.views.scene import Point, Shape

SEAT_NAMES = ("South", "North")
NUM_HOUSES = 6
RADIUS = 0.46
ROW_Y = (1.7, 0.0)
"""The first seat's row is the lower one."""
STORE_X = (6.2, -1.2)
"""The first seat's store is on the right."""
MOST_DOTS = 24
"""Seeds that are drawn in a house; the number tells how many there are."""

WOOD = (
    Polygon(rounded(2.5, 0.85, 9.0, 3.7, radius=0.4), "board", "frame", 0.1),
    *(Polygon(rounded(x, 0.85, 1.1, 2.7, radius=0.4), "board-dark", "line", 0.025) for x in STORE_X),
)
"""The board and its stores."""


def house_name(seat: int, house: int) -> str:
    """A to F for the first seat, a to f for the second, in the direction of sowing."""
    return ("ABCDEF", "abcdef")[seat][house]


def oware_scene(rows: list[list[int]], stores: list[int], mover: int, legal: list[int]) -> Scene:
    """The board as the first seat sees it: sowing goes to the right below and to the left above."""
    houses = [(seat, house) for seat in range(2) for house in range(NUM_HOUSES)]
    cells = [house_cell(*place) for place in houses]
    pieces = [seeds_piece(seat, house, rows[seat][house]) for seat, house in houses if rows[seat][house]]
    clicks = {house: (house_name(mover, house),) for house in legal}
    labels = [*map(house_label, houses), *store_labels(stores)]
    text = caption(stores, mover)
    return Scene(tuple(cells), tuple(pieces), WOOD, tuple(labels), text, clicks, (4, 2), "Oware")


def caption(stores: list[int], mover: int) -> str:
    taken = f"{stores[0]} : {stores[1]}"
    if mover != OVER:
        return f"{SEAT_NAMES[mover]} to move, {taken}"
    if stores[0] == stores[1]:
        return f"a draw, {taken}"
    return f"{SEAT_NAMES[stores[1] > stores[0]]} has won, {taken}"


def house_centre(seat: int, house: int) -> Point:
    return float(house if seat == 0 else NUM_HOUSES - 1 - house), ROW_Y[seat]


def house_cell(seat: int, house: int) -> Cell:
    outline = rounded(*house_centre(seat, house), 2 * RADIUS, 2 * RADIUS, radius=RADIUS)
    return Cell(house_name(seat, house), outline, "board-dark", text="0")


def seeds_piece(seat: int, house: int, seeds: int) -> Piece:
    """The seeds as dots, and their number on the outer side of the house."""
    number = Label(0, 0.69 if seat == 0 else -0.69, str(seeds), 0.34, "ink", bold=True)
    dots = [Circle(x, y, 0.08, f"seat{seat}", f"seat{seat}-edge", 0.02) for x, y in dot_places(min(seeds, MOST_DOTS))]
    shapes: tuple[Shape, ...] = (*dots, number)
    return Piece(house_name(seat, house), str(seeds), f"{seeds} seed{'s' if seeds > 1 else ''}", shapes, seat)


def dot_places(num: int) -> list[Point]:
    """Places around the middle, each a golden angle after the one before, as seeds grow in a sunflower."""
    spread = 0.0 if num == 1 else min(0.36, 0.1 * math.sqrt(num))
    angle = math.pi * (3 - math.sqrt(5))
    radii = [spread * math.sqrt((index + 0.5) / num) for index in range(num)]
    return [(round(r * math.cos(i * angle), 4), round(r * math.sin(i * angle), 4)) for i, r in enumerate(radii)]


def house_label(place: tuple[int, int]) -> Label:
    """The house's letter, between the two rows."""
    x, y = house_centre(*place)
    return Label(x, y - 0.62 if place[0] == 0 else y + 0.62, house_name(*place), 0.26, "muted")


def store_labels(stores: list[int]) -> list[Label]:
    labels = []
    for seat, taken in enumerate(stores):
        labels += [Label(STORE_X[seat], 0.85, str(taken), 0.6, "ink", bold=True)]
        labels += [Label(STORE_X[seat], 1.98 if seat == 0 else -0.28, SEAT_NAMES[seat], 0.26, "muted")]
    return labels
