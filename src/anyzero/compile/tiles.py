"""Square tiles of cells and the cells around them, for convolutions; `cpu_tiles.py` holds the CPU's version.

A tile has `side` rows of cells, 2 or 4, and is turned into (side + 2) ** 2 taps, as many as there are cells in it and
around it. All functions work on the same place of some cells: `lanes` channels, of which the first is the first number
of each array. Steps are numbers from one cell to the next, from one row to the next, and from one tap of a tile to the
next.

A row of cells is taken for a polynomial and turned into its values at as many points, along both sides; after Winograd,
Lavin and Gray 2016. Tiles of 2x2 take the points 0, 1, -1 and infinity. Tiles of 4x4 take 0, NEAR, -NEAR, FAR, -FAR and
infinity: with 1 and 2 instead, sums would lose twice as much to rounding.
"""

from typing import Any

NEAR, FAR = 3 / 4, 4 / 3
"""Their product is 1, which saves multiplications."""
SQUARES = NEAR**2 + FAR**2
NEAR_SCALE, FAR_SCALE = 2 * NEAR**2 * (NEAR**2 - FAR**2), 2 * FAR**2 * (FAR**2 - NEAR**2)
TURN_WEIGHTS = {
    2: ((1.0, 0.0, 0.0), (0.5, 0.5, 0.5), (0.5, -0.5, 0.5), (0.0, 0.0, 1.0)),
    4: (
        (1.0, 0.0, 0.0),
        (1 / NEAR_SCALE, NEAR / NEAR_SCALE, NEAR**2 / NEAR_SCALE),
        (1 / NEAR_SCALE, -NEAR / NEAR_SCALE, NEAR**2 / NEAR_SCALE),
        (1 / FAR_SCALE, FAR / FAR_SCALE, FAR**2 / FAR_SCALE),
        (1 / FAR_SCALE, -FAR / FAR_SCALE, FAR**2 / FAR_SCALE),
        (0.0, 0.0, 1.0),
    ),
}
"""By the side of a tile: what three weights in a row are turned into before they meet turned cells."""


def turn_tile(cells: Any, taps: Any, steps: Any, side: int, lanes: int) -> None:
    """The cells of a tile and around it turned into taps; `steps` are (cell, row, tap)."""
    cell_step, row_step, tap_step = steps
    wide = range(side + 2)
    for lane in range(lanes):
        square = [[cells[row * row_step + column * cell_step + lane] for column in wide] for row in wide]
        for row, numbers in enumerate(both_ways(TURNS[side], square)):
            for column, number in enumerate(numbers):
                taps[(len(wide) * row + column) * tap_step + lane] = number


def spread_tile(cells: Any, taps: Any, steps: Any, side: int, lanes: int) -> None:
    """The opposite of `write_tile`: gradients of the cells of a tile, 4x4, turned into those of its taps."""
    cell_step, row_step, tap_step = steps
    for lane in range(lanes):
        square = [[cells[row * row_step + column * cell_step + lane] for column in range(side)] for row in range(side)]
        for row, numbers in enumerate(both_ways(spread_four, square)):
            for column, number in enumerate(numbers):
                taps[((side + 2) * row + column) * tap_step + lane] = number


def write_tile(taps: Any, bias: Any, cells: Any, steps: Any, side: int, lanes: int) -> None:
    """Taps turned back into cells, written with the bias."""
    for lane in range(lanes):
        for at, number in turned_back(taps, steps, side, lane):
            cells[at] = number + bias[lane]


def rectify_tile(taps: Any, bias: Any, cells: Any, steps: Any, side: int, lanes: int) -> None:
    """The same after a ReLU."""
    for lane in range(lanes):
        for at, number in turned_back(taps, steps, side, lane):
            cells[at] = max(number + bias[lane], 0.0)


def add_tile(taps: Any, bias: Any, trunk: Any, active: Any, steps: Any, side: int, lanes: int) -> None:
    """Taps turned back into cells, added with the bias to the trunk; `active` is its ReLU."""
    for lane in range(lanes):
        for at, number in turned_back(taps, steps, side, lane):
            trunk[at] += number + bias[lane]
            active[at] = max(trunk[at], 0.0)


def turned_back(taps: Any, steps: Any, side: int, lane: int) -> Any:
    """Place and number of each cell."""
    cell_step, row_step, tap_step = steps
    wide = range(side + 2)
    square = [[taps[(len(wide) * row + column) * tap_step + lane] for column in wide] for row in wide]
    for row, numbers in enumerate(both_ways(TURNS_BACK[side], square)):
        for column, number in enumerate(numbers):
            yield row * row_step + column * cell_step + lane, number


def both_ways(change: Any, square: Any) -> Any:
    """Each row changed, and then each column."""
    rows = [change(row) for row in square]
    return list(zip(*(change(column) for column in zip(*rows, strict=True)), strict=True))


def turn_four(cells: Any) -> Any:
    first, second, third, fourth = cells
    return first - third, second + third, third - second, second - fourth


def back_to_two(taps: Any) -> Any:
    first, second, third, fourth = taps
    return first + second + third, second - third - fourth


def turn_six(cells: Any) -> Any:
    zeroth, first, second, third, fourth, fifth = cells
    near_even, near_odd = fourth - FAR**2 * second, NEAR * third - FAR * first
    far_even, far_odd = fourth - NEAR**2 * second, FAR * third - NEAR * first
    return (
        zeroth + fourth - SQUARES * second,
        near_even + near_odd,
        near_even - near_odd,
        far_even + far_odd,
        far_even - far_odd,
        first + fifth - SQUARES * third,
    )


def back_to_four(taps: Any) -> Any:
    zeroth, near, near_minus, far, far_minus, infinite = taps
    near_even, near_odd = near + near_minus, near - near_minus
    far_even, far_odd = far + far_minus, far - far_minus
    return (
        zeroth + near_even + far_even,
        NEAR * near_odd + FAR * far_odd,
        NEAR**2 * near_even + FAR**2 * far_even,
        NEAR**3 * near_odd + FAR**3 * far_odd + infinite,
    )


def spread_four(cells: Any) -> Any:
    zeroth, first, second, third = cells
    near_even, near_odd = zeroth + NEAR**2 * second, NEAR * first + NEAR**3 * third
    far_even, far_odd = zeroth + FAR**2 * second, FAR * first + FAR**3 * third
    return zeroth, near_even + near_odd, near_even - near_odd, far_even + far_odd, far_even - far_odd, third


TURNS, TURNS_BACK = {2: turn_four, 4: turn_six}, {2: back_to_two, 4: back_to_four}
"""By the side of a tile."""
