"""The residual trunk as one kernel: a position stays in the processor's nearest caches from its planes to its features.

A board is a flat array of cells with a rim of zeros, the channels of a cell side by side. Convolutions are computed by
tiles of 2x2 cells: 16 products instead of 36 for each pair of channels, after Winograd; Lavin and Gray 2016. The
capitals are sizes of one network and one processor, filled in when the kernel is compiled.
"""

from typing import Any

import numpy as np

from anyzero.compile.products import multiply_rows
from anyzero.compile.tiles import add_tile, turn_tile, write_tile

ROWS, COLUMNS, INPUTS, CHANNELS = 6, 7, 3, 32
"""Of the board, of its cells in the input (one more than the game's planes), and of its cells in the trunk."""
TILES, TILE_ROWS, TILE_COLUMNS = 12, 3, 4
"""Tiles that cover the board."""
ROW_STEP, INNER = 320, 352
"""Numbers in a row of the trunk's board with its rim, and before the first cell that is not of the rim."""
LANES, VECTORS, TOGETHER, LAST = 16, 2, 12, 12
"""Numbers in a vector; vectors of channels and tiles (a strip of them) that are multiplied at once; the last tiles."""
TAPS = 16
"""Numbers that a tile and its neighbours are turned into, for each channel."""
ZERO, ONE = np.float32(0.0), np.float32(1.0)


def run_trunk(planes: Any, stem: Any, blocks: Any, pools: Any, room: Any, features: Any, pooled: Any) -> None:
    """Features [positions, cells * channels] after the last ReLU, and pooled [positions, 2 * channels], of planes.

    `stem` is (weights, bias), `blocks` (weights [2 * blocks, ...], biases), `pools` (weights [blocks, 2 * channels,
    channels], biases, which blocks pool); `room` is four boards with zeros as rims, two strips of tiles, and a bias.
    """
    inputs, trunk, active, hidden, turned, products, bias = room
    for position in range(len(planes)):
        board = pooled[position]
        read_planes(planes[position], inputs)
        clear_cells(trunk)
        for first in range(0, TILES, TOGETHER):
            turn_inputs(inputs, first, turned)
            multiply_tiles(turned, INPUTS, stem[0], first, products)
            add_tiles(products, stem[1], first, trunk, active)
        clear_rim(trunk)
        clear_rim(active)
        for block in range(len(pools[2])):
            add_board(active, board, pools, block, blocks[1][2 * block], bias)
            for first in range(0, TILES, TOGETHER):
                turn_board(active, first, turned)
                multiply_tiles(turned, CHANNELS, blocks[0][2 * block], first, products)
                write_tiles(products, bias, first, hidden)
            clear_rim(hidden)
            for first in range(0, TILES, TOGETHER):
                turn_board(hidden, first, turned)
                multiply_tiles(turned, CHANNELS, blocks[0][2 * block + 1], first, products)
                add_tiles(products, blocks[1][2 * block + 1], first, trunk, active)
            clear_rim(trunk)
            clear_rim(active)
        pool_cells(active, board)
        write_cells(active, features[position])


def row_start(row: int, channels: int) -> int:
    """Where the cells of a row begin, behind the rim."""
    return ((row + 1) * (2 * TILE_COLUMNS + 2) + 1) * channels


def read_planes(planes: Any, board: Any) -> None:
    """The game's planes, and one that shows where the board ends."""
    for row in range(ROWS):
        start = row_start(row, INPUTS)
        for column in range(COLUMNS):
            cell = start + column * INPUTS
            for plane in range(INPUTS - 1):
                board[cell + plane] = planes[plane, row, column]
            board[cell + INPUTS - 1] = ONE


def turn_inputs(source: Any, first: int, turned: Any) -> None:
    """The tiles of a strip, turned: [taps, tiles, inputs]."""
    steps = INPUTS, (2 * TILE_COLUMNS + 2) * INPUTS, TOGETHER * INPUTS
    for tile in range(min(TOGETHER, TILES - first)):
        cells, own = source[tile_start(first + tile, INPUTS) :], turned[tile * INPUTS :]
        for channel in range(INPUTS):
            turn_tile(cells[channel:], own[channel:], steps, 1)


def turn_board(source: Any, first: int, turned: Any) -> None:
    """The same with the channels of the trunk."""
    steps = CHANNELS, ROW_STEP, TOGETHER * CHANNELS
    for tile in range(min(TOGETHER, TILES - first)):
        cells, own = source[tile_start(first + tile, CHANNELS) :], turned[tile * CHANNELS :]
        for channel in range(0, CHANNELS, LANES):
            turn_tile(cells[channel:], own[channel:], steps, LANES)


