"""Tiles of cells: the compiled ones equal the plain ones, and both make a convolution."""

from typing import Any

import numpy as np
import pytest

from anyzero.compile import Unit, compile_kernel
from anyzero.compile.tiles import add_tile, turn_tile, write_tile

LANES = 8
UNIT = Unit("test_tiles", {}, ())
TURN = np.array([[1.0, 0.0, 0.0], [0.5, 0.5, 0.5], [0.5, -0.5, 0.5], [0.0, 0.0, 1.0]])
"""What the weights of a convolution are turned into."""


def turn_one(cells: Any, taps: Any, cell_step: int, row_step: int, tap_step: int) -> None:
    turn_tile(cells, taps, (cell_step, row_step, tap_step), LANES)


def write_one(taps: Any, bias: Any, cells: Any, cell_step: int, row_step: int, tap_step: int) -> None:
    write_tile(taps, bias, cells, (cell_step, row_step, tap_step), LANES)


def add_one(taps: Any, bias: Any, trunk: Any, active: Any, cell_step: int, row_step: int, tap_step: int) -> None:
    add_tile(taps, bias, trunk, active, (cell_step, row_step, tap_step), LANES)


def whole_numbers(*shape: int) -> np.ndarray:
    """No sum of such numbers is rounded."""
    return np.random.default_rng(sum(shape)).integers(-8, 9, shape).astype(np.float32)


def run_both(function: Any, lanes: int, *arrays: np.ndarray, steps: tuple[int, int, int]) -> list[np.ndarray]:
    """The arrays after the compiled function, which are also those after the plain one."""
    own = [[array.copy() for array in arrays] for _ in range(2)]
    for target, copies in zip(("cpu", "interpreted"), own, strict=True):
        compile_kernel(function, UNIT, target, {"LANES": lanes})(*copies, *steps)
    assert all(np.array_equal(one, other) for one, other in zip(*own, strict=True))
    return own[0]


@pytest.mark.parametrize("lanes", [1, 8, 16])
def test_turned_tiles_times_turned_weights_are_a_convolution(lanes: int) -> None:
    wide, weights = lanes + 3, whole_numbers(3, 3)  # what lies between the cells belongs to others
    cells, bias = whole_numbers(4, 4, wide), whole_numbers(lanes)
    steps = wide, 4 * wide, lanes
    taps = run_both(turn_one, lanes, cells.ravel(), np.zeros(16 * lanes, np.float32), steps=steps)[1]

    products = (taps.reshape(4, 4, lanes) * (TURN @ weights @ TURN.T)[:, :, None]).astype(np.float32).ravel()
    target = np.full(4 * 4 * wide, 7.0, np.float32)
    written = run_both(write_one, lanes, products, bias, target, steps=steps)[2].reshape(4, 4, wide)
    trunk = whole_numbers(4, 4, wide)
    added = run_both(add_one, lanes, products, bias, trunk.ravel(), target, steps=steps)

    wanted = np.zeros((2, 2, lanes), np.float32)
    for row, column in np.ndindex(2, 2):
        seen = cells[row : row + 3, column : column + 3, :lanes]
        wanted[row, column] = (seen * weights[:, :, None]).sum((0, 1)) + bias
    assert np.array_equal(written[:2, :2, :lanes], np.maximum(wanted, 0.0))
    sums = added[2].reshape(4, 4, wide)
    assert np.array_equal(sums[:2, :2, :lanes], trunk[:2, :2, :lanes] + wanted)
    assert np.array_equal(added[3].reshape(4, 4, wide)[:2, :2, :lanes], np.maximum(sums[:2, :2, :lanes], 0.0))
    written[:2, :2, :lanes] = sums[:2, :2, :lanes] = 7.0  # and nothing else was touched
    trunk[:2, :2, :lanes] = 7.0
    assert (written == 7.0).all()
    assert np.array_equal(sums, trunk)
