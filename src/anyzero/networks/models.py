"""The networks: a residual net over boards of any size, and an MLP; no normalisation layers in either.

What keeps activations in range is their start: a residual branch begins 1 / sqrt(depth) as strong as the trunk, so that
a net of any depth starts with a variance of the same order, and every weight has a gradient from the first step on.
"""

from functools import cache
from typing import NamedTuple

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from anyzero.games.game import Game
from anyzero.networks.config import NetworkConfig, resolve
from anyzero.networks.heads import ValueHead, new_policy_head
from anyzero.networks.layers import Conv, Dense, pool
from anyzero.networks.trunks import DenseTrunk, ResidualTrunk


class Output(NamedTuple):
    """What a network says of a batch of positions."""

    logits: Tensor
    """[positions, actions]."""
    value: Tensor
    """[positions, 1] before the tanh (scalar), or logits over the support (wdl, scores)."""


def support_of(config: NetworkConfig) -> list[float]:
    """The payoffs that the value head spreads its probability over; empty for a scalar."""
    if config.value == "scalar":
        return []
    if config.value == "wdl":
        return [1.0, 0.0, -1.0]
    return [2.0 * index / (config.bins - 1) - 1.0 for index in range(config.bins)]


@cache
def support_tensor(config: NetworkConfig, device: torch.device) -> Tensor:
    """The same as a tensor; one for all who ask, since a copy to a GPU would wait for it."""
    with torch.inference_mode(False):
        return torch.tensor(support_of(config), device=device)


class Network(nn.Module):
    """A trunk and two heads for one game; `config` is resolved, `planes_shape` and `num_actions` are the game's."""

    def __init__(self, game: Game, config: NetworkConfig) -> None:
        super().__init__()
        self.config, self.planes_shape, self.num_actions = config, game.planes_shape, game.num_actions
        self.trunk: nn.Module = ResidualTrunk(game, config) if config.kind == "residual" else DenseTrunk(game, config)
        wide = 2 * config.channels if config.kind == "residual" else config.width
        self.policy = new_policy_head(game, config)
        self.value = ValueHead(wide, max(1, len(support_of(config))))

    def forward(self, planes: Tensor) -> Output:
        features = F.relu(self.trunk(planes))
        pooled = pool(features) if features.dim() == 4 else features
        return Output(self.policy(features, pooled), self.value(pooled))

    def expected(self, value: Tensor) -> Tensor:
        """The expected payoff of the seat to move, [positions], from the value head's answer."""
        if self.config.value == "scalar":
            return torch.tanh(value.float()).squeeze(1)
        return torch.softmax(value.float(), 1) @ support_tensor(self.config, value.device)


def new_network(game: Game, config: NetworkConfig, seed: int = 0) -> Network:
    """A network with random weights; the same seed gives the same ones, and torch's own generator is left alone."""
    network = empty_network(game, config)
    rng = torch.Generator().manual_seed(seed)
    for module in network.modules():
        if isinstance(module, Conv | Dense):
            nn.init.normal_(module.weight, std=module.start, generator=rng)
            if module.bias is not None:
                nn.init.zeros_(module.bias)
    return network


def empty_network(game: Game, config: NetworkConfig) -> Network:
    """A network whose weights are still to be filled in."""
    with torch.device("meta"):  # torch would draw weights here, from its global generator
        network = Network(game, resolve(config, game))
    return network.to_empty(device="cpu").eval()
