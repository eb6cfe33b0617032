"""The networks: a residual net over boards of any size, and an MLP; no normalisation layers in either.

What keeps activations in range is their start: a residual branch begins 1 / sqrt(depth) as strong as the trunk, so that
a net of any depth starts with a variance of the same order, and every weight has a gradient from the first step on.
"""

import math
from functools import cache
from typing import NamedTuple, cast

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from anyzero.games.game import Game
from anyzero.networks.config import FLAT_PLANES, Layout, NetworkConfig, hidden_units, layout_of, resolve, support_of
from anyzero.networks.weights import StoredNetwork

# --- layers and trunks: each layer knows how strong its weights start

POOL_GAIN = 0.3  # what the whole board tells a cell starts weaker than what its neighbours do


class Conv(nn.Conv2d):
    """A convolution that keeps the board's size; `start` is the standard deviation of its first weights."""

    def __init__(self, inputs: int, outputs: int, size: int, *, start: float, bias: bool = True) -> None:
        super().__init__(inputs, outputs, size, padding=size // 2, bias=bias)
        self.start = start


class Dense(nn.Linear):
    """A linear layer that works in its own precision, whatever it is handed."""

    def __init__(self, inputs: int, outputs: int, *, start: float, bias: bool = True) -> None:
        super().__init__(inputs, outputs, bias=bias)
        self.start = start

    def forward(self, features: Tensor) -> Tensor:
        return super().forward(features.to(self.weight.dtype))


def after_relu(inputs: int, gain: float = 1.0) -> float:
    """The start that keeps the variance of a layer whose inputs come out of a ReLU. He et al. 2015."""
    return gain * math.sqrt(2.0 / inputs)


def pool(features: Tensor) -> Tensor:
    """What the whole board says: mean and maximum of every channel, [positions, 2 * channels], after a ReLU."""
    features = features.float().flatten(2)
    return torch.cat([features.mean(2), greatest(features, 2)], 1)


def greatest(features: Tensor, dim: int) -> Tensor:
    """The maximum; where a GPU learns, with a gradient for one cell only.

    The gradient of `amax` looks for all cells that are equal to it. A compiler that computes the features once more for
    this need not round them as it did before, finds none, and divides by their number.
    """
    if not (features.is_cuda and torch.is_grad_enabled() and features.requires_grad):
        return features.amax(dim)
    shape = [-1 if axis == dim else 1 for axis in range(features.dim())]
    cells = torch.arange(features.shape[dim], device=features.device).view(shape)
    is_greatest = cells == features.detach().argmax(dim, keepdim=True)
    return torch.where(is_greatest, features, 0.0).sum(dim)


class ResidualTrunk(nn.Module):
    """A convolution and residual blocks: [positions, planes, rows, columns] to [positions, channels, rows, columns]."""

    def __init__(self, game: Game, config: NetworkConfig) -> None:
        super().__init__()
        # One plane more shows where the board ends. About two planes are on at a cell, however many there are.
        self.stem = Conv(game.planes_shape[0] + 1, config.channels, 3, start=math.sqrt(1.0 / (2 * 9)))
        pooled = [config.pool_every > 0 and index % config.pool_every == 0 for index in range(config.blocks)]
        self.blocks = nn.ModuleList(ResidualBlock(config, pools) for pools in pooled)

    def forward(self, planes: Tensor) -> Tensor:
        x = self.stem(F.pad(planes, (0, 0, 0, 0, 0, 1), value=1.0))
        for block in self.blocks:
            x = block(x)
        return cast(Tensor, x)


class ResidualBlock(nn.Module):
    """Two convolutions beside the trunk; one that pools adds a bias made from the whole board. After KataGo."""

    def __init__(self, config: NetworkConfig, pools: bool) -> None:
        super().__init__()
        wide = config.channels
        self.first = Conv(wide, wide, 3, start=after_relu(9 * wide))
        self.second = Conv(wide, wide, 3, start=after_relu(9 * wide, 1.0 / math.sqrt(config.blocks)))
        self.pooled = Dense(2 * wide, wide, start=after_relu(2 * wide, POOL_GAIN)) if pools else None

    def forward(self, x: Tensor) -> Tensor:
        features = F.relu(x)
        branch: Tensor = self.first(features)
        if self.pooled is not None:
            branch = branch + self.pooled(pool(features)).to(x.dtype)[:, :, None, None]
        return x + cast(Tensor, self.second(F.relu(branch)))


class DenseTrunk(nn.Module):
    """Linear layers, each added to what came before: [positions, features] to [positions, width]."""

    def __init__(self, game: Game, config: NetworkConfig) -> None:
        super().__init__()
        wide, inputs = config.width, math.prod(game.planes_shape)
        # About a quarter of the inputs are on.
        self.stem = Dense(inputs, wide, start=math.sqrt(4.0 / inputs))
        start = after_relu(wide, 1.0 / math.sqrt(config.layers))
        self.layers = nn.ModuleList(Dense(wide, wide, start=start) for _ in range(config.layers - 1))

    def forward(self, planes: Tensor) -> Tensor:
        x: Tensor = self.stem(planes.flatten(1))
        for layer in self.layers:
            x = x + layer(F.relu(x))
        return x


ILLEGAL = -1e9  # the logit of an action that cannot be played


class Output(NamedTuple):
    logits: Tensor  # [positions, actions]
    value: Tensor
    """[positions, 1] before the tanh (scalar), or logits over the support (wdl, scores); of each seat where needed."""


@cache
def support_tensor(config: NetworkConfig, device: torch.device) -> Tensor:
    """`support_of` as a tensor; one for all who ask, since a copy to a GPU would wait for it."""
    with torch.inference_mode(False):
        return torch.tensor(support_of(config), device=device)


class Network(nn.Module):
    """A trunk and two heads for one game; `config` is resolved, `planes_shape` and `num_actions` are the game's."""

    def __init__(self, game: Game, config: NetworkConfig) -> None:
        super().__init__()
        self.config, self.planes_shape, self.num_actions = config, game.planes_shape, game.num_actions
        self.num_values = game.num_values
        self.trunk: nn.Module = ResidualTrunk(game, config) if config.kind == "residual" else DenseTrunk(game, config)
        wide = 2 * config.channels if config.kind == "residual" else config.width
        self.policy = new_policy_head(game, config)
        self.value = ValueHead(wide, self.num_values * max(1, len(support_of(config))))

    def forward(self, planes: Tensor) -> Output:
        features = F.relu(self.trunk(planes))
        pooled = pool(features) if features.dim() == 4 else features
        return Output(self.policy(features, pooled), self.value(pooled))

    def expected(self, value: Tensor) -> Tensor:
        """The expected payoff of the seat to move, [positions], from the value head's answer.

        Where each seat has a value, [positions, seats]: of the seat to move and of those after it, in turn.
        """
        value = self.by_seat(value.float())
        if self.config.value == "scalar":
            return torch.tanh(value).squeeze(-1)
        return torch.softmax(value, -1) @ support_tensor(self.config, value.device)

    def by_seat(self, value: Tensor) -> Tensor:
        """The value head's answer with a dimension of its own for the seats, where there are several."""
        return value if self.num_values == 1 else value.view(len(value), self.num_values, -1)


def new_network(game: Game, config: NetworkConfig, seed: int = 0) -> Network:
    """A network with random weights; the same seed gives the same ones, and torch's own generator is left alone."""
    network, rng = empty_network(game, config), torch.Generator().manual_seed(seed)
    for module in network.modules():
        if isinstance(module, Conv | Dense):
            nn.init.normal_(module.weight, std=module.start, generator=rng)
            if module.bias is not None:
                nn.init.zeros_(module.bias)
    return network


def empty_network(game: Game, config: NetworkConfig) -> Network:
    with torch.device("meta"):  # torch would draw weights here, from its global generator
        network = Network(game, resolve(config, game))
    return network.to_empty(device="cpu").eval()


def log_priors(logits: Tensor, legal: Tensor | None = None) -> Tensor:
    """The logarithms of the priors, over the legal actions if they are given, [positions, actions] float32."""
    return F.log_softmax(logits.float() if legal is None else logits.float().masked_fill(~legal, ILLEGAL), 1)


def value_losses(network: Network, value: Tensor, payoffs: Tensor) -> Tensor:
    """Squared error of a scalar; for a distribution, the divergence from the payoff's to it: 0 once they are equal.

    [positions]: where each seat has a value, the mean over the seats.
    """
    if network.config.value == "scalar":
        losses = F.mse_loss(network.expected(value), payoffs, reduction="none")
    else:
        wanted = spread_payoffs(payoffs.flatten(), support_tensor(network.config, payoffs.device))
        found = F.log_softmax(network.by_seat(value.float()), -1).view_as(wanted)
        losses = F.kl_div(found, wanted, reduction="none").sum(1).view_as(payoffs)
    return losses if losses.dim() == 1 else losses.mean(1)


def spread_payoffs(payoffs: Tensor, support: Tensor) -> Tensor:
    """Each payoff as probabilities of the two neighbours in the support, with the payoff as their mean.

    The support is evenly spaced, in either direction.
    """
    place = ((payoffs - support[0]) / (support[-1] - support[0])).clamp(0.0, 1.0) * (len(support) - 1)
    low = place.floor().nan_to_num().long().clamp(max=len(support) - 2)  # a payoff that is no number stays one
    high_part = (place - low).unsqueeze(1)
    wanted = torch.zeros(len(payoffs), len(support), device=payoffs.device)
    wanted.scatter_(1, low.unsqueeze(1), 1.0 - high_part)
    return wanted.scatter_(1, low.unsqueeze(1) + 1, high_part)


def network_of(stored: StoredNetwork, game: Game) -> Network:
    network = empty_network(game, stored.config)
    weights = {name: stored.take(name, *weight.shape) for name, weight in network.state_dict().items()}
    stored.check_all_taken()
    network.load_state_dict({name: torch.from_numpy(weight) for name, weight in weights.items()})
    return network


# --- the heads: how features become logits of actions, and a value

HEAD_GAIN = 0.2  # heads start this weak: priors near uniform, values near 0, and neither exactly


def new_policy_head(game: Game, config: NetworkConfig) -> nn.Module:
    """The head that the resolved config names; all take (features, pooled features)."""
    if config.policy == "columns":
        return ColumnPolicy(config.channels)
    layout = layout_of(game.planes_shape, game.num_actions)
    if config.policy == "cells" and layout is not None:
        return CellPolicy(config.channels, layout)
    return FlatPolicy(game, config)


class CellPolicy(nn.Module):
    """Some logits for each cell, in the order of actions, and extras that only the whole board decides on."""

    def __init__(self, channels: int, layout: Layout) -> None:
        super().__init__()
        self.layout = layout
        self.local = Conv(channels, channels, 1, start=after_relu(channels))
        self.pooled = Dense(2 * channels, channels, start=after_relu(2 * channels, HEAD_GAIN))
        # A bias that all logits share would be one that the softmax cannot see.
        shared = layout.planes == 1 and layout.extras == 0
        self.cells = Conv(channels, layout.planes, 1, start=after_relu(channels, HEAD_GAIN), bias=not shared)
        self.extras = Dense(channels, layout.extras, start=after_relu(channels, HEAD_GAIN)) if layout.extras else None

    def forward(self, features: Tensor, pooled: Tensor) -> Tensor:
        board = self.pooled(pooled)
        hidden = F.relu(self.local(features) + board.to(features.dtype)[:, :, None, None])
        cells: Tensor = self.cells(hidden[:, :, : hidden.shape[2] - self.layout.last_rows])
        logits = cells.permute(0, 2, 3, 1).flatten(1)
        if self.extras is None:
            return logits
        return torch.cat([logits, self.extras(F.relu(board)).to(logits.dtype)], 1)


class ColumnPolicy(nn.Module):
    """One logit a column, from what its cells have in mean and at most."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.local = Dense(2 * channels, channels, start=after_relu(2 * channels))
        self.pooled = Dense(2 * channels, channels, start=after_relu(2 * channels, HEAD_GAIN))
        self.columns = Dense(channels, 1, start=after_relu(channels, HEAD_GAIN), bias=False)

    def forward(self, features: Tensor, pooled: Tensor) -> Tensor:
        # Channels stay side by side, as processors like to read them.
        rows = features.float().permute(0, 2, 3, 1)
        columns = torch.cat([rows.mean(1), greatest(rows, 1)], 2)
        hidden = F.relu(self.local(columns) + self.pooled(pooled)[:, None])
        return cast(Tensor, self.columns(hidden)).squeeze(2)


class FlatPolicy(nn.Module):
    """A linear layer over all features: of an MLP, or for actions in no known order, on a board of one size."""

    def __init__(self, game: Game, config: NetworkConfig) -> None:
        super().__init__()
        is_board = config.kind == "residual"
        inputs = FLAT_PLANES * math.prod(game.planes_shape[1:]) if is_board else config.width
        self.local = Conv(config.channels, FLAT_PLANES, 1, start=after_relu(config.channels)) if is_board else None
        self.actions = Dense(inputs, game.num_actions, start=after_relu(inputs, HEAD_GAIN))

    def forward(self, features: Tensor, _pooled: Tensor) -> Tensor:
        seen = features if self.local is None else F.relu(self.local(features)).flatten(1)
        return cast(Tensor, self.actions(seen))


class ValueHead(nn.Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        hidden = hidden_units(inputs)
        self.hidden = Dense(inputs, hidden, start=after_relu(inputs))
        self.payoff = Dense(hidden, outputs, start=after_relu(hidden, HEAD_GAIN))

    def forward(self, pooled: Tensor) -> Tensor:
        return cast(Tensor, self.payoff(F.relu(self.hidden(pooled))))
