"""Builders for the boards that most games share: squares, crossings, hexagons, stones and
coordinates.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from anyzero.core.base.cells import cell_name, letter_of
from anyzero.views.board import Board
from anyzero.views.shapes import Cell, Circle, Kind, Label, Path, Point, Polygon, Shape

FRAME_WIDTH = 0.1
CORNER_STEPS = 12
HEX_ROW = math.sqrt(3) / 2
"""The distance between rows of touching hexagons, if neighbours in a row are one unit apart."""
HEX_RADIUS = 1 / math.sqrt(3)
HEX_TEXT_SCALE = (2.0, 1 / HEX_ROW)
RIM_WIDTH = 0.32
MOST_DOTS = 24  # maximum seeds drawn in a house


# --- outlines


def rectangle(x: float, y: float, width: float, height: float) -> tuple[Point, ...]:
    right = width / 2
    down = height / 2
    return (
        (x - right, y - down),
        (x + right, y - down),
        (x + right, y + down),
        (x - right, y + down),
    )


def rounded(
    x: float, y: float, width: float, height: float, *, radius: float = 0.2
) -> tuple[Point, ...]:
    """A rectangle around (x, y) with round corners; a radius of half the side makes a disc or a
    pill.
    """
    right = width / 2 - radius
    down = height / 2 - radius
    corners = ((right, down), (-right, down), (-right, -down), (right, -down))
    points = []
    for quarter, (dx, dy) in enumerate(corners):
        for step in range(CORNER_STEPS + 1):
            turn = (quarter + step / CORNER_STEPS) * math.pi / 2
            points.append(
                (
                    round(x + dx + radius * math.cos(turn), 4),
                    round(y + dy + radius * math.sin(turn), 4),
                )
            )
    return tuple(points)


def hexagon(x: float, y: float, radius: float, *, pointy: bool = True) -> tuple[Point, ...]:
    """The corners of a regular hexagon around (x, y), with a corner on top (pointy) or at the
    right.
    """
    start = math.pi / 6 if pointy else 0.0
    angles = [start + corner * math.pi / 3 for corner in range(6)]
    return tuple(
        (round(x + radius * math.cos(a), 4), round(y + radius * math.sin(a), 4)) for a in angles
    )


# --- square boards


def square_cells(rows: int, columns: int, *, chequered: bool = False) -> tuple[Cell, ...]:
    """Cells in the order row * columns + column, row 0 at the bottom."""
    cells = []
    for row in range(rows):
        for column in range(columns):
            fill = "board-dark" if chequered and (row + column) % 2 == 0 else "board"
            line = (
                fill if chequered else "line"
            )  # chequers need none; one in their own colour closes the seams
            cells.append(
                Cell(
                    cell_name(row, column), rectangle(column, rows - 1 - row, 1, 1), fill, line=line
                )
            )
    return tuple(cells)


def round_cells(rows: int, columns: int) -> tuple[Cell, ...]:
    """Cells as in `square_cells`, drawn as holes in the layer below."""
    cells = square_cells(rows, columns)
    return tuple(
        replace(cell, outline=rounded(*cell.centre, 0.84, 0.84, radius=0.42)) for cell in cells
    )


def square_labels(rows: int, columns: int) -> tuple[Label, ...]:
    """Letters below the board and numbers to its left."""
    letters = [
        Label(column, rows - 0.14, letter_of(column), 0.24, "muted") for column in range(columns)
    ]
    numbers = [Label(-0.86, rows - 1 - row, str(row + 1), 0.24, "muted") for row in range(rows)]
    return (*letters, *numbers)


def square_frame(rows: int, columns: int, fill: str = "frame") -> Polygon:
    """A rim with round corners around a board of squares; it goes under the cells, with `fill`
    between them.
    """
    x, y = (columns - 1) / 2, (rows - 1) / 2
    outline = rectangle(x, y, columns + FRAME_WIDTH, rows + FRAME_WIDTH)
    return Polygon(outline, fill, "frame", FRAME_WIDTH)


def square_board(
    rows: int,
    columns: int,
    kinds: Iterable[Kind],
    *,
    chequered: bool = False,
    moves: Iterable[str] = (),
    **rest: Any,
) -> Board:
    """The usual board of squares, with a rim and coordinates; moves are cells unless `moves` has
    other texts.
    """
    cells = square_cells(rows, columns, chequered=chequered)
    texts = tuple(moves) or tuple(cell.name for cell in cells)
    under = (square_frame(rows, columns),)
    over = square_labels(rows, columns)
    return Board(cells, tuple(kinds), moves=texts, under=under, over=over, **rest)


# --- boards of lines


def point_cells(rows: int, columns: int) -> tuple[Cell, ...]:
    """Cells as in `square_cells` for stones on crossings: the lines are drawn under them."""
    return tuple(replace(cell, fill="none", line="none") for cell in square_cells(rows, columns))


def point_lines(rows: int, columns: int) -> tuple[Shape, ...]:
    """The wood and the crossing lines under `point_cells`."""
    right = columns - 1
    bottom = rows - 1
    across = [segment((0, row), (right, row), "grid", 0.025) for row in range(rows)]
    down = [segment((column, 0), (column, bottom), "grid", 0.025) for column in range(columns)]
    return (square_frame(rows, columns, "board"), *across, *down)


# --- the rhombus of hexagons


def hex_centre(row: int, column: int) -> Point:
    """Each row starts half a cell further to the right than the one above."""
    return column + row / 2, row * HEX_ROW


def hex_cells(size: int) -> tuple[Cell, ...]:
    """Cells in the order row * size + column, row 0 on top."""
    places = [(row, column) for row in range(size) for column in range(size)]
    return tuple(
        Cell(cell_name(*place), hexagon(*hex_centre(*place), HEX_RADIUS)) for place in places
    )


def hex_labels(size: int) -> tuple[Label, ...]:
    """Letters above the columns, along their slant, and numbers to the left of the rows."""
    letters = [
        Label(column - 0.5, -HEX_ROW, letter_of(column), 0.24, "muted") for column in range(size)
    ]
    numbers = [
        Label(row / 2 - 1, row * HEX_ROW, str(row + 1), 0.24, "muted") for row in range(size)
    ]
    return (*letters, *numbers)


def hex_rims(size: int) -> tuple[Path, ...]:
    """The sides that a seat must connect, in its colour: the first's top and bottom, the second's
    left and right.
    """
    last = size - 1
    middle = (
        math.sqrt(3) / 2 * HEX_RADIUS
    )  # two sides meet in the middle of an edge at each sharp corner
    line = range(size)
    top = [
        *((0, column, turn, HEX_RADIUS) for column in line for turn in (210, 270)),
        (0, last, 300, middle),
    ]
    bottom = [
        (last, 0, 120, middle),
        *((last, column, turn, HEX_RADIUS) for column in line for turn in (90, 30)),
    ]
    left = [
        *((row, 0, turn, HEX_RADIUS) for row in line for turn in (210, 150)),
        (last, 0, 120, middle),
    ]
    right = [
        (0, last, 300, middle),
        *((row, last, turn, HEX_RADIUS) for row in line for turn in (330, 30)),
    ]

    def point(row: int, column: int, turn: int, radius: float) -> Point:
        """Around a cell's centre, `turn` degrees clockwise from the right."""
        x, y = hex_centre(row, column)
        angle = math.radians(turn)
        return x + radius * math.cos(angle), y + radius * math.sin(angle)

    sides = (("seat0", top), ("seat0", bottom), ("seat1", left), ("seat1", right))
    return tuple(
        Path(path_data(point(*place) for place in side), "none", seat, RIM_WIDTH)
        for seat, side in sides
    )


