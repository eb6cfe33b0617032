"""Products of small matrices, the innermost loop of networks; `cpu_products.py` holds the CPU's version."""

from typing import Any


def multiply_rows(source: Any, weights: Any, target: Any, steps: Any, rows: int, vectors: int, lanes: int) -> None:
    """target = source * weights for some rows of the source and some columns of the weights.

    All arrays are flat float32. `steps` are (numbers of a row of the source, which are all used, and from one row of
    the target to the next); `weights` are [numbers, vectors * lanes], and as many columns are written.
    """
    numbers, target_step = steps
    outputs = vectors * lanes
    for row in range(rows):
        for output in range(outputs):
            total = weights[output] * source[row * numbers]
            for index in range(1, numbers):
                total += source[row * numbers + index] * weights[index * outputs + output]
            target[row * target_step + output] = total


def add_products(source: Any, factors: Any, sums: Any, steps: Any, rows: int, vectors: int, lanes: int) -> None:
    """sums += the source turned over * factors, for some columns of the source and some of the factors.

    All arrays are flat float32. `steps` are (rows of source and factors, which are all used, and numbers from one row
    to the next of the source, of the factors and of the sums).
    """
    num, source_step, factor_step, sum_step = steps
    for row in range(rows):
        for output in range(vectors * lanes):
            total = sums[row * sum_step + output]
            for index in range(num):
                total += source[index * source_step + row] * factors[index * factor_step + output]
            sums[row * sum_step + output] = total
