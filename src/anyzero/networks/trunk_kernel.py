"""The residual trunk as one kernel: some positions at a time stay in nearby caches, from planes to features.

A board is a flat array of cells with a rim of zeros, the channels of a cell side by side. Convolutions are computed by
tiles of 2x2 to 4x4 cells: 16 products instead of 36 for each pair of channels, up to 36 instead of 144. The tiles of
some boards meet the weights together, so that each load of these serves many tiles. The capitals are sizes of one
network and one processor, filled in when the kernel is compiled.
"""

from typing import Any

import numpy as np

from anyzero.compile.products import multiply_rows
from anyzero.compile.tiles import add_tile, rectify_tile, turn_tile

ROWS, COLUMNS, INPUTS, CHANNELS = 6, 7, 3, 32
"""Of the board, of its cells in the input (one more than the game's planes), and of its cells in the trunk."""
TALL, BROAD, TILES, TILE_ROWS, TILE_COLUMNS, BOARDS = 3, 4, 4, 2, 2, 9
"""Rows and columns of a tile; tiles that cover the board; boards that are computed together."""
CELLS, ROW_STEP, INNER = 80, 320, 352
"""Cells of a board with its rim; numbers in a row of them in the trunk, and before the first that is not of the rim."""
TAP_STEP = 1168
"""Numbers from one tap of a tile to the next."""
LANES, VECTORS, TOGETHER, FEW = 16, 2, 12, 4
"""Numbers in a vector; vectors of channels, and tiles, that are multiplied at once; tiles if there are few of them."""
TAPS = 30
"""Numbers that a tile and its neighbours are turned into, for each channel."""
ZERO, ONE = np.float32(0.0), np.float32(1.0)


def run_trunk(planes: Any, stem: Any, blocks: Any, pools: Any, room: Any, features: Any, pooled: Any) -> None:
    """Features [positions, cells * channels] after the last ReLU, and pooled [positions, 2 * channels], of planes.

    `stem` is (weights, bias), `blocks` (weights [2 * blocks, ...], biases), `pools` (weights [blocks, 2 * channels,
    channels], biases, which blocks pool); `room` is four times BOARDS boards with zeros as rims, turned tiles, their
    products, and a bias for each board.
    """
    inputs, trunk, active, hidden, turned, products, biases = room
    for first in range(0, len(planes), BOARDS):
        num = min(BOARDS, len(planes) - first)
        for index in range(num):
            read_planes(planes[first + index], inputs[index])
            turn_inputs(inputs[index], index, turned)
        multiply_tiles(turned, INPUTS, stem[0], num, products)
        for index in range(num):
            clear_cells(trunk[index])
            add_cells(products, stem[1], index, trunk[index], active[index])
        for block in range(len(pools[2])):
            for index in range(num):
                add_board(active[index], pooled[first + index], pools, block, blocks[1][2 * block], biases[index])
                turn_board(active[index], index, turned)
            multiply_tiles(turned, CHANNELS, blocks[0][2 * block], num, products)
            for index in range(num):
                write_board(products, biases[index], index, hidden[index])
                turn_board(hidden[index], index, turned)
            multiply_tiles(turned, CHANNELS, blocks[0][2 * block + 1], num, products)
            for index in range(num):
                add_cells(products, blocks[1][2 * block + 1], index, trunk[index], active[index])
        for index in range(num):
            pool_cells(active[index], pooled[first + index])
            write_cells(active[index], features[first + index])


def row_start(row: int, channels: int) -> int:
    """Where the cells of a row begin, behind the rim."""
    return ((row + 1) * (BROAD * TILE_COLUMNS + 2) + 1) * channels


def read_planes(planes: Any, board: Any) -> None:
    """The game's planes, and one that shows where the board ends."""
    for row in range(ROWS):
        start = row_start(row, INPUTS)
        for column in range(COLUMNS):
            cell = start + column * INPUTS
            for plane in range(INPUTS - 1):
                board[cell + plane] = planes[plane, row, column]
            board[cell + INPUTS - 1] = ONE


