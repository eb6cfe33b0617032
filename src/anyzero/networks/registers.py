"""What the kernels of networks know of the processor: its vectors, its registers, and the lines of its caches."""

from functools import cache, partial

import numpy as np

MOST_SUMS = {16: 24, 8: 12}
"""Vectors of sums that fit into the registers beside their factors, by the numbers in a vector."""
MOST_VECTORS = 3
"""Of channels that are computed at once: with more, too few tiles share each load of weights."""
LINE = 64
"""Bytes of a line."""
SIDES = {2: 1.0, 3: 1.1, 4: 1.18}
"""Cells along a side of a tile, and what a product in it costs, together with the turning of cells."""


@cache
def lanes_here() -> int:
    """Numbers in a vector."""
    from llvmlite import binding

    return 16 if binding.get_host_cpu_features().get("avx512f") else 8


def abreast(vectors: int) -> int:
    """Vectors of channels that are computed at once."""
    return max(number for number in range(1, MOST_VECTORS + 1) if vectors % number == 0)


def tile_for(rows: int, columns: int) -> tuple[int, int]:
    """Rows and columns of the tiles that cover a board at the lowest cost."""

    def cost(side: int, cells: int) -> float:
        return SIDES[side] * (side + 2) * -(-cells // side)

    tall, broad = (min(SIDES, key=partial(cost, cells=cells)) for cells in (rows, columns))
    return tall, broad


def boards_for(tiles: int, together: int, most: int) -> int:
    """Boards of so many tiles, `most` in all, that best fill strips of so many together; the more, the better."""

    def fullness(boards: int) -> tuple[float, int]:
        strips = -(-boards * tiles // together)
        return boards * tiles / (strips * together), boards

    return max(range(1, most // tiles + 1), key=fullness, default=1)


def aligned(numbers: np.ndarray) -> np.ndarray:
    """A copy that begins where a line of the processor's caches does, so that no vector lies in two of them."""
    whole = np.empty(numbers.nbytes + LINE, np.uint8)
    start = -whole.ctypes.data % LINE
    copy = whole[start : start + numbers.nbytes].view(numbers.dtype).reshape(numbers.shape)
    copy[...] = numbers
    return copy
