"""Knightthrough: a slow second reading of the rules, positions by hand, and what the text must
refuse.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyzero.core.base.errors import BadOptionError, BadPositionError
from anyzero.core.game.load import load
from anyzero.tools.laws.check import check_game
from anyzero.tools.proofs.perft import perft
from tests.games.races import boards, moves_by_hand
from tests.games.readers import read_safely, texts_near

GAME = load("knightthrough:rows=5,columns=5")
BOARD_6X5 = load("knightthrough:rows=6,columns=5")
NARROW = load("knightthrough:rows=6,columns=3")


@pytest.mark.parametrize("game", [BOARD_6X5, NARROW], ids=["6x5", "6x3"])
@given(st.data())
def test_legal_moves_are_those_read_off_the_board(game, data):
    text = data.draw(boards(game.rules.rows, game.rules.columns))
    state = read_safely(game, text)
    if state is not None:
        assert set(game.legal_moves(state)) == moves_by_hand("knightthrough", text)


def test_perft_of_the_8x8_start():
    """14 long jumps from each of the two rows and 12 short ones from the front row; the sides meet
    later.
    """
    game = load("knightthrough")
    assert [perft(game, game.initial_state(), depth) for depth in (1, 2)] == [40, 40 * 40]


def test_a_knight_jumps_forward_over_anything_and_takes_wherever_it_lands():
    state = GAME.parse_state("5/1b3/1b3/2w2/5 w")
    assert sorted(GAME.legal_moves(state)) == ["c2a3", "c2b4", "c2d4", "c2e3"]
    assert GAME.format_state(GAME.play(state, "c2b4")) == "5/1w3/1b3/5/5 b"


def test_a_knight_does_not_take_its_own():
    state = GAME.parse_state("b4/3w1/w4/2w2/5 w")
    assert [move for move in GAME.legal_moves(state) if move.startswith("c2")] == ["c2b4", "c2e3"]


def test_black_jumps_down():
    state = GAME.parse_state("5/2b2/5/5/w4 b")
    assert sorted(GAME.legal_moves(state)) == ["c4a3", "c4b2", "c4d2", "c4e3"]


def test_reaching_the_far_row_wins():
    state = GAME.play(GAME.parse_state("b4/2w2/5/5/5 w"), "c4e5")
    assert GAME.payoffs(state).tolist() == [1, -1]
    assert GAME.scene(state).caption == "white has won"


def test_taking_the_last_knight_wins():
    state = GAME.play(GAME.parse_state("5/5/1b3/5/2w2 b"), "b3c1")
    assert GAME.payoffs(state).tolist() == [-1, 1]


def test_a_side_with_knights_but_no_jump_has_lost():
    """From the middle of three columns, one row before the last, every jump leaves the board."""
    state = NARROW.parse_state("3/1w1/3/b2/3/3 w")
    assert NARROW.is_over(state)
    assert NARROW.payoffs(state).tolist() == [-1, 1]


def test_both_seats_number_their_moves_alike():
    white, black = GAME.parse_state("2b2/5/5/5/2w2 w"), GAME.parse_state("2b2/5/5/5/2w2 b")
    assert GAME.legal_actions(white) == GAME.legal_actions(black) == [8, 9, 10, 11]
    assert GAME.legal_moves(white) == ["c1b3", "c1d3", "c1a2", "c1e2"]
    assert GAME.legal_moves(black) == ["c5d3", "c5b3", "c5e4", "c5a4"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("w4/5/5/b4/5 w", "already won"),
        ("5/5/5/5/w4 w", "already won"),
        ("5/b4/5/5/b1b2 w", "ended when the first"),
        ("bbbbb/bbbbb/b4/5/w4 w", "more b than the 10"),
    ],
)
def test_a_text_that_is_no_position_is_refused(text, complaint):
    with pytest.raises(BadPositionError, match=complaint):
        GAME.parse_state(text)


@given(texts_near(GAME, "wb"))
def test_any_text_is_read_or_refused(text):
    read_safely(GAME, text)


@pytest.mark.parametrize(("rows", "columns"), [(3, 5), (5, 1), (9, 8)])
def test_boards_that_cannot_be_played_are_refused(rows, columns):
    with pytest.raises(BadOptionError, match="at most 64 cells"):
        load("knightthrough", rows=rows, columns=columns)


@pytest.mark.slow
@pytest.mark.parametrize("size", ["rows=4,columns=16", "rows=32,columns=2", "rows=6,columns=3"])
def test_the_laws_hold_on_odd_boards(size):
    assert [
        result
        for result in check_game(load(f"knightthrough:{size}"), simulate=False)
        if not result.ok
    ] == []
