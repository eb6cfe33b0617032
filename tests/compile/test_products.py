"""Products of small matrices: compiled and plain give the same numbers."""

from typing import Any

import numpy as np
import pytest

from anyzero.compile import Unit, compile_kernel
from anyzero.compile.products import multiply_rows

ROWS, VECTORS, LANES = 3, 2, 8
UNIT = Unit("test_products", {}, ())


def some_rows(source: Any, weights: Any, target: Any, numbers: int, step: int) -> None:
    multiply_rows(source, weights, target, (numbers, step), ROWS, VECTORS, LANES)


@pytest.mark.parametrize(("rows", "vectors", "lanes"), [(1, 1, 8), (3, 2, 8), (12, 2, 16)])
def test_a_compiled_product_equals_the_plain_one(rows: int, vectors: int, lanes: int) -> None:
    numbers, outputs = 5, vectors * lanes
    rng = np.random.default_rng(1)
    source, weights = (rng.integers(-4, 5, size).astype(np.float32) for size in (rows * numbers, numbers * outputs))
    compiled, plain = (np.ones(rows * (outputs + 1), np.float32) for _ in range(2))

    sizes = {"ROWS": rows, "VECTORS": vectors, "LANES": lanes}
    compile_kernel(some_rows, UNIT, "cpu", sizes)(source, weights, compiled, numbers, outputs + 1)
    compile_kernel(some_rows, UNIT, "interpreted", sizes)(source, weights, plain, numbers, outputs + 1)

    assert np.array_equal(compiled, plain)  # whole numbers: no sum is rounded
    product = source.reshape(rows, numbers) @ weights.reshape(numbers, outputs)
    assert np.array_equal(plain.reshape(rows, outputs + 1)[:, :-1], product)
    assert np.all(plain.reshape(rows, outputs + 1)[:, -1] == 1.0)  # what lies between the rows is left alone
