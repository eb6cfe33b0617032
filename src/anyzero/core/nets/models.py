"""The networks: a residual net over boards of any size, and an MLP; no normalisation layers in
either.

Activations stay in range by initialisation: a residual branch starts 1 / sqrt(depth) as strong as
the trunk, so that a net of any depth starts with a variance of the same order, and every weight has
a gradient from the first step on.
"""

import math
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import NamedTuple, cast

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from anyzero.core.base.extras import find_or_none
from anyzero.core.base.nouns import Numbers, Planes
from anyzero.core.game.game import Game
from anyzero.core.nets.config import (
    FLAT_PLANES,
    Layout,
    NetworkConfig,
    hidden_units,
    layout_of,
    resolve,
    support_of,
)
from anyzero.core.nets.forward import forward, residual_block
from anyzero.core.nets.weights import StoredNetwork, read_network

HEAD_GAIN = 0.2  # heads start this weak: priors near uniform, values near 0, but neither exactly
POOL_GAIN = 0.3  # global pooling starts weaker than the features of neighbouring cells


def _training_kernels() -> ModuleType | None:
    """Our kernels for residual blocks and pooling on the CPU; None where they are missing."""
    fastnets = find_or_none("fastnets")
    if fastnets is None:
        return None
    kernels: ModuleType = fastnets.training_kernels()
    return kernels


KERNELS = _training_kernels()


