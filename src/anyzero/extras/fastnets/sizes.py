"""How kernels divide their work: tiles for a board, sums for a processor's registers, lines of its
caches.
"""

from collections.abc import Mapping
from functools import cache, partial

import numpy as np

MOST_SUMS = {16: 24, 8: 12, 4: 12}
"""Vectors of sums that fit into the registers along with their factors, by vector length."""
MOST_VECTORS = (
    3  # of channels computed at once: with more, too few tiles share each load of weights
)
LINE = 64  # bytes per cache line
SIDES = {2: 1.0, 3: 1.1, 4: 1.18}
"""By outputs along a side of a tile: the cost of a product, transforms included."""


@cache
def lanes_here() -> int:
    """Vector length of this processor, in numbers."""
    from llvmlite import binding

    return 16 if binding.get_host_cpu_features().get("avx512f") else 8


def lanes_of(target: str) -> int:
    return 4 if target == "wasm" else lanes_here()


def sizes_for(
    rows: int, columns: int, channels: int, *, inputs: int = 0, most_tiles: int, target: str = "cpu"
) -> Mapping[str, int]:
    """The constants of the kernels; `most_tiles` fit into the nearer caches along with the
    weights.
    """
    lanes = lanes_of(target)
    vectors = -(-channels // lanes)
    vectors_at_once = max(number for number in range(1, MOST_VECTORS + 1) if vectors % number == 0)

    def cost(side: int, cells: int) -> float:
        return SIDES[side] * (side + 2) * -(-cells // side)

    def fullness(boards: int) -> tuple[float, int]:
        return boards * tiles / (-(-boards * tiles // most_together) * most_together), boards

    # Tiles that cover the board at the lowest cost, and boards that best fill strips of tiles; the
    # more, the better.
    height, width = (min(SIDES, key=partial(cost, cells=cells)) for cells in (rows, columns))
    down = -(-rows // height)
    across = -(-columns // width)
    tiles = down * across
    most_together = MOST_SUMS[lanes] // vectors_at_once
    boards = max(range(1, most_tiles // tiles + 1), key=fullness, default=1)
    strips = -(-boards * tiles // most_together)
    together = -(-boards * tiles // strips)
    return {
        "ROWS": rows,
        "COLUMNS": columns,
        "INPUTS": inputs,
        "CHANNELS": vectors * lanes,
        "HEIGHT": height,
        "WIDTH": width,
        "POINTS": (height + 2) * (width + 2),
        "TILES_DOWN": down,
        "TILES_ACROSS": across,
        "TILES": tiles,
        "BOARDS": boards,
        "BOARD_WIDTH": width * across + 2,
        # One cache line more than the tiles take: otherwise all points of a tile may map to the
        # same few cache sets.
        "POINT_STEP": strips * together * max(inputs, vectors * lanes) + LINE // 4,
        "LANES": lanes,
        "VECTORS": vectors_at_once,
        "TOGETHER": together,
        "FEW": (tiles - 1) % together + 1,
        "ABREAST": min(lanes, 1 << most_together.bit_length() - 1),
    }


def board_cells(sizes: Mapping[str, int]) -> int:
    return (sizes["HEIGHT"] * sizes["TILES_DOWN"] + 2) * sizes["BOARD_WIDTH"]


def aligned(numbers: np.ndarray) -> np.ndarray:
    """A copy aligned to a cache line, so that no vector spans two lines."""
    whole = np.empty(numbers.nbytes + LINE, np.uint8)
    start = -whole.ctypes.data % LINE
    copy = whole[start : start + numbers.nbytes].view(numbers.dtype).reshape(numbers.shape)
    copy[...] = numbers
    return copy


def new_room(*shapes: int | tuple[int, ...]) -> tuple[np.ndarray, ...]:
    """Zeroed scratch memory for a kernel."""
    return tuple(aligned(np.zeros(shape, np.float32)) for shape in shapes)
