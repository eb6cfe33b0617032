"""Estimates of moves against exact expectations: of positions worked out by hand, and of all random
play by force.
"""

import json
import math
from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from anyzero.core.base.errors import AnyzeroError, BadOptionError
from anyzero.core.base.statistics import Interval
from anyzero.core.game.load import load
from anyzero.core.search.report import RootMoves
from anyzero.tools.lab.estimate import (
    estimate,
    estimates_of,
    parse_simulations,
    rank_correlation,
    reference_values,
    sample_moves,
)

RACE = str(Path(__file__).parent.parent / "race.py")

# Five random games are possible: c1 wins at once (1/3); a1 b1 loses (1/6); a1 c1 b1 (1/6) and b1 c1
# a1 (1/6) are drawn; b1 a1 c1 wins (1/6). So flat comes to c1 = 1, a1 = (-1 + 0) / 2 and b1 = (1 +
# 0) / 2. As x makes each of its moves in half of the games, AMAF comes to c1 = 1, a1 = (-1/6) /
# (1/2) and b1 = (1/6) / (1/2).
BY_HAND = "xox/oox/... x"
FLAT_BY_HAND = {"c1": 1.0, "a1": -1 / 2, "b1": 1 / 2}
AMAF_BY_HAND = {"c1": 1.0, "a1": -1 / 3, "b1": 1 / 3}


def test_a_position_worked_out_by_hand():
    """20,000 flat and about 30,000 AMAF rollouts a move: 0.05 is 7 and 8 standard deviations, one
    alarm in 10**11.
    """
    game = load("tic_tac_toe")
    state = game.parse_state(BY_HAND)
    (sampled,) = sample_moves(game, state, [60_000], seed=1, number=0)
    moves = game.legal_moves(state)
    assert sampled.visits.tolist() == [20_000] * 3
    found = estimates_of(sampled, bias=0.0)
    for index, move in enumerate(moves):
        assert found["flat"][index] == pytest.approx(FLAT_BY_HAND[move], abs=0.05)
        assert found["amaf"][index] == pytest.approx(AMAF_BY_HAND[move], abs=0.05)
        assert sampled.amaf_visits[index] == pytest.approx(30_000, abs=6 * math.sqrt(60_000 / 4))
    win = moves.index("c1")
    assert sampled.values[win] == sampled.amaf_values[win] == 1.0


# --- all random play of tic-tac-toe, by a second reading of the rules

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


@cache
def expectations(board):
    """For nine cells of random play from here: the chance that x ends up with it, and the payoff of
    x times that.
    """
    for first, second, third in LINES:
        if board[first] != "." and board[first] == board[second] == board[third]:
            return ends_with(board, 1.0 if board[first] == "x" else -1.0)
    empty = [cell for cell in range(9) if board[cell] == "."]
    if not empty:
        return ends_with(board, 0.0)
    mark = "x" if len(empty) % 2 else "o"
    return sum(expectations(board[:cell] + mark + board[cell + 1 :]) for cell in empty) / len(empty)


def ends_with(board, payoff):
    """Two columns of nine cells, and the payoff itself in the last row of both."""
    has = np.array([float(mark == "x") for mark in board] + [1.0])
    return np.stack([has, payoff * has])


def exact_estimates():
    flat = [expectations("." * cell + "x" + "." * (8 - cell))[1, 9] for cell in range(9)]
    chance, payoff = expectations("." * 9)
    return np.array(flat), payoff[:9] / chance[:9]


def test_random_play_of_tic_tac_toe_has_the_known_mean():
    """The first player wins 58.49 % and loses 28.81 % of random games (737/1260 and 121/420)."""
    assert expectations("." * 9)[1, 9] == pytest.approx(737 / 1260 - 121 / 420)


def test_flat_and_amaf_come_to_the_exact_expectations():
    """10,000 flat rollouts a move and four times as many for AMAF: each limit is 6 standard
    deviations or more.

    With 18 comparisons that is one false alarm in 10**7; the bias of AMAF that must be seen is
    twice as large.
    """
    game = load("tic_tac_toe")
    (sampled,) = sample_moves(game, game.initial_state(), [90_000], seed=3, number=0)
    found, (flat, amaf) = estimates_of(sampled, bias=0.0), exact_estimates()
    assert np.abs(found["flat"] - flat).max() < 0.06
    assert np.abs(found["amaf"] - amaf).max() < 0.03
    assert 0.03 < math.sqrt(np.mean((flat - amaf) ** 2)) < 0.04


def test_the_reference_comes_to_the_exact_expectations():
    """40,000 rollouts a move: 0.03 is 6 standard deviations."""
    game = load("tic_tac_toe")
    state = game.initial_state()
    found = reference_values(game, state, game.legal_actions(state), 40_000, 5, lambda share: None)
    assert np.abs(found - exact_estimates()[0]).max() < 0.03


def race_chances(goal, total=0, mover=0, seen=frozenset()):
    """The chance of each set of steps that the first seat makes in a random race."""
    if total >= goal:
        return Counter({seen: 1.0})
    found = Counter()
    for step in (1, 2, 3):
        after = race_chances(goal, total + step, 1 - mover, seen | {step} if mover == 0 else seen)
        for steps, chance in after.items():
            found[steps] += chance / 3
    return found


def test_one_number_of_simulations_is_a_list_of_one():
    one, some = (
        estimate("tic_tac_toe", simulations=number, reference=5000, repeats=8, progress=False)
        for number in (20, (20,))
    )
    assert one.to_json() == some.to_json()


