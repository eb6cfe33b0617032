"""Boards: what is shown on them becomes a scene, and what is not theirs is refused."""

import json
from dataclasses import replace
from functools import partial

import pytest

from anyzero.views import Board, Circle, Label, Polygon
from anyzero.views.board import assemble, board_values, check_board
from anyzero.views.boards import (
    hex_cells,
    hex_labels,
    point_cells,
    square_cells,
    square_labels,
    stone,
)

STONES = (stone(0, text="X", name="cross"), stone(1, text="O", name="nought"))
MARKS = (
    (Circle(0.25, 0, 0.1, "ink"), Label(0, 0.5, "on {cell}")),
    (Polygon(((0, 0), (0.5, 0), (0, 0.5)), "accent"),),
)


def board(**changes) -> Board:
    parts = {
        "kinds": STONES,
        "marks": MARKS,
        "captions": ("x to move", "{1} to {0}"),
        "moves": ("a1", "b1", "a1b2", "pass", "drop b"),
        "over": (Label(0, 2, "{0} points {cell} {9}x"),),
    }
    return Board(square_cells(2, 2), **{**parts, **changes})


def test_pieces_stand_where_their_numbers_say():
    game_board = board()
    shown = game_board.new_shown()
    shown.pieces[0], shown.pieces[3] = 2, 1
    assert [(piece.cell, piece.name) for piece in assemble(game_board, shown).pieces] == [
        ("a1", "nought"),
        ("b2", "cross"),
    ]
    assert assemble(game_board, game_board.new_shown()).pieces == ()


def test_captions_and_labels_hold_the_numbers_shown():
    game_board = board(over=(Label(0, 2, "{2} points, {cell} {x}"),))
    shown = game_board.new_shown()
    shown.numbers[:], shown.caption = (7, -3, 12), 1
    scene = assemble(game_board, shown)
    assert scene.caption == "-3 to 7"
    assert scene.over[0].text == "12 points, {cell} {x}"


def test_marks_are_laid_around_the_centre_of_their_cell():
    game_board = board(over=())
    shown = game_board.new_shown()
    shown.marks[1], shown.marks[2] = 0b01, 0b10  # b1 has its centre at (1, 1), a2 at (0, 0)
    assert assemble(game_board, shown).over == (
        Circle(1.25, 1, 0.1, "ink"),
        Label(1, 1.5, "on b1"),
        Polygon(((0, 0), (0.5, 0), (0, 0.5)), "accent"),
    )


def test_a_move_is_made_by_the_cells_of_its_text_or_those_that_the_board_says():
    game_board = board(clicks={4: ("b2",)})
    clicks = assemble(game_board, game_board.new_shown(), {30: 0, 31: 2, 32: 3, 33: 4}).clicks
    assert clicks == {30: ("a1",), 31: ("a1", "b2"), 33: ("b2",)}  # what names no cell is a button


def test_a_move_whose_text_holds_the_name_of_a_cell_may_still_be_a_button():
    triangle = tuple(
        replace(cell, name=name) for cell, name in zip(square_cells(1, 3), "aps", strict=True)
    )
    moves = Board(triangle, moves=(*"aps", "pass"), clicks={3: ()})
    assert moves.move_cells == ((0,), (1,), (2,), ())


def test_a_cell_may_stand_for_another_one():
    game_board = board(clicks={4: ("b1",)})
    shown = game_board.new_shown()
    shown.stands_for[1] = 1 + 3
    scene = assemble(game_board, shown, {0: 0, 4: 4})
    assert scene.aliases == {"b1": "b2"}
    assert scene.clicks == {0: ("a1",), 4: ("b2",)}


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("pieces", 3, "2 kinds"),
        ("pieces", -1, "2 kinds"),
        ("marks", 4, "2 marks"),
        ("stands_for", 5, "4 cells"),
    ],
)
def test_what_the_board_does_not_have_is_refused(field, value, says):
    shown = board().new_shown()
    shown[field][0] = value
    with pytest.raises(
        ValueError, match=f"draw writes {value} into shown.{field}, and the board has {says}"
    ):
        assemble(board(), shown)


def test_a_caption_that_is_not_there_is_refused():
    shown = board().new_shown()
    shown.caption = 2
    with pytest.raises(
        ValueError, match=r"draw writes 2 into shown.caption, and the board has 2 captions"
    ):
        assemble(board(), shown)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"clicks": {0: ("z9",)}}, "no cell 'z9'"),
        ({"over": (Label(0, 0, "x", fill="red"),)}, "no colour role 'red'"),
        ({"marks": ((Circle(0, 0, 1, "blue"),),)}, "no colour role 'blue'"),
    ],
)
def test_a_board_is_checked_with_all_that_it_can_show(changes, says):
    with pytest.raises(ValueError, match=says):
        check_board(board(**changes))


@pytest.mark.parametrize("text_scale", [(1e9, 2), (2, 1e9)])
def test_a_board_that_would_be_drawn_with_a_billion_letters_is_refused(text_scale):
    with pytest.raises(
        ValueError, match="more than 10000 letters wide or tall: is text_scale too large"
    ):
        check_board(board(text_scale=text_scale, over=()))


def test_columns_beyond_the_alphabet_are_refused():
    assert square_cells(1, 26)[-1].name == "z1"
    for build in (
        partial(square_cells, 1),
        partial(square_labels, 1),
        partial(point_cells, 1),
        hex_cells,
        hex_labels,
    ):
        with pytest.raises(ValueError, match="columns have letters, at most 26"):
            build(27)


def test_a_board_may_be_captions_and_buttons_alone():
    check_board(Board((), STONES, captions=("{0} points",), moves=("roll", "hold")))


def test_a_board_has_distinct_cells_and_not_too_many_marks():
    with pytest.raises(ValueError, match="same name"):
        Board(square_cells(1, 1) * 2)
    with pytest.raises(ValueError, match="at most 16 marks"):
        board(marks=MARKS * 9)


def test_the_values_for_the_page_are_json_and_number_the_cells_of_each_move():
    values = json.loads(json.dumps(board_values(board())))
    assert values["clicks"] == [[0], [1], [0, 3], [], []]
    assert values["marks"][1] == [
        {
            "kind": "polygon",
            "points": [[0, 0], [0.5, 0], [0, 0.5]],
            "fill": "accent",
            "line": "none",
            "width": 0.04,
        }
    ]
    assert values["cells"][3]["centre"] == [1, 0]
    assert [kind["name"] for kind in values["kinds"]] == ["cross", "nought"]
