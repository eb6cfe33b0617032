"""Kernels of residual networks: the trunk for inference, and a residual block for training, forward
and backward.

A board is a flat array of cells with a rim of zeros, the channels of a cell adjacent. Several
boards are computed together and stay in the nearer caches: all their tiles use the weights at once,
so that each load of these serves many tiles. Transformed tiles are [points, tiles of all boards,
channels]. The capitals are sizes of one network and one processor, filled in when a kernel is
compiled.
"""

import numpy as np

from anyzero.core.base.nouns import Arrays, Number, Numbers, Planes, Scratch
from anyzero.extras.fastnets.transforms import (
    add_output,
    multiply,
    multiply_transposed,
    rectify_output,
    transform_gradient,
    transform_input,
    write_output,
)

INLINED = True  # these functions are compiled into their callers: see compile.kernels

ROWS = 6
COLUMNS = 7
INPUTS = 3
CHANNELS = 32
"""Sizes of the board, channels of the input (one more than the game's planes) and of the trunk."""
# size of a tile, and of its transform per channel
HEIGHT = 3
WIDTH = 4
POINTS = 30
# tiles that cover a board, and boards computed together
TILES_DOWN = 2
TILES_ACROSS = 2
TILES = 4
BOARDS = 9
BOARD_WIDTH = 10
POINT_STEP = 1168
"""Cells in a row of a board with its rim; stride from one point of a tile to the next."""
LANES = 16
VECTORS = 2
TOGETHER = 12
FEW = 4
ABREAST = 8
"""Numbers per vector; vectors of channels, and tiles, multiplied at once; tiles at once if there
are few; channels whose weight gradients are computed at once."""
ZERO = np.float32(0.0)
ONE = np.float32(1.0)
LOWEST = np.float32(-3.4e38)


# --- the trunk


def run_trunk(
    planes: Planes,
    stem: Arrays,
    blocks: Arrays,
    pools: Arrays,
    room: Scratch,
    features: Numbers,
    pooled: Numbers,
) -> None:
    """Features [positions, cells * channels] after the last ReLU, and pooled [positions, 2 *
    channels], from planes.

    `stem` is (weights, bias), `blocks` (weights [2 * blocks, ...], biases), `pools` (weights
    [blocks, 2 * channels, channels], biases, which blocks pool); `room` is four times BOARDS boards
    with zero rims, transformed tiles, their products, and a bias for each board.
    """
    inputs, trunk, active, hidden, points, products, biases = room
    for first in range(0, len(planes), BOARDS):
        num = min(BOARDS, len(planes) - first)
        for index in range(num):
            _read_planes(planes[first + index], inputs[index])
            _transform_planes(inputs[index], index, points)
        _multiply_tiles(points, INPUTS, stem[0], num, products)
        for index in range(num):
            clear(trunk[index], 0, len(trunk[index]))
            _add_to_board(products, stem[1], index, trunk[index], active[index])
        for block in range(len(pools[2])):
            for index in range(num):
                _total_bias(
                    active[index],
                    pooled[first + index],
                    pools,
                    block,
                    blocks[1][2 * block],
                    biases[index],
                )
                _transform_board(active[index], index, points)
            _multiply_tiles(points, CHANNELS, blocks[0][2 * block], num, products)
            for index in range(num):
                _rectify_board(products, biases[index], index, hidden[index])
                _transform_board(hidden[index], index, points)
            _multiply_tiles(points, CHANNELS, blocks[0][2 * block + 1], num, products)
            for index in range(num):
                _add_to_board(
                    products, blocks[1][2 * block + 1], index, trunk[index], active[index]
                )
        for index in range(num):
            _pool_cells(active[index], pooled[first + index])
            write_cells(active[index], features[first + index])


def _read_planes(planes: Planes, board: Numbers) -> None:
    """The game's planes, and one that marks the board's edge."""
    for row in range(ROWS):
        start = _row_start(row, INPUTS)
        for column in range(COLUMNS):
            cell = start + column * INPUTS
            for plane in range(INPUTS - 1):
                board[cell + plane] = planes[plane, row, column]
            board[cell + INPUTS - 1] = ONE


