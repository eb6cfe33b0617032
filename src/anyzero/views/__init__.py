"""The board, the scene (what a position looks like on it), and how that becomes text and SVG. Knows
no game.
"""

from anyzero.views.board import Board, Scene
from anyzero.views.shapes import Cell, Circle, Kind, Label, Path, Piece, Polygon, Shape

__all__ = ["Board", "Cell", "Circle", "Kind", "Label", "Path", "Piece", "Polygon", "Scene", "Shape"]
