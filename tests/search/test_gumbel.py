"""Gumbel: the plan of visits by hand, the draw from the prior, and the improvement."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from anyzero.core.base.errors import BadOptionError
from anyzero.core.game.load import load
from anyzero.core.search import pacing, search_many
from anyzero.core.search.halving import gumbel_plan
from anyzero.core.search.search import Searcher
from anyzero.tools.search import search
from tests.search.stubs import forest_of, no_opinion, prefer, repeat

FOUR = load("connect_four")
START = FOUR.initial_state()


def test_gumbels_plan_halves_the_moves():
    """4 moves, 16 simulations, two rounds of 8: each of 4 twice, then each of 2 four times."""
    assert gumbel_plan(FOUR, 4, 16)[4].tolist() == [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]


def test_the_plan_visits_each_move_once_when_the_budget_is_small():
    assert gumbel_plan(FOUR, 8, 5)[8].tolist() == [0, 0, 0, 0, 0]
    assert gumbel_plan(FOUR, 1, 3)[1].tolist() == [0, 1, 2]


@pytest.mark.parametrize("simulations", [1, 7, 50, 200])
def test_a_plan_is_made_for_every_number_of_moves(simulations):
    plan = gumbel_plan(FOUR, 16, simulations)
    assert plan.shape == (17, simulations)
    assert (plan[1:, 0] == 0).all()


def test_the_visits_of_the_root_follow_the_plan():
    """16 simulations over 4 considered moves: the two survivors have six visits, the others two,
    the rest none.
    """
    result = search(
        FOUR, START, "gumbel", simulations=16, evaluator=no_opinion, considered=4, seed=5
    )
    assert sorted(result.visits.values()) == [0, 0, 0, 2, 2, 6, 6]
    assert result.visits[result.best_move] == 6


def test_with_one_simulation_gumbel_draws_the_move_from_the_prior():
    """Gumbel-top-1. With 20,000 draws a share is off by 0.02 (5.6 standard errors at 1/4) once in
    ten million runs.
    """
    shares = np.array([1, 2, 3, 4, 5, 6, 7]) / 28
    found = search_many(
        FOUR,
        repeat(FOUR, START, 20_000),
        "gumbel",
        simulations=1,
        evaluator=prefer(np.log(shares)),
        gumbel_scale=1.0,
        seed=1,
    )
    drawn = np.bincount(found.actions, minlength=7) / 20_000
    assert np.abs(drawn - shares).max() < 0.02


def test_gumbels_improved_policy_is_the_softmax_of_logits_and_values():
    """By hand: all values and the mixed value are 0, so that the policy is the prior."""
    shares = np.array([1, 2, 3, 4, 5, 6, 7]) / 28
    found = search_many(
        FOUR, repeat(FOUR, START, 1), "gumbel", simulations=8, evaluator=prefer(np.log(shares))
    )
    assert found.policies[0] == pytest.approx(shares, abs=1e-6)


def test_values_move_the_policy_by_value_scale():
    """One visited move with value v and prior p, the evaluator's value r = 0: unvisited moves take
    v_mix = v / 2.

    With c_visit = 50, one visit and v = 0.2 on [-1, 1], sigma is 51 / 2 * v: the odds change by
    exp(25.5 * 0.1).
    """

    def evaluate(game, states):
        values = [0.0 if game.seat_to_move(state) == 0 else -0.2 for state in states]
        return np.zeros((len(states), 7), np.float32), np.array(values, np.float32)

    found = search_many(
        FOUR, repeat(FOUR, START, 1), "gumbel", simulations=1, evaluator=evaluate, seed=4
    )
    policy = found.policies[0]
    chosen = int(found.actions[0])
    others = np.delete(policy, chosen)
    assert policy[chosen] / others[0] == pytest.approx(math.exp(25.5 * 0.1), rel=1e-4)
    assert others.max() == pytest.approx(others.min())


def test_doubt_keeps_a_value_of_few_visits_near_the_mean_of_the_node():
    """As above, with a doubt of 3 visits: the visited move's value is (0.2 + 3 * 0.1) / 4, 0.025
    above the others'.
    """

    def evaluate(game, states):
        values = [0.0 if game.seat_to_move(state) == 0 else -0.2 for state in states]
        return np.zeros((len(states), 7), np.float32), np.array(values, np.float32)

    found = search_many(
        FOUR, repeat(FOUR, START, 1), "gumbel", simulations=1, evaluator=evaluate, doubt=3, seed=4
    )
    policy, chosen = found.policies[0], int(found.actions[0])
    assert policy[chosen] / np.delete(policy, chosen)[0] == pytest.approx(
        math.exp(25.5 * 0.025), rel=1e-4
    )


@pytest.mark.parametrize("seed", range(5))
def test_a_win_at_hand_is_found_against_the_prior(seed):
    state = START
    for move in "ababab":
        state = FOUR.play(state, move)
    result = search(
        FOUR, state, "gumbel", simulations=32, evaluator=prefer([-3, 0, 0, 0, 0, 0, 3]), seed=seed
    )
    assert (result.best_move, result.proven) == ("a", "win")


@pytest.mark.parametrize("seed", range(5))
def test_beyond_the_plan_the_best_of_those_that_came_far_get_the_visits(seed):
    player = Searcher(FOUR, "gumbel", seconds=1.0)
    run = player.begin(START, seed).forest
    run.replant(70)
    run.grow(70)
    planned = visits_of(run)
    finalists = {move for move, visits in planned.items() if 2 * visits >= max(planned.values())}
    assert len(finalists) == 2
    run.grow(700)
    grown = {move for move, visits in visits_of(run).items() if visits > planned[move]}
    assert grown <= finalists
    assert sum(visits_of(run).values()) >= 769


def visits_of(run):
    moves = run.moves(0)
    return dict(zip(moves.actions.tolist(), moves.visits.tolist(), strict=True))


@pytest.mark.parametrize("trees", [1, 2, 4])
def test_several_trees_agree_on_the_one_move_that_holds(trees):
    game = load("tic_tac_toe")
    state = game.initial_state()
    for move in ("a1", "c3", "a2"):
        state = game.play(state, move)
    player = Searcher(game, "gumbel", simulations=800, trees=trees, solve=0)
    for seed in range(5):
        found = player.search(state, seed)
        assert found.best_move == "a3"
        assert found.visits["a3"] == max(found.visits.values())


def test_a_plan_that_is_long_is_made_at_once():
    """A plan by the clock is made within its time."""
    plan = gumbel_plan(FOUR, 16, 1 << 16)
    assert plan.shape == (17, 1 << 16)
    assert (np.diff(np.bincount(plan[16])) <= 0).all(), "fewer and fewer moves have more visits"


def test_a_tree_whose_visits_are_planned_is_not_used_again():
    with pytest.raises(BadOptionError, match="cannot be reused"):
        Searcher(FOUR, "gumbel", simulations=10, reuse=True)


def test_a_plan_by_the_clock_has_an_end(monkeypatch):
    monkeypatch.setattr(pacing, "MOST_PLANNED", 100)
    live = Searcher(FOUR, "gumbel", seconds=0.1).begin(START)
    while live.advance():
        assert live.forest.scratch.plan.shape[1] <= 100
    assert live.result().simulations >= 1, "however slow the machine"


def test_a_plan_by_the_clock_has_a_result_after_every_slice():
    """Where one ends with a trial, the next trial has begun: slices of one simulation end with each
    of the trials.
    """
    live = Searcher(FOUR, "gumbel", seconds=3600.0).begin(START)
    for _ in range(8 + 16 + 32):
        assert live.advance(1e-9)
        assert live.result().simulations >= 1


def search_by_a_clock(monkeypatch, answer_s):
    """A second of search in which each answer takes this long, and nothing else takes any time."""
    now = [0.0]

    def answer_late(game, states):
        now[0] += answer_s * len(states)
        return no_opinion(game, states)

    searcher = Searcher(FOUR, "gumbel", seconds=1.0, evaluator=answer_late)
    monkeypatch.setattr(pacing, "time", SimpleNamespace(perf_counter=lambda: now[0]))
    return searcher.begin(START).finish()


def test_the_clock_ends_a_trial_of_a_network_that_has_become_slow(monkeypatch):
    """The eight simulations of the first trial would take 2.7 s."""
    live = search_by_a_clock(monkeypatch, 0.3)
    assert live.seconds == pytest.approx(1.2)
    assert live.result().simulations == 3


def test_a_plan_by_the_clock_is_made_for_the_speed_that_the_trials_had(monkeypatch):
    """Trials of 8, 16, 32 and 64 simulations take 0.124 s of the second; 0.8 of the rest is planned
    at this speed.
    """
    live = search_by_a_clock(monkeypatch, 0.001)
    planned = live.forest.scratch.plan.shape[1]
    assert planned == pytest.approx(700, abs=15)
    assert planned <= live.result().simulations < live.simulations, "those of the trials are gone"
    assert live.seconds == pytest.approx(1.0, abs=0.01)


def counting(evaluator, asked):
    def evaluate(game, states):
        asked.append(len(states))
        return evaluator(game, states)

    return evaluate


@pytest.mark.parametrize("simulations", [1, 7, 8, 50, 200])
@pytest.mark.parametrize("moves", ["", "d d d d d c", "a b a b a", "a g d d"])
def test_a_network_is_asked_for_several_moves_of_a_round_at_a_time_and_the_search_stays_the_same(
    simulations, moves
):
    """`search_many` asks for one leaf of a tree at a time. In the third position one move is
    forced; in the last, which
    moves survive depends on the visits of those before them in the round."""
    asked, state = [], START
    for move in moves.split():
        state = FOUR.play(state, move)
    options = {"simulations": simulations, "seed": 3, "look_ahead": 0}
    one_by_one = search_many(FOUR, [state], "gumbel", evaluator=lean_on_the_board, **options)
    options.pop("seed")
    run = forest_of(
        Searcher(FOUR, "gumbel", evaluator=counting(lean_on_the_board, asked), **options), state, 3
    )
    chosen, values, policies = run.policies()
    assert chosen == one_by_one.actions
    assert np.abs(values - one_by_one.values).max() < 1e-5
    assert np.abs(policies - one_by_one.policies).max() < 1e-5
    assert run.simulations() == one_by_one.simulations
    if not moves:
        assert max(asked) == min(simulations, 7)


def lean_on_the_board(game, states):
    """Different logits and values for different positions, the same for the same."""
    words = [np.frombuffer(state.tobytes(), np.uint8).astype(np.int64) for state in states]
    sums = np.array([int((word * np.arange(1, len(word) + 1)).sum()) for word in words])
    logits = np.sin(sums[:, None] + 1.7 * np.arange(game.num_actions))
    return logits.astype(np.float32), np.cos(0.37 * sums).astype(np.float32)


def test_pieces_of_a_search_in_rounds_change_nothing():
    searcher = Searcher(FOUR, "gumbel", simulations=60, evaluator=lean_on_the_board)
    live = searcher.begin(START, 3)
    while live.advance(1e-9):
        pass
    whole = searcher.search(START, 3)
    assert live.simulations == whole.simulations == 60
    assert live.result().to_json() | {"seconds": 0} == whole.to_json() | {"seconds": 0}
