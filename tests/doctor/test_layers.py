"""Dead layers are found, and live ones are not called dead."""

import pytest
import torch

from anyzero.doctor.finding import DOUBTFUL, SKIPPED, WELL, WRONG
from anyzero.doctor.layers import check_moved, check_now, check_start, judge_layers, probe
from anyzero.games.encoding import encode_states
from anyzero.games.load import load
from anyzero.networks import NetworkConfig, load_network, new_network
from tests.doctor.runs import case_of, nim_case

pytestmark = pytest.mark.xdist_group("doctor")


@pytest.fixture(scope="module")
def board():
    """A residual network with pooling, and some positions."""
    game = load("tic_tac_toe")
    states = game.new_states(9)
    for action in range(9):
        states[action] = game.play(game.initial_state(), action)
    return game, torch.from_numpy(encode_states(game, states))


def look(board, spoil=None, **options):
    game, planes = board
    network = new_network(game, NetworkConfig(blocks=2, channels=16, **options), 1)
    with torch.no_grad():
        if spoil:
            spoil(network)
    return judge_layers("layers", probe(network, planes), "advice")


@pytest.mark.parametrize("options", [{}, {"pool_every": 0}, {"policy": "flat", "value": "scalar"}, {"value": "scores"}])
def test_every_layer_of_a_new_network_is_alive(board, options):
    assert look(board, **options).verdict == WELL


def test_a_layer_of_zeros_is_dead(board):
    found = look(board, lambda network: network.trunk.blocks[0].second.weight.zero_())
    assert (found.verdict, found.conclusion) == (WRONG, "layers are dead")
    assert "1 of 11 have weights that are all zero (trunk.blocks.0.second)" in found.seen
    assert "have no gradient (trunk.blocks.0.first" in found.seen  # nothing comes back through the zeros


def test_a_layer_that_is_never_above_zero_has_no_gradient(board):
    found = look(board, lambda network: network.value.hidden.bias.fill_(-1e6))
    assert "2 of 11 have no gradient (value.hidden, value.payoff)" in found.seen


def test_a_layer_that_gives_zero_is_silent(board):
    found = look(board, lambda network: network.trunk.blocks[1].first.bias.fill_(-1e6))
    assert "1 of 11 give zero for every position (trunk.blocks.1.second)" in found.seen


def test_a_layer_with_most_units_dead_is_doubtful(board):
    def mute(network):
        network.value.hidden.bias[:28] = -1e6  # of 32
        network.value.hidden.bias[28:] = 1.0

    found = look(board, mute)
    assert (found.verdict, found.conclusion) == (DOUBTFUL, "most units of a layer are dead")
    assert "of the units of value.hidden have none" in found.seen


def test_the_probe_leaves_the_network_as_it_was(board):
    game, planes = board
    network = new_network(game, NetworkConfig(blocks=1, channels=8), 1).requires_grad_(False)
    before = {name: weight.clone() for name, weight in network.named_parameters()}
    probe(network, planes)
    assert all(torch.equal(weight, before[name]) for name, weight in network.named_parameters())
    assert not any(weight.requires_grad or weight.grad is not None for weight in network.parameters())
    assert not any(part._forward_hooks for part in network.modules())


def test_a_start_of_zeros_is_found():
    case = nim_case()
    assert check_start(case).verdict == WELL
    with torch.no_grad():
        for weight in case.fresh.trunk.parameters():
            weight.zero_()
    assert check_start(case).verdict == WRONG


def test_a_run_is_looked_at_as_it_is_now(healthy):
    case = case_of(healthy)
    assert check_now(case).verdict == WELL
    with torch.no_grad():
        for weight in case.network.policy.parameters():
            weight.zero_()
    assert check_now(case).verdict == WRONG
    assert check_now(nim_case()).verdict == SKIPPED


def test_weights_that_never_moved_are_found(healthy):
    case = case_of(healthy)
    assert check_moved(case).verdict == WELL
    case.network = load_network(healthy.network(0), case.game)
    found = check_moved(case)
    assert (found.verdict, found.conclusion) == (WRONG, "weights do not change")
    assert "not at all: trunk.stem.weight" in found.seen
    assert check_moved(nim_case()).verdict == SKIPPED