def turn_inputs(board: Any, index: int, turned: Any) -> None:
    """The tiles of a board, turned: [taps, tiles of all boards, inputs]."""
    steps = INPUTS, (BROAD * TILE_COLUMNS + 2) * INPUTS, TAP_STEP
    for tile in range(TILES):
        cells, own = board[tile_start(tile, INPUTS) :], turned[(index * TILES + tile) * INPUTS :]
        for channel in range(INPUTS):
            turn_tile(cells[channel:], own[channel:], steps, TALL, BROAD, 1)


def turn_board(board: Any, index: int, turned: Any) -> None:
    """The same with the channels of the trunk."""
    steps = CHANNELS, ROW_STEP, TAP_STEP
    for tile in range(TILES):
        cells, own = board[tile_start(tile, CHANNELS) :], turned[(index * TILES + tile) * CHANNELS :]
        for channel in range(0, CHANNELS, LANES):
            turn_tile(cells[channel:], own[channel:], steps, TALL, BROAD, LANES)


def multiply_tiles(turned: Any, inputs: int, weights: Any, boards: int, products: Any) -> None:
    """The turned tiles of some boards times weights [taps, parts, inputs * outputs of a part].

    The last few tiles at once may be more than there are.
    """
    outputs, steps, num = VECTORS * LANES, (inputs, CHANNELS), boards * TILES
    for tap in range(TAPS):
        numbers, sums = turned[tap * TAP_STEP :], products[tap * TAP_STEP :]
        for part in range(CHANNELS // outputs):
            own = weights[tap, part]
            for first in range(0, num, TOGETHER):
                source, target = numbers[first * inputs :], sums[first * CHANNELS + part * outputs :]
                if num - first <= FEW:
                    multiply_rows(source, own, target, steps, FEW, VECTORS, LANES)
                else:
                    multiply_rows(source, own, target, steps, TOGETHER, VECTORS, LANES)


def write_board(products: Any, bias: Any, index: int, target: Any) -> None:
    """Turn products back into cells, and write them with the bias to a board, after a ReLU."""
    steps = CHANNELS, ROW_STEP, TAP_STEP
    for tile in range(TILES):
        own = products[(index * TILES + tile) * CHANNELS :]
        cells = target[tile_start(tile, CHANNELS) + INNER :]
        for channel in range(0, CHANNELS, LANES):
            rectify_tile(own[channel:], bias[channel:], cells[channel:], steps, TALL, BROAD, LANES)
    clear_rim(target)


def add_cells(products: Any, bias: Any, index: int, trunk: Any, active: Any) -> None:
    """Turn products back into cells, add them and the bias to a board, and write what a ReLU leaves of it."""
    steps = CHANNELS, ROW_STEP, TAP_STEP
    for tile in range(TILES):
        own = products[(index * TILES + tile) * CHANNELS :]
        start = tile_start(tile, CHANNELS) + INNER
        cells, rectified = trunk[start:], active[start:]
        for channel in range(0, CHANNELS, LANES):
            add_tile(own[channel:], bias[channel:], cells[channel:], rectified[channel:], steps, TALL, BROAD, LANES)
    clear_rim(active)


def tile_start(tile: int, channels: int) -> int:
    """Where the cells around a tile begin."""
    row, column = TALL * (tile // TILE_COLUMNS), BROAD * (tile % TILE_COLUMNS)
    return (row * (BROAD * TILE_COLUMNS + 2) + column) * channels


def clear_rim(board: Any) -> None:
    """Zeros where tiles reach over the board's right and lower edge."""
    for row in range(ROWS):
        clear(board, row_start(row, CHANNELS) + COLUMNS * CHANNELS, (BROAD * TILE_COLUMNS - COLUMNS) * CHANNELS)
    for row in range(ROWS, TALL * TILE_ROWS):
        clear(board, row_start(row, CHANNELS), BROAD * TILE_COLUMNS * CHANNELS)


def clear_cells(board: Any) -> None:
    for row in range(ROWS):
        clear(board, row_start(row, CHANNELS), COLUMNS * CHANNELS)


def clear(board: Any, start: int, num: int) -> None:
    for index in range(start, start + num):
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
