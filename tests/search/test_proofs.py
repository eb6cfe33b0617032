"""What is proven and what follows from it: below dice, at the final choice, in policies and in
trees used again.
"""

import itertools

import numpy as np
import pytest

from anyzero.core.game.contract import CHANCE, OVER
from anyzero.core.game.load import load
from anyzero.core.game.play import Play
from anyzero.core.search import search_many
from anyzero.core.search.search import Searcher
from anyzero.tools.search import search
from tests import dice_race

DICE = dice_race.make()
FOUR, CHESS = load("connect_four"), load("chess")
TAKE_THE_QUEEN = "7k/8/8/8/3K4/3q4/8/8 w - - 0 1"
"""Kd4xd3 is a draw at once: bare kings. All else is lost against the queen."""


KNOWN: dict[bytes, float] = {}


def exact(state):
    """The first seat's expected payoff with best play, by looking at everything, at each position
    once.
    """
    if (key := state.tobytes()) not in KNOWN:
        KNOWN[key] = work_out(state)
    return KNOWN[key]


def work_out(state):
    seat = DICE.seat_to_move(state)
    if seat == OVER:
        return float(DICE.payoffs(state)[0])
    values = [exact(DICE.play(state, action)) for action in DICE.legal_actions(state)]
    return (
        sum(values) / len(values) if seat == CHANCE else max(values) if seat == 0 else min(values)
    )


@pytest.mark.parametrize("method", ["uct", "gumbel"])
@pytest.mark.parametrize(
    ("walked", "mover"), [((2, 6), 1), ((6, 2), 0), ((4, 5), 0), ((5, 4), 1), ((5, 5), 1)]
)
def test_proofs_below_dice_are_seen_from_the_right_seat(method, walked, mover):
    state = DICE.initial_state()
    state.walked[:], state.mover, state.rolled = walked, mover, 1
    values = {action: exact(DICE.play(state, action)) * (1 - 2 * mover) for action in (0, 1)}
    found = search(DICE, state, method, simulations=20_000, seed=1)
    assert values[found.best_action] == max(values.values())
    assert found.value == pytest.approx(max(values.values()), abs=0.1)


def win_in_one():
    state = FOUR.initial_state()
    for move in "ababab":
        state = FOUR.play(state, move)
    return state


def even_evaluator(value):
    """The same value for the first seat everywhere, and no opinion on moves."""

    def evaluate(game, states):
        values = [value if game.seat_to_move(state) == 0 else -value for state in states]
        return np.zeros((len(states), game.num_actions), np.float32), np.array(values, np.float32)

    return evaluate


@pytest.mark.parametrize("method", ["ucb", "uct", "rave", "grave", "puct", "gumbel"])
@pytest.mark.parametrize("temperature", [0.1, 1.0])
def test_a_move_that_is_drawn_is_a_proven_win_where_there_is_one(method, temperature):
    state = win_in_one()
    player = Searcher(FOUR, method, simulations=50, temperature=temperature)
    assert {player.choose(state, seed) for seed in range(20)} == {0}


def test_a_move_that_is_drawn_is_no_proven_loss():
    state = FOUR.initial_state()
    for move in "acacbga":  # three of four in column a: every other move loses
        state = FOUR.play(state, move)
    player = Searcher(FOUR, "uct", simulations=20, temperature=1.0)
    assert {player.choose(state, seed) for seed in range(40)} == {0}


@pytest.mark.parametrize("method", ["puct", "gumbel"])
def test_a_proof_before_the_first_visit_is_played_at_any_temperature(method):
    player = Searcher(FOUR, method, simulations=50, evaluator=even_evaluator(0.0), temperature=1.0)
    assert {player.choose(win_in_one(), seed) for seed in range(10)} == {0}


SLOW = pytest.mark.slow  # chess takes long to compile; else it is interpreted
FEW = {"simulations": 64, "target": "interpreted"}


@pytest.mark.parametrize("method", ["uct", pytest.param("rave", marks=SLOW), "puct", "gumbel"])
def test_a_proven_draw_is_played_where_all_else_looks_lost(method):
    state = CHESS.parse_state(TAKE_THE_QUEEN)
    lost = {"simulations": 400} if method == "rave" else {**FEW, "evaluator": even_evaluator(-0.5)}
    for final in (
        ["visits", "value", "value_log_visits", "lower_bound"]
        if method in ("uct", "puct")
        else [None]
    ):
        found = search(CHESS, state, method, seed=1, final=final, **lost)
        assert (found.best_move, found.children[0].proven) == ("d4d3", "draw")


@pytest.mark.parametrize("method", ["puct", "gumbel"])
def test_a_proven_draw_is_the_policy_where_all_else_looks_lost_and_not_where_it_looks_won(method):
    states = CHESS.new_states(1)
    states[0] = CHESS.parse_state(TAKE_THE_QUEEN)
    draw = CHESS.parse_action(states[0], "d4d3")
    for value, share in ((-0.5, 1.0), (0.5, 0.0)):
        found = search_many(CHESS, states, method, evaluator=even_evaluator(value), **FEW)
        assert found.policies[0, draw] == pytest.approx(share, abs=0.03)
        assert (found.actions[0] == draw) == (value < 0.0)


@pytest.mark.parametrize("method", ["puct", "gumbel"])
@pytest.mark.parametrize("value", [0.0, 0.9])
def test_the_policy_of_a_proven_win_is_the_winning_move(method, value):
    """However well the evaluator thinks of the position, and of moves that nobody tried because the
    win was found.
    """
    states = FOUR.new_states(1)
    states[0] = win_in_one()
    options = {"gumbel_scale": 1.0, "value_scale": 0.25} if method == "gumbel" else {}
    for seed in range(10):
        found = search_many(
            FOUR,
            states,
            method,
            simulations=32,
            evaluator=even_evaluator(value),
            seed=seed,
            **options,
        )
        assert found.policies[0, 0] == pytest.approx(1.0, abs=1e-4)
        assert found.values[0] == 1.0


def test_a_tree_that_is_used_again_begins_anew_where_only_a_proof_was_known():
    """The look at two moves proves a child that has no children of its own; as a root it needs
    some.
    """
    rng = np.random.default_rng(1)
    for number in range(30):
        searcher, line = Searcher(FOUR, "uct", simulations=100, reuse=True), Play.begin(FOUR)
        for ply in itertools.count():
            if FOUR.is_over(line.state):
                break
            found = searcher.search(line.state, 100 * number + ply, line)
            assert len(found.children) == len(FOUR.legal_actions(line.state))
            line = line.play(FOUR, int(rng.choice(FOUR.legal_actions(line.state))))
