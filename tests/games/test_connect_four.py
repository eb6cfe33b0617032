"""Connect Four: known counts, OpenSpiel as the oracle, lines by hand, and what the text must
refuse.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyzero.core.base.errors import BadOptionError, BadPositionError
from anyzero.core.game.load import load
from anyzero.tools.laws.check import check_game
from anyzero.tools.proofs.perft import perft
from tests.games.openspiel import play_in_both
from tests.games.readers import read_safely, texts_near

GAME = load("connect_four")
SMALL = load("connect_four:rows=4,columns=4")


def test_perft_of_the_start():
    """7 ** depth until a column can be full; the counts are well known."""
    found = [perft(GAME, GAME.initial_state(), depth) for depth in range(1, 8)]
    assert found == [7, 49, 343, 2401, 16807, 117649, 823536]


@pytest.mark.parametrize(("rows", "columns"), [(6, 7), (4, 4), (5, 8), (9, 6)])
def test_random_games_agree_with_openspiel(rows, columns):
    game, oracle = (
        load("connect_four", rows=rows, columns=columns),
        f"connect_four(rows={rows},columns={columns})",
    )
    for seed in range(5):
        play_in_both(game, oracle, lambda theirs, ours, action: action, seed=seed)


def position(board, mover):
    """A drawing of the lower rows, with nothing above them."""
    rows = board.split()
    return GAME.parse_state("/".join(["......."] * (6 - len(rows)) + rows) + f" {mover}")


ACROSS = """
ooo....
xxx....
"""
UP = """
o......
ox.....
oxxx...
"""
RISING = """
..xx...
.xoo...
xooxo..
"""
FALLING = """
xx.....
oox....
xooxo..
"""


@pytest.mark.parametrize(
    ("board", "mover", "move"),
    [(ACROSS, "x", "d"), (UP, "o", "a"), (RISING, "x", "d"), (FALLING, "x", "a")],
    ids=["across", "up", "rising", "falling"],
)
def test_four_in_a_row_wins(board, mover, move):
    state = GAME.play(position(board, mover), move)
    assert GAME.is_over(state)
    assert GAME.payoffs(state).tolist() == ([1, -1] if mover == "x" else [-1, 1])
    for other in set(GAME.legal_moves(position(board, mover))) - {move}:
        assert not GAME.is_over(GAME.play(position(board, mover), other))


def test_a_line_does_not_run_on_in_the_next_column():
    state = position("x...... x...... x...... o...... o...... ox.....", "o")
    assert not GAME.is_over(state)


def test_a_full_column_takes_no_more():
    state = GAME.initial_state()
    for move in "aaaaaa":
        state = GAME.play(state, move)
    assert GAME.legal_moves(state) == ["b", "c", "d", "e", "f", "g"]


def test_a_full_board_without_four_is_a_draw():
    state = SMALL.parse_state("ooxx/xxoo/ooxx/xxoo x")
    assert SMALL.is_over(state)
    assert SMALL.payoffs(state).tolist() == [0, 0]
    assert SMALL.scene(state).caption == "a draw"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("7/7/7/7/x6/7 o", "a2 has nothing below"),
        ("7/7/7/7/7/xx5 o", "cannot be the turn"),
        ("7/7/7/7/7/x6 x", "cannot be the turn"),
        ("7/7/7/7/ooo4/xxxxo2 x", "already won"),
        ("7/o6/x6/x6/xo5/xoox3 o", "before the last stone"),
        ("7/7/7/7/7/7", "2 parts"),
    ],
)
def test_a_text_that_is_no_position_is_refused(text, complaint):
    with pytest.raises(BadPositionError, match=complaint):
        GAME.parse_state(text)


def test_a_won_position_is_read_if_the_last_stone_can_have_won_it():
    """The two fours of x, across and rising, share the stone on top of column d."""
    twice = """
    xxxx...
    ooxo...
    oxox...
    xoxoo..
    """
    assert GAME.is_over(position(twice, "o"))


@given(texts_near(GAME, "xo"))
def test_any_text_is_read_or_refused(text):
    read_safely(GAME, text)


@given(st.lists(st.sampled_from("xo."), min_size=16, max_size=16), st.sampled_from("xo"))
def test_any_small_board_is_read_or_refused(marks, mover):
    board = "/".join("".join(marks[start : start + 4]) for start in range(0, 16, 4))
    read_safely(SMALL, f"{board} {mover}")


@pytest.mark.parametrize(("rows", "columns"), [(3, 7), (6, 3), (8, 8), (-1, -1)])
def test_boards_that_cannot_be_played_are_refused(rows, columns):
    with pytest.raises(BadOptionError, match="4 rows and 4 columns"):
        load("connect_four", rows=rows, columns=columns)


@pytest.mark.slow
@pytest.mark.parametrize("size", ["rows=15,columns=4", "rows=7,columns=8"])
def test_the_laws_hold_on_boards_that_fill_the_word(size):
    assert [
        result
        for result in check_game(load(f"connect_four:{size}"), simulate=False)
        if not result.ok
    ] == []
