"""The colours, measured: everybody must be able to tell the seats, the pieces and the boards apart,
and read.
"""

from itertools import combinations

import pytest

from anyzero.views.boards import stones
from anyzero.views.svg import DARK, LIGHT, PALETTE, check_roles
from tests.views.colour_vision import contrast, difference, least_difference

THEMES = pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
BOARDS = ("board", "board-dark")


def test_the_difference_of_black_and_white_is_a_hundred():
    assert difference("#000000", "#ffffff", "normal") == pytest.approx(100, abs=0.01)
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


def test_red_and_green_of_one_lightness_are_alike_without_red_and_green_cones():
    assert difference("#b35a00", "#7a7a00", "normal") > 2 * difference(
        "#b35a00", "#7a7a00", "deuteranopia"
    )


@pytest.mark.parametrize("role", PALETTE)
def test_a_role_has_two_full_colours(role):
    assert all(len(colour) == 7 and int(colour[1:], 16) >= 0 for colour in PALETTE[role])


@THEMES
def test_the_seats_are_far_apart_for_everybody(colours):
    assert least_difference(colours["seat0"], colours["seat1"]) > 70


@THEMES
@pytest.mark.parametrize("seat", ["seat0", "seat1"])
@pytest.mark.parametrize("board", BOARDS)
def test_the_seats_stand_out_from_the_board_for_everybody(colours, seat, board):
    assert least_difference(colours[seat], colours[board]) > 35
    assert max(contrast(colours[role], colours[board]) for role in (seat, f"{seat}-edge")) >= 3


@THEMES
@pytest.mark.parametrize("board", BOARDS)
def test_the_stones_of_a_fourth_seat_are_no_others_and_stand_out_from_the_board(colours, board):
    kinds = stones("XOZW", ("blue", "orange", "black", "white"))
    check_roles(
        role for kind in kinds for shape in kind.shapes for role in (shape.fill, shape.line)
    )
    assert min(least_difference(colours["seat3"], colours[f"seat{seat}"]) for seat in range(3)) > 30
    assert max(contrast(colours[role], colours[board]) for role in ("seat3", "seat3-edge")) >= 4.5


@THEMES
@pytest.mark.parametrize(
    ("piece", "edge"), [("white-piece", "piece-edge"), ("black-piece", "black-edge")]
)
@pytest.mark.parametrize("board", BOARDS)
def test_white_and_black_pieces_stand_out_by_their_fill_or_their_outline(
    colours, piece, edge, board
):
    assert max(least_difference(colours[role], colours[board]) for role in (piece, edge)) > 40
    assert max(contrast(colours[role], colours[board]) for role in (piece, edge)) >= 4.5


@THEMES
def test_white_and_black_pieces_differ_and_show_their_inner_lines(colours):
    assert least_difference(colours["white-piece"], colours["black-piece"]) > 70
    assert contrast(colours["white-piece"], colours["piece-edge"]) >= 4.5
    assert contrast(colours["black-piece"], colours["black-inner"]) >= 4.5


@THEMES
def test_the_two_tones_of_a_board_differ_and_the_board_differs_from_the_page(colours):
    assert least_difference(colours["board"], colours["board-dark"]) > 8
    assert all(least_difference(colours[board], colours["page"]) > 10 for board in BOARDS)


@THEMES
@pytest.mark.parametrize("text", ["ink", "muted"])
@pytest.mark.parametrize("ground", ["page", *BOARDS])
def test_text_is_readable_on_page_and_board(colours, text, ground):
    assert contrast(colours[text], colours[ground]) >= 4.5


@THEMES
def test_the_lines_of_a_board_are_seen(colours):
    assert contrast(colours["grid"], colours["board"]) >= 2.4
    assert least_difference(colours["line"], colours["board"]) > 12


@THEMES
@pytest.mark.parametrize("ground", ["page", *BOARDS])
def test_an_accent_is_found_on_page_and_board(colours, ground):
    assert contrast(colours["accent"], colours[ground]) >= 3


@THEMES
@pytest.mark.parametrize("values", [(1, 5, 9), (2, 6, 7), (3, 4, 8)])
def test_the_three_values_of_a_direction_are_told_apart_by_everybody(colours, values):
    pairs = combinations([colours[f"series{value}"] for value in values], 2)
    assert min(least_difference(*pair) for pair in pairs) > 25


@THEMES
def test_no_two_series_are_the_same_for_anybody(colours):
    pairs = combinations([colours[f"series{value}"] for value in range(1, 10)], 2)
    assert min(least_difference(*pair) for pair in pairs) > 8


@THEMES
@pytest.mark.parametrize("value", range(1, 10))
def test_a_series_stands_out_from_its_tile_and_carries_its_number(colours, value):
    series = colours[f"series{value}"]
    assert contrast(series, colours["tile"]) >= 3
    assert contrast(series, colours["tile-ink"]) >= 4.5


def test_a_role_without_a_colour_is_refused_with_the_nearest_one():
    with pytest.raises(ValueError, match="there is no colour role 'seet0'; did you mean 'seat0'"):
        check_roles(["ink", "seet0"])
    check_roles(["ink", "none"])
