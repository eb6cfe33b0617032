"""Searches on real games: won positions, proofs, budgets, equal seeds."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from anyzero.core.base.errors import AnyzeroError, BadOptionError, UnknownNameError
from anyzero.core.game.load import load
from anyzero.core.search import Searcher, pacing, search_many
from anyzero.core.search.forest import Forest
from anyzero.core.search.methods import METHODS
from anyzero.core.search.simulation import simulate
from anyzero.tools.players import parse_player
from anyzero.tools.search import search


def after(game, moves):
    state = game.initial_state()
    for move in moves:
        state = game.play(state, move)
    return state


@pytest.mark.parametrize("method", METHODS)
def test_the_same_seed_gives_the_same_search_result(method):
    game = load("connect_four")
    first, again, other = (
        search(game, game.initial_state(), method, simulations=500, seed=seed) for seed in (7, 7, 8)
    )
    assert first.children == again.children
    assert first.principal_variation == again.principal_variation
    assert first.children != other.children


@pytest.mark.parametrize("method", METHODS)
def test_visits_add_up(method):
    game = load("connect_four")
    found = search(game, game.initial_state(), method, simulations=700, seed=1)
    assert sum(found.visits.values()) == found.simulations <= 700
    assert all(child.value is None or -1.0 <= child.value <= 1.0 for child in found.children)
    assert found.principal_variation[0] == found.best_move


def test_tic_tac_toe_is_proven_a_draw():
    game = load("tic_tac_toe")
    found = search(game, game.initial_state(), "uct", simulations=200_000, seed=1)
    assert found.proven == "draw"
    assert found.simulations < 200_000
    assert {child.proven for child in found.children} == {"draw"}


def test_a_loss_is_proven_and_still_a_move_is_played():
    """After x takes three corners around an o that strayed, o cannot stop both lines."""
    game = load("tic_tac_toe")
    state = after(game, ["a1", "b1", "a3", "a2", "c3"])
    found = search(game, state, "uct", simulations=5_000, seed=1)
    assert (found.proven, found.value) == ("loss", -1.0)
    assert found.best_move in game.legal_moves(state)


def test_more_simulations_come_closer_to_the_truth():
    """At 10 the centre column is one of seven; at 20,000 it is the first player's only win."""
    game = load("connect_four")
    assert search(game, game.initial_state(), "uct", simulations=20_000, seed=2).best_move == "d"


@pytest.mark.parametrize("method", ["uct", "rave", "grave", "puct"])
def test_a_full_tree_goes_on_without_growing(method):
    game = load("connect_four")
    found = search(game, game.initial_state(), method, simulations=3_000, max_nodes=200, seed=1)
    assert found.nodes <= 200
    assert found.simulations == 3_000


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("budget", [1, 5, 8, 20])
def test_a_small_budget_is_not_overrun(method, budget):
    """Connect Four has seven moves at its start: with fewer simulations, not all of them are
    tried.
    """
    game = load("connect_four")
    found = search(game, game.initial_state(), method, simulations=budget, seed=4)
    assert sum(found.visits.values()) == found.simulations <= budget
    whole_plies = method == "expectimax"  # seven leaves, or seven and those behind a move
    assert budget > (7 if whole_plies else 9) or found.simulations == budget
    assert found.visits[found.best_move] >= 1


@pytest.mark.parametrize("method", ["flat", "halving", "shuss"])
def test_where_the_budget_is_too_small_each_simulation_tries_another_move(method):
    game = load("connect_four")
    for seed in range(6):
        found = search(game, game.initial_state(), method, simulations=5, seed=seed)
        assert sorted(found.visits.values()) == [0, 0, 1, 1, 1, 1, 1]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "options", [{"simulations": 20}, {"seconds": 0.01}], ids=["simulations", "seconds"]
)
def test_a_tree_needs_room_for_its_root_and_every_move(method, options):
    """Nine moves and the root are ten nodes."""
    game = load("tic_tac_toe")
    with pytest.raises(
        BadOptionError, match="leaves 9 nodes for a tree, and this position needs 10"
    ):
        search(game, game.initial_state(), method, max_nodes=9, **options)


def test_the_least_room_is_enough():
    """Later in the game there are fewer moves: with five left, six nodes will do."""
    game = load("tic_tac_toe")
    assert search(game, game.initial_state(), simulations=20, max_nodes=10).nodes == 10
    assert (
        search(game, game.initial_state(), seconds=0.05, trees=2, max_nodes=25, solve=0).nodes <= 24
    )
    assert (
        search(game, after(game, ["a1", "b2", "c3", "a2"]), simulations=20, max_nodes=6).nodes == 6
    )


