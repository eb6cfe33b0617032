"""The formulas, on numbers worked out by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from anyzero.core.game.load import load
from anyzero.core.search import priors, selection
from anyzero.core.search.halving import CHILD, TURN_S, new_halving, next_order
from anyzero.core.search.methods import METHODS
from anyzero.tools.search import search

FOUR = load("connect_four")


def test_uct_adds_a_bonus_for_what_was_tried_little():
    """Value 0.5, 4 visits, ln N = 9, C = 2: 0.5 + 2 * sqrt(9 / 4) = 3.5."""
    assert selection.uct_score(0.5, 4.0, 9.0, 2.0) == pytest.approx(3.5)


def test_puct_follows_the_prior_at_a_fresh_parent():
    """C = 1.5, prior 0.25, parent without visits: 1.5 * 0.25 * sqrt(1) / 1 = 0.375; with 8 visits
    of 24: / 9, * 5.
    """
    assert priors.puct_score(0.0, 0.25, 0.0, 0.0, 1.5) == pytest.approx(0.375)
    assert priors.puct_score(0.1, 0.25, 8.0, 24.0, 1.5) == pytest.approx(0.1 + 1.5 * 0.25 * 5 / 9)


def test_classic_rave_weight_is_a_half_at_the_equivalence():
    """sqrt(k / (3 N + k)) = 1/2 at N = k, and 1 without visits."""
    assert selection.classic_weight(1000.0, 1000.0) == pytest.approx(0.5)
    assert selection.classic_weight(0.0, 1000.0) == 1.0


def test_minimum_error_rave_weight_is_the_share_of_samples_without_bias():
    """30 AMAF visits beside 10 real ones weigh 3/4; a bias of 0.01 adds 0.01 * 30 * 10 = 3 to 40:
    30 / 43.
    """
    assert selection.minimum_error_weight(10.0, 30.0, 0.0) == pytest.approx(0.75)
    assert selection.minimum_error_weight(10.0, 30.0, 0.01) == pytest.approx(30 / 43)


def test_simple_rave_weight_halves_at_k_visits():
    assert selection.simple_weight(50.0, 50.0) == pytest.approx(0.5)


@pytest.mark.parametrize(
    "weight", [selection.minimum_error_weight, lambda n, a, b: selection.simple_weight(n, 100.0)]
)
def test_every_rave_weight_fades_as_real_visits_come_in(weight):
    """The trap of RAVE: a weight that never fades."""
    weights = [weight(10.0**power, 10.0**power, 1e-5) for power in range(1, 9)]
    assert weights == sorted(weights, reverse=True)
    assert weights[-1] < 0.01


def test_rave_mixes_by_weight():
    assert selection.rave_score(0.2, 0.6, 0.25) == pytest.approx(0.3)


def halved(moves, budget):
    """The visits of each move, the most first, if all are equally good."""
    *_, (visits, prior, _) = orders(moves, budget)
    assert prior[np.argmax(visits[1:]) + 1] == prior.sum() == 1.0
    return sorted(visits[1:].tolist(), reverse=True)


def orders(moves, budget, seconds=0.0, costs=None):
    """What stands after each order of a halving: visits, priors, and the seconds spent if a move
    costs so many.
    """
    visits, empty, spent = np.zeros(moves + 1, np.int32), np.zeros(moves + 1), 0.0
    tree = SimpleNamespace(
        visits=visits, value=empty, prior=empty.copy(), first=[1], num_children=[moves]
    )
    plan, num = new_halving(moves), 1
    while num:
        num = next_order(tree, METHODS["halving"].settings, plan, budget, seconds, spent)
        child = max(1, plan.at[CHILD])  # the simulation that opens the root goes through any
        visits[child] += num
        visits[0] += num
        spent += num * costs[child - 1] if costs else 0.0
        yield visits, tree.prior, spent


def test_halving_spends_its_budget_and_halves():
    """16 moves and 640 simulations: four rounds of 160: 10, 20, 40 and 80 for each survivor."""
    assert halved(16, 640) == [150] * 2 + [70] * 2 + [30] * 4 + [10] * 8


def test_halving_ends_when_its_budget_does():
    """7 moves: 9 simulations are one for each and one for the best two; 3 are one for each of
    three.
    """
    assert halved(7, 9) == [2, 2, 1, 1, 1, 1, 1]
    assert halved(7, 3) == [1, 1, 1, 0, 0, 0, 0]


@pytest.mark.parametrize("moves", [1, 2, 3, 7, 30, 121])
def test_halving_never_spends_more_than_it_has_nor_leaves_much(moves):
    for budget in (1, 2, 5, 31, 100, 399, 1000):
        spent = sum(halved(moves, budget))
        assert 0.8 * budget <= spent <= budget


@pytest.mark.parametrize("method", ["halving", "shuss"])
def test_the_moves_of_a_round_of_halving_or_shuss_have_the_same_number_of_visits(method):
    """Also the one whose visit opened the root: 7 moves, 300 simulations in rounds of 14, 25 and 51
    for each.
    """
    found = search(FOUR, FOUR.initial_state(), method, simulations=300, seed=3)
    assert sorted(found.visits.values()) == [14, 14, 14, 39, 39, 90, 90]
    assert found.simulations == 300


def test_halving_by_the_clock_keeps_its_time_where_some_moves_take_none():
    """Four simulations out of five end at once: they say nothing about how long the fifth takes,
    which is 50 us.
    """
    for costs in ([1e-7] * 4 + [5e-5], [5e-5] + [1e-7] * 4):
        *_, (visits, _, spent) = orders(5, 0, seconds=0.2, costs=costs)
        assert 0.2 <= spent < 0.2 + 3 * TURN_S
        assert visits[0] > 1000


def test_a_single_move_gets_all_of_the_budget_of_halving():
    game = load("tic_tac_toe")
    state = game.parse_state("xox/xoo/ox1 x")
    assert search(game, state, "halving", simulations=50).simulations == 50
