"""The tiles and the lines of Take It Easy, and what each tile rules out, as tables."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from anyzero.games.take_it_easy_guide import chance_table, fresh_table, worth_table

NUM_CELLS = 19
NUM_TILES = 27
NUM_LINES = 15
VALUES = ((1, 5, 9), (2, 6, 7), (3, 4, 8))
"""The numbers of each direction: down, to the upper right, to the lower right."""

TILES = tuple((down, up, right) for down in VALUES[0] for up in VALUES[1] for right in VALUES[2])
LINES = (
    *((0, 1, 2), (3, 4, 5, 6), (7, 8, 9, 10, 11), (12, 13, 14, 15), (16, 17, 18)),
    *((0, 3, 7), (1, 4, 8, 12), (2, 5, 9, 13, 16), (6, 10, 14, 17), (11, 15, 18)),
    *((7, 12, 16), (3, 8, 13, 17), (0, 4, 9, 14, 18), (1, 5, 10, 15), (2, 6, 11)),
)
"""The cells of each line, five lines per direction."""

STATE = [
    (
        "lines",
        np.uint64,
    ),  # bit 3 * line + value: the line can still show this number of its direction
    ("left", np.uint64),  # tiles that have not been drawn
    ("empty", np.uint64),  # cells
    ("cells", np.uint8, NUM_CELLS),  # 1 + the tile on each cell, 0 for none
    ("hand", np.uint8),  # 1 + the tile to place, 0 for none
]


class TakeItEasy(NamedTuple):
    keeps: np.ndarray  # [19 * 27]: the bits of `lines` that a tile on a cell leaves possible
    points: np.ndarray  # [45]: the score of a line with this number
    line_cells: np.ndarray  # [15]: the cells of each line, as bits
    cell_lines: np.ndarray  # [19, 3]: the lines through each cell
    tile_lines: np.ndarray  # [27]: the bits of `lines` that represent a number of the tile
    carriers: np.ndarray  # [9]: the tiles with each number, as bits
    worth: np.ndarray  # [45, 5]: the guide's value of a line with this number, by cells to fill
    chance: (
        np.ndarray
    )  # [19, 24, 10]: of tiles, by turns to come, half tiles to wait for, tiles left
    fresh: (
        np.ndarray
    )  # [19, 6]: the guide's value of a line without tiles, by turns to come and its cells


def make_rules() -> TakeItEasy:
    keeps = np.array(
        [[kept_bits(cell, tile) for tile in TILES] for cell in range(NUM_CELLS)], np.uint64
    )
    points = [value * len(cells) for line, cells in enumerate(LINES) for value in VALUES[line // 5]]
    cell_lines = [
        [line for line, cells in enumerate(LINES) if cell in cells] for cell in range(NUM_CELLS)
    ]
    numbers = [(direction, value) for direction, values in enumerate(VALUES) for value in values]
    carriers = [
        bit_set(tile for tile in range(NUM_TILES) if TILES[tile][way] == value)
        for way, value in numbers
    ]
    return TakeItEasy(
        keeps=keeps.ravel(),
        points=np.array(points, np.int64),
        line_cells=np.array([bit_set(cells) for cells in LINES], np.uint64),
        cell_lines=np.array(cell_lines, np.int64),
        tile_lines=np.bitwise_and.reduce(keeps),
        carriers=np.array(carriers, np.uint64),
        worth=worth_table(points),
        chance=chance_table(),
        fresh=fresh_table(),
    )


def bit_set(numbers: Iterable[int]) -> int:
    return sum(1 << number for number in numbers)


def kept_bits(cell: int, tile: tuple[int, ...]) -> int:
    """Every bit except those of other numbers on the lines through the cell."""
    bits = 0
    for line, cells in enumerate(LINES):
        for index, value in enumerate(VALUES[line // 5]):
            if cell not in cells or tile[line // 5] == value:
                bits |= 1 << (3 * line + index)
    return bits
