"""A residual block for training: forward and back, some boards together, with convolutions by tiles of cells.

A board is read into a room with a rim of zeros. The tiles of all boards meet the weights together, so that each load of
these serves many tiles, and sums of gradients stay in registers for as long. The capitals are sizes of one layer and
one processor, filled in when the kernel is compiled.
"""

from typing import Any

import numpy as np

from anyzero.compile.products import add_products, multiply_rows
from anyzero.compile.tiles import spread_tile, turn_tile, write_tile

ROWS, COLUMNS, CHANNELS = 6, 7, 48
"""Of a board, and of its cells; channels fill whole vectors."""
TALL, BROAD, TILES, TILE_COLUMNS, BOARDS = 3, 4, 4, 2, 16
"""Rows and columns of a tile; tiles that cover a board, and boards whose tiles are computed together."""
ROW_STEP, TAP_STEP = 480, 3088
"""Numbers in a row of a board with its rim, and from one tap of a tile to the next."""
LANES, VECTORS, TOGETHER, ABREAST = 16, 3, 8, 8
"""Numbers in a vector; vectors of channels, and tiles or inputs beside them, whose sums are in registers at once."""
TAPS = 30
"""Numbers that a tile is turned into for each channel."""
ZERO, LOWEST = np.float32(0.0), np.float32(-3.4e38)


def run_block(inputs: Any, first: Any, second: Any, room: Any, hidden: Any, outputs: Any) -> None:
    """The branch between its convolutions, and inputs and branch together: all [boards, cells * channels].

    `first` and `second` are weights [taps, parts, CHANNELS * part] and biases [boards, channels].
    """
    for start in range(0, len(inputs), BOARDS):
        end = min(start + BOARDS, len(inputs))
        convolve(inputs[start:end], ZERO, first[0], first[1][start:end], room, hidden[start:end])
        convolve(hidden[start:end], ZERO, second[0], second[1][start:end], room, outputs[start:end])
        add_boards(inputs[start:end], outputs[start:end])


def run_back(saved: Any, gradients: Any, weights: Any, room: Any, own: Any, biases: Any, targets: Any) -> None:
    """Gradients of the inputs (`targets`) from those of the outputs; `saved` are inputs and hidden of `run_block`.

    `weights` are two lots, for convolutions the other way, and how weights are turned: [taps, 9]. Gradients of weights
    (`own`) are [2, 9, inputs * outputs], those of biases [2, boards, channels]; to the latter it adds.
    """
    inputs, hidden = saved
    between, none, sums = room[4:]
    clear(sums[0])
    clear(sums[1])
    for start in range(0, len(inputs), BOARDS):
        end = min(start + BOARDS, len(inputs))
        some, middle = gradients[start:end], between[: end - start]
        add_gradients(hidden[start:end], some, room, sums[1], biases[1, start:end])
        convolve(some, LOWEST, weights[1], none, room, middle)
        close_boards(hidden[start:end], middle)
        add_gradients(inputs[start:end], middle, room, sums[0], biases[0, start:end])
        convolve(middle, LOWEST, weights[0], none, room, targets[start:end])
        close_boards(inputs[start:end], targets[start:end])
        add_boards(some, targets[start:end])
    turn_sums(sums[0], weights[2], own[0])
    turn_sums(sums[1], weights[2], own[1])


def convolve(inputs: Any, least: Any, weights: Any, biases: Any, room: Any, outputs: Any) -> None:
    """Of inputs that are raised to `least`."""
    board, other, turned, products = room[:4]
    for index in range(len(inputs)):
        read_cells(inputs[index], least, board)
        turn_board(board, index * TILES, turned)
    multiply_tiles(turned, len(inputs) * TILES, weights, products)
    for index in range(len(inputs)):
        write_board(products, index * TILES, biases[index], other)
        write_cells(other, outputs[index])


def add_gradients(inputs: Any, gradients: Any, room: Any, weights: Any, biases: Any) -> None:
    """What gradients of the outputs make of those of the weights and of each board's biases, after a ReLU."""
    board, _, turned, spread = room[:4]
    for index in range(len(inputs)):
        read_cells(inputs[index], ZERO, board)
        turn_board(board, index * TILES, turned)
        read_cells(gradients[index], LOWEST, board)
        spread_board(board, index * TILES, spread)
        add_cells(gradients[index], biases[index])
    add_tiles(turned, spread, len(inputs) * TILES, weights)


