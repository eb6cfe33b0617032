"""The trunks: residual blocks over a board of any size, and linear layers."""

import math

import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from anyzero.games.game import Game
from anyzero.networks.config import NetworkConfig
from anyzero.networks.layers import Conv, Dense, after_relu, pool

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
        features = F.relu(x)
        branch: Tensor = self.first(features)
        if self.pooled is not None:
            branch = branch + self.pooled(pool(features)).to(x.dtype)[:, :, None, None]
        branch = self.second(F.relu(branch))
        return x + branch


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
