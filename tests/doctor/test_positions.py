"""Games played again, and positions whose value is certain."""

import numpy as np
import pytest

from anyzero.doctor.positions import decide, decided_among, replay_games
from anyzero.games.contract import OVER
from anyzero.games.load import load
from tests.doctor.runs import NIM

pytestmark = pytest.mark.xdist_group("doctor")


@pytest.fixture(scope="module")
def game():
    return load("tic_tac_toe")


def value_of(game, text):
    states = game.new_states(1)
    states[0] = game.parse_state(text)
    return decide(game, states)[0]


@pytest.mark.parametrize(
    ("position", "value"),
    [
        ("xx1/oo1/3 x", 1.0),  # x completes its row
        ("xx1/oo1/x2 o", 1.0),  # o completes its own
        ("xox/1ox/o2 x", 1.0),
        ("x1x/1o1/x1o o", -1.0),  # x threatens two lines: whatever o stops, x wins at once
        ("xxo/oox/xo1 x", 0.0),  # one cell left, no line
        ("x2/1o1/3 x", None),
    ],
)
def test_a_win_at_once_and_a_double_threat_are_decided(game, position, value):
    found = value_of(game, position)
    assert np.isnan(found) if value is None else found == value


def test_a_nim_heap_of_four_is_lost_and_a_smaller_one_won():
    game = load(NIM, fault="none")
    states = game.new_states(8)
    states["left"] = np.arange(1, 9)
    assert decide(game, states)[:4].tolist() == [1.0, 1.0, 1.0, -1.0]
    assert np.isnan(decide(game, states)[4:]).all()
    assert decided_among(game, states).states["left"].tolist() == [1, 2, 3, 4]


def test_one_seat_is_decided_only_where_every_move_ends_the_game():
    game = load("take_it_easy")
    state, before = game.initial_state(), None
    while not game.is_over(state):
        before, state = state, game.play(state, game.legal_actions(state)[0])
    states = game.new_states(2)
    states[0], states[1] = before, game.play(game.initial_state(), game.legal_actions(game.initial_state())[0])
    last, early = decide(game, states)
    assert last == pytest.approx(game.payoffs(state)[0])
    assert np.isnan(early)


def test_games_are_played_again_move_by_move(game):
    starts = np.array([game.initial_state()], game.state_dtype)
    won, open_end = [0, 3, 1, 4, 2], [4, 0]
    found = replay_games(game, starts, np.zeros(2, np.int64), [won, open_end])
    assert found.seats[found.games == 0].tolist() == [0, 1, 0, 1, 0]
    assert found.plies[found.games == 1].tolist() == [0, 1, 2]
    assert found.payoffs.tolist() == [[1.0, -1.0], [0.0, 0.0]]
    assert found.lengths.tolist() == [5, 2]
    assert not found.illegal.any()
    third = found.states[(found.games == 0) & (found.plies == 2)][0]
    assert game.format_state(third) == game.format_state(game.play(game.play(game.initial_state(), 0), 3))


def test_the_last_position_of_an_unfinished_game_is_there_too(game):
    starts = np.array([game.initial_state()], game.state_dtype)
    won, given_up, none, illegal = [0, 3, 1, 4, 2], [4], [], [0, 0]
    found = replay_games(game, starts, np.zeros(4, np.int64), [won, given_up, none, illegal])
    last = found.plies == found.lengths[found.games]
    assert found.games[last].tolist() == [1, 2]
    assert found.seats[last].tolist() == [1, 0]
    shown = [game.format_state(state) for state in found.states[last]]
    assert shown == [game.format_state(game.play(game.initial_state(), 4)), game.format_state(game.initial_state())]


def test_no_games_have_no_positions(game):
    starts = np.array([game.initial_state()], game.state_dtype)
    assert len(replay_games(game, starts, np.zeros(0, np.int64), []).states) == 0


@pytest.mark.parametrize("actions", [[0, 0], [0, 9], [0, -1], [0, 3, 1, 4, 2, 5]])
def test_moves_that_the_rules_do_not_allow_are_found(game, actions):
    starts = np.array([game.initial_state()], game.state_dtype)
    found = replay_games(game, starts, np.zeros(2, np.int64), [actions, [4]])
    assert found.illegal.tolist() == [True, False]
    assert (found.seats != OVER).all()
