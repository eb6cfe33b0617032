"""Builders for the boards that most games share: squares, hexagons, stones and coordinates."""

import math

from anyzero.views.scene import Cell, Circle, Label, Piece, Point, Shape

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def cell_name(row: int, column: int) -> str:
    """Column letter and row number, counted from 1: row 0, column 2 is `c1`."""
    return f"{LETTERS[column]}{row + 1}"


def square(x: float, y: float, size: float = 1.0) -> tuple[Point, ...]:
    """The corners of a square around (x, y)."""
    half = size / 2
    return ((x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half))


def hexagon(x: float, y: float, radius: float, *, pointy: bool = True) -> tuple[Point, ...]:
    """The corners of a regular hexagon around (x, y), with a corner on top (pointy) or at the right."""
    start = math.pi / 6 if pointy else 0.0
    angles = [start + corner * math.pi / 3 for corner in range(6)]
    return tuple((round(x + radius * math.cos(a), 4), round(y + radius * math.sin(a), 4)) for a in angles)


def square_cells(rows: int, columns: int, *, bottom_up: bool = True, chequered: bool = False) -> tuple[Cell, ...]:
    """Cells in the order row * columns + column; `bottom_up` draws row 0 at the bottom, as players see it."""
    cells = []
    for row in range(rows):
        for column in range(columns):
            y = rows - 1 - row if bottom_up else row
            fill = "board-dark" if chequered and (row + column) % 2 == 0 else "board"
            cells.append(Cell(cell_name(row, column), square(column, y), fill))
    return tuple(cells)


def square_labels(rows: int, columns: int, *, bottom_up: bool = True) -> tuple[Label, ...]:
    """Letters below the board and numbers to its left."""
    letters = [Label(column, rows - 0.18, LETTERS[column], 0.34, "muted") for column in range(columns)]
    heights = [rows - 1 - row if bottom_up else row for row in range(rows)]
    numbers = [Label(-0.8, y, str(row + 1), 0.34, "muted") for row, y in enumerate(heights)]
    return (*letters, *numbers)


def stone(cell: str, seat: int, *, text: str, name: str, radius: float = 0.38) -> Piece:
    """A round stone; the second seat's carries a ring, so that it is told apart without colour."""
    shapes: tuple[Shape, ...] = (Circle(0, 0, radius, f"seat{seat}", f"seat{seat}-edge", 0.05),)
    if seat == 1:
        shapes = (*shapes, Circle(0, 0, radius * 0.55, "none", f"seat{seat}-edge", 0.05))
    return Piece(cell, text, name, shapes, seat)
