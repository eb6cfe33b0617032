"""Networks at their start and while they learn."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812

from anyzero.core.game.load import BUILT_IN, load
from anyzero.core.nets.config import NetworkConfig, parse_network, support_of
from anyzero.core.nets.forward import dense_trunk, residual_trunk
from anyzero.core.nets.models import log_priors, new_network, spread_payoffs, value_losses
from tests.networks.positions import random_batch, random_states

TINY = parse_network("tiny")
DEEP = {"hex:size=4,swap=true": "40x8", "connect_four": "40x8", "oware": "40x64"}
CHECKED = [*DEEP, "take_it_easy", "domineering"]


def policy_loss(logits, policies, legal=None):
    """Mean divergence from each policy to its priors, in nats: 0 once they are equal."""
    return F.kl_div(log_priors(logits, legal), policies, reduction="batchmean")


def planes_of(game, num, seed=0):
    return torch.from_numpy(
        np.stack([game.encode(state) for state in random_states(game, num, seed)])
    )


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_game_gets_logits_and_a_value(name):
    game = load(name)
    network = new_network(game, TINY)
    planes = torch.from_numpy(game.encode(game.initial_state()))[None].repeat(
        3, *([1] * len(game.planes_shape))
    )
    with torch.inference_mode():  # else kernels are compiled for each board, to learn
        output = network(planes)
    assert output.logits.shape == (3, game.num_actions)
    values = network.expected(output.value)
    assert values.shape == (3,)
    assert (values.abs() < 0.5).all()


@pytest.mark.parametrize("policy", ["columns", "flat"])
@pytest.mark.parametrize("value", ["scalar", "wdl", "scores"])
def test_all_heads_work_on_one_game(policy, value):
    game = load("connect_four")
    network = new_network(game, TINY.change(policy=policy, value=value))
    with torch.inference_mode():
        output = network(planes_of(game, 4))
    assert output.logits.shape == (4, 7)
    assert output.value.shape == (4, {"scalar": 1, "wdl": 3, "scores": 51}[value])
    assert network.expected(output.value).shape == (4,)


@pytest.mark.parametrize(("text", "size"), DEEP.items())
def test_a_deep_network_starts_with_activations_in_range(text, size):
    """Forty blocks or layers: the trunk's output is neither lost nor blown up, at the empty board
    too.
    """
    game = load(text)
    network = new_network(game, parse_network(size))
    trunk = residual_trunk if network.config.kind == "residual" else dense_trunk
    inputs = planes_of(game, 64), planes_of(game, 1)
    spreads = [trunk(network, planes, network.config).std().item() for planes in inputs]
    assert 0.2 < min(spreads) <= max(spreads) < 10.0


@pytest.mark.parametrize("text", CHECKED)
def test_priors_start_near_uniform_and_are_not(text):
    game = load(text)
    network = new_network(game, parse_network(DEEP.get(text, "4x8")))
    planes = torch.cat([planes_of(game, 1), planes_of(game, 15)])
    priors = torch.softmax(network(planes).logits, 1)
    divergence = (priors * (priors * game.num_actions).log()).sum(1)
    assert (divergence < 0.5).all()
    assert (divergence > 1e-5).all()
    assert (priors[0] != priors[-1]).any()


@pytest.mark.parametrize("text", CHECKED)
def test_gradients_reach_every_parameter_at_once(text):
    """A norm layer that starts at zero keeps a policy at uniform whatever it is taught; here
    nothing is cut off.
    """
    game = load(text)
    network = new_network(game, parse_network(DEEP.get(text, "4x8")))
    output = network(planes_of(game, 16))
    policies = torch.eye(game.num_actions)[torch.arange(16) % game.num_actions]
    payoffs = torch.linspace(-1, 1, 16)
    (
        policy_loss(output.logits, policies) + value_losses(network, output.value, payoffs).mean()
    ).backward()
    for name, parameter in network.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.abs().max().item() > 1e-7, name
        assert torch.isfinite(parameter.grad).all(), name


@pytest.mark.parametrize(
    ("text", "size"), [("hex:size=4", "2x12"), ("connect_four", "2x48"), ("take_it_easy", "2x64")]
)
def test_one_batch_can_be_overfitted(text, size):
    game = load(text)
    network = new_network(game, parse_network(size).change(bins=21))
    planes, legal, policies, payoffs = random_batch(game, 8)
    steps, trainer = 300, torch.optim.Adam(network.parameters(), lr=4e-3)
    rates = torch.optim.lr_scheduler.CosineAnnealingLR(trainer, steps)
    for _ in range(steps):
        output = network(planes)
        divergence = policy_loss(output.logits, policies, legal)
        loss = divergence + value_losses(network, output.value, payoffs).mean()
        if loss < 2e-3:
            break
        trainer.zero_grad()
        loss.backward()
        trainer.step()
        rates.step()
    assert divergence.item() < 0.01
    assert (network.expected(output.value) - payoffs).abs().max().item() < 0.1


def test_the_seed_decides_the_weights_and_torch_is_left_alone():
    game, before = load("hex:size=4"), torch.random.get_rng_state()
    one, same, other = (new_network(game, TINY, seed).state_dict() for seed in (1, 1, 2))
    assert all(torch.equal(one[name], same[name]) for name in one)
    assert not torch.equal(one["trunk.stem.weight"], other["trunk.stem.weight"])
    assert torch.equal(torch.random.get_rng_state(), before)


@pytest.mark.parametrize(("value", "bins"), [("wdl", 51), ("scores", 5)])
def test_a_categorical_payoff_is_the_mean_of_its_distribution(value, bins):
    support = torch.tensor(support_of(NetworkConfig(value=value, bins=bins)))
    payoffs = torch.tensor([-1.0, -0.3, 0.0, 0.25, 1.0])
    wanted = spread_payoffs(payoffs, support)
    assert torch.allclose(wanted @ support, payoffs, atol=1e-6)
    assert torch.allclose(wanted.sum(1), torch.ones(5))
    assert ((wanted > 1e-6).sum(1) <= 2).all()
    assert wanted[-1, 0 if value == "wdl" else -1] == 1.0


def test_priors_are_over_the_legal_actions():
    legal = torch.tensor([[True, True, False], [True, False, False]])
    found = log_priors(torch.zeros(2, 3), legal).exp()
    assert found.tolist() == [pytest.approx([0.5, 0.5, 0.0]), pytest.approx([1.0, 0.0, 0.0])]


def test_a_nan_payoff_spoils_its_own_row_only():
    network = new_network(load("connect_four"), TINY)
    found = value_losses(network, torch.zeros(2, 3), torch.tensor([float("nan"), 1.0]))
    assert found[0].isnan()
    assert found[1].item() == pytest.approx(np.log(3))
