"""The residual trunk as one kernel: a position stays in the processor's nearest cache from its planes to its features.

A board is a flat array of cells with a rim of zeros, the channels of a cell side by side. The capitals are sizes of
one network and one processor, filled in when the kernel is compiled.
"""

from typing import Any

import numpy as np

from anyzero.compile.convolution import add_row

ROWS, COLUMNS, INPUTS, CHANNELS = 6, 7, 3, 32
"""Of the board, of its cells in the input (one more than the game's planes), and of its cells in the trunk."""
LANES, VECTORS, CELLS, LAST_CELLS = 16, 2, 7, 7
"""Numbers in a vector; vectors of channels and cells of a row that are computed at once, and the last ones of a row."""
ZERO, ONE = np.float32(0.0), np.float32(1.0)


def run_trunk(planes: Any, stem: Any, blocks: Any, pools: Any, boards: Any, features: Any, pooled: Any) -> None:
    """Features [positions, cells * channels] after the last ReLU, and pooled [positions, 2 * channels], of planes.

    `stem` is (weights, bias), `blocks` (weights [2 * blocks, ...], biases), `pools` (weights [blocks, 2 * channels,
    channels], biases, which blocks pool); `boards` are four to work on, with zeros as rims, and room for a bias.
    """
    inputs, trunk, active, hidden, bias = boards
    for position in range(len(planes)):
        board = pooled[position]
        read_planes(planes[position], inputs)
        convolve(inputs, INPUTS, stem[0], stem[1], trunk)
        for block in range(len(pools[2])):
            rectify(trunk, active)
            add_board(active, board, pools, block, blocks[1][2 * block], bias)
            convolve(active, CHANNELS, blocks[0][2 * block], bias, hidden)
            rectify(hidden, hidden)
            convolve(hidden, CHANNELS, blocks[0][2 * block + 1], blocks[1][2 * block + 1], active)
            add_cells(active, trunk)
        rectify(trunk, active)
        pool_cells(active, board)
        write_cells(active, features[position])


def row_start(row: int, channels: int) -> int:
    """Where the cells of a row begin, behind the rim."""
    return ((row + 1) * (COLUMNS + 2) + 1) * channels


def read_planes(planes: Any, board: Any) -> None:
    """The game's planes, and one that shows where the board ends."""
    for row in range(ROWS):
        start = row_start(row, INPUTS)
        for column in range(COLUMNS):
            cell = start + column * INPUTS
            for plane in range(INPUTS - 1):
                board[cell + plane] = planes[plane, row, column]
            board[cell + INPUTS - 1] = ONE


def convolve(source: Any, inputs: int, weights: Any, bias: Any, target: Any) -> None:
    """A 3x3 convolution of the whole board; weights [parts, 3 rows, 3 columns * inputs * outputs of a part].

    Row by row of the weights, so that those in use stay in the nearest cache, however many there are.
    """
    fill_cells(target, bias)
    outputs, wide = VECTORS * LANES, COLUMNS + 2
    for part in range(CHANNELS // outputs):
        for weight_row in range(3):
            for row in range(ROWS):
                above = (row + weight_row) * wide * inputs
                start = row_start(row, CHANNELS) + part * outputs
                own = weights[part, weight_row]
                for first in range(0, COLUMNS - LAST_CELLS, CELLS):
                    numbers, sums = source[above + first * inputs :], target[start + first * CHANNELS :]
                    add_row(numbers, own, sums, (inputs, CHANNELS), CELLS, VECTORS, LANES)
                first = COLUMNS - LAST_CELLS
                numbers, sums = source[above + first * inputs :], target[start + first * CHANNELS :]
                add_row(numbers, own, sums, (inputs, CHANNELS), LAST_CELLS, VECTORS, LANES)


def fill_cells(board: Any, numbers: Any) -> None:
    """The same channels in every cell."""
    for row in range(ROWS):
        start = row_start(row, CHANNELS)
        for column in range(COLUMNS):
            for channel in range(CHANNELS):
                board[start + column * CHANNELS + channel] = numbers[channel]


def rectify(source: Any, target: Any) -> None:
    for row in range(ROWS):
        start = row_start(row, CHANNELS)
        for index in range(start, start + COLUMNS * CHANNELS):
            target[index] = max(source[index], ZERO)


def add_cells(source: Any, target: Any) -> None:
    for row in range(ROWS):
        start = row_start(row, CHANNELS)
        for index in range(start, start + COLUMNS * CHANNELS):
            target[index] += source[index]


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
