"""Winograd's transforms: the compiled ones equal the interpreted ones, and together they make a convolution."""

from typing import Any

import numpy as np
import pytest

from anyzero.compile import Unit, compile_kernel
from anyzero.networks.winograd.transforms import (
    INTRINSICS,
    add_output,
    multiply,
    rectify_output,
    transform_input,
    transform_weights,
)

HEIGHT, WIDTH, LANES = 2, 2, 8
ROWS, VECTORS = 3, 2
UNIT = Unit("test_transforms", {}, (), intrinsics=INTRINSICS)


def transform_cells(cells: Any, points: Any, steps: Any) -> None:
    transform_input(cells, points, (steps[0], steps[1], steps[2]), HEIGHT, WIDTH, LANES)


def write_both(products: Any, bias: Any, rectified: Any, trunk: Any, active: Any, steps: Any) -> None:
    rectify_output(products, bias, rectified, (steps[0], steps[1], steps[2]), HEIGHT, WIDTH, LANES)
    add_output(products, bias, trunk, active, (steps[0], steps[1], steps[2]), HEIGHT, WIDTH, LANES)


def multiply_rows(source: Any, factors: Any, target: Any, steps: Any) -> None:
    multiply(source, factors, target, (steps[0], steps[1]), ROWS, VECTORS, LANES)


def whole_numbers(*shape: int) -> np.ndarray:
    """No sum of such numbers is rounded."""
    return np.random.default_rng(sum(shape)).integers(-8, 9, shape).astype(np.float32)


def run_both(function: Any, constants: dict[str, int], *arrays: np.ndarray) -> list[np.ndarray]:
    """The arrays after the compiled function, which are also those after the interpreted one."""
    own = [[array.copy() for array in arrays] for _ in range(2)]
    for target, copies in zip(("cpu", "interpreted"), own, strict=True):
        compile_kernel(function, UNIT, target, constants)(*copies)
    assert all(np.allclose(one, other, rtol=0.0, atol=4e-4) for one, other in zip(*own, strict=True))
    return own[0]


@pytest.mark.parametrize(("height", "width", "lanes"), [(2, 3, 1), (3, 4, 16), (4, 2, 8)])
def test_transformed_tiles_times_transformed_weights_are_a_convolution(height: int, width: int, lanes: int) -> None:
    sizes = {"HEIGHT": height, "WIDTH": width, "LANES": lanes}
    wide, weights = lanes + 3, whole_numbers(3, 3)  # what lies between the cells belongs to others
    cells, bias = whole_numbers(height + 2, width + 2, wide), whole_numbers(lanes)
    num = (height + 2) * (width + 2)
    steps, room = np.array([wide, (width + 2) * wide, lanes]), np.zeros(num * lanes, np.float32)
    points = run_both(transform_cells, sizes, cells.ravel(), room, steps)[1].reshape(num, lanes)

    products = (points * transform_weights(weights[None, None], height, width)[:, 0]).astype(np.float32)
    target, trunk = np.full(cells.size, 7.0, np.float32), whole_numbers(height + 2, width + 2, wide)
    found = run_both(write_both, sizes, products.ravel(), bias, target, trunk.ravel(), target, steps)
    rectified, sums, active = (array.reshape(cells.shape) for array in found[2:5])

    inner = slice(height), slice(width), slice(lanes)
    wanted = np.zeros((height, width, lanes), np.float32)
    for row, column in np.ndindex(height, width):
        seen = cells[row : row + 3, column : column + 3, :lanes]
        wanted[row, column] = (seen * weights[:, :, None]).sum((0, 1)) + bias
    np.testing.assert_allclose(rectified[inner], np.maximum(wanted, 0.0), atol=4e-4)
    np.testing.assert_allclose(sums[inner], trunk[inner] + wanted, atol=4e-4)
    assert np.array_equal(active[inner], np.maximum(sums[inner], 0.0))
    rectified[inner] = sums[inner] = trunk[inner] = 7.0  # and nothing else was touched
    assert (rectified == 7.0).all()
    assert np.array_equal(sums, trunk)


@pytest.mark.parametrize(("rows", "vectors", "lanes"), [(1, 1, 8), (12, 2, 16)])
def test_a_compiled_product_equals_the_interpreted_one(rows: int, vectors: int, lanes: int) -> None:
    num, outputs = 5, vectors * lanes
    source, factors = whole_numbers(max(rows, num) * rows), whole_numbers(num * outputs)
    before = np.ones(rows * (outputs + 1), np.float32)
    sizes = {"ROWS": rows, "VECTORS": vectors, "LANES": lanes}
    steps = np.array([num, outputs + 1])
    target = run_both(multiply_rows, sizes, source, factors, before, steps)[2].reshape(rows, outputs + 1)
    columns = factors.reshape(num, outputs)
    assert np.array_equal(target[:, :-1], source[: rows * num].reshape(rows, num) @ columns)
    assert np.all(target[:, -1] == 1.0)  # what lies between the rows is left alone