class Conv(nn.Conv2d):
    """A convolution that keeps the board's size; `start` is the standard deviation of its initial
    weights.
    """

    def __init__(
        self, inputs: int, outputs: int, size: int, *, start: float, bias: bool = True
    ) -> None:
        super().__init__(inputs, outputs, size, padding=size // 2, bias=bias)
        self.start = start


class Dense(nn.Linear):
    """A linear layer that computes in its own precision, regardless of its input's."""

    def __init__(self, inputs: int, outputs: int, *, start: float, bias: bool = True) -> None:
        super().__init__(inputs, outputs, bias=bias)
        self.start = start

    def forward(self, features: Tensor) -> Tensor:
        return super().forward(features.to(self.weight.dtype))


def after_relu(inputs: int, gain: float = 1.0) -> float:
    """The initial standard deviation that preserves the variance of a layer after a ReLU. He et al.
    2015.
    """
    return gain * math.sqrt(2.0 / inputs)


def maximum_over(features: Tensor, dim: int) -> Tensor:
    """The maximum; when training on a GPU, with a gradient for one cell only.

    The gradient of `amax` looks for all cells equal to the maximum. A compiler that recomputes the
    features for this may round them differently, find none, and divide by their number, zero.
    """
    if not (features.is_cuda and torch.is_grad_enabled() and features.requires_grad):
        return features.amax(dim)
    shape = [-1 if axis == dim else 1 for axis in range(features.dim())]
    cells = torch.arange(features.shape[dim], device=features.device).view(shape)
    is_greatest = cells == features.detach().argmax(dim, keepdim=True)
    return torch.where(is_greatest, features, 0.0).sum(dim)


ILLEGAL = -1e9  # the logit of an illegal action


class Output(NamedTuple):
    logits: Tensor  # [positions, actions]
    value: Tensor
    """[positions, 1] before the tanh (scalar), or logits over the support (wdl, scores); per seat
    if needed.
    """


@cache
def support_tensor(config: NetworkConfig, device: torch.device) -> Tensor:
    """`support_of` as a tensor, cached, since a copy to a GPU would wait for it."""
    with torch.inference_mode(False):
        return torch.tensor(support_of(config), device=device)


def layers_of(game: Game, config: NetworkConfig) -> dict[str, nn.Module]:
    """The layers of a trunk and two heads, by the names used in `forward`."""
    if config.kind == "mlp":
        wide = config.width
        inputs = math.prod(game.planes_shape)
        start = 1.0 / math.sqrt(config.layers)
        # About a quarter of the inputs are nonzero.
        layers: dict[str, nn.Module] = {
            "trunk.stem": Dense(inputs, wide, start=math.sqrt(4.0 / inputs))
        }
        for index in range(config.layers - 1):
            layers[f"trunk.layers.{index}"] = Dense(wide, wide, start=after_relu(wide, start))
        layers["policy.actions"] = Dense(wide, game.num_actions, start=after_relu(wide, HEAD_GAIN))
    else:
        wide = 2 * config.channels
        layers = residual_layers(game, config) | policy_layers(game, config)
    hidden = hidden_units(wide)
    outputs = game.num_values * max(1, len(support_of(config)))
    layers["value.hidden"] = Dense(wide, hidden, start=after_relu(wide))
    layers["value.payoff"] = Dense(hidden, outputs, start=after_relu(hidden, HEAD_GAIN))
    return layers


def residual_layers(game: Game, config: NetworkConfig) -> dict[str, nn.Module]:
    """A convolution and blocks of two; a pooling block adds a bias computed from the whole board.
    After KataGo.
    """
    wide = config.channels
    # An extra plane marks the board's edge. About two planes are nonzero at a cell, however many
    # there are.
    layers: dict[str, nn.Module] = {
        "trunk.stem": Conv(game.planes_shape[0] + 1, wide, 3, start=math.sqrt(1.0 / 18))
    }
    for index in range(config.blocks):
        name = f"trunk.blocks.{index}"
        layers[f"{name}.first"] = Conv(wide, wide, 3, start=after_relu(9 * wide))
        layers[f"{name}.second"] = Conv(
            wide, wide, 3, start=after_relu(9 * wide, 1.0 / math.sqrt(config.blocks))
        )
        if config.pool_every > 0 and index % config.pool_every == 0:
            layers[f"{name}.pooled"] = Dense(2 * wide, wide, start=after_relu(2 * wide, POOL_GAIN))
    return layers


def policy_layers(game: Game, config: NetworkConfig) -> dict[str, nn.Module]:
    """The policy head of a residual network."""
    wide = config.channels
    layout = layout_of(game.planes_shape, game.num_actions)
    start = after_relu(wide, HEAD_GAIN)
    pooled = Dense(2 * wide, wide, start=after_relu(2 * wide, HEAD_GAIN))
    if config.policy == "columns":  # one logit per column, from the mean and maximum over its cells
        local: nn.Module = Dense(2 * wide, wide, start=after_relu(2 * wide))
        return {
            "policy.local": local,
            "policy.pooled": pooled,
            "policy.columns": Dense(wide, 1, start=start, bias=False),
        }
    if (
        config.policy == "cells" and layout is not None
    ):  # logits per cell, and extras computed from the whole board
        # A bias shared by all logits would have no effect on the softmax.
        cells = Conv(
            wide, layout.planes, 1, start=start, bias=layout.planes > 1 or layout.extras > 0
        )
        local = Conv(wide, wide, 1, start=after_relu(wide))
        extras = {"policy.extras": Dense(wide, layout.extras, start=start)} if layout.extras else {}
        return {"policy.local": local, "policy.pooled": pooled, "policy.cells": cells, **extras}
    # Computed from all features together, for actions in no known order, on a board of one size.
    local = Conv(wide, FLAT_PLANES, 1, start=after_relu(wide))
    inputs = FLAT_PLANES * math.prod(game.planes_shape[1:])
    actions = Dense(inputs, game.num_actions, start=after_relu(inputs, HEAD_GAIN))
    return {"policy.local": local, "policy.actions": actions}


class Network(nn.Module):
    """A network for one game, with the operations of `forward`; `config` is resolved, the sizes are
    the game's.
    """

    def __init__(self, game: Game, config: NetworkConfig) -> None:
        super().__init__()
        self.config = config
        self.planes_shape = game.planes_shape
        self.num_actions = game.num_actions
        self.num_values = game.num_values
        self.layers = layers_of(game, config)
        self.layout = layout_of(game.planes_shape, game.num_actions) or Layout(0)
        for name, layer in self.layers.items():  # torch requires a module for each part of a name
            place: nn.Module = self
            *path, last = name.split(".")
            for part in path:
                if not hasattr(place, part):
                    place.add_module(part, nn.Module())
                place = getattr(place, part)
            place.add_module(last, layer)

    def forward(self, planes: Tensor) -> Output:
        return Output(
            *forward(self, planes, self.config, (self.layout.extras, self.layout.last_rows))
        )

    def conv(self, x: Tensor, name: str) -> Tensor:
        return cast(Tensor, self.layers[name](x))

    dense = conv

    def relu(self, x: Tensor) -> Tensor:
        return F.relu(x)

    def add(self, x: Tensor, y: Tensor) -> Tensor:
        return x + y

    def add_board(self, x: Tensor, y: Tensor) -> Tensor:
        return x + y.to(x.dtype)[:, :, None, None]

    def add_spots(self, x: Tensor, y: Tensor) -> Tensor:
        return x + y[:, None]

    def with_rim(self, x: Tensor) -> Tensor:
        return F.pad(x, (0, 0, 0, 0, 0, 1), value=1.0)

    def block(self, x: Tensor, name: str, pools: bool) -> Tensor:
        if KERNELS is None or not KERNELS.suits_training(x):
            return cast(Tensor, residual_block(self, x, name, pools))
        first, second = (cast(Conv, self.layers[f"{name}.{part}"]) for part in ("first", "second"))
        biases = [
            cast(Tensor, layer.bias).expand(len(x), -1).contiguous() for layer in (first, second)
        ]
        if pools:
            biases[0] = biases[0] + self.dense(KERNELS.train_pool(x), name + ".pooled")
        layers = first.weight, biases[0], second.weight, biases[1]
        return cast(Tensor, KERNELS.train_block(x, *layers))

    def pool(self, x: Tensor) -> Tensor:
        if KERNELS is not None and KERNELS.suits_training(x):
            return cast(Tensor, KERNELS.train_pool(x))
        cells = x.float().flatten(2)
        return torch.cat([cells.mean(2), maximum_over(cells, 2)], 1)

    def columns(self, x: Tensor) -> Tensor:
        rows = x.float().permute(
            0, 2, 3, 1
        )  # channels stay adjacent, which processors read fastest
        return torch.cat([rows.mean(1), maximum_over(rows, 1)], 2)

    def without_rows(self, x: Tensor, rows: int) -> Tensor:
        return x[:, :, : x.shape[2] - rows]

    def by_cell(self, x: Tensor) -> Tensor:
        return x.permute(0, 2, 3, 1).flatten(1)

    def flat(self, x: Tensor) -> Tensor:
        return x.flatten(1)

    def join(self, x: Tensor, y: Tensor) -> Tensor:
        return torch.cat([x, y.to(x.dtype)], 1)

    def expected(self, value: Tensor) -> Tensor:
        """The expected payoff of the seat to move, [positions], from the value head's output.

        If each seat has a value, [positions, seats]: the seat to move and those after it, in turn.
        """
        value = self.by_seat(value.float())
        if self.config.value == "scalar":
            return torch.tanh(value).squeeze(-1)
        return torch.softmax(value, -1) @ support_tensor(self.config, value.device)

    def by_seat(self, value: Tensor) -> Tensor:
        """The value head's output with a dimension for the seats, if there are several."""
        return value if self.num_values == 1 else value.view(len(value), self.num_values, -1)


def new_network(game: Game, config: NetworkConfig, seed: int = 0) -> Network:
    """A network with random weights, determined by the seed; torch's global generator is not
    used.
    """
    network = empty_network(game, config)
    rng = torch.Generator().manual_seed(seed)
    for layer in cast("list[Conv | Dense]", network.layers.values()):
        nn.init.normal_(layer.weight, std=layer.start, generator=rng)
        if layer.bias is not None:
            nn.init.zeros_(layer.bias)
    return network


def empty_network(game: Game, config: NetworkConfig) -> Network:
    with torch.device("meta"):  # otherwise torch would draw weights from its global generator
        network = Network(game, resolve(config, game))
    # Like `to_empty`, for which torch imports sympy: half a second.
    weights = {
        name: torch.empty(tensor.shape, dtype=tensor.dtype)
        for name, tensor in network.state_dict().items()
    }
    network.load_state_dict(weights, assign=True)
    return network.eval()


def log_priors(logits: Tensor, legal: Tensor | None = None) -> Tensor:
    """The logarithms of the priors, over the legal actions if they are given, [positions, actions]
    float32.
    """
    return F.log_softmax(
        logits.float() if legal is None else logits.float().masked_fill(~legal, ILLEGAL), 1
    )


def value_losses(network: Network, value: Tensor, payoffs: Tensor) -> Tensor:
    """Squared error of a scalar; for a distribution, the KL divergence from the payoff's: 0 once
    they are equal.

    [positions]: if each seat has a value, the mean over the seats.
    """
    if network.config.value == "scalar":
        losses = F.mse_loss(network.expected(value), payoffs, reduction="none")
    else:
        targets = spread_payoffs(payoffs.flatten(), support_tensor(network.config, payoffs.device))
        shares = F.log_softmax(network.by_seat(value.float()), -1).view_as(targets)
        losses = F.kl_div(shares, targets, reduction="none").sum(1).view_as(payoffs)
    return losses if losses.dim() == 1 else losses.mean(1)


def spread_payoffs(payoffs: Tensor, support: Tensor) -> Tensor:
    """Each payoff as probabilities of its two neighbours in the support, with the payoff as their
    mean.

    The support is evenly spaced, in either direction.
    """
    place = ((payoffs - support[0]) / (support[-1] - support[0])).clamp(0.0, 1.0) * (
        len(support) - 1
    )
    low = place.floor().nan_to_num().long().clamp(max=len(support) - 2)  # a NaN payoff stays NaN
    high_part = (place - low).unsqueeze(1)
    shares = torch.zeros(len(payoffs), len(support), device=payoffs.device)
    shares.scatter_(1, low.unsqueeze(1), 1.0 - high_part)
    return shares.scatter_(1, low.unsqueeze(1) + 1, high_part)


def network_of(stored: StoredNetwork, game: Game) -> Network:
    network = empty_network(game, stored.config)
    weights = {
        name: stored.take(name, *weight.shape) for name, weight in network.state_dict().items()
    }
    stored.check_all_taken()
    network.load_state_dict({name: torch.from_numpy(weight) for name, weight in weights.items()})
    return network


def load_network(path: Path | str, game: Game) -> Network:
    """The network in a file, for this game."""
    return network_of(read_network(path, game), game)


class TorchNetwork:
    """A network that answers by torch, on the CPU."""

    def __init__(self, stored: StoredNetwork, game: Game) -> None:
        self.network = network_of(stored, game)

    def answer(self, planes: Planes, logits: Numbers, values: Numbers) -> None:
        """Write logits [positions, actions] and expected payoffs [positions, values] of planes."""
        with torch.inference_mode():
            output = self.network(torch.from_numpy(planes))
            logits[:] = output.logits.numpy()
            values[:] = self.network.expected(output.value).numpy().reshape(values.shape)
