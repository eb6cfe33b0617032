"""The heads of a residual network for the kernel: their weights in its order, and its sizes."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np
from torch import Tensor, nn

from anyzero.compile import Unit, compile_kernel
from anyzero.networks.heads import CellPolicy, ColumnPolicy, FlatPolicy
from anyzero.networks.heads_kernel import run_heads
from anyzero.networks.models import Network, support_of
from anyzero.networks.packed_trunk import pad
from anyzero.networks.registers import aligned

ABREAST = 8
"""Rows that are multiplied at once: as many sums as keep a processor's multipliers busy."""
UNIT = Unit("heads", {}, ())

Layer = tuple[np.ndarray, np.ndarray]
"""Weights [parts, inputs * lanes] and bias [parts * lanes]."""


@dataclass(frozen=True)
class PackedPolicy:
    """A policy head as layers, and what differs between the kinds of it."""

    layers: tuple[Layer, ...]
    """For the whole board, the spots, the readings and the extras."""
    sizes: Mapping[str, int]


class PackedHeads:
    """Policy and value of a network whose cells have `wide` numbers, in vectors of `lanes`."""

    def __init__(self, network: Network, board: tuple[int, int], wide: int, lanes: int) -> None:
        packer = Packer(network.config.channels, wide, lanes)
        policy = packer.pack_policy(network.policy, board)
        head = network.value
        self.policy = policy.layers
        self.value = (
            packer.pack(packer.widened(head.hidden), head.hidden.bias),
            packer.pack(packer.filled(weight_of(head.payoff), head.hidden.out_features), head.payoff.bias),
            np.array(support_of(network.config), np.float32),
        )
        sizes = policy.sizes
        self.num_actions = sizes["READINGS"] * sizes["LOGITS"] + sizes["EXTRAS"]
        spots = round_up(sizes["SPOTS"], ABREAST)
        self.lengths = (
            spots * sizes["SEEN"],
            spots * sizes["KEPT"],
            len(self.policy[0][1]),
            round_up(sizes["READINGS"], sizes["READ_ABREAST"]) * len(self.policy[2][1]),
            len(self.policy[3][1]),
            len(self.value[0][1]),
            len(self.value[1][1]),
        )
        constants = {"ROWS": board[0], "COLUMNS": board[1], "CHANNELS": wide, "LANES": lanes, "ABREAST": ABREAST}
        self.kernel = compile_kernel(run_heads, UNIT, "cpu", {**constants, **sizes})

    def room(self) -> tuple[np.ndarray, ...]:
        """What the kernel works on, for one thread."""
        return tuple(aligned(np.zeros(length, np.float32)) for length in self.lengths)


@dataclass(frozen=True)
class Packer:
    """Brings weights into whole vectors: zeros where a vector has more numbers than a layer has."""

    channels: int
    wide: int
    lanes: int

    def pack_policy(self, policy: nn.Module, board: tuple[int, int]) -> PackedPolicy:
        if isinstance(policy, CellPolicy):
            return self.pack_cells(policy, *board)
        if isinstance(policy, ColumnPolicy):
            return self.pack_columns(policy, board[1])
        return self.pack_flat(cast(FlatPolicy, policy), math.prod(board))

    def pack_cells(self, policy: CellPolicy, rows: int, columns: int) -> PackedPolicy:
        layout, extras = policy.layout, policy.extras
        more = self.nothing() if extras is None else self.pack(self.filled(weight_of(extras), self.wide), extras.bias)
        layers = (
            self.pack(self.widened(policy.pooled), policy.pooled.bias),
            self.pack(self.filled(weight_of(policy.local), self.wide), policy.local.bias),
            self.pack(self.filled(weight_of(policy.cells), self.wide), policy.cells.bias),
            more,
        )
        readings = (rows - layout.last_rows) * columns
        return self.packed(
            layers, spots=rows * columns, seen=self.wide, readings=readings, logits=layout.planes, extras=layout.extras
        )

    def pack_columns(self, policy: ColumnPolicy, columns: int) -> PackedPolicy:
        layers = (
            self.pack(self.widened(policy.pooled), policy.pooled.bias),
            self.pack(self.widened(policy.local), policy.local.bias),
            self.pack(self.filled(weight_of(policy.columns), self.wide), policy.columns.bias),
            self.nothing(),
        )
        return self.packed(layers, spots=columns, seen=2 * self.wide, readings=columns, logits=1, by_column=True)

    def pack_flat(self, policy: FlatPolicy, cells: int) -> PackedPolicy:
        local = self.pack(self.filled(weight_of(policy.local), self.wide), policy.local.bias)
        kept, planes, num_actions = len(local[1]), policy.local.out_channels, policy.actions.out_features
        by_cell = weight_of(policy.actions).reshape(num_actions, planes, cells).transpose(0, 2, 1)
        actions = np.zeros((num_actions, cells, kept), np.float32)
        actions[:, :, :planes] = by_cell
        layers = (
            self.pack(np.zeros((kept, 2 * self.wide), np.float32), None),
            local,
            self.pack(actions.reshape(num_actions, -1), policy.actions.bias),
            self.nothing(),
        )
        return self.packed(layers, spots=cells, seen=self.wide, readings=1, logits=num_actions)

    def packed(
        self,
        layers: tuple[Layer, ...],
        *,
        spots: int,
        seen: int,
        readings: int,
        logits: int,
        extras: int = 0,
        by_column: bool = False,
    ) -> PackedPolicy:
        sizes = {
            "BY_COLUMN": by_column,
            "SPOTS": spots,
            "SEEN": seen,
            "KEPT": len(layers[1][1]),
            "READINGS": readings,
            "LOGITS": logits,
            "EXTRAS": extras,
            "READ_ABREAST": ABREAST if readings > 1 else 1,
        }
        return PackedPolicy(layers, sizes)

    def widened(self, layer: nn.Linear) -> np.ndarray:
        """Weights [outputs, 2 * wide] of a layer over mean and maximum of each channel."""
        weight = weight_of(layer)
        return self.filled(weight.reshape(-1, self.channels), self.wide).reshape(len(weight), -1)

    def filled(self, weight: np.ndarray, inputs: int) -> np.ndarray:
        """Weights [outputs, inputs] with zeros for the inputs that the layer does not have."""
        whole = np.zeros((len(weight), round_up(inputs, self.lanes)), np.float32)
        whole[:, : weight.shape[1]] = weight
        return whole

    def pack(self, weight: np.ndarray, bias: Tensor | None) -> Layer:
        """Weights [outputs, inputs] as the kernel reads them, and the bias."""
        outputs, inputs = weight.shape
        whole = np.zeros((inputs, round_up(outputs, self.lanes)), np.float32)
        whole[:, :outputs] = weight.T
        parts = whole.reshape(inputs, -1, self.lanes).transpose(1, 0, 2)
        return aligned(parts).reshape(len(parts), -1), pad(bias, whole.shape[1])

    def nothing(self) -> Layer:
        return np.zeros((0, self.lanes), np.float32), np.zeros(0, np.float32)


def weight_of(layer: nn.Linear | nn.Conv2d) -> np.ndarray:
    """Weights [outputs, inputs] of a layer, or of a convolution that looks at one cell."""
    return layer.weight.detach().float().numpy().reshape(len(layer.weight), -1)


def round_up(number: int, step: int) -> int:
    return -(-number // step) * step