def multiply_tiles(turned: Any, inputs: int, weights: Any, first: int, products: Any) -> None:
    """The turned tiles of a strip times weights [taps, parts, inputs * outputs of a part]."""
    outputs, steps = VECTORS * LANES, (inputs, CHANNELS)
    for tap in range(TAPS):
        numbers, sums = turned[tap * TOGETHER * inputs :], products[tap * TOGETHER * CHANNELS :]
        for part in range(CHANNELS // outputs):
            if first + TOGETHER <= TILES:
                multiply_rows(numbers, weights[tap, part], sums[part * outputs :], steps, TOGETHER, VECTORS, LANES)
            else:
                multiply_rows(numbers, weights[tap, part], sums[part * outputs :], steps, LAST, VECTORS, LANES)


def write_tiles(products: Any, bias: Any, first: int, target: Any) -> None:
    """Turn products back into cells, and write them with the bias to the board, after a ReLU."""
    steps = CHANNELS, ROW_STEP, TOGETHER * CHANNELS
    for tile in range(min(TOGETHER, TILES - first)):
        own, cells = products[tile * CHANNELS :], target[tile_start(first + tile, CHANNELS) + INNER :]
        for channel in range(0, CHANNELS, LANES):
            write_tile(own[channel:], bias[channel:], cells[channel:], steps, LANES)


def add_tiles(products: Any, bias: Any, first: int, trunk: Any, active: Any) -> None:
    """Turn products back into cells, add them and the bias to the trunk, and write what a ReLU leaves of it."""
    steps = CHANNELS, ROW_STEP, TOGETHER * CHANNELS
    for tile in range(min(TOGETHER, TILES - first)):
        start = tile_start(first + tile, CHANNELS) + INNER
        own, cells, rectified = products[tile * CHANNELS :], trunk[start:], active[start:]
        for channel in range(0, CHANNELS, LANES):
            add_tile(own[channel:], bias[channel:], cells[channel:], rectified[channel:], steps, LANES)


def tile_start(tile: int, channels: int) -> int:
    """Where the cells around a tile begin."""
    width = 2 * TILE_COLUMNS + 2
    return 2 * (tile // TILE_COLUMNS * width + tile % TILE_COLUMNS) * channels


def clear_rim(board: Any) -> None:
    """Zeros where tiles reach over the board's lower and right edge."""
    if COLUMNS < 2 * TILE_COLUMNS:
        for row in range(ROWS):
            start = row_start(row, CHANNELS) + COLUMNS * CHANNELS
            for index in range(start, start + CHANNELS):
                board[index] = ZERO
    if ROWS < 2 * TILE_ROWS:
        start = row_start(ROWS, CHANNELS)
        for index in range(start, start + 2 * TILE_COLUMNS * CHANNELS):
            board[index] = ZERO


def clear_cells(board: Any) -> None:
    for row in range(ROWS):
        start = row_start(row, CHANNELS)
        for index in range(start, start + COLUMNS * CHANNELS):
            board[index] = ZERO


def write_cells(board: Any, cells: Any) -> None:
    """The board without its rim."""
    for row in range(ROWS):
        start, own = row_start(row, CHANNELS), row * COLUMNS * CHANNELS
        for index in range(COLUMNS * CHANNELS):
            cells[own + index] = board[start + index]


def pool_cells(board: Any, pooled: Any) -> None:
    """Mean and maximum of each channel, of a board without negative numbers."""
    for index in range(2 * CHANNELS):
        pooled[index] = ZERO
    for row in range(ROWS):
        start = row_start(row, CHANNELS)
        for column in range(COLUMNS):
            cell = start + column * CHANNELS
            for channel in range(CHANNELS):
                number = board[cell + channel]
                pooled[channel] += number
                pooled[CHANNELS + channel] = max(pooled[CHANNELS + channel], number)
    for channel in range(CHANNELS):
        pooled[channel] *= ONE / np.float32(ROWS * COLUMNS)


def add_board(board: Any, pooled: Any, pools: Any, block: int, bias: Any, total: Any) -> None:
    """The bias of a block's first convolution, with what the whole board adds to it where the block pools."""
    weights, biases, does_pool = pools
    for channel in range(CHANNELS):
        total[channel] = bias[channel]
    if not does_pool[block]:
        return
    pool_cells(board, pooled)
    for channel in range(CHANNELS):
        total[channel] += biases[block, channel]
    for index in range(2 * CHANNELS):
        for channel in range(CHANNELS):
            total[channel] += pooled[index] * weights[block, index, channel]
