"""Scenes and the builders of boards."""

import math

import pytest

from anyzero.views import Cell
from anyzero.views.boards import (
    go_stone,
    hex_cells,
    hex_labels,
    hex_rims,
    hexagon,
    point_cells,
    point_lines,
    round_cells,
    rounded,
    square_cells,
    square_frame,
    stone,
)


def test_cells_are_numbered_from_the_bottom_left():
    cells = square_cells(2, 3)
    assert [cell.name for cell in cells] == ["a1", "b1", "c1", "a2", "b2", "c2"]
    assert [cell.centre for cell in cells] == [(0, 1), (1, 1), (2, 1), (0, 0), (1, 0), (2, 0)]


def test_a1_of_a_chequered_board_is_dark():
    assert [cell.fill for cell in square_cells(2, 2, chequered=True)] == [
        "board-dark",
        "board",
        "board",
        "board-dark",
    ]


def test_a_hexagon_has_six_corners_at_its_radius():
    for pointy in (True, False):
        corners = hexagon(1, 2, 0.5, pointy=pointy)
        assert [math.dist((1, 2), corner) for corner in corners] == pytest.approx(
            [0.5] * 6, abs=1e-4
        )
    assert (1.5, 2.0) in hexagon(1, 2, 0.5, pointy=False)
    assert (1.0, 2.5) in hexagon(1, 2, 0.5, pointy=True)


def test_the_cells_of_the_rhombus_touch_six_neighbours_at_one_unit():
    centres = {cell.name: cell.centre for cell in hex_cells(3)}
    near = sorted(
        name for name, centre in centres.items() if math.dist(centre, centres["b2"]) < 1.01
    )
    assert near == ["a2", "a3", "b1", "b2", "b3", "c1", "c2"]


def test_the_rhombus_has_a_side_for_each_end_of_each_seat_and_a_label_a_line():
    assert [rim.line for rim in hex_rims(4)] == ["seat0", "seat0", "seat1", "seat1"]
    assert [label.text for label in hex_labels(3)] == ["a", "b", "c", "1", "2", "3"]


def test_a_rounded_rectangle_keeps_its_size_and_centre():
    outline = rounded(1, 2, 3, 2, radius=0.5)
    assert Cell("a", outline).centre == pytest.approx((1, 2))
    assert max(x for x, _ in outline) == pytest.approx(2.5)
    assert min(y for _, y in outline) == pytest.approx(1)


def test_a_frame_goes_around_the_cells():
    frame = square_frame(2, 3)
    inner = [(x + frame.width / 2, y + frame.width / 2) for x, y in frame.points[:1]]
    assert inner == [pytest.approx((-0.5, -0.5))]
    assert frame.points[2] == pytest.approx((2.5 + frame.width / 2, 1.5 + frame.width / 2))


def test_a_board_of_lines_has_a_crossing_at_every_cell():
    cells, (_, *lines) = point_cells(2, 3), point_lines(2, 3)
    assert [cell.fill for cell in cells] == ["none"] * 6
    assert [line.data for line in lines] == [
        "M0 0L2 0",
        "M0 1L2 1",
        "M0 0L0 1",
        "M1 0L1 1",
        "M2 0L2 1",
    ]


def test_round_cells_lie_where_square_cells_lie():
    for ring, cell in zip(round_cells(2, 3), square_cells(2, 3), strict=True):
        assert ring.name == cell.name
        assert ring.centre == pytest.approx(cell.centre)


def test_stones_of_the_seats_differ_without_colour():
    first, second = (stone(seat, text="", name="").on("a1") for seat in (0, 1))
    assert len(first.shapes) != len(second.shapes)
    assert go_stone(1, text="", name="").shapes[0].fill == "white-piece"