class Clock:
    """A time that passes only in kernels: a moment each, but long for the first, as if it had to be
    compiled.
    """

    def __init__(self, monkeypatch):
        self.now, self.is_compiled, real = 0.0, False, Forest.kernel

        def kernel(run, function):
            found = real(run, function)
            return self.watch(found) if function is simulate else found

        monkeypatch.setattr(Forest, "kernel", kernel)
        monkeypatch.setattr(pacing, "time", SimpleNamespace(perf_counter=lambda: self.now))

    def watch(self, kernel):
        def run(*arguments):
            self.now += 0.01 if self.is_compiled else 5.0
            self.is_compiled = True
            return kernel(*arguments)

        return run


@pytest.mark.parametrize("method", ["uct", "halving", "gumbel"])
@pytest.mark.parametrize(
    "budget", [{"simulations": 50}, {"seconds": 0.3}], ids=["simulations", "seconds"]
)
def test_compiling_is_not_part_of_the_time(monkeypatch, method, budget):
    game = load("connect_four")
    Clock(monkeypatch)
    found = search(game, game.initial_state(), method, **budget)
    assert 0.0 < found.seconds < 1.0
    assert found.simulations > 10


@pytest.mark.parametrize("method", ["uct", "halving", "shuss", "gumbel"])
def test_a_budget_in_seconds_is_spent(method):
    """Halving and Gumbel plan ahead: they too use the time that they have."""
    game = load("connect_four")
    search(game, game.initial_state(), method, simulations=10)
    found = search(game, game.initial_state(), method, seconds=0.2)
    assert found.seconds >= 0.18
    assert found.simulations > 10


def test_a_one_seat_game_with_chance_maximises_its_own_payoff():
    """Take It Easy: with eighteen cells filled, the last tile goes where it must; before, the value
    is a mean score.
    """
    game = load("take_it_easy")
    state = game.play(game.initial_state(), 0)
    found = search(game, state, "uct", simulations=2_000, seed=1)
    assert len(found.children) == 19
    assert -1.0 < found.value < 0.0
    assert found.proven is None


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"method": "uxt", "simulations": 10}, UnknownNameError, "did you mean uct"),
        ({"simulations": 0}, BadOptionError, "not positive"),
        ({"seconds": math.nan}, BadOptionError, "not a positive number"),
        ({}, BadOptionError, "needs a budget"),
        ({"simulations": 5, "seconds": 1.0}, BadOptionError, "only one"),
        ({"simulations": 5, "exploraton": 1}, UnknownNameError, "did you mean exploration"),
        ({"simulations": 5, "exploration": "much"}, BadOptionError, "needs a number"),
        ({"method": "rave", "simulations": 5, "schedule": "never"}, BadOptionError, "classic"),
        ({"simulations": 5, "final": "luck"}, UnknownNameError, "known: visits"),
        (
            {"method": "rave", "simulations": 2.5},
            BadOptionError,
            "simulations needs a whole number, not 2.5",
        ),
        ({"seconds": "1"}, BadOptionError, "not a positive number"),
        ({"simulations": 5, "max_nodes": 50.5}, BadOptionError, "max_nodes needs a whole number"),
        ({"simulations": 5, "temperature": "hot"}, BadOptionError, "a temperature of 'hot'"),
    ],
)
def test_wrong_options_get_one_sentence(options, error, says):
    game = load("tic_tac_toe")
    with pytest.raises(error, match=says):
        search(game, game.initial_state(), **options)


def test_whole_numbers_of_numpy_are_whole_numbers():
    game = load("tic_tac_toe")
    state = game.initial_state()
    found, same = (
        search(game, state, simulations=make(9), seed=make(3)) for make in (np.uint16, int)
    )
    assert (found.simulations, found.visits) == (9, same.visits)
    many, same_many = (
        search_many(game, [state], "uct", simulations=9, seed=make(3)) for make in (np.int64, int)
    )
    assert many.policies.tolist() == same_many.policies.tolist()
    for text in ("random", "uct:9"):
        assert parse_player(text).move(game, seed=np.int64(3)) == parse_player(text).move(
            game, seed=3
        )
    with pytest.raises(BadOptionError, match=r"seed needs a whole number, not 1\.5"):
        search(game, state, simulations=9, seed=1.5)


def test_a_text_is_not_a_game():
    with pytest.raises(
        BadOptionError, match="a search needs a Game, not 'hex'; load makes one from a text"
    ):
        Searcher("hex", simulations=3)


def test_a_finished_game_cannot_be_searched():
    game = load("tic_tac_toe")
    with pytest.raises(AnyzeroError, match="nothing to search"):
        search(game, after(game, ["a1", "b1", "a2", "b2", "a3"]), simulations=10)


def test_the_expected_line_of_a_proven_win_ends_with_the_win():
    game = load("tic_tac_toe")
    state = after(game, ["a1", "b1"])  # x wins by a fork
    found = search(game, state, "uct", simulations=5_000, seed=3)
    assert found.proven == "win"
    for move in found.principal_variation:
        state = game.play(state, move)
    assert game.payoffs(state).tolist() == [1.0, -1.0]