def _transform_planes(board: Numbers, index: int, points: Numbers) -> None:
    """The input transform of a board's tiles, for the input planes."""
    steps = INPUTS, BOARD_WIDTH * INPUTS, POINT_STEP
    for tile in range(TILES):
        cells = board[_tile_start(tile, INPUTS) :]
        tile_points = points[(index * TILES + tile) * INPUTS :]
        for plane in range(INPUTS):
            transform_input(cells[plane:], tile_points[plane:], steps, HEIGHT, WIDTH, 1)


def _rectify_board(products: Numbers, bias: Numbers, index: int, board: Numbers) -> None:
    """The output transform of a board's tiles with the bias, after a ReLU."""
    steps = CHANNELS, BOARD_WIDTH * CHANNELS, POINT_STEP
    for tile in range(TILES):
        tile_products = products[(index * TILES + tile) * CHANNELS :]
        cells = board[_inner_start(tile) :]
        for channel in range(0, CHANNELS, LANES):
            rectify_output(
                tile_products[channel:],
                bias[channel:],
                cells[channel:],
                steps,
                HEIGHT,
                WIDTH,
                LANES,
            )
    _clear_rim(board)


def _add_to_board(
    products: Numbers, bias: Numbers, index: int, trunk: Numbers, active: Numbers
) -> None:
    """The output transform of a board's tiles with the bias, added to the trunk; `active` is its
    ReLU.
    """
    steps = CHANNELS, BOARD_WIDTH * CHANNELS, POINT_STEP
    for tile in range(TILES):
        tile_products = products[(index * TILES + tile) * CHANNELS :]
        start = _inner_start(tile)
        cells = trunk[start:]
        rectified = active[start:]
        for channel in range(0, CHANNELS, LANES):
            add_output(
                tile_products[channel:],
                bias[channel:],
                cells[channel:],
                rectified[channel:],
                steps,
                HEIGHT,
                WIDTH,
                LANES,
            )
    _clear_rim(active)


def _total_bias(
    board: Numbers, pooled: Numbers, pools: Arrays, block: int, bias: Numbers, total: Numbers
) -> None:
    """The bias of a block's first convolution, plus the whole board's contribution if the block
    pools.
    """
    weights, biases, does_pool = pools
    for channel in range(CHANNELS):
        total[channel] = bias[channel]
    if not does_pool[block]:
        return
    _pool_cells(board, pooled)
    for channel in range(CHANNELS):
        total[channel] += biases[block, channel]
    for index in range(2 * CHANNELS):
        for channel in range(CHANNELS):
            total[channel] += pooled[index] * weights[block, index, channel]


def _pool_cells(board: Numbers, pooled: Numbers) -> None:
    """Mean and maximum of each channel of a nonnegative board."""
    clear(pooled, 0, 2 * CHANNELS)
    for row in range(ROWS):
        start = _row_start(row, CHANNELS)
        for column in range(COLUMNS):
            cell = start + column * CHANNELS
            for channel in range(CHANNELS):
                number = board[cell + channel]
                pooled[channel] += number
                pooled[CHANNELS + channel] = max(pooled[CHANNELS + channel], number)
    for channel in range(CHANNELS):
        pooled[channel] *= ONE / np.float32(ROWS * COLUMNS)


def _clear_rim(board: Numbers) -> None:
    """Zero the cells where tiles extend beyond the board's right and lower edge."""
    for row in range(ROWS):
        clear(
            board,
            _row_start(row, CHANNELS) + COLUMNS * CHANNELS,
            (BOARD_WIDTH - 2 - COLUMNS) * CHANNELS,
        )
    for row in range(ROWS, HEIGHT * TILES_DOWN):
        clear(board, _row_start(row, CHANNELS), (BOARD_WIDTH - 2) * CHANNELS)


# --- a residual block in training


def run_block(
    inputs: Numbers, first: Arrays, second: Arrays, room: Scratch, hidden: Numbers, outputs: Numbers
) -> None:
    """The branch between its convolutions, and the sum of inputs and branch: all [boards, cells *
    channels].

    `first` and `second` are weights [points, parts, CHANNELS * part] and biases [boards, channels].
    """
    for start in range(0, len(inputs), BOARDS):
        end = min(start + BOARDS, len(inputs))
        convolve(inputs[start:end], ZERO, first[0], first[1][start:end], room, hidden[start:end])
        convolve(hidden[start:end], ZERO, second[0], second[1][start:end], room, outputs[start:end])
        _add_boards(inputs[start:end], outputs[start:end])


