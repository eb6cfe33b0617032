"""Networks in the form that a GPU computes, here on the CPU: the same answers as in their own
form.
"""

import numpy as np
import pytest
import torch

from anyzero.core.game.load import load
from anyzero.core.game.rollouts import encode_states
from anyzero.core.nets.config import NetworkConfig, parse_network, support_of
from anyzero.core.nets.evaluator import NetworkEvaluator
from anyzero.core.nets.models import new_network
from anyzero.core.nets.on_gpu import for_inference, write_answers
from tests.networks.positions import random_states


@pytest.mark.parametrize(
    ("text", "config"),
    [
        ("connect_four", parse_network("2x20")),
        ("hex:size=5", NetworkConfig(blocks=1, channels=8, value="scalar")),
        ("oware", parse_network("tiny")),
    ],
)
def test_a_padded_first_layer_changes_no_answer_on_a_gpu(text, config):
    game = load(text)
    network, states = new_network(game, config, seed=3), random_states(game, 16, 1)
    logits, values = torch.zeros(16, game.num_actions), torch.zeros(16, 1)
    wide = for_inference(network, "float32", "cpu")
    with torch.inference_mode():
        write_answers(
            wide,
            torch.tensor(support_of(network.config)),
            torch.tensor(encode_states(game, states)),
            logits,
            values,
        )
    wanted_logits, wanted_values = NetworkEvaluator(game, network)(game, states)
    np.testing.assert_allclose(logits, wanted_logits, atol=1e-5)
    np.testing.assert_allclose(values[:, 0], wanted_values, atol=1e-5)


def test_the_first_layer_takes_channels_by_eights():
    game = load("connect_four")
    network = new_network(game, parse_network("1x8"))
    assert network.trunk.stem.weight.shape[1] == 3
    wide = for_inference(network, "float32", "cpu").trunk.stem.weight
    assert wide.shape[1] == 8
    assert wide[:, 2:7].abs().max() == 0.0
    assert torch.equal(wide[:, -1], network.trunk.stem.weight[:, -1])
