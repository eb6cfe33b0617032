"""Tiles of cells: the compiled ones equal the plain ones, and both make a convolution."""

from typing import Any

import numpy as np
import pytest

from anyzero.compile import Unit, compile_kernel
from anyzero.compile.tiles import TURN_WEIGHTS, add_tile, rectify_tile, spread_tile, turn_tile, write_tile

TALL, BROAD, LANES = 2, 2, 8
UNIT = Unit("test_tiles", {}, ())


def turn_one(cells: Any, taps: Any, cell_step: int, row_step: int, tap_step: int) -> None:
    turn_tile(cells, taps, (cell_step, row_step, tap_step), TALL, BROAD, LANES)


def write_one(taps: Any, bias: Any, cells: Any, cell_step: int, row_step: int, tap_step: int) -> None:
    write_tile(taps, bias, cells, (cell_step, row_step, tap_step), TALL, BROAD, LANES)


def rectify_one(taps: Any, bias: Any, cells: Any, cell_step: int, row_step: int, tap_step: int) -> None:
    rectify_tile(taps, bias, cells, (cell_step, row_step, tap_step), TALL, BROAD, LANES)


def spread_one(cells: Any, taps: Any, cell_step: int, row_step: int, tap_step: int) -> None:
    spread_tile(cells, taps, (cell_step, row_step, tap_step), TALL, BROAD, LANES)


def add_one(taps: Any, bias: Any, trunk: Any, active: Any, cell_step: int, row_step: int, tap_step: int) -> None:
    add_tile(taps, bias, trunk, active, (cell_step, row_step, tap_step), TALL, BROAD, LANES)


def whole_numbers(*shape: int) -> np.ndarray:
    """No sum of such numbers is rounded."""
    return np.random.default_rng(sum(shape)).integers(-8, 9, shape).astype(np.float32)


def run_both(
    function: Any, sizes: tuple[int, int, int], *arrays: np.ndarray, steps: tuple[int, int, int]
) -> list[np.ndarray]:
    """The arrays after the compiled function, which are also those after the plain one."""
    own = [[array.copy() for array in arrays] for _ in range(2)]
    for target, copies in zip(("cpu", "interpreted"), own, strict=True):
        constants = dict(zip(("TALL", "BROAD", "LANES"), sizes, strict=True))
        compile_kernel(function, UNIT, target, constants)(*copies, *steps)
    assert all(same(one, other, sizes) for one, other in zip(*own, strict=True))
    return own[0]


def same(one: np.ndarray, other: np.ndarray, sizes: tuple[int, int, int]) -> bool:
    """The smallest tiles have whole numbers as factors."""
    return np.array_equal(one, other) if sizes[:2] == (2, 2) else np.allclose(one, other, rtol=0.0, atol=4e-4)


@pytest.mark.parametrize(
    "sizes", [(2, 2, 1), (2, 2, 8), (2, 2, 16), (4, 4, 1), (4, 4, 16), (3, 3, 1), (3, 4, 16), (4, 2, 8), (2, 3, 8)]
)
def test_turned_tiles_times_turned_weights_are_a_convolution(sizes: tuple[int, int, int]) -> None:
    tall, broad, lanes = sizes
    wide, weights = lanes + 3, whole_numbers(3, 3)  # what lies between the cells belongs to others
    cells, bias = whole_numbers(tall + 2, broad + 2, wide), whole_numbers(lanes)
    steps, room = (wide, (broad + 2) * wide, lanes), np.zeros((tall + 2) * (broad + 2) * lanes, np.float32)
    taps = run_both(turn_one, sizes, cells.ravel(), room, steps=steps)[1]

    turned = np.array(TURN_WEIGHTS[tall]) @ weights @ np.array(TURN_WEIGHTS[broad]).T
    products = (taps.reshape(tall + 2, broad + 2, lanes) * turned[:, :, None]).astype(np.float32).ravel()
    target = np.full(cells.size, 7.0, np.float32)
    written = run_both(write_one, sizes, products, bias, target, steps=steps)[2].reshape(cells.shape)
    rectified = run_both(rectify_one, sizes, products, bias, target, steps=steps)[2].reshape(cells.shape)
    trunk = whole_numbers(tall + 2, broad + 2, wide)
    added = run_both(add_one, sizes, products, bias, trunk.ravel(), target, steps=steps)

    wanted = np.zeros((tall, broad, lanes), np.float32)
    for row, column in np.ndindex(tall, broad):
        seen = cells[row : row + 3, column : column + 3, :lanes]
        wanted[row, column] = (seen * weights[:, :, None]).sum((0, 1)) + bias
    inner = slice(tall), slice(broad), slice(lanes)
    sums, active = (array.reshape(cells.shape) for array in added[2:])
    assert same(written[inner], wanted, sizes)
    assert np.array_equal(rectified[inner], np.maximum(written[inner], 0.0))
    assert same(sums[inner], trunk[inner] + wanted, sizes)
    assert np.array_equal(active[inner], np.maximum(sums[inner], 0.0))
    written[inner] = rectified[inner] = sums[inner] = trunk[inner] = 7.0  # and nothing else was touched
    assert (written == 7.0).all()
    assert (rectified == 7.0).all()
    assert np.array_equal(sums, trunk)


@pytest.mark.parametrize(("tall", "broad"), [(4, 4), (3, 4), (2, 3)])
def test_spreading_is_the_opposite_of_writing(tall: int, broad: int) -> None:
    """What a gradient of the cells says of the taps: the sum of products is the same on either side."""
    num, inner = (tall + 2) * (broad + 2), tall * broad
    sizes, steps = (tall, broad, 16), (16, broad * 16, 16)
    taps, gradients = whole_numbers(num, 16), whole_numbers(inner, 16)
    room, none = np.zeros(inner * 16, np.float32), np.zeros(16, np.float32)
    cells = run_both(write_one, sizes, taps.ravel(), none, room, steps=steps)[2].reshape(inner, 16)
    spread = run_both(spread_one, sizes, gradients.ravel(), np.zeros(num * 16, np.float32), steps=steps)[1]
    there = (cells * gradients).sum(0)
    assert np.allclose(there, (taps * spread.reshape(num, 16)).sum(0), rtol=0.0, atol=0.01)
