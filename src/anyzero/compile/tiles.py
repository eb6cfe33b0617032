"""Tiles of 2x2 cells and the 4x4 cells around them, for convolutions; `cpu_tiles.py` holds the CPU's version.

All work on the same place of some cells: `lanes` channels, of which the first is the first number of each array. Steps
are numbers from one cell to the next, from one row to the next, and from one of a tile's sixteen taps to the next.
"""

from typing import Any


def turn_tile(cells: Any, taps: Any, steps: Any, lanes: int) -> None:
    """The 4x4 cells of a tile turned into sixteen other numbers; `steps` are (cell, row, tap)."""
    cell_step, row_step, tap_step = steps
    for lane in range(lanes):
        rows = [[cells[row * row_step + column * cell_step + lane] for column in range(4)] for row in range(4)]
        columns = zip(*(turn(row) for row in rows), strict=True)
        for column, numbers in enumerate(columns):
            for row, number in enumerate(turn(numbers)):
                taps[(4 * row + column) * tap_step + lane] = number


def write_tile(taps: Any, bias: Any, cells: Any, steps: Any, lanes: int) -> None:
    """Sixteen numbers turned back into 2x2 cells, written with the bias, after a ReLU."""
    for lane in range(lanes):
        for at, number in turned_back(taps, steps, lane):
            cells[at] = max(number + bias[lane], 0.0)


def add_tile(taps: Any, bias: Any, trunk: Any, active: Any, steps: Any, lanes: int) -> None:
    """Sixteen numbers turned back into 2x2 cells, added with the bias to the trunk; `active` is its ReLU."""
    for lane in range(lanes):
        for at, number in turned_back(taps, steps, lane):
            trunk[at] += number + bias[lane]
            active[at] = max(trunk[at], 0.0)


def turn(numbers: Any) -> Any:
    first, second, third, fourth = numbers
    return first - third, second + third, third - second, second - fourth


def turned_back(taps: Any, steps: Any, lane: int) -> Any:
    """Place and number of each of the four cells."""
    cell_step, row_step, tap_step = steps
    rows = [[taps[(4 * row + column) * tap_step + lane] for column in range(4)] for row in range(4)]
    columns = zip(*(turn_back(row) for row in rows), strict=True)
    for column, numbers in enumerate(columns):
        for row, number in enumerate(turn_back(numbers)):
            yield row * row_step + column * cell_step + lane, number


def turn_back(numbers: Any) -> Any:
    first, second, third, fourth = numbers
    return first + second + third, second - third - fourth