# --- stones, lines and marks


def stone(seat: int, *, text: str, name: str) -> Kind:
    """A round stone. Nobody needs colour: the second seat's has a ring, the third's a dot, the
    fourth's is white.
    """
    marks = {
        1: (Circle(0, 0, 0.209, "none", "seat1-edge", 0.04),),
        2: (Circle(0, 0, 0.114, "black-inner"),),
    }
    return Kind(
        text,
        name,
        (Circle(0, 0, 0.38, f"seat{seat}", f"seat{seat}-edge", 0.04), *marks.get(seat, ())),
        seat,
    )


def stones(
    texts: str, names: Sequence[str], make: Callable[..., Kind] | None = None
) -> tuple[Kind, ...]:
    """A stone for each letter, of the seats in turn, with the seats' names; `make` is `stone` or
    `go_stone`.
    """
    kinds = ((place % len(names), text) for place, text in enumerate(texts))
    return tuple(
        (make or stone)(seat, text=text, name=f"{names[seat]} stone") for seat, text in kinds
    )


def go_stone(seat: int, *, text: str, name: str) -> Kind:
    """A black stone of the first seat, or a white one of the second."""
    fill, edge = (("black-piece", "black-edge"), ("white-piece", "piece-edge"))[seat]
    return Kind(text, name, (Circle(0, 0, 0.42, fill, edge, 0.03),), seat)


def pile_of_seeds(seat: int, num: int) -> Kind:
    """Seeds in a house of the upper or lower row as dots, and their number on its outer side."""
    number = Label(0, (0.69, -0.69)[seat], str(num), 0.34, "ink", bold=True)
    drawn = min(num, MOST_DOTS)
    spread = 0.0 if drawn == 1 else min(0.36, 0.1 * math.sqrt(drawn))
    dots = []
    for dot in range(
        drawn
    ):  # each a golden angle after the previous one, like the seeds of a sunflower
        radius = spread * math.sqrt((dot + 0.5) / drawn)
        angle = dot * math.pi * (3 - math.sqrt(5))
        x, y = round(radius * math.cos(angle), 4), round(radius * math.sin(angle), 4)
        dots.append(Circle(x, y, 0.08, f"seat{seat}", f"seat{seat}-edge", 0.02))
    return Kind(str(num), f"{num} seed{'s' if num > 1 else ''}", (*dots, number), seat)


