"""The trunks: residual blocks over a board of any size, and linear layers."""

import math
from typing import cast

import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from anyzero.games.game import Game
from anyzero.networks.config import NetworkConfig
from anyzero.networks.layers import Conv, Dense, after_relu, learns_on_cpu, pool

POOL_GAIN = 0.3
"""What the whole board tells a cell starts weaker than what its neighbours do."""


class ResidualTrunk(nn.Module):
    """A convolution and residual blocks: [positions, planes, rows, columns] to [positions, channels, rows, columns]."""

    def __init__(self, game: Game, config: NetworkConfig) -> None:
        super().__init__()
        # One plane more shows where the board ends. About two planes are on at a cell, however many there are.
        self.stem = Conv(game.planes_shape[0] + 1, config.channels, 3, start=math.sqrt(1.0 / (2 * 9)))
        pooled = [config.pool_every > 0 and index % config.pool_every == 0 for index in range(config.blocks)]
        self.blocks = nn.ModuleList(Block(config, pools) for pools in pooled)

    def forward(self, planes: Tensor) -> Tensor:
        x: Tensor = self.stem(F.pad(planes, (0, 0, 0, 0, 0, 1), value=1.0))
        for block in self.blocks:
            x = block(x)
        return x


class Block(nn.Module):
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
        """The same, with gradients to come."""
        from anyzero.networks.training_block import run_training_block, run_training_pool

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
