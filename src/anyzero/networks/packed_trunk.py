"""The trunk of a residual network for the kernel: its weights in its order, and its sizes."""

from collections.abc import Mapping
from typing import cast

import numpy as np
from torch import Tensor

from anyzero.compile import Unit, compile_kernel
from anyzero.compile.tiles import TURN_WEIGHTS
from anyzero.networks.layers import Conv
from anyzero.networks.models import Network
from anyzero.networks.registers import LINE, MOST_SUMS, abreast, aligned, boards_for, lanes_here, tile_for
from anyzero.networks.trunk_kernel import run_trunk
from anyzero.networks.trunks import Block, ResidualTrunk

UNIT = Unit("trunk", {}, ())
MOST_TILES = 36
"""Tiles that are computed together: more would not fit into the processor's nearer caches, beside the weights."""


class PackedTrunk:
    """The weights of a residual trunk in the order in which the kernel reads them."""

    def __init__(self, network: Network, planes_shape: tuple[int, ...]) -> None:
        trunk = cast(ResidualTrunk, network.trunk)
        planes, self.rows, self.columns = planes_shape
        self.inputs, self.channels = planes + 1, network.config.channels
        self.sizes = sizes_for(self.rows, self.columns, self.channels, self.inputs)
        wide = self.wide = self.sizes["CHANNELS"]
        self.kernel = compile_kernel(
            run_trunk, UNIT, "cpu", {**self.sizes, "ROWS": self.rows, "COLUMNS": self.columns, "INPUTS": self.inputs}
        )
        convolutions = [layer for block in blocks_of(trunk) for layer in (block.first, block.second)]
        self.stem = aligned(self.pack(trunk.stem, self.inputs)), pad(trunk.stem.bias, wide)
        self.blocks = (
            aligned(np.stack([self.pack(layer, wide) for layer in convolutions])),
            np.stack([pad(layer.bias, wide) for layer in convolutions]),
        )
        self.pools = pack_pools(trunk, self.channels, wide)

    def pack(self, layer: Conv, inputs: int) -> np.ndarray:
        """[taps, parts, inputs * outputs of a part] from torch's [outputs, inputs, 3, 3]."""
        weight = layer.weight.detach().float().numpy()
        down, across = (np.array(TURN_WEIGHTS[self.sizes[side]]) for side in ("TALL", "BROAD"))
        taps = self.sizes["TAPS"]
        whole = np.zeros((taps, inputs, self.wide))
        turned = np.einsum("ri,oniw,cw->rcno", down, weight.astype(np.float64), across)
        whole[:, : weight.shape[1], : weight.shape[0]] = turned.reshape(taps, weight.shape[1], -1)
        outputs = self.sizes["VECTORS"] * self.sizes["LANES"]
        parts = whole.reshape(taps, inputs, -1, outputs).transpose(0, 2, 1, 3)
        return np.ascontiguousarray(parts, np.float32).reshape(taps, parts.shape[1], -1)

    def room(self) -> tuple[np.ndarray, ...]:
        """What the kernel works on, for one thread."""
        boards, cells, taps = (self.sizes[name] for name in ("BOARDS", "CELLS", "TAPS"))
        numbers = [cells * self.inputs, *3 * [cells * self.wide]]
        shapes = [
            *((boards, number) for number in numbers),
            *2 * [(taps * self.sizes["TAP_STEP"],)],
            (boards, self.wide),
        ]
        return tuple(aligned(np.zeros(shape, np.float32)) for shape in shapes)


def pack_pools(trunk: ResidualTrunk, channels: int, wide: int) -> tuple[np.ndarray, ...]:
    """Weights [blocks, 2 * channels, channels], biases and which blocks pool; zeros where none does."""
    num = len(trunk.blocks)
    weights, biases = np.zeros((num, 2, wide, wide), np.float32), np.zeros((num, wide), np.float32)
    pools = np.zeros(num, np.bool_)
    for index, block in enumerate(blocks_of(trunk)):
        if block.pooled is not None:
            weight = block.pooled.weight.detach().float().numpy().reshape(channels, 2, channels)
            weights[index, :, :channels, :channels] = weight.transpose(1, 2, 0)
            biases[index] = pad(block.pooled.bias, wide)
            pools[index] = True
    return weights.reshape(num, 2 * wide, wide), biases, pools


def blocks_of(trunk: ResidualTrunk) -> list[Block]:
    return [cast(Block, block) for block in trunk.blocks]


def pad(numbers: Tensor | None, length: int) -> np.ndarray:
    padded = np.zeros(length, np.float32)
    if numbers is not None:
        padded[: len(numbers)] = numbers.detach().float().numpy()
    return padded


def sizes_for(rows: int, columns: int, channels: int, inputs: int) -> Mapping[str, int]:
    """How the kernel shares its work out among the registers of this processor."""
    lanes = lanes_here()
    vectors = -(-channels // lanes)
    own = abreast(vectors)
    tall, broad = tile_for(rows, columns)
    tile_rows, tile_columns = -(-rows // tall), -(-columns // broad)
    tiles = tile_rows * tile_columns
    boards = boards_for(tiles, MOST_SUMS[lanes] // own, MOST_TILES)
    rounds = -(-boards * tiles * own // MOST_SUMS[lanes])
    together = -(-boards * tiles // rounds)
    return {
        "CHANNELS": vectors * lanes,
        "TALL": tall,
        "BROAD": broad,
        "TAPS": (tall + 2) * (broad + 2),
        "TILES": tiles,
        "TILE_ROWS": tile_rows,
        "TILE_COLUMNS": tile_columns,
        "BOARDS": boards,
        "CELLS": (tall * tile_rows + 2) * (broad * tile_columns + 2),
        "ROW_STEP": (broad * tile_columns + 2) * vectors * lanes,
        "INNER": (broad * tile_columns + 3) * vectors * lanes,
        # A line more than the tiles take: else all taps of a tile may want the same few places of a cache.
        "TAP_STEP": rounds * together * max(inputs, vectors * lanes) + LINE // 4,
        "LANES": lanes,
        "VECTORS": own,
        "TOGETHER": together,
        "FEW": (tiles - 1) % together + 1,
    }