DOT = (Circle(0, 0, 0.12, "page"),)  # a mark, for example for stones that have won


def segment(start: Point, end: Point, line: str, width: float = 0.04) -> Path:
    return Path(path_data([start, end]), "none", line, width)


def path_data(points: Iterable[Point]) -> str:
    """An open line through the points, in SVG's path language."""
    return "M" + "L".join(f"{round(x, 3):g} {round(y, 3):g}" for x, y in points)


# --- chess pieces


# Every outline starts at the left of the foot and goes clockwise: up the left side, over the top,
# down the right.
OUTLINES = {
    "p": (
        "M-26 38V34Q-26 29 -20 28C-19 17 -8 13 -7 1H-11Q-15 1 -12 -3L-8 -6"
        "A12.5 12.5 0 1 1 8 -6L12 -3Q15 1 11 1H7C8 13 19 17 20 28Q26 29 26 34V38Z"
    ),
    "n": (
        "M-24 38V34Q-24 29 -18 28C-18 14 -2 11 1 -4C-5 1 -10 1 -14 5C-16 8 -18 11 -22 10"
        "C-28 8 -32 3 -29 -3C-26 -9 -22 -13 -20 -19C-18 -25 -13 -29 -8 -31L-6 -40L2 -32"
        "C18 -29 27 -12 22 28Q28 29 28 34V38Z"
    ),
    "b": (
        "M-26 38V34Q-26 29 -20 28C-18 20 -9 19 -8 12H-12Q-16 12 -13 8L-10 5C-18 -2 -17 -17 -4 -29"
        "A5.2 5.2 0 1 1 4 -29C17 -17 18 -2 10 5L13 8Q16 12 12 12H8C9 19 18 20 20 28Q26 29 26 34V38Z"
    ),
    "r": (
        "M-27 38V34Q-27 29 -21 28C-17 20 -15 6 -15 -8L-22 "
        "-15V-32H-13V-26H-5V-32H5V-26H13V-32H22V-15L15 -8"
        "C15 6 17 20 21 28Q27 29 27 34V38Z"
    ),
    "q": (
        "M-27 38V34Q-27 29 -21 28C-18 24 -18 18 -21 12L-31 -15A4.5 4.5 0 1 1 -27 -17L-16 -3L-17 -26"
        "A4.5 4.5 0 1 1 -13 -27L-5 -6L-2 -31A4.5 4.5 0 1 1 2 -31L5 -6L13 -27A4.5 4.5 0 1 1 "
        "17 -26L16 -3L27 -17"
        "A4.5 4.5 0 1 1 31 -15L21 12C18 18 18 24 21 28Q27 29 27 34V38Z"
    ),
    "k": (
        "M-27 38V34Q-27 29 -21 28C-18 24 -18 18 -21 13C-32 4 -34 -6 -29 -13C-24 -20 -11 -20 "
        "-6 -13L-3.5 -21"
        "V-27H-9.5V-34H-3.5V-40H3.5V-34H9.5V-27H3.5V-21L6 -13C11 -20 24 -20 29 -13"
        "C34 -6 32 4 21 13C18 18 18 24 21 28Q27 29 27 34V38Z"
    ),
}

INNER_LINES = {
    "p": "M-17 28H17M-5 1H5",
    "n": "M-15 28H19M5 -25C15 -19 18 -4 14 20M-13 -16A2 2 0 1 1 -12.9 -16M-24 2L-23.5 1.5",
    "b": "M-17 28H17M-7 12H7M-8 5H8M0 -19V-5M-6 -12H6",
    "r": "M-18 28H18M-14 -8H14M-18 -15H18",
    "q": "M-18 28H18M-18 12Q0 6 18 12M-18 20Q0 14 18 20",
    "k": "M-18 28H18M-18 13Q0 7 18 13M-18 21Q0 15 18 21M-6 -13Q0 -4 0 4M6 -13Q0 -4 0 4",
}

SCALE = 0.0105  # from the grid of the drawings, 80 high, to board units


NAMES = {"p": "pawn", "n": "knight", "b": "bishop", "r": "rook", "q": "queen", "k": "king"}


def chess_piece(letter: str, text: str = "") -> Kind:
    """A chess piece by its FEN letter, upper case white and lower case black; a terminal shows
    `text` or the letter.
    """
    seat = 0 if letter.isupper() else 1
    kind = letter.lower()
    side = ("white", "black")[seat]
    edge, inner = (("piece-edge", "piece-edge"), ("black-edge", "black-inner"))[seat]
    outline = Path(OUTLINES[kind], f"{side}-piece", edge, 0.036, scale=SCALE)
    lines = Path(INNER_LINES[kind], "none", inner, 0.028, scale=SCALE)
    return Kind(text or letter, f"{side} {NAMES[kind]}", (outline, lines), seat)
