"""Expectimax against values worked out by plain recursion, on a dice race of two seats and on Take
It Easy.
"""

from functools import cache

import numpy as np
import pytest

from anyzero.core.base.errors import BadOptionError
from anyzero.core.game.contract import CHANCE
from anyzero.core.game.load import load
from anyzero.core.search import expectimax, search_many
from anyzero.core.search.expectimax import TO_THE_END, Expectimax, estimate_leaves
from anyzero.core.search.methods import UNIFORM
from anyzero.tools.search import search
from tests import dice_race
from tests.search.stubs import no_opinion
from tests.search.weighing import Weighing


@cache
def race():
    return dice_race.make(goal=6)


@cache
def take_it_easy():
    game = load("take_it_easy")
    game.compile_door()
    return game


def brute_force(game, state, depth, leaf):
    """Expected payoffs of all seats, by the definition."""
    if game.is_over(state):
        return np.array(game.payoffs(state))
    if depth == 0:
        return leaf(state)
    seat = game.seat_to_move(state)
    behind = [game.play(state, action) for action in game.legal_actions(state)]
    values = [brute_force(game, after, depth - (seat != CHANCE), leaf) for after in behind]
    return np.mean(values, axis=0) if seat == CHANCE else max(values, key=lambda value: value[seat])


def leaf_of(game, evaluator):
    """The evaluator's answer for one position, for both seats; before a draw it is the first
    seat's.
    """

    def leaf(state):
        states = game.new_states(1)
        states[0] = state
        value = float(np.ravel(evaluator(game, states)[1])[0])
        signs = [
            1.0 if seat == max(game.seat_to_move(state), 0) else -1.0
            for seat in range(game.num_seats)
        ]
        return value * np.array(signs)

    return leaf


def after_deal(game, plies, seed):
    """A position of Take It Easy after so many random plies."""
    rng, state = np.random.default_rng(seed), game.initial_state()
    for _ in range(plies):
        state = game.play(state, int(rng.choice(game.legal_actions(state))))
    return state


@pytest.mark.parametrize("depth", [1, 3, pytest.param(100, marks=pytest.mark.slow)])
def test_expectimax_values_are_those_of_brute_force_on_a_race_of_two_seats(depth):
    game = race()
    evaluator, states = Weighing(game), game.new_states(2)
    states[0] = game.initial_state()
    states[1] = game.play(game.play(states[0], 1), 0)  # the other seat is to roll
    expected = [brute_force(game, state, depth, leaf_of(game, evaluator)) for state in states]
    assert Expectimax(game, evaluator).values(states, depth) == pytest.approx(
        np.array(expected), abs=1e-6
    )


@pytest.mark.parametrize(("plies", "depth"), [(33, 1), (33, 2), (34, 2), (34, 9)])
def test_expectimax_values_are_those_of_brute_force_in_take_it_easy(plies, depth):
    game = take_it_easy()
    evaluator, state = Weighing(game), after_deal(game, plies, seed=depth)
    expected = brute_force(game, state, depth, leaf_of(game, evaluator))
    found = Expectimax(game, evaluator).values(np.array([state]), depth)
    assert found[0] == pytest.approx(expected, abs=1e-6)


def test_expectimax_finds_the_exact_values_of_the_last_cells():
    """Three cells, a tile in hand and ten to come: the evaluator is never asked, whatever the
    budget.
    """
    game = take_it_easy()
    state = after_deal(game, 33, seed=3)

    def refuse(game, states):
        assert len(states) == 0
        return no_opinion(game, states)

    values = {
        game.format_action(state, action): brute_force(game, game.play(state, action), 99, None)[0]
        for action in game.legal_actions(state)
    }
    found = Expectimax(game, refuse).values(
        np.array([game.play(state, a) for a in game.legal_actions(state)]), 99
    )
    result = search(game, state, "expectimax", simulations=1, evaluator=no_opinion)
    assert found[:, 0] == pytest.approx(list(values.values()))
    assert {child.move: child.value for child in result.children} == pytest.approx(values, abs=1e-6)
    assert result.best_move == max(values, key=values.get)


