"""The drawings of the chess pieces."""

import re

import pytest

from anyzero.views import Kind, Path, Scene
from anyzero.views.boards import chess_piece, square_cells
from anyzero.views.svg import scene_to_svg

LETTERS = "PNBRQKpnbrqk"


@pytest.mark.parametrize("letter", LETTERS)
def test_a_piece_fits_its_cell(letter):
    for shape in chess_piece(letter).shapes:
        assert isinstance(shape, Path)
        numbers = [float(word) for word in re.findall(r"-?[0-9.]+", shape.data)]
        assert max(map(abs, numbers)) * shape.scale + shape.width / 2 < 0.45


@pytest.mark.parametrize("kind", "pnbrqk")
def test_white_and_black_are_the_same_drawing_in_other_colours(kind):
    white, black = chess_piece(kind.upper()).shapes, chess_piece(kind).shapes
    assert [shape.data for shape in white] == [shape.data for shape in black]
    assert [shape.fill for shape in white] == ["white-piece", "none"]
    assert [shape.fill for shape in black] == ["black-piece", "none"]


def test_every_kind_has_an_outline_of_its_own():
    assert len({chess_piece(kind).shapes[0].data for kind in "pnbrqk"}) == 6


def corners(outline: str) -> set[tuple[float, float]]:
    """Where the commands of a path (all absolute) lead."""
    x, y, found = 0.0, 0.0, set()
    for command in re.findall(r"[A-Y][^A-Z]*", outline):
        numbers = [float(word) for word in re.findall(r"-?[0-9.]+", command)]
        x = x if command[0] == "V" else numbers[0 if command[0] == "H" else -2]
        y = y if command[0] == "H" else numbers[-1]
        found.add((x, y))
    return found


@pytest.mark.parametrize("kind", "pbrqk")
def test_all_but_the_knight_are_symmetric(kind):
    points = corners(chess_piece(kind).shapes[0].data)
    assert len(points) > 10
    assert points == {(-x, y) for x, y in points}


def test_all_pieces_can_be_drawn():
    cells = square_cells(2, 6)
    pieces = [
        Kind(letter, letter, chess_piece(letter).shapes).on(cell.name)
        for cell, letter in zip(cells, LETTERS, strict=True)
    ]
    assert scene_to_svg(Scene(cells, tuple(pieces))).count("<path") == 24
