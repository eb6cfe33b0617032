"""Tiles of cells and the cells around them, for convolutions; `cpu_tiles.py` holds the CPU's version.

A tile has `tall` rows and `broad` columns of cells, 2 to 4 of each, and is turned into as many taps as there are cells
in it and around it: (tall + 2) * (broad + 2). All functions work on the same place of some cells: `lanes` channels, of
which the first is the first number of each array. Steps are numbers from one cell to the next, from one row to the
next, and from one tap of a tile to the next.

A row of cells is taken for a polynomial and turned into its values at as many points, along both sides; after Winograd,
Lavin and Gray 2016. Two cells take the points 0, 1, -1 and infinity; three take 2 as well. Four take 0, NEAR, -NEAR,
FAR, -FAR and infinity: with 1 and 2 instead, sums would lose twice as much to rounding.
"""

from typing import Any

NEAR, FAR = 3 / 4, 4 / 3
"""Their product is 1, which saves multiplications."""
SQUARES = NEAR**2 + FAR**2
NEAR_SCALE, FAR_SCALE = 2 * NEAR**2 * (NEAR**2 - FAR**2), 2 * FAR**2 * (FAR**2 - NEAR**2)
TURN_WEIGHTS = {
    2: ((1.0, 0.0, 0.0), (0.5, 0.5, 0.5), (0.5, -0.5, 0.5), (0.0, 0.0, 1.0)),
    3: ((0.5, 0.0, 0.0), (-0.5, -0.5, -0.5), (-1 / 6, 1 / 6, -1 / 6), (1 / 6, 1 / 3, 2 / 3), (0.0, 0.0, 1.0)),
    4: (
        (1.0, 0.0, 0.0),
        (1 / NEAR_SCALE, NEAR / NEAR_SCALE, NEAR**2 / NEAR_SCALE),
        (1 / NEAR_SCALE, -NEAR / NEAR_SCALE, NEAR**2 / NEAR_SCALE),
        (1 / FAR_SCALE, FAR / FAR_SCALE, FAR**2 / FAR_SCALE),
        (1 / FAR_SCALE, -FAR / FAR_SCALE, FAR**2 / FAR_SCALE),
        (0.0, 0.0, 1.0),
    ),
}
"""By the cells along a side: what three weights in a row are turned into before they meet turned cells."""


def turn_tile(cells: Any, taps: Any, steps: Any, tall: int, broad: int, lanes: int) -> None:
    """The cells of a tile and around it turned into taps; `steps` are (cell, row, tap)."""
    for lane in range(lanes):
        square = read_square(cells, steps[1], steps[0], tall + 2, broad + 2, lane)
        write_taps(both_ways(TURNS[broad], TURNS[tall], square), taps, steps[2], lane)


def spread_tile(cells: Any, taps: Any, steps: Any, tall: int, broad: int, lanes: int) -> None:
    """The opposite of `write_tile`: gradients of the cells of a tile turned into those of its taps."""
    for lane in range(lanes):
        square = read_square(cells, steps[1], steps[0], tall, broad, lane)
        write_taps(both_ways(SPREADS[broad], SPREADS[tall], square), taps, steps[2], lane)


def write_tile(taps: Any, bias: Any, cells: Any, steps: Any, tall: int, broad: int, lanes: int) -> None:
    """Taps turned back into cells, written with the bias."""
    for lane in range(lanes):
        for at, number in turned_back(taps, steps, tall, broad, lane):
            cells[at] = number + bias[lane]


def rectify_tile(taps: Any, bias: Any, cells: Any, steps: Any, tall: int, broad: int, lanes: int) -> None:
    """The same after a ReLU."""
    for lane in range(lanes):
        for at, number in turned_back(taps, steps, tall, broad, lane):
            cells[at] = max(number + bias[lane], 0.0)


def add_tile(taps: Any, bias: Any, trunk: Any, active: Any, steps: Any, tall: int, broad: int, lanes: int) -> None:
    """Taps turned back into cells, added with the bias to the trunk; `active` is its ReLU."""
    for lane in range(lanes):
        for at, number in turned_back(taps, steps, tall, broad, lane):
            trunk[at] += number + bias[lane]
            active[at] = max(trunk[at], 0.0)


def turned_back(taps: Any, steps: Any, tall: int, broad: int, lane: int) -> Any:
    """Place and number of each cell."""
    cell_step, row_step, tap_step = steps
    square = read_square(taps, (broad + 2) * tap_step, tap_step, tall + 2, broad + 2, lane)
    for row, numbers in enumerate(both_ways(TURNS_BACK[broad], TURNS_BACK[tall], square)):
        for column, number in enumerate(numbers):
            yield row * row_step + column * cell_step + lane, number


def read_square(numbers: Any, row_step: int, column_step: int, rows: int, columns: int, lane: int) -> Any:
    return [[numbers[row * row_step + column * column_step + lane] for column in range(columns)] for row in range(rows)]


def write_taps(square: Any, taps: Any, tap_step: int, lane: int) -> None:
    for tap, number in enumerate(number for row in square for number in row):
        taps[tap * tap_step + lane] = number


def both_ways(change_row: Any, change_column: Any, square: Any) -> Any:
    """Each row changed, and then each column."""
    rows = [change_row(row) for row in square]
    return list(zip(*(change_column(column) for column in zip(*rows, strict=True)), strict=True))


def turn_four(cells: Any) -> Any:
    first, second, third, fourth = cells
    return first - third, second + third, third - second, second - fourth


def back_to_two(taps: Any) -> Any:
    first, second, third, fourth = taps
    return first + second + third, second - third - fourth


def spread_two(cells: Any) -> Any:
    zeroth, first = cells
    return zeroth, zeroth + first, zeroth - first, -first


def turn_five(cells: Any) -> Any:
    zeroth, first, second, third, fourth = cells
    ahead, behind = second - 2 * first, third - 2 * second
    return (
        behind - (first - 2 * zeroth),
        behind + ahead,
        behind - ahead,
        third - first,
        fourth - 2 * third - ahead,
    )


def back_to_three(taps: Any) -> Any:
    zeroth, plus, minus, twice, infinite = taps
    even, odd = plus + minus, plus - minus
    return zeroth + even + twice, odd + 2 * twice, even + 4 * twice + infinite


def spread_three(cells: Any) -> Any:
    zeroth, first, second = cells
    even = zeroth + second
    return zeroth, even + first, even - first, zeroth + 2 * first + 4 * second, second


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


TURNS = {2: turn_four, 3: turn_five, 4: turn_six}
TURNS_BACK = {2: back_to_two, 3: back_to_three, 4: back_to_four}
SPREADS = {2: spread_two, 3: spread_three, 4: spread_four}
"""By the cells along a side."""
