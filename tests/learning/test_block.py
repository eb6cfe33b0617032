"""Games played side by side: rules kept, samples right, randomness by game."""

from pathlib import Path

import numpy as np
import pytest

from anyzero.compile.random import make_streams
from anyzero.games.contract import CHANCE
from anyzero.games.load import load
from anyzero.learning.block import Block, Manner
from anyzero.learning.contestants import FULL, RandomContestant
from anyzero.learning.moves import draw_by_policy
from anyzero.learning.samples import take
from anyzero.search.many import ManyResults

FOUR, EASY = load("connect_four"), load("take_it_easy")
DICE = load(str(Path(__file__).parent.parent / "dice_race.py"))


class Scripted:
    """Plays the lowest legal action, and says that it is as good as told."""

    name = "scripted"

    def __init__(self, game, value):
        self.game, self.value = game, value

    def search(self, states, seed, numbers, pace=FULL):
        actions = np.array([self.game.legal_actions(state)[0] for state in states], np.int32)
        policies = np.zeros((len(states), self.game.num_actions), np.float32)
        policies[np.arange(len(states)), actions] = 1.0
        return ManyResults(actions, np.full(len(states), self.value, np.float32), policies, len(states))


def both_seats(game, num):
    return np.zeros((num, game.num_seats), np.int64)


def play(game, contestants, num=6, *, sides=None, seed=3, numbers=None, **manner):
    sides = both_seats(game, num) if sides is None else sides
    numbers = np.arange(num) if numbers is None else np.array(numbers)
    return Block(game, contestants, sides, Manner(**manner), seed=seed, numbers=numbers).play()


def replay(game, line):
    state = game.initial_state()
    for action in line.actions:
        state = game.play(state, action)
    return state


@pytest.mark.parametrize("game", [FOUR, EASY], ids=lambda game: game.name)
def test_every_game_is_legal_and_ends_as_it_says(game):
    result = play(game, [RandomContestant(game)], 20)
    for row, line in enumerate(result.games):
        state = replay(game, line)
        assert game.is_over(state)
        assert line.payoffs == game.payoffs(state).tolist() == result.payoffs[row].tolist()


def test_a_game_does_not_depend_on_the_games_beside_it():
    alone = play(FOUR, [RandomContestant(FOUR)], 1, numbers=[4])
    among = play(FOUR, [RandomContestant(FOUR)], 6)
    assert alone.games[0] == among.games[4]
    assert len({tuple(line.actions) for line in among.games}) == 6


def test_samples_are_the_positions_of_the_games_with_the_result_of_the_seat_to_move():
    result = play(FOUR, [RandomContestant(FOUR)], 5, keep_samples=True)
    samples, row = result.samples, 0
    for line in result.games:
        state = FOUR.initial_state()
        for ply, action in enumerate(line.actions):
            seat = FOUR.seat_to_move(state)
            assert samples.states[row] == state
            assert samples.payoffs[row] == line.payoffs[seat]
            assert (samples.plies[row], samples.lengths[row]) == (ply, len(line.actions))
            legal = FOUR.legal_actions(state)
            assert samples.actions[row].tolist()[: len(legal)] == sorted(legal)
            assert samples.policies[row][legal.index(action)] == 1.0
            state, row = FOUR.play(state, action), row + 1
    assert row == samples.num


def test_equal_inputs_have_equal_keys_and_others_do_not():
    samples = play(FOUR, [RandomContestant(FOUR)], 30, keep_samples=True).samples
    inputs = [FOUR.encode(state).tobytes() for state in samples.states]
    assert len(set(inputs)) == len(set(samples.keys.tolist())) < samples.num


def test_afterstates_are_samples_of_a_value_alone():
    """Take It Easy: 19 draws and 19 moves; before a draw the value is that of the position after it."""
    result = play(EASY, [Scripted(EASY, 0.25)], 2, keep_samples=True)
    samples = take(result.samples, slice(0, 38))
    is_chance = [EASY.seat_to_move(state) == CHANCE for state in samples.states]
    assert is_chance == [True, False] * 19
    assert samples.policy_weights.tolist() == [0.0, 1.0] * 19
    assert set(samples.values.tolist()) == {0.25}
    assert set(samples.payoffs.tolist()) == {np.float32(result.payoffs[0, 0])}


def test_the_same_number_has_the_same_deal():
    one = play(EASY, [Scripted(EASY, 0.0)], 3)
    two = play(EASY, [RandomContestant(EASY)], 3)
    for first, second in zip(one.games, two.games, strict=True):
        assert first.actions[0::2] == second.actions[0::2]
        assert first.actions[1::2] != second.actions[1::2]


def test_openings_are_random_and_no_samples():
    result = play(FOUR, [Scripted(FOUR, 0.0)], 40, keep_samples=True, least_opening=3, most_opening=3)
    assert min(result.samples.plies) == 3
    assert len({tuple(line.actions[:3]) for line in result.games}) > 20


def test_a_seat_that_is_sure_to_lose_gives_up_after_its_second_low_value():
    result = play(FOUR, [Scripted(FOUR, -0.9)], 4, resign_below=-0.8)
    assert [line.end for line in result.games] == ["resign"] * 4
    assert [len(line.actions) for line in result.games] == [2] * 4  # each seat has moved once; then the first gives up
    assert result.payoffs.tolist() == [[-1.0, 1.0]] * 4


