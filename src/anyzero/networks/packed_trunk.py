"""The trunk of a residual network for the kernel: its weights in its order, and its sizes."""

from collections.abc import Mapping
from functools import cache
from typing import cast

import numpy as np
from torch import Tensor

from anyzero.compile import Unit, compile_kernel
from anyzero.networks.layers import Conv
from anyzero.networks.models import Network
from anyzero.networks.trunk_kernel import TAPS, run_trunk
from anyzero.networks.trunks import Block, ResidualTrunk

MOST_SUMS = {16: 24, 8: 12}
"""Vectors of sums that fit into the registers beside their factors, by the numbers in a vector."""
MOST_VECTORS = 3
"""Of channels that are computed at once: with more, too few tiles share each load of weights."""
TURN = np.array([[1.0, 0.0, 0.0], [0.5, 0.5, 0.5], [0.5, -0.5, 0.5], [0.0, 0.0, 1.0]])
"""What weights are turned into before they meet turned tiles."""
LINE = 64
"""Bytes of a line."""
UNIT = Unit("trunk", {}, ())


class PackedTrunk:
    """The weights of a residual trunk in the order in which the kernel reads them."""

    def __init__(self, network: Network, planes_shape: tuple[int, ...]) -> None:
        trunk = cast(ResidualTrunk, network.trunk)
        planes, self.rows, self.columns = planes_shape
        self.inputs, self.channels = planes + 1, network.config.channels
        self.sizes = sizes_for(self.rows, self.columns, self.channels)
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
        whole = np.zeros((TAPS, inputs, self.wide))
        turned = np.einsum("ri,oniw,cw->rcno", TURN, weight.astype(np.float64), TURN)
        whole[:, : weight.shape[1], : weight.shape[0]] = turned.reshape(TAPS, weight.shape[1], -1)
        outputs = self.sizes["VECTORS"] * self.sizes["LANES"]
        parts = whole.reshape(TAPS, inputs, -1, outputs).transpose(0, 2, 1, 3)
        return np.ascontiguousarray(parts, np.float32).reshape(TAPS, parts.shape[1], -1)

    def room(self) -> tuple[np.ndarray, ...]:
        """What the kernel works on, for one thread."""
        cells = (2 * self.sizes["TILE_ROWS"] + 2) * (2 * self.sizes["TILE_COLUMNS"] + 2)
        taps = TAPS * self.sizes["TOGETHER"]
        lengths = [cells * self.inputs, *3 * [cells * self.wide], taps * max(self.inputs, self.wide), taps * self.wide]
        return tuple(aligned(np.zeros(length, np.float32)) for length in [*lengths, self.wide])


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


def aligned(numbers: np.ndarray) -> np.ndarray:
    """A copy that begins where a line of the processor's caches does, so that no vector lies in two of them."""
    whole = np.empty(numbers.nbytes + LINE, np.uint8)
    start = -whole.ctypes.data % LINE
    copy = whole[start : start + numbers.nbytes].view(numbers.dtype).reshape(numbers.shape)
    copy[...] = numbers
    return copy


def blocks_of(trunk: ResidualTrunk) -> list[Block]:
    return [cast(Block, block) for block in trunk.blocks]


def pad(numbers: Tensor | None, length: int) -> np.ndarray:
    padded = np.zeros(length, np.float32)
    if numbers is not None:
        padded[: len(numbers)] = numbers.detach().float().numpy()
    return padded


def sizes_for(rows: int, columns: int, channels: int) -> Mapping[str, int]:
    """How the kernel shares its work out among the registers of this processor."""
    lanes = lanes_here()
    vectors = -(-channels // lanes)
    abreast = max(number for number in range(1, MOST_VECTORS + 1) if vectors % number == 0)
    tile_rows, tile_columns = (rows + 1) // 2, (columns + 1) // 2
    tiles = tile_rows * tile_columns
    rounds = -(-tiles * abreast // MOST_SUMS[lanes])
    together = -(-tiles // rounds)
    last = tiles - together * (-(-tiles // together) - 1)
    return {
        "CHANNELS": vectors * lanes,
        "TILES": tiles,
        "TILE_ROWS": tile_rows,
        "TILE_COLUMNS": tile_columns,
        "ROW_STEP": (2 * tile_columns + 2) * vectors * lanes,
        "INNER": (2 * tile_columns + 3) * vectors * lanes,
        "LANES": lanes,
        "VECTORS": abreast,
        "TOGETHER": together,
        "LAST": last,
    }


@cache
def lanes_here() -> int:
    from llvmlite import binding

    return 16 if binding.get_host_cpu_features().get("avx512f") else 8
