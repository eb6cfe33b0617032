"""Domineering: who wins on small boards, positions by hand, views of both seats, and what the text
must refuse.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyzero.core.base.errors import BadOptionError, BadPositionError
from anyzero.core.game.contract import legal_actions, play
from anyzero.core.game.load import load
from anyzero.tools.laws.check import check_game
from tests.games.readers import read_safely, texts_near

GAME = load("domineering:rows=4,columns=4")
WIDE = load("domineering:rows=2,columns=4")


def side_to_move_wins(rules, states, actions, counts, cursors):
    """Kernel: a search with its own stack. Who has no move left to try has lost, and its opponent's
    move was right.
    """
    level = 0
    counts[0], cursors[0] = legal_actions(rules, states[0], actions[0]), 0
    while True:
        if cursors[level] < counts[level]:
            action = np.int64(actions[level, cursors[level]])
            cursors[level] += 1
            states[level + 1] = states[level]
            level += 1
            play(rules, states[level], action)
            counts[level], cursors[level] = legal_actions(rules, states[level], actions[level]), 0
        elif level < 2:
            return level == 1
        else:
            level -= 2


def vertical_wins_first(rows, columns):
    game = load("domineering", rows=rows, columns=columns)
    depth = game.max_plies + 2
    states, actions = game.new_states(depth), np.zeros((depth, game.max_legal), np.int32)
    states[0] = game.initial_state()
    search = game.compile(side_to_move_wins)
    return bool(
        search(game.rules, states, actions, np.zeros(depth, np.int64), np.zeros(depth, np.int64))
    )


SOLVED = {
    (2, 2): "first",
    (2, 3): "first",
    (2, 4): "horizontal",
    (2, 5): "vertical",
    (2, 6): "first",
    (2, 7): "first",
    (2, 8): "horizontal",
    (2, 9): "vertical",
    (3, 3): "first",
    (3, 4): "horizontal",
    (3, 5): "horizontal",
    (3, 6): "horizontal",
    (4, 4): "first",
    (4, 5): "vertical",
    (4, 6): "first",
    (5, 5): "second",
}
"""Rows and columns, and who wins: Breuker, Uiterwijk and van den Herik 2000; Lachmann, Moore and
Rapaport 2002.
"""


@pytest.mark.parametrize(("rows", "columns"), SOLVED)
def test_small_boards_are_won_by_whom_the_literature_says(rows, columns):
    """Horizontal moves first on the board with rows and columns exchanged."""
    vertical, horizontal = vertical_wins_first(rows, columns), vertical_wins_first(columns, rows)
    names = {
        (True, True): "first",
        (True, False): "vertical",
        (False, True): "horizontal",
        (False, False): "second",
    }
    assert names[vertical, horizontal] == SOLVED[rows, columns]


def test_the_first_seat_places_upright_dominoes_and_the_second_flat_ones():
    state = WIDE.initial_state()
    assert WIDE.legal_moves(state) == ["a1a2", "b1b2", "c1c2", "d1d2"]
    state = WIDE.play(state, "b1b2")
    assert WIDE.legal_moves(state) == ["c1d1", "c2d2"]


def test_who_cannot_place_a_domino_has_lost():
    state = WIDE.parse_state("1vhh/1v2 v")
    assert WIDE.legal_moves(state) == ["a1a2"]
    state = WIDE.play(WIDE.play(state, "a1a2"), "c1d1")
    assert WIDE.is_over(state)
    assert WIDE.payoffs(state).tolist() == [-1, 1]
    assert WIDE.scene(state).caption == "horizontal has won"


def test_the_second_seat_sees_rows_and_columns_exchanged():
    first, second = GAME.initial_state(), GAME.parse_state("4/4/v3/v3 h")
    assert GAME.parse_action(first, "a2a3") == 1 * 4 + 0
    assert GAME.parse_action(second, "b1c1") == 1 * 4 + 0
    expected = np.ones((4, 4))
    expected[0, :2] = 0  # a1 and a2
    assert (GAME.encode(second)[0] == expected).all()


def test_the_planes_show_what_is_empty_and_who_could_still_cover_it():
    planes = WIDE.encode(WIDE.parse_state("1vhh/1v2 v"))
    assert planes.shape == (3, 4, 4)
    empty, mine, theirs = planes.tolist()
    assert empty == [[1, 0, 1, 1], [1, 0, 0, 0], [0] * 4, [0] * 4]
    assert mine == [[1, 0, 0, 0], [1, 0, 0, 0], [0] * 4, [0] * 4]
    assert theirs == [[0, 0, 1, 1], [0] * 4, [0] * 4, [0] * 4]


def test_the_picture_shows_whole_dominoes():
    state = GAME.parse_state("v3/v1hh/v1hh/v3 v")
    assert (
        GAME.show(state).text
        == "4 V . . .\n3 V . H H\n2 V . H H\n1 V . . .\n  a b c d\nvertical to move"
    )
    assert sum(bool(piece.shapes) for piece in GAME.scene(state).pieces) == 4


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("4/4/4/v3 h", "marked v are not covered by whole vertical"),
        ("4/v3/v3/v3 h", "marked v are not covered"),
        ("4/4/v3/vh1h v", "marked h are not covered by whole horizontal"),
        ("4/4/4/hh2 v", "cannot be the turn"),
        ("4/4/v3/v3 v", "cannot be the turn"),
        ("4/4/4/4 w", "the side to move is 'w'"),
    ],
)
def test_a_text_that_is_no_position_is_refused(text, complaint):
    with pytest.raises(BadPositionError, match=complaint):
        GAME.parse_state(text)


@given(texts_near(GAME, "vh"))
def test_any_text_is_read_or_refused(text):
    read_safely(GAME, text)


@given(st.lists(st.sampled_from("vh."), min_size=8, max_size=8), st.sampled_from("vh"))
def test_any_small_board_is_read_or_refused(marks, mover):
    read_safely(WIDE, f"{''.join(marks[:4])}/{''.join(marks[4:])} {mover}")


@pytest.mark.parametrize(("rows", "columns"), [(1, 5), (5, 1), (9, 8), (2, 27), (2, 32)])
def test_boards_that_cannot_be_played_are_refused(rows, columns):
    with pytest.raises(BadOptionError, match="at most 64 cells"):
        load("domineering", rows=rows, columns=columns)


@pytest.mark.slow
@pytest.mark.parametrize("size", ["rows=2,columns=26", "rows=32,columns=2"])
def test_the_laws_hold_on_boards_that_are_not_square(size):
    assert [
        result
        for result in check_game(load(f"domineering:{size}"), simulate=False)
        if not result.ok
    ] == []
