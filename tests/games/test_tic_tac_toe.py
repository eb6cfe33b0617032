"""Tic-tac-toe: the whole game, OpenSpiel as the oracle, and what the text must refuse."""

import random
from functools import cache
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given

from anyzero.core.base.errors import BadPositionError
from anyzero.core.game.load import load
from tests.games.openspiel import play_in_both
from tests.games.readers import read_safely, texts_near

GAME = load("tic_tac_toe")


@cache
def values():
    """The value for the first seat of every position that play can reach, by its text."""
    found = {}

    def value_of(state):
        text = GAME.format_state(state)
        if text not in found:
            seat = GAME.seat_to_move(state)
            after = [value_of(GAME.play(state, action)) for action in GAME.legal_actions(state)]
            found[text] = (max if seat == 0 else min)(after) if after else GAME.payoffs(state)[0]
        return found[text]

    value_of(GAME.initial_state())
    return found


def test_there_are_5478_positions_and_the_game_is_a_draw():
    assert len(values()) == 5478
    assert values()["3/3/3 x"] == 0


def test_of_the_final_positions_626_are_won_by_x_316_by_o_and_16_drawn():
    """Up to symmetry these are the well-known 91, 44 and 3."""
    over = [value for text, value in values().items() if GAME.is_over(GAME.parse_state(text))]
    assert [over.count(1), over.count(-1), over.count(0)] == [626, 316, 16]


@pytest.mark.slow
def test_the_reader_takes_exactly_the_positions_that_play_can_reach():
    read = set()
    for marks, mover in product(product("xo.", repeat=9), "xo"):
        board = "/".join("".join(marks[start : start + 3]) for start in (0, 3, 6))
        try:
            read.add(GAME.format_state(GAME.parse_state(f"{board} {mover}")))
        except BadPositionError:
            continue
    assert read == set(values())


def test_random_games_agree_with_openspiel():
    for seed in range(15):
        play_in_both(GAME, "tic_tac_toe", lambda theirs, ours, action: action, seed=seed)


def test_a_row_wins_and_a_move_is_named_by_its_cell():
    state = GAME.play(GAME.parse_state("oo1/3/xx1 x"), "c1")
    assert GAME.payoffs(state).tolist() == [1, -1]
    assert GAME.show(state).text == "3 O O .\n2 . . .\n1 X X X\n  a b c\nx has won"


def test_there_are_seven_symmetries_beside_the_identity():
    turned = {tuple(turn.actions) for turn in GAME.symmetries}
    assert len(turned) == 7
    assert tuple(range(9)) not in turned


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("3/3/3 o", "cannot be the turn"),
        ("xxx/oo1/3 x", "cannot be the turn"),
        ("xxx/ooo/3 x", "already won"),
        ("3/3 x", "3 rows"),
        ("3/3/4 x", "4 cells"),
    ],
)
def test_a_text_that_is_no_position_is_refused(text, complaint):
    with pytest.raises(BadPositionError, match=complaint):
        GAME.parse_state(text)


@given(texts_near(GAME, "xo"))
def test_any_text_is_read_or_refused(text):
    read_safely(GAME, text)


def test_the_tutorial_plays_the_same_game():
    """Every position of one is a position of the other, with the same moves and the same result."""
    tutorial = load(str(Path(__file__).parents[2] / "examples" / "tic_tac_toe.py"))
    chooser = random.Random(1)
    for _ in range(12):
        ours, theirs = GAME.initial_state(), tutorial.initial_state()
        while not GAME.is_over(ours):
            assert tutorial.legal_moves(theirs) == GAME.legal_moves(ours)
            assert (tutorial.encode(theirs) == GAME.encode(ours)).all()
            move = chooser.choice(GAME.legal_moves(ours))
            ours, theirs = GAME.play(ours, move), tutorial.play(theirs, move)
        assert tutorial.payoffs(theirs).tolist() == GAME.payoffs(ours).tolist()