def test_expectimax_searches_only_the_moves_that_look_best_deeper():
    game = take_it_easy()
    state = after_deal(game, 19, seed=1)
    evaluator = Weighing(game)
    leaves = 17 * 9 + 1  # one at first, then all draws and cells
    result = search(
        game, state, "expectimax", simulations=10 + 3 * 17 * 9, evaluator=evaluator, considered=3
    )
    deep = [child for child in result.children if child.visits == leaves]
    first = {
        game.format_action(state, action): leaf_of(game, evaluator)(game.play(state, action))[0]
        for action in game.legal_actions(state)
    }
    assert [child.visits for child in result.children] == [leaves] * 3 + [1] * 7
    assert (result.simulations, result.depth) == (10 + 3 * 17 * 9, 2)
    assert {child.move for child in deep} == set(sorted(first, key=first.get)[-3:])
    for child in deep:
        after = game.play(state, child.action)
        assert child.value == pytest.approx(
            brute_force(game, after, 1, leaf_of(game, evaluator))[0], abs=1e-6
        )


def test_a_budget_for_some_of_the_moves_is_spent_on_those_that_look_best():
    """Ten moves and one deeper look at the best of them; another one would be too many."""
    game = take_it_easy()
    state = after_deal(game, 19, seed=1)
    result = search(
        game, state, "expectimax", simulations=10 + 2 * 17 * 9 - 1, evaluator=Weighing(game)
    )
    assert sorted(child.visits for child in result.children) == [1] * 9 + [17 * 9 + 1]
    assert (
        search(game, state, "expectimax", simulations=4, evaluator=Weighing(game)).simulations == 4
    )


def test_expectimax_searches_many_positions_one_move_deep():
    game = take_it_easy()
    states = np.array([after_deal(game, plies, seed=plies) for plies in (1, 11, 37)])
    evaluator = Weighing(game)
    found = search_many(game, states, "expectimax", simulations=1, evaluator=evaluator)
    leaf = leaf_of(game, evaluator)
    for state, action, value in zip(states, found.actions, found.values, strict=True):
        values = {
            move: brute_force(game, game.play(state, move), 0, leaf)[0]
            for move in game.legal_actions(state)
        }
        assert int(action) == max(values, key=values.get)
        assert float(value) == pytest.approx(max(values.values()), abs=1e-6)


def test_rollouts_evaluate_expectimax_where_there_is_no_network():
    """One roll from the goal every move wins: rollouts say so, and both seats agree on who
    gains.
    """
    game = race()
    state = game.play(game.initial_state(), 2)
    result = search(game, state, "expectimax", simulations=200, seed=5)
    same = search(game, state, "expectimax", simulations=200, seed=5)
    exact = {
        game.format_action(state, action): brute_force(game, game.play(state, action), 99, None)[0]
        for action in game.legal_actions(state)
    }
    assert result.children == same.children
    assert {child.move: child.value for child in result.children} == pytest.approx(
        exact
    )  # small: to the end


def test_the_size_of_a_tree_is_a_product_of_branches_where_all_lines_are_alike():
    """Two cells and a tile in hand: 2 cells, 9 tiles, 1 cell."""
    game = take_it_easy()
    assert estimate_leaves(game, after_deal(game, 35, seed=1), 99) == 2 * 9
    assert estimate_leaves(game, after_deal(game, 1, seed=1), 2) == 19 * 26 * 18


def test_a_tree_far_larger_than_its_estimate_is_searched_ply_by_ply_as_a_large_one(monkeypatch):
    """Few random lines may all be short: here they promise 342 leaves, of a tree with 2,144
    positions.
    """
    game = race()
    state = game.initial_state()
    state.walked[1], state.rolled = 2, 1
    assert estimate_leaves(game, state, TO_THE_END) == 342
    assert (
        sum(
            len(level.states)
            for level in Expectimax(game, UNIFORM).levels(np.array([state]), TO_THE_END)
        )
        == 2145
    )

    def moves(most_exact):
        monkeypatch.setattr(expectimax, "MOST_EXACT", most_exact)
        return search(game, state, "expectimax", simulations=100, seed=1).children

    assert moves(most_exact=400) == moves(most_exact=0) != moves(most_exact=2_144)


def test_by_the_clock_it_stops_where_the_next_move_would_take_too_long():
    game = take_it_easy()
    result = search(
        game, after_deal(game, 19, seed=1), "expectimax", seconds=60.0, evaluator=no_opinion
    )
    assert (result.simulations, result.depth) == (10 + 8 * 17 * 9, 2)
    with pytest.raises(BadOptionError, match="one tree"):
        search(game, game.initial_state(), "expectimax", simulations=1, trees=2)
