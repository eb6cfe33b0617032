"""Builders for the boards that most games share: squares, hexagons, stones, frames and coordinates."""

import math

from anyzero.views.scene import Cell, Circle, Label, Path, Piece, Point, Polygon, Shape

LETTERS = "abcdefghijklmnopqrstuvwxyz"
FRAME_WIDTH = 0.12
CORNER_STEPS = 5


def cell_name(row: int, column: int) -> str:
    """Column letter and row number, counted from 1: row 0, column 2 is `c1`."""
    return f"{LETTERS[column]}{row + 1}"


# --- outlines


def square(x: float, y: float, size: float = 1.0) -> tuple[Point, ...]:
    """The corners of a square around (x, y)."""
    return rectangle(x, y, size, size)


def rectangle(x: float, y: float, width: float, height: float) -> tuple[Point, ...]:
    """The corners of a rectangle around (x, y)."""
    right, down = width / 2, height / 2
    return ((x - right, y - down), (x + right, y - down), (x + right, y + down), (x - right, y + down))


def rounded(x: float, y: float, width: float, height: float, *, radius: float = 0.2) -> tuple[Point, ...]:
    """A rectangle around (x, y) with round corners; a radius of half the side makes a disc or a pill."""
    right, down = width / 2 - radius, height / 2 - radius
    corners = ((right, down), (-right, down), (-right, -down), (right, -down))
    turns = [
        [(quarter + step / CORNER_STEPS) * math.pi / 2 for step in range(CORNER_STEPS + 1)] for quarter in range(4)
    ]
    return tuple(
        (round(x + dx + radius * math.cos(turn), 4), round(y + dy + radius * math.sin(turn), 4))
        for (dx, dy), corner in zip(corners, turns, strict=True)
        for turn in corner
    )


def hexagon(x: float, y: float, radius: float, *, pointy: bool = True) -> tuple[Point, ...]:
    """The corners of a regular hexagon around (x, y), with a corner on top (pointy) or at the right."""
    start = math.pi / 6 if pointy else 0.0
    angles = [start + corner * math.pi / 3 for corner in range(6)]
    return tuple((round(x + radius * math.cos(a), 4), round(y + radius * math.sin(a), 4)) for a in angles)


# --- square boards


def square_cells(rows: int, columns: int, *, bottom_up: bool = True, chequered: bool = False) -> tuple[Cell, ...]:
    """Cells in the order row * columns + column; `bottom_up` draws row 0 at the bottom, as players see it."""
    cells = []
    for row in range(rows):
        for column in range(columns):
            y = rows - 1 - row if bottom_up else row
            fill = "board-dark" if chequered and (row + column) % 2 == 0 else "board"
            # Chequers need no lines between them; a line in their own colour closes the seams.
            cells.append(Cell(cell_name(row, column), square(column, y), fill, line=fill if chequered else "line"))
    return tuple(cells)


def square_labels(rows: int, columns: int, *, bottom_up: bool = True) -> tuple[Label, ...]:
    """Letters below the board and numbers to its left."""
    letters = [Label(column, rows - 0.14, LETTERS[column], 0.32, "muted") for column in range(columns)]
    heights = [rows - 1 - row if bottom_up else row for row in range(rows)]
    numbers = [Label(-0.86, y, str(row + 1), 0.32, "muted") for row, y in enumerate(heights)]
    return (*letters, *numbers)


def square_frame(rows: int, columns: int, fill: str = "frame") -> Polygon:
    """A rim with round corners around a board of squares; it belongs under the cells."""
    x, y = (columns - 1) / 2, (rows - 1) / 2
    return Polygon(rectangle(x, y, columns, rows), fill, fill, 2 * FRAME_WIDTH)


# --- pieces


def stone(cell: str, seat: int, *, text: str, name: str, radius: float = 0.38) -> Piece:
    """A round stone; the second seat's carries a ring, so that it is told apart without colour."""
    shapes: tuple[Shape, ...] = (Circle(0, 0, radius, f"seat{seat}", f"seat{seat}-edge", 0.04),)
    if seat == 1:
        shapes = (*shapes, Circle(0, 0, radius * 0.55, "none", f"seat{seat}-edge", 0.04))
    return Piece(cell, text, name, shapes, seat)


def go_stone(cell: str, *, white: bool, text: str, name: str, seat: int) -> Piece:
    """A black or a white stone."""
    fill, edge = ("white-piece", "piece-edge") if white else ("black-piece", "black-edge")
    return Piece(cell, text, name, (Circle(0, 0, 0.42, fill, edge, 0.03),), seat)


def segment(start: Point, end: Point, line: str, width: float = 0.04) -> Path:
    """A straight line."""
    return Path(f"M{start[0]:g} {start[1]:g}L{end[0]:g} {end[1]:g}", "none", line, width)
