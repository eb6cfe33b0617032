"""The scene (what a position looks like) and how it becomes text and SVG. Knows no game."""

from anyzero.views.scene import Cell, Circle, Label, Path, Picture, Piece, Polygon, Scene, Shape

__all__ = ["Cell", "Circle", "Label", "Path", "Picture", "Piece", "Polygon", "Scene", "Shape"]