def run_block_back(
    saved: Arrays,
    gradients: Numbers,
    weights: Numbers,
    room: Scratch,
    weight_targets: Numbers,
    biases: Numbers,
    targets: Numbers,
) -> None:
    """Gradients of the inputs (`targets`) from those of the outputs; `saved` are inputs and hidden
    of `run_block`.

    `weights` are those of the two convolutions, rotated, and the weight transform [points, 9].
    Weight gradients (`weight_targets`) are [2, 9, inputs * outputs], bias gradients two times
    [boards, channels]; the latter are accumulated.
    """
    inputs, hidden = saved
    between, none, sums = room[4:]
    for point in range(POINTS):
        clear(sums[0, point], 0, CHANNELS * CHANNELS)
        clear(sums[1, point], 0, CHANNELS * CHANNELS)
    for start in range(0, len(inputs), BOARDS):
        end = min(start + BOARDS, len(inputs))
        some = gradients[start:end]
        middle = between[: end - start]
        _add_gradients(hidden[start:end], some, room, sums[1], biases[1][start:end])
        convolve(some, LOWEST, weights[1], none, room, middle)
        _mask_boards(hidden[start:end], middle)
        _add_gradients(inputs[start:end], middle, room, sums[0], biases[0][start:end])
        convolve(middle, LOWEST, weights[0], none, room, targets[start:end])
        _mask_boards(inputs[start:end], targets[start:end])
        _add_boards(some, targets[start:end])
    weight_gradients(sums[0], weights[2], weight_targets[0])
    weight_gradients(sums[1], weights[2], weight_targets[1])


def convolve(
    inputs: Numbers,
    least: Number,
    weights: Numbers,
    biases: Numbers,
    room: Scratch,
    outputs: Numbers,
) -> None:
    """Convolve max(inputs, `least`)."""
    board, other, points, products = room[:4]
    for index in range(len(inputs)):
        _read_cells(inputs[index], least, board)
        _transform_board(board, index, points)
    _multiply_tiles(points, CHANNELS, weights, len(inputs), products)
    for index in range(len(inputs)):
        _write_board(products, biases[index], index, other)
        write_cells(other, outputs[index])


def _write_board(products: Numbers, bias: Numbers, index: int, board: Numbers) -> None:
    """The output transform of a board's tiles with the bias."""
    steps = CHANNELS, BOARD_WIDTH * CHANNELS, POINT_STEP
    for tile in range(TILES):
        tile_products = products[(index * TILES + tile) * CHANNELS :]
        cells = board[_inner_start(tile) :]
        for channel in range(0, CHANNELS, LANES):
            write_output(
                tile_products[channel:],
                bias[channel:],
                cells[channel:],
                steps,
                HEIGHT,
                WIDTH,
                LANES,
            )


def _add_gradients(
    inputs: Numbers, gradients: Numbers, room: Scratch, weights: Numbers, biases: Numbers
) -> None:
    """Accumulate the gradients of the weights at each point and of each board's biases, after a
    ReLU.
    """
    board, _, points, gradient_points = room[:4]
    for index in range(len(inputs)):
        _read_cells(inputs[index], ZERO, board)
        _transform_board(board, index, points)
        _read_cells(gradients[index], LOWEST, board)
        _transform_gradients(board, index, gradient_points)
        for cell in range(ROWS * COLUMNS):
            for channel in range(CHANNELS):
                biases[index, channel] += gradients[index, cell * CHANNELS + channel]
    steps = (len(inputs) * TILES, CHANNELS, CHANNELS, CHANNELS)
    outputs = VECTORS * LANES
    for point in range(POINTS):
        start = point * POINT_STEP
        for first in range(0, CHANNELS, ABREAST):
            for part in range(0, CHANNELS, outputs):
                source = points[start + first :]
                factors = gradient_points[start + part :]
                target = weights[point, first * CHANNELS + part :]
                multiply_transposed(source, factors, target, steps, ABREAST, VECTORS, LANES)