def test_games_that_are_checked_are_played_on_and_tell_whether_giving_up_was_wrong():
    result = play(FOUR, [Scripted(FOUR, -0.9)], 4, resign_below=-0.8, resign_checked=1.0)
    assert [line.end for line in result.games] == ["rules"] * 4
    assert len(result.resign_checks) == 8
    assert sum(wrong for _, wrong in result.resign_checks) == 4  # one seat of each game won in spite of its value


def test_games_that_are_too_long_are_cut_off_without_a_winner():
    result = play(FOUR, [Scripted(FOUR, 0.0)], 2, max_plies=5, keep_samples=True)
    assert [(line.end, len(line.actions), line.payoffs) for line in result.games] == [("plies", 5, [0.0, 0.0])] * 2
    assert result.samples.num == 10


def test_games_that_are_cut_off_teach_what_searches_said_of_them():
    short, whole = (play(FOUR, [Scripted(FOUR, 0.25)], 2, max_plies=most, keep_samples=True) for most in (5, 0))
    assert set(short.samples.payoffs.tolist()) == {0.25}
    assert set(whole.samples.payoffs.tolist()) == {-1.0, 1.0}


def test_what_a_game_that_is_cut_off_would_have_come_to_checks_no_resignation():
    result = play(FOUR, [Scripted(FOUR, -0.9)], 4, resign_below=-0.8, resign_checked=1.0, max_plies=6)
    assert {line.end for line in result.games} == {"plies"}
    assert result.resign_checks == []


class FirstIsBetter(Scripted):
    """Says of every position that the first seat stands well."""

    def search(self, states, seed, numbers, pace=FULL):
        found = super().search(states, seed, numbers, pace)
        seats = np.array([self.game.seat_to_move(state) for state in states])
        return found._replace(values=np.where(seats == 0, self.value, -self.value).astype(np.float32))


@pytest.mark.parametrize("most", [0, 5])  # to the end, and cut off before a draw
def test_a_value_before_a_draw_is_for_the_first_seat_whoever_moves_next(most):
    samples = play(DICE, [FirstIsBetter(DICE, 0.5)], 3, max_plies=most, keep_samples=True).samples
    before_draws = np.array([DICE.seat_to_move(state) == CHANCE for state in samples.states])
    assert before_draws.sum() > 3
    assert set(samples.values[before_draws].tolist()) == {0.5}
    assert set(samples.plies[before_draws].tolist()) >= {0, 2}
    assert samples.plies.max() == (3 if most else samples.lengths.max() - 1)


def test_draws_within_the_opening_are_no_samples():
    samples = play(DICE, [Scripted(DICE, 0.0)], 4, least_opening=3, most_opening=3, keep_samples=True).samples
    assert samples.plies.min() == 3


def test_contestants_have_their_seats():
    asked = []

    class Named(Scripted):
        def search(self, states, seed, numbers, pace=FULL):
            asked.extend((self.value, FOUR.seat_to_move(state)) for state in states)
            return super().search(states, seed, numbers, pace)

    play(FOUR, [Named(FOUR, 1), Named(FOUR, 2)], 2, sides=np.array([[0, 1], [0, 1]]))
    assert set(asked) == {(1, 0), (2, 1)}


def test_fast_searches_are_no_samples():
    full = play(FOUR, [Scripted(FOUR, 0.0)], 20, keep_samples=True)
    some = play(FOUR, [Scripted(FOUR, 0.0)], 20, keep_samples=True, fast_share=0.5)
    assert full.games == some.games
    assert 0.3 * full.samples.num < some.samples.num < 0.7 * full.samples.num  # each move a fair coin: 13 deviations


def test_gumbels_noise_ends_with_the_plies_in_which_moves_are_drawn():
    asked = []

    class Listening(Scripted):
        def search(self, states, seed, numbers, pace=FULL):
            asked.append(pace.late)
            return super().search(states, seed, numbers, pace)

    play(FOUR, [Listening(FOUR, 0.0)], 1, temperature_plies=3)
    assert asked[:5] == [False, False, False, True, True]


def test_moves_are_drawn_by_the_policy_and_its_temperature():
    policies = np.tile(np.array([[0.6, 0.0, 0.3, 0.1]], np.float32), (8000, 1))
    rows, streams = np.arange(8000), make_streams(5, 8000)

    def shares(temperature):
        actions = np.full(8000, 9, np.int32)
        FOUR.compile(draw_by_policy)(policies, np.full(8000, temperature), rows, streams.copy(), actions)
        return np.bincount(actions, minlength=10)[:4] / 8000

    assert np.abs(shares(1.0) - [0.6, 0.0, 0.3, 0.1]).max() < 0.03  # five deviations of 0.0055
    assert np.abs(shares(0.5) - np.array([36, 0, 9, 1]) / 46).max() < 0.03
    assert shares(0.05)[0] > 0.999
    assert shares(0.0).sum() == 0  # at temperature 0 nothing is drawn: the search's own choice stands