def multiply_tiles(turned: Any, num: int, weights: Any, products: Any) -> None:
    """Turned tiles times weights; a last few that are not there are computed too."""
    outputs, steps = VECTORS * LANES, (CHANNELS, CHANNELS)
    for tap in range(TAPS):
        for part in range(CHANNELS // outputs):
            for first in range(0, num, TOGETHER):
                start = tap * TAP_STEP + first * CHANNELS
                sums = products[start + part * outputs :]
                multiply_rows(turned[start:], weights[tap, part], sums, steps, TOGETHER, VECTORS, LANES)


def add_tiles(turned: Any, spread: Any, num: int, weights: Any) -> None:
    """The gradient of each weight: the sum of all that met it times the gradient of what came of it."""
    outputs, steps = VECTORS * LANES, (num, CHANNELS, CHANNELS, CHANNELS)
    for tap in range(TAPS):
        start, sums = tap * TAP_STEP, weights[tap]
        for first in range(0, CHANNELS, ABREAST):
            for part in range(0, CHANNELS, outputs):
                own = sums[first * CHANNELS + part :]
                add_products(turned[start + first :], spread[start + part :], own, steps, ABREAST, VECTORS, LANES)


def add_cells(cells: Any, sums: Any) -> None:
    """Those of a board."""
    for cell in range(ROWS * COLUMNS):
        for channel in range(CHANNELS):
            sums[channel] += cells[cell * CHANNELS + channel]


def turn_board(board: Any, first: int, turned: Any) -> None:
    """Its tiles and the cells around them, as those from `first` on: [taps, tiles, channels]."""
    steps = CHANNELS, ROW_STEP, TAP_STEP
    for tile in range(TILES):
        cells, own = board[tile_start(tile) :], turned[(first + tile) * CHANNELS :]
        for channel in range(0, CHANNELS, LANES):
            turn_tile(cells[channel:], own[channel:], steps, TALL, BROAD, LANES)


def spread_board(board: Any, first: int, spread: Any) -> None:
    """The same without the cells around them."""
    steps = CHANNELS, ROW_STEP, TAP_STEP
    for tile in range(TILES):
        cells, own = board[tile_start(tile) + ROW_STEP + CHANNELS :], spread[(first + tile) * CHANNELS :]
        for channel in range(0, CHANNELS, LANES):
            spread_tile(cells[channel:], own[channel:], steps, TALL, BROAD, LANES)


def write_board(products: Any, first: int, bias: Any, board: Any) -> None:
    """The tiles turned back into cells."""
    steps = CHANNELS, ROW_STEP, TAP_STEP
    for tile in range(TILES):
        own, cells = products[(first + tile) * CHANNELS :], board[tile_start(tile) + ROW_STEP + CHANNELS :]
        for channel in range(0, CHANNELS, LANES):
            write_tile(own[channel:], bias[channel:], cells[channel:], steps, TALL, BROAD, LANES)


def tile_start(tile: int) -> int:
    """Where the cells around a tile begin."""
    return TALL * (tile // TILE_COLUMNS) * ROW_STEP + BROAD * (tile % TILE_COLUMNS) * CHANNELS


def read_cells(cells: Any, least: Any, board: Any) -> None:
    """Raised to `least`, unless they are no numbers; the rim stays as it is."""
    for row in range(ROWS):
        source, target = row * COLUMNS * CHANNELS, (row + 1) * ROW_STEP + CHANNELS
        for index in range(COLUMNS * CHANNELS):
            number = cells[source + index]
            board[target + index] = least if number < least else number


def write_cells(board: Any, cells: Any) -> None:
    for row in range(ROWS):
        source, target = (row + 1) * ROW_STEP + CHANNELS, row * COLUMNS * CHANNELS
        for index in range(COLUMNS * CHANNELS):
            cells[target + index] = board[source + index]


def add_boards(more: Any, boards: Any) -> None:
    for board in range(len(boards)):
        for index in range(ROWS * COLUMNS * CHANNELS):
            boards[board, index] += more[board, index]


def close_boards(gates: Any, boards: Any) -> None:
    """Only where a ReLU let something through, anything comes back."""
    for board in range(len(boards)):
        for index in range(ROWS * COLUMNS * CHANNELS):
            boards[board, index] = boards[board, index] if gates[board, index] > ZERO else ZERO


def clear(sums: Any) -> None:
    for tap in range(TAPS):
        for index in range(CHANNELS * CHANNELS):
            sums[tap, index] = ZERO


def turn_sums(sums: Any, turn: Any, weights: Any) -> None:
    """Gradients of turned weights into those of the nine that these were made of."""
    for place in range(9):
        target = weights[place]
        for index in range(CHANNELS * CHANNELS):
            target[index] = ZERO
        for tap in range(TAPS):
            factor, source = turn[tap, place], sums[tap]
            for index in range(CHANNELS * CHANNELS):
                target[index] += factor * source[index]
