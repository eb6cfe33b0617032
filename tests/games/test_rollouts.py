"""Many random games: the same sums whatever plays them."""

import numpy as np
import pytest

from anyzero.games.load import load
from anyzero.games.rollouts import rollouts
from tests.games.test_load import RACE

GAME = load(str(RACE))


def played(streams=21, repeats=2, **options):
    found = rollouts(GAME, GAME.initial_state(), streams, repeats, seed=4, **options)
    return found.payoffs.tolist(), found.moves.tolist()


@pytest.mark.parametrize("options", [{"threads": 2}, {"threads": 3}, {"threads": 40}, {"target": "interpreted"}])
def test_threads_and_targets_change_nothing(options):
    assert played(**options) == played()


def test_a_stream_is_the_same_alone_and_among_others():
    assert [part[:5] for part in played()] == [*played(streams=5)]


def test_a_stream_adds_up_its_games():
    payoffs, moves = played(streams=3, repeats=50)
    assert np.all(np.abs(payoffs) <= 50)
    assert np.all(np.array(payoffs).sum(1) == 0)
    assert min(moves) > 50 * 3


def test_seeds_are_told_apart():
    other = rollouts(GAME, GAME.initial_state(), 21, 2, seed=5)
    assert other.moves.tolist() != played()[1]