def _transform_gradients(board: Numbers, index: int, points: Numbers) -> None:
    """The transposed output transform of a board's tiles."""
    steps = CHANNELS, BOARD_WIDTH * CHANNELS, POINT_STEP
    for tile in range(TILES):
        cells = board[_inner_start(tile) :]
        tile_points = points[(index * TILES + tile) * CHANNELS :]
        for channel in range(0, CHANNELS, LANES):
            transform_gradient(cells[channel:], tile_points[channel:], steps, HEIGHT, WIDTH, LANES)


def weight_gradients(sums: Numbers, transform: Numbers, weights: Numbers) -> None:
    """Convert gradients at each point to those of the nine weights."""
    for place in range(9):
        target = weights[place]
        clear(target, 0, CHANNELS * CHANNELS)
        for point in range(POINTS):
            factor = transform[point, place]
            source = sums[point]
            for index in range(CHANNELS * CHANNELS):
                target[index] += factor * source[index]


def _read_cells(cells: Numbers, least: Number, board: Numbers) -> None:
    """max(cells, `least`), with NaN preserved; the rim is unchanged."""
    for row in range(ROWS):
        source = row * COLUMNS * CHANNELS
        target = _row_start(row, CHANNELS)
        for index in range(COLUMNS * CHANNELS):
            number = cells[source + index]
            board[target + index] = least if number < least else number


def _add_boards(more: Numbers, boards: Numbers) -> None:
    for board in range(len(boards)):
        for index in range(ROWS * COLUMNS * CHANNELS):
            boards[board, index] += more[board, index]


def _mask_boards(gates: Numbers, boards: Numbers) -> None:
    """Pass gradients through a ReLU only where it was open."""
    for board in range(len(boards)):
        for index in range(ROWS * COLUMNS * CHANNELS):
            boards[board, index] = boards[board, index] if gates[board, index] > ZERO else ZERO


# --- for both


def _transform_board(board: Numbers, index: int, points: Numbers) -> None:
    """The input transform of a board's tiles."""
    steps = CHANNELS, BOARD_WIDTH * CHANNELS, POINT_STEP
    for tile in range(TILES):
        cells = board[_tile_start(tile, CHANNELS) :]
        tile_points = points[(index * TILES + tile) * CHANNELS :]
        for channel in range(0, CHANNELS, LANES):
            transform_input(cells[channel:], tile_points[channel:], steps, HEIGHT, WIDTH, LANES)


def _multiply_tiles(
    points: Numbers, inputs: int, weights: Numbers, boards: int, products: Numbers
) -> None:
    """The transformed tiles of several boards times weights [points, parts, inputs * outputs of a
    part].

    The last group of tiles may extend beyond the existing ones.
    """
    outputs = VECTORS * LANES
    steps = (inputs, CHANNELS)
    num = boards * TILES
    for point in range(POINTS):
        numbers = points[point * POINT_STEP :]
        sums = products[point * POINT_STEP :]
        for part in range(CHANNELS // outputs):
            factors = weights[point, part]
            for first in range(0, num, TOGETHER):
                source = numbers[first * inputs :]
                target = sums[first * CHANNELS + part * outputs :]
                if num - first <= FEW:
                    multiply(source, factors, target, steps, FEW, VECTORS, LANES)
                else:
                    multiply(source, factors, target, steps, TOGETHER, VECTORS, LANES)


def write_cells(board: Numbers, cells: Numbers) -> None:
    """The board without its rim."""
    for row in range(ROWS):
        start = _row_start(row, CHANNELS)
        first = row * COLUMNS * CHANNELS
        for index in range(COLUMNS * CHANNELS):
            cells[first + index] = board[start + index]


def clear(numbers: Numbers, start: int, num: int) -> None:
    for index in range(start, start + num):
        numbers[index] = ZERO


def _row_start(row: int, channels: int) -> int:
    """The index of a row's first cell, inside the rim."""
    return ((row + 1) * BOARD_WIDTH + 1) * channels


def _tile_start(tile: int, channels: int) -> int:
    """The index of a tile's first input."""
    row, column = HEIGHT * (tile // TILES_ACROSS), WIDTH * (tile % TILES_ACROSS)
    return (row * BOARD_WIDTH + column) * channels


def _inner_start(tile: int) -> int:
    """The index of a tile's first output."""
    return _tile_start(tile, CHANNELS) + (BOARD_WIDTH + 1) * CHANNELS
