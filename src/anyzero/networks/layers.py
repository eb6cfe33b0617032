"""The layers and the trunks of networks: each layer knows how strong its weights start."""

import math
from typing import cast

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from anyzero.games.game import Game
from anyzero.networks.config import NetworkConfig
from anyzero.networks.winograd.network import LEAST_CHANNELS
from anyzero.networks.winograd.training import run_training_block, run_training_pool

POOL_GAIN = 0.3
"""What the whole board tells a cell starts weaker than what its neighbours do."""


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
    if learns_on_cpu(features):
        return run_training_pool(features)
    features = features.float().flatten(2)  # the maximum in bfloat16 is slow on the CPU
    return torch.cat([features.mean(2), greatest(features, 2)], 1)


def greatest(features: Tensor, dim: int) -> Tensor:
    learns_on_gpu = features.is_cuda and torch.is_grad_enabled() and features.requires_grad
    return greatest_cell(features, dim) if learns_on_gpu else features.amax(dim)


def greatest_cell(features: Tensor, dim: int) -> Tensor:
    """The same, with a gradient for one cell only.

    The gradient of `amax` looks for all cells that are equal to it. A compiler that computes the features once more for
    this need not round them as it did before, finds none, and divides by their number.
    """
    shape = [-1 if axis == dim else 1 for axis in range(features.dim())]
    cells = torch.arange(features.shape[dim], device=features.device).view(shape)
    is_greatest = cells == features.detach().argmax(dim, keepdim=True)
    return torch.where(is_greatest, features, 0.0).sum(dim)


def learns_on_cpu(features: Tensor) -> bool:
    """Whether gradients are wanted, and our kernels for them suit these features."""
    if features.device.type != "cpu" or features.dtype != torch.float32:
        return False
    return torch.is_grad_enabled() and features.requires_grad and features.shape[1] >= LEAST_CHANNELS


class ResidualTrunk(nn.Module):
    """A convolution and residual blocks: [positions, planes, rows, columns] to [positions, channels, rows, columns]."""

    def __init__(self, game: Game, config: NetworkConfig) -> None:
        super().__init__()
        # One plane more shows where the board ends. About two planes are on at a cell, however many there are.
        self.stem = Conv(game.planes_shape[0] + 1, config.channels, 3, start=math.sqrt(1.0 / (2 * 9)))
        pooled = [config.pool_every > 0 and index % config.pool_every == 0 for index in range(config.blocks)]
        self.blocks = nn.ModuleList(ResidualBlock(config, pools) for pools in pooled)

    def forward(self, planes: Tensor) -> Tensor:
        x: Tensor = self.stem(F.pad(planes, (0, 0, 0, 0, 0, 1), value=1.0))
        for block in self.blocks:
            x = block(x)
        return x


class ResidualBlock(nn.Module):
    """Two convolutions beside the trunk; one that pools adds a bias made from the whole board. After KataGo."""

    def __init__(self, config: NetworkConfig, pools: bool) -> None:
        super().__init__()
        wide = config.channels
        self.first = Conv(wide, wide, 3, start=after_relu(9 * wide))
        self.second = Conv(wide, wide, 3, start=after_relu(9 * wide, 1.0 / math.sqrt(config.blocks)))
        self.pooled = Dense(2 * wide, wide, start=after_relu(2 * wide, POOL_GAIN)) if pools else None

    def forward(self, x: Tensor) -> Tensor:
        if learns_on_cpu(x):
            return self.forward_by_kernels(x)
        features = F.relu(x)
        branch: Tensor = self.first(features)
        if self.pooled is not None:
            branch = branch + self.pooled(pool(features)).to(x.dtype)[:, :, None, None]
        branch = self.second(F.relu(branch))
        return x + branch

    def forward_by_kernels(self, x: Tensor) -> Tensor:
        biases = (cast(Tensor, layer.bias) for layer in (self.first, self.second))
        first, second = (bias.expand(len(x), -1).contiguous() for bias in biases)
        if self.pooled is not None:
            first = first + self.pooled(run_training_pool(x))
        return run_training_block(x, self.first.weight, first, self.second.weight, second)


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
