"""The innermost loop of a 3x3 convolution; `cpu_convolution.py` holds the CPU's version."""

from typing import Any


def add_row(source: Any, weights: Any, target: Any, steps: Any, cells: int, vectors: int, lanes: int) -> None:
    """Add to some output channels of neighbouring cells what one row of the source contributes to them.

    All arrays are flat float32: `source` from the left neighbour of the first cell on, `target` from its first output
    on, `weights` [3 cells * inputs, vectors * lanes]. `steps` are the distances of two cells in source and target; the
    first is the number of inputs too.
    """
    inputs, target_step = steps
    outputs = vectors * lanes
    for cell in range(cells):
        for output in range(outputs):
            total = target[cell * target_step + output]
            for tap in range(3 * inputs):
                total += source[cell * inputs + tap] * weights[tap * outputs + output]
            target[cell * target_step + output] = total
