"""Searches on real games: won positions, proofs, budgets, equal seeds."""

import math

import pytest

from anyzero.games.errors import AnyzeroError, BadOptionError, UnknownNameError
from anyzero.games.load import load
from anyzero.search import search
from anyzero.search.methods import METHODS

TREE_METHODS = ["uct", "amaf", "rave", "grave", "puct"]

TACTICS = [
    # (game, position, the moves that are right)
    ("tic_tac_toe", "win in one", ["a1", "b2", "a2", "b3"], {"a3"}),
    ("tic_tac_toe", "must block", ["a1", "b2", "c3", "a2"], {"c2"}),
    ("connect_four", "win in one", ["a", "b", "a", "b", "a", "b"], {"a"}),
    ("connect_four", "must block", ["a", "b", "a", "b", "a"], {"a"}),
]


def after(game, moves):
    state = game.initial_state()
    for move in moves:
        state = game.play(state, move)
    return state


@pytest.mark.parametrize("method", TREE_METHODS)
@pytest.mark.parametrize(("name", "kind", "moves", "right"), TACTICS, ids=lambda value: str(value)[:14])
def test_tactics_are_found(name, kind, moves, right, method):
    game = load(name)
    found = search(game, after(game, moves), method, simulations=1_000, seed=3)
    assert found.best_move in right
    if kind == "win in one":
        assert (found.proven, found.value) == ("win", 1.0)
        assert found.simulations < 1_000


@pytest.mark.parametrize("method", METHODS)
def test_the_same_seed_gives_the_same_result(method):
    game = load("connect_four")
    first, again, other = (search(game, game.initial_state(), method, simulations=500, seed=seed) for seed in (7, 7, 8))
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


@pytest.mark.parametrize("method", ["uct", "halving", "shuss", "gumbel"])
def test_a_budget_in_seconds_is_spent(method):
    """Halving and Gumbel plan ahead: they too use the time that they have."""
    game = load("connect_four")
    search(game, game.initial_state(), method, simulations=10)
    found = search(game, game.initial_state(), method, seconds=0.2)
    assert found.seconds >= 0.18
    assert found.simulations > 100


def test_a_one_seat_game_with_chance_maximises_its_own_payoff():
    """Take It Easy: with eighteen cells filled, the last tile goes where it must; before, the value is a mean score."""
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
        ({"simulations": 5, "exploration": "much"}, BadOptionError, "wants a number"),
        ({"simulations": 5, "schedule": "never"}, BadOptionError, "classic"),
        ({"simulations": 5, "final": "luck"}, UnknownNameError, "known: visits"),
    ],
)
def test_wrong_options_get_one_sentence(options, error, says):
    game = load("tic_tac_toe")
    with pytest.raises(error, match=says):
        search(game, game.initial_state(), **options)


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
