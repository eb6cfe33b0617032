"""Contestants: what they search with, and trees that are used again."""

import numpy as np
import pytest

from anyzero.errors import BadOptionError
from anyzero.games.load import load
from anyzero.learning.config import RunConfig, SelfPlayConfig
from anyzero.learning.contestants import (
    PLIES,
    Effort,
    SearchContestant,
    anchor_contestant,
    match_method,
    network_contestant,
    self_play_method,
)
from anyzero.networks import NetworkEvaluator, new_network
from anyzero.networks.config import parse_network
from tests.search.stubs import no_opinion

FOUR = load("connect_four")
PUCT = SelfPlayConfig(method="puct")


def contestant(reuse):
    return SearchContestant(
        FOUR, "puct", match_method(PUCT), simulations=40, evaluator="uniform", at_once=4, reuse=reuse
    )


def streams(games, ply):
    return np.array(games, np.uint64) * np.uint64(PLIES) + np.uint64(ply)


def search_twice(player, second_games):
    """Four games; then those of `second_games` after the move that was found."""
    states = np.array([FOUR.initial_state()] * 4, FOUR.state_dtype)
    found = player.search(states, 1, streams([10, 11, 12, 13], 0))
    kept = []
    for place, game in enumerate(second_games):
        row = game - 10
        states[place] = FOUR.play(states[row] if place <= row else FOUR.initial_state(), int(found.actions[row]))
        moves = player.run(False).moves(row)
        kept.append(int(moves.visits[moves.actions.tolist().index(found.actions[row])]))
    player.search(states[: len(second_games)], 1, streams(second_games, 1))
    run = player.run(False)
    return kept, [int(run.moves(place).visits.sum()) for place in range(len(second_games))]


def test_a_tree_that_is_used_again_keeps_what_is_below_the_move():
    kept, visits = search_twice(contestant(True), [11, 13])
    assert min(kept) > 1
    assert visits == [40 + before - 1 for before in kept]  # one visit was the move's own evaluation


def test_without_reuse_every_search_begins_anew():
    _, visits = search_twice(contestant(False), [11, 13])
    assert visits == [40, 40]


def test_a_game_that_is_not_known_begins_anew():
    player = contestant(True)
    states = np.array([FOUR.initial_state()] * 2, FOUR.state_dtype)
    player.search(states, 1, streams([1, 2], 0))
    player.search(states[:1], 1, streams([3], 0))
    assert player.run(False).moves(0).visits.sum() == 40


def test_self_play_has_noise_and_matches_have_none():
    assert self_play_method(PUCT).settings.noise_fraction == 0.25
    assert match_method(PUCT).settings.noise_fraction == 0.0
    assert self_play_method(SelfPlayConfig()).settings.gumbel_scale == 1.0
    assert match_method(SelfPlayConfig()).settings.gumbel_scale == 0.0


def test_trees_are_used_again_in_self_play_and_never_in_matches():
    """The two games of a pair have one number: the tree of the one is no tree of the other."""
    network = new_network(FOUR, parse_network("1x8"), seed=1)
    evaluator = NetworkEvaluator(FOUR, network, precision="float32", threads=1)
    config = SelfPlayConfig(method="puct", reuse=True)
    players = [network_contestant(FOUR, "0", evaluator, config, noise=noise) for noise in (True, False)]
    assert [player.reuse for player in players] == [True, False]


def test_an_anchor_has_as_many_simulations_as_its_text_says():
    assert anchor_contestant(FOUR, "uct:70", at_once=1, threads=1).simulations[False] == 70
    with pytest.raises(BadOptionError, match="an anchor has a number of simulations"):
        anchor_contestant(FOUR, "uct:1s", at_once=1, threads=1)


def test_late_searches_have_no_noise():
    """With noise, equal priors and values give different first choices; without it, one for all."""
    player = SearchContestant(
        FOUR, "gumbel", self_play_method(SelfPlayConfig()), simulations=2, evaluator=no_opinion, at_once=40
    )
    states = np.array([FOUR.initial_state()] * 40, FOUR.state_dtype)
    early, late = (player.search(states, 1, streams(range(40), 0), Effort(late=late)) for late in (False, True))
    assert len(set(early.actions.tolist())) > 3  # the chance that 40 draws of seven give at most three is below 1e-12
    assert len(set(late.actions.tolist())) == 1


def test_gumbel_cannot_use_trees_again():
    with pytest.raises(BadOptionError, match=r"selfplay\.reuse is for puct"):
        RunConfig(selfplay=SelfPlayConfig(reuse=True))
