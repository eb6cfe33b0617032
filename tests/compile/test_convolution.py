"""The innermost loop of convolutions: compiled and plain give the same numbers."""

from typing import Any

import numpy as np
import pytest

from anyzero.compile import Unit, compile_kernel
from anyzero.compile.convolution import add_row

CELLS, VECTORS, LANES = 3, 2, 8
UNIT = Unit("test_convolution", {}, ())


def one_row(source: Any, weights: Any, target: Any, inputs: int, step: int) -> None:
    add_row(source, weights, target, (inputs, step), CELLS, VECTORS, LANES)


@pytest.mark.parametrize(("cells", "vectors", "lanes"), [(1, 1, 8), (3, 2, 8), (7, 2, 16)])
def test_a_compiled_row_equals_the_plain_one(cells: int, vectors: int, lanes: int) -> None:
    inputs, outputs = 5, vectors * lanes
    rng = np.random.default_rng(1)
    source, weights = (rng.integers(-4, 5, size).astype(np.float32) for size in ((cells + 2) * inputs, 15 * outputs))
    compiled, plain = (np.ones(cells * (outputs + 1), np.float32) for _ in range(2))

    sizes = {"CELLS": cells, "VECTORS": vectors, "LANES": lanes}
    compile_kernel(one_row, UNIT, "cpu", sizes)(source, weights, compiled, inputs, outputs + 1)
    compile_kernel(one_row, UNIT, "interpreted", sizes)(source, weights, plain, inputs, outputs + 1)

    assert np.array_equal(compiled, plain)  # whole numbers: no sum is rounded
    assert len(np.unique(plain)) > 3


def test_a_row_adds_the_products_of_a_cell_and_its_neighbours() -> None:
    source = np.array([1, 10, 100, 1000, 10000], np.float32)
    weights = np.array([1, 2, 3], np.float32)
    target = np.array([5, 0, 0], np.float32)
    add_row(source, weights, target, (1, 1), 3, 1, 1)
    assert list(target) == [5 + 321, 3210, 32100]
