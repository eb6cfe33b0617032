"""Searches and networks in wasm: the same visits as on the CPU, and the same answers up to
rounding.
"""

import numpy as np
import pytest

from anyzero.core.game.load import BUILT_IN, load
from anyzero.core.learning.find import best_network
from anyzero.core.nets.weights import read_network
from anyzero.core.search.forest import Forest
from anyzero.core.search.methods import METHODS, adapt, find_method
from anyzero.core.search.search import most_nodes
from anyzero.extras.fastnets.network import compiled

pytest.importorskip("wasmtime")
SLOW = pytest.mark.slow
OTHERS = [name for name in BUILT_IN if name != "connect_four"]
SEARCHES = [
    ("tic_tac_toe", "uct"),
    *(pytest.param("connect_four", method, marks=SLOW) for method in METHODS),
    *(pytest.param(game, method, marks=SLOW) for game in OTHERS for method in ("uct", "rave")),
]


def grow(game, method, target):
    forest = Forest(
        game, method, room=most_nodes(game, 300, 1 << 20), simulations=300, target=target
    )
    forest.seed(1)
    forest.plant(game.initial_state())
    forest.grow(300)
    return forest.moves()


@pytest.mark.parametrize(("text", "name"), SEARCHES)
def test_a_search_in_webassembly_visits_the_same_moves(text, name):
    game = load(text)
    method = adapt(game, find_method(name, {}), "rollout")
    here, there = (grow(game, method, target) for target in ("cpu", "wasm"))
    assert here.visits.tolist() == there.visits.tolist()
    assert here.visits.sum() > 200
    np.testing.assert_array_equal(here.values, there.values)


@pytest.mark.parametrize(
    "text", ["connect_four", *(pytest.param(name, marks=SLOW) for name in OTHERS)]
)
def test_a_network_in_webassembly_answers_the_same(text):
    game = load(text)
    network = read_network(best_network(game), game)
    rng = np.random.default_rng(1)
    planes = rng.random((3, *game.planes_shape), np.float32)
    answers = []
    for target in ("cpu", "wasm"):
        logits, values = np.zeros((3, game.num_actions), np.float32), np.zeros((3, 1), np.float32)
        compiled(network, game, target).answer(planes, logits, values)
        answers.append((logits, values))
    np.testing.assert_allclose(answers[0][0], answers[1][0], atol=2e-3, rtol=1e-4)
    np.testing.assert_allclose(answers[0][1], answers[1][1], atol=1e-4)
