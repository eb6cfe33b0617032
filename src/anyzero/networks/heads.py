"""The heads: how features become logits of actions, and a value."""

import math

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from anyzero.games.game import Game
from anyzero.networks.config import FLAT_PLANES, Layout, NetworkConfig, hidden_units, layout_of
from anyzero.networks.layers import Conv, Dense, after_relu, greatest

HEAD_GAIN = 0.2
"""Heads start this weak: priors near uniform, values near 0, and neither exactly."""


def new_policy_head(game: Game, config: NetworkConfig) -> nn.Module:
    """The head that the resolved config names; all take (features, pooled features)."""
    if config.kind == "mlp":
        return DensePolicy(config.width, game.num_actions)
    if config.policy == "columns":
        return ColumnPolicy(config.channels)
    layout = layout_of(game.planes_shape, game.num_actions)
    if config.policy == "cells" and layout is not None:
        return CellPolicy(config.channels, layout)
    return FlatPolicy(config.channels, game)


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
        logits: Tensor = self.columns(hidden)
        return logits.squeeze(2)


class FlatPolicy(nn.Module):
    """A linear layer over all cells: for actions in no known order, on a board of one size."""

    def __init__(self, channels: int, game: Game) -> None:
        super().__init__()
        cells = math.prod(game.planes_shape[1:])
        self.local = Conv(channels, FLAT_PLANES, 1, start=after_relu(channels))
        self.actions = Dense(FLAT_PLANES * cells, game.num_actions, start=after_relu(FLAT_PLANES * cells, HEAD_GAIN))

    def forward(self, features: Tensor, _pooled: Tensor) -> Tensor:
        logits: Tensor = self.actions(F.relu(self.local(features)).flatten(1))
        return logits


class DensePolicy(nn.Module):
    """A linear layer over the features of an MLP."""

    def __init__(self, wide: int, num_actions: int) -> None:
        super().__init__()
        self.actions = Dense(wide, num_actions, start=after_relu(wide, HEAD_GAIN))

    def forward(self, features: Tensor, _pooled: Tensor) -> Tensor:
        logits: Tensor = self.actions(features)
        return logits


class ValueHead(nn.Module):
    """One hidden layer over the pooled features."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        hidden = hidden_units(inputs)
        self.hidden = Dense(inputs, hidden, start=after_relu(inputs))
        self.payoff = Dense(hidden, outputs, start=after_relu(hidden, HEAD_GAIN))

    def forward(self, pooled: Tensor) -> Tensor:
        value: Tensor = self.payoff(F.relu(self.hidden(pooled)))
        return value