def test_amaf_counts_a_move_once_a_rollout():
    """In a race to 10 the same step is often made twice. 0.06 is 6 standard deviations of 2,500
    rollouts.
    """
    game = load(RACE)
    (sampled,) = sample_moves(
        game, game.initial_state(), [2_500], seed=2, number=0, target="interpreted"
    )
    chances = race_chances(10)
    for index, step in enumerate((1, 2, 3)):
        once = sum(chance for steps, chance in chances.items() if step in steps)
        assert sampled.amaf_visits[index] / 2_500 == pytest.approx(once, abs=0.06)
    assert (sampled.amaf_visits <= 2_500).all()


def test_compiled_and_interpreted_are_the_same_and_budgets_go_on_from_each_other():
    game = load("tic_tac_toe")
    state = game.initial_state()
    compiled = sample_moves(game, state, [20, 100, 500], seed=4, number=7)
    interpreted = sample_moves(game, state, [500], seed=4, number=7, target="interpreted")
    for one, other in zip(compiled[-1], interpreted[0], strict=True):
        assert one.tolist() == other.tolist()
    assert [int(sampled.visits.sum()) for sampled in compiled] == [20, 100, 500]
    assert (
        sample_moves(game, state, [500], seed=4, number=8)[0].values.tolist()
        != compiled[-1].values.tolist()
    )


# --- the numbers by hand


def moves_of(**columns):
    nothing = np.zeros(len(columns["visits"]))
    return RootMoves(*(np.array(columns.get(name, nothing)) for name in RootMoves._fields))


def test_rave_mixes_by_the_weight_of_least_error():
    """10 rollouts of mean 0.2 beside 30 of mean 0.6 and a bias of 0.01: the weight is 30 / 43."""
    sampled = moves_of(visits=[10], values=[0.2], amaf_visits=[30], amaf_values=[0.6])
    assert estimates_of(sampled, bias=0.01)["rave"] == pytest.approx(0.2 * 13 / 43 + 0.6 * 30 / 43)


def test_a_move_without_rollouts_is_worth_the_mean_of_all():
    sampled = moves_of(
        visits=[2, 2, 0],
        values=[1.0, -0.5, np.nan],
        amaf_visits=[3, 2, 0],
        amaf_values=[1.0, -0.5, np.nan],
    )
    found = estimates_of(sampled, bias=0.0)
    assert [found[name][2] for name in ("flat", "amaf", "rave")] == pytest.approx([0.25] * 3)


def test_rank_correlation_by_hand():
    """Ranks 1 2 3 4 and 1 3 2 4: 1 - 6 * 2 / (4 * 15) = 0.8. A tie shares its ranks: 1 2.5 2.5
    against 1 2 3.
    """
    one = np.array([0.1, 0.2, 0.3, 0.4])
    assert rank_correlation(one, np.array([5.0, 7.0, 6.0, 9.0])) == pytest.approx(0.8)
    assert rank_correlation(one, -one) == pytest.approx(-1.0)
    assert rank_correlation(np.array([1.0, 2.0, 2.0]), one[:3]) == pytest.approx(
        1.5 / math.sqrt(1.5 * 2.0)
    )
    assert rank_correlation(np.zeros(4), one) == 0.0


# --- a whole study


def test_a_study_shows_less_variance_at_first_and_a_bias_that_stays():
    """Tic-tac-toe: with 30 simulations AMAF is nearer to the truth, with 30,000 flat is; RAVE is
    near the better one.

    Errors of 16 repetitions, measured: 0.465 against 0.237, then 0.014 against 0.038, each known to
    a tenth.
    """
    game = load("tic_tac_toe")
    found = estimate(game, simulations=(30, 30_000), reference=200_000, repeats=16)
    few, many = (
        {name: one.errors[name].root_mean_square for name in one.errors} for one in found.points
    )
    assert few["amaf"].high < few["flat"].low
    assert many["flat"].high < many["amaf"].low
    assert few["rave"].value < 1.2 * few["amaf"].value
    assert many["rave"].value < 1.2 * many["flat"].value
    assert (
        found.points[0].errors["amaf"].rank_correlation.value
        > found.points[0].errors["flat"].rank_correlation.value
    )
    assert isinstance(few["flat"], Interval)
    again = estimate(
        "tic_tac_toe", simulations=np.array([30, 30_000]), reference=200_000, repeats=16
    )
    assert json.dumps(again.to_json()) == json.dumps(found.to_json())


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"simulations": ()}, "increasing positive numbers"),
        ({"simulations": (0, 5)}, "increasing positive numbers"),
        ({"simulations": (30.5,)}, "needs a whole number, not 30.5"),
        ({"simulations": (100, 10)}, "increasing positive numbers, not 100, 10"),
        ({"reference": 10}, "256 or more"),
        ({"repeats": 1}, "8 repetitions or more"),
        ({"bias": math.nan}, "bias of nan"),
        ({"bias": -1.0}, "bias of -1.0"),
    ],
)
def test_wrong_options_get_one_sentence(options, says):
    game = load("tic_tac_toe")
    with pytest.raises(BadOptionError, match=says):
        estimate(game, game.initial_state(), **options)


def test_a_finished_game_and_a_turn_of_chance_have_nothing_to_estimate():
    game = load("tic_tac_toe")
    with pytest.raises(AnyzeroError, match="the game is over"):
        estimate(game, game.parse_state("xxx/oo1/3 o"))
    game = load("take_it_easy")
    with pytest.raises(AnyzeroError, match="chance's turn"):
        estimate(game, game.initial_state())


def test_lists_of_simulations_are_read():
    assert parse_simulations("100, 1_000,10000") == (100, 1_000, 10_000)
    for wrong in ("", "1,,2", "1e3", "-5", "many", "٣"):
        with pytest.raises(BadOptionError, match="not a list of numbers"):
            parse_simulations(wrong)
