"""Breakthrough: OpenSpiel as the oracle, positions by hand, and what the text must refuse."""

import pytest
from hypothesis import given

from anyzero.core.base.errors import BadOptionError, BadPositionError
from anyzero.core.game.load import load
from anyzero.tools.laws.check import check_game
from anyzero.tools.proofs.perft import perft
from tests.games.openspiel import play_in_both
from tests.games.races import boards, moves_by_hand
from tests.games.readers import read_safely, texts_near

GAME = load("breakthrough:rows=5,columns=5")
BOARD_6X5 = load("breakthrough:rows=6,columns=5")


@pytest.mark.parametrize(
    ("rows", "columns", "games"),
    [
        (5, 5, 8),
        (7, 4, 3),
        *(
            pytest.param(*size, marks=pytest.mark.slow)
            for size in [(6, 6, 3), (8, 8, 2), (4, 8, 3)]
        ),
    ],
)
def test_random_games_agree_with_openspiel(rows, columns, games):
    game = load("breakthrough", rows=rows, columns=columns)
    # With fewer than six rows OpenSpiel starts with one row of pawns each.
    one_row = f"{'b' * columns}/{f'{columns}/' * (rows - 2)}{'w' * columns} w"
    start = game.parse_state(one_row) if rows < 6 else None

    def action_of(theirs, ours, action):
        """OpenSpiel's first seat starts at the top: our row 1 is its last."""
        move = theirs.action_to_string(action).rstrip("*")
        flipped = [letter if letter.isalpha() else str(rows + 1 - int(letter)) for letter in move]
        return game.parse_action(ours, "".join(flipped))

    for seed in range(games):
        oracle = f"breakthrough(rows={rows},columns={columns})"
        assert play_in_both(game, oracle, action_of, seed=seed, start=start) <= game.max_plies


def test_perft_of_the_8x8_start():
    """22 first moves (8 straight, 14 diagonal) on either side; the rest by OpenSpiel."""
    game = load("breakthrough")
    assert [perft(game, game.initial_state(), depth) for depth in (1, 2, 3, 4)] == [
        22,
        484,
        11132,
        256036,
    ]


@given(boards(6, 5))
def test_legal_moves_are_those_read_off_the_board(text):
    state = read_safely(BOARD_6X5, text)
    if state is not None:
        assert set(BOARD_6X5.legal_moves(state)) == moves_by_hand("breakthrough", text)


def test_a_pawn_goes_straight_only_to_an_empty_cell_and_takes_only_diagonally():
    state = GAME.parse_state("5/1bb2/1w3/5/w4 w")
    assert sorted(GAME.legal_moves(state)) == ["a1a2", "a1b2", "b3a4", "b3c4"]
    after = GAME.play(state, "b3c4")
    assert GAME.format_state(after) == "5/1bw2/5/5/w4 b"


def test_reaching_the_far_row_wins():
    state = GAME.play(GAME.parse_state("5/2w2/5/b4/5 w"), "c4b5")
    assert GAME.is_over(state)
    assert GAME.payoffs(state).tolist() == [1, -1]
    assert GAME.scene(state).caption == "white has won"


def test_taking_the_last_pawn_wins():
    state = GAME.play(GAME.parse_state("5/5/1b3/2w2/5 b"), "b3c2")
    assert GAME.is_over(state)
    assert GAME.payoffs(state).tolist() == [-1, 1]


def test_both_seats_number_their_moves_alike():
    white = GAME.parse_state("4b/5/5/5/w4 w")
    black = GAME.parse_state("4b/5/5/5/w4 b")
    assert GAME.legal_actions(white) == GAME.legal_actions(black) == [0, 2]
    assert GAME.legal_moves(white) == ["a1a2", "a1b2"]
    assert GAME.legal_moves(black) == ["e5e4", "e5d4"]
    assert (GAME.encode(white) == GAME.encode(black)).all()


def test_amaf_keys_tell_a_taking_step_from_a_quiet_one():
    quiet, taking = GAME.parse_state("b4/5/5/5/1w3 w"), GAME.parse_state("b4/5/5/2b2/1w3 w")
    action = GAME.parse_action(quiet, "b1c2")
    assert GAME.amaf_key(taking, action) == GAME.amaf_key(quiet, action) + 1


def test_max_plies_is_every_step_short_of_the_far_row_and_one_more():
    # Two rows of 5 pawns: 3 steps for those in the back, 2 for those in front, for both sides, and
    # the winning step.
    assert GAME.max_plies == 2 * (5 * 3 + 5 * 2) + 1


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("w4/5/5/b4/5 w", "already won"),
        ("5/5/5/b4/w4 w extra", "2 parts"),
        ("5/5/5/5/w4 w", "already won"),
        ("5/b4/5/5/b1b2 w", "ended when the first"),
        ("bbbbb/bbbbb/b4/5/w4 w", "more b than the 10"),
        ("5/5/5/b4/w4 x", "the side to move is 'x'"),
        ("5/5/5/q4/w4 w", "'q'"),
        ("5/5/5/b5/w4 w", "has 6 cells"),
        ("5/5/5/b4 w", "5 rows"),
    ],
)
def test_a_text_that_is_no_position_is_refused(text, complaint):
    with pytest.raises(BadPositionError, match=complaint):
        GAME.parse_state(text)


def test_a_final_position_is_read():
    assert GAME.is_over(GAME.parse_state("2w2/5/5/b4/5 b"))
    assert GAME.is_over(GAME.parse_state("5/5/5/b4/5 w"))


@given(texts_near(GAME, "wb"))
def test_any_text_is_read_or_refused(text):
    read_safely(GAME, text)


@pytest.mark.parametrize(("rows", "columns"), [(3, 5), (5, 1), (9, 8), (0, 0), (-8, -8)])
def test_boards_that_cannot_be_played_are_refused(rows, columns):
    with pytest.raises(BadOptionError, match="at most 64 cells"):
        load("breakthrough", rows=rows, columns=columns)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", ["breakthrough:rows=4,columns=16", "breakthrough:rows=32,columns=2"]
)
def test_the_laws_hold_on_the_longest_and_the_widest_board(text):
    assert [result for result in check_game(load(text), simulate=False) if not result.ok] == []
