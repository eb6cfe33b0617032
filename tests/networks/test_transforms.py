"""Winograd's transforms: the compiled ones equal the interpreted ones, and together they make a
convolution.
"""

from typing import Any

import numpy as np
import pytest

from anyzero.core.compile import Unit, compile_kernel
from anyzero.extras.fastnets.transforms import (
    INTRINSICS,
    add_output,
    multiply,
    multiply_transposed,
    rectify_output,
    transform_gradient,
    transform_input,
    transform_weights,
    weight_transform,
    write_output,
)

HEIGHT, WIDTH, LANES = 2, 2, 8
ROWS, VECTORS = 3, 2
UNIT = Unit("test_transforms", {}, (), intrinsics=INTRINSICS)


def transform_both(cells: Any, points: Any, gradients: Any, spread: Any, steps: Any) -> None:
    transform_input(cells, points, (steps[0], steps[1], steps[2]), HEIGHT, WIDTH, LANES)
    transform_gradient(gradients, spread, (steps[0], steps[1], steps[2]), HEIGHT, WIDTH, LANES)


def write_all(
    products: Any, bias: Any, written: Any, rectified: Any, trunk: Any, active: Any, steps: Any
) -> None:
    write_output(products, bias, written, (steps[0], steps[1], steps[2]), HEIGHT, WIDTH, LANES)
    rectify_output(products, bias, rectified, (steps[0], steps[1], steps[2]), HEIGHT, WIDTH, LANES)
    add_output(products, bias, trunk, active, (steps[0], steps[1], steps[2]), HEIGHT, WIDTH, LANES)


def multiply_both(source: Any, factors: Any, target: Any, sums: Any, steps: Any) -> None:
    multiply(source, factors, target, (steps[0], steps[1]), ROWS, VECTORS, LANES)
    multiply_transposed(
        source, factors, sums, (steps[0], ROWS, VECTORS * LANES, steps[1]), ROWS, VECTORS, LANES
    )


def whole_numbers(*shape: int) -> np.ndarray:
    """No sum of such numbers is rounded."""
    return np.random.default_rng(sum(shape)).integers(-8, 9, shape).astype(np.float32)


def run_both(function: Any, constants: dict[str, int], *arrays: np.ndarray) -> list[np.ndarray]:
    """The arrays after the compiled function, which are also those after the interpreted one."""
    own = [[array.copy() for array in arrays] for _ in range(2)]
    for target, copies in zip(("cpu", "interpreted"), own, strict=True):
        compile_kernel(function, UNIT, target, constants)(*copies)
    assert all(
        np.allclose(one, other, rtol=0.0, atol=4e-4) for one, other in zip(*own, strict=True)
    )
    return own[0]


@pytest.mark.parametrize(("height", "width", "lanes"), [(2, 3, 1), (3, 4, 16), (4, 2, 8)])
def test_winograd_tiles_times_transformed_weights_are_a_convolution(
    height: int, width: int, lanes: int
) -> None:
    sizes = {"HEIGHT": height, "WIDTH": width, "LANES": lanes}
    wide, weights = lanes + 3, whole_numbers(3, 3)  # what lies between the cells belongs to others
    cells, bias = whole_numbers(height + 2, width + 2, wide), whole_numbers(lanes)
    gradients, num = whole_numbers(height + 2, width + 2, wide), (height + 2) * (width + 2)
    steps, room = np.array([wide, (width + 2) * wide, lanes]), np.zeros(num * lanes, np.float32)
    ready = run_both(transform_both, sizes, cells.ravel(), room, gradients.ravel(), room, steps)
    points, spread = ready[1].reshape(num, lanes), ready[3].reshape(num, lanes)

    products = (points * transform_weights(weights[None, None], height, width)[:, 0]).astype(
        np.float32
    )
    target, trunk = np.full(cells.size, 7.0, np.float32), whole_numbers(height + 2, width + 2, wide)
    found = run_both(
        write_all, sizes, products.ravel(), bias, target, target, trunk.ravel(), target, steps
    )
    written, rectified, sums, active = (array.reshape(cells.shape) for array in found[2:6])

    inner = slice(height), slice(width), slice(lanes)
    wanted = np.zeros((height, width, lanes), np.float32)
    for row, column in np.ndindex(height, width):
        seen = cells[row : row + 3, column : column + 3, :lanes]
        wanted[row, column] = (seen * weights[:, :, None]).sum((0, 1)) + bias
    np.testing.assert_allclose(written[inner], wanted, atol=4e-4)
    assert np.array_equal(rectified[inner], np.maximum(written[inner], 0.0))
    np.testing.assert_allclose(sums[inner], trunk[inner] + wanted, atol=4e-4)
    assert np.array_equal(active[inner], np.maximum(sums[inner], 0.0))
    # A gradient says of the points what it says of the cells: sums of products are the same on
    # either side.
    there = ((written[inner] - bias) * gradients[inner]).sum((0, 1))
    np.testing.assert_allclose((products * spread).sum(0), there, atol=0.02)
    written[inner] = rectified[inner] = sums[inner] = trunk[inner] = (
        7.0  # and nothing else was touched
    )
    assert (written == 7.0).all()
    assert (rectified == 7.0).all()
    assert np.array_equal(sums, trunk)


@pytest.mark.parametrize(("rows", "vectors", "lanes"), [(1, 1, 8), (12, 2, 16)])
def test_a_compiled_product_equals_the_interpreted_one(rows: int, vectors: int, lanes: int) -> None:
    num, outputs = 5, vectors * lanes
    source, factors = whole_numbers(max(rows, num) * rows), whole_numbers(num * outputs)
    before = np.ones(rows * (outputs + 1), np.float32)
    sizes = {"ROWS": rows, "VECTORS": vectors, "LANES": lanes}
    steps = np.array([num, outputs + 1])
    found = run_both(multiply_both, sizes, source, factors, before, before, steps)
    target, sums = (array.reshape(rows, outputs + 1) for array in found[2:4])
    columns = factors.reshape(num, outputs)
    assert np.array_equal(target[:, :-1], source[: rows * num].reshape(rows, num) @ columns)
    assert np.array_equal(sums[:, :-1], 1.0 + source[: num * rows].reshape(num, rows).T @ columns)
    assert np.all(target[:, -1] == 1.0)  # what lies between the rows is left alone
    assert np.all(sums[:, -1] == 1.0)


@pytest.mark.parametrize(("height", "width"), [(2, 3), (4, 4)])
def test_both_forms_of_the_winograd_weight_transform_agree(height: int, width: int) -> None:
    weights = whole_numbers(5, 2, 3, 3)
    points = transform_weights(weights, height, width)
    by_matrix = np.einsum("pk,oik->pio", weight_transform(height, width), weights.reshape(5, 2, 9))
    np.testing.assert_allclose(points, by_matrix, atol=1e-5)
