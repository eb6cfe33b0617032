"""The heads of a residual network as one kernel: from its features to logits and the expected payoff.

A policy sees some numbers of each spot (a cell, or a column), keeps some others of it, to which it adds what the whole
board says, and reads its logits from those: some from each spot, or all from all spots together. The capitals are
sizes of one network and one processor, filled in when the kernel is compiled.
"""

import math
from typing import Any

import numpy as np

from anyzero.compile.products import multiply_rows

ROWS, COLUMNS, CHANNELS = 6, 7, 32
"""Of the board, and numbers of each of its cells."""
BY_COLUMN = True
"""Whether the spots are columns."""
SPOTS, SEEN, KEPT = 7, 64, 32
"""Spots, numbers that are seen of each, and numbers that are kept."""
READINGS, LOGITS, EXTRAS = 7, 1, 0
"""How often logits are read, how many at a time, and how many more the whole board decides on."""
LANES, ABREAST, READ_ABREAST = 16, 8, 8
"""Numbers in a vector; spots, and readings, that are multiplied at once."""
ZERO, ONE = np.float32(0.0), np.float32(1.0)


def run_heads(features: Any, pooled: Any, policy: Any, value: Any, room: Any, logits: Any, values: Any) -> None:
    """Logits [positions, actions] and values [positions] of features [positions, cells * channels] and what was pooled.

    `policy` is (weights, bias) for the whole board, the spots, the readings and the extras; `value` is the same for two
    layers, and the payoffs that the second spreads its probability over. Layers hold their outputs in whole vectors.
    """
    spots, kept, board, readings, extras, units, payoffs = room
    whole, local, last, more = policy
    hidden, payoff, support = value
    for position in range(len(features)):
        if BY_COLUMN:
            pool_columns(features[position], spots)
        else:
            copy(features[position], spots)
        multiply(pooled[position], whole[0], board)
        add(board, whole[1])
        multiply_spots(spots, local[0], kept)
        rectify_spots(kept, board, local[1])
        read(kept, last[0], readings)
        write_logits(readings, last[1], logits[position])
        if EXTRAS > 0:
            rectify(board)
            multiply(board, more[0], extras)
            add(extras, more[1])
            copy(extras[:EXTRAS], logits[position, READINGS * LOGITS :])
        multiply(pooled[position], hidden[0], units)
        add(units, hidden[1])
        rectify(units)
        multiply(units, payoff[0], payoffs)
        add(payoffs, payoff[1])
        values[position] = expected(payoffs, support)


def copy(source: Any, target: Any) -> None:
    for index in range(len(source)):
        target[index] = source[index]


def pool_columns(features: Any, spots: Any) -> None:
    """Mean and maximum of each column's cells, which are not negative."""
    for column in range(COLUMNS):
        spot = spots[column * SEEN :]
        for index in range(2 * CHANNELS):
            spot[index] = ZERO
        for row in range(ROWS):
            cell = features[(row * COLUMNS + column) * CHANNELS :]
            for channel in range(CHANNELS):
                spot[channel] += cell[channel]
                spot[CHANNELS + channel] = max(spot[CHANNELS + channel], cell[channel])
        for channel in range(CHANNELS):
            spot[channel] *= ONE / np.float32(ROWS)


def multiply(source: Any, weights: Any, target: Any) -> None:
    """target = source * weights [parts, inputs * lanes], one row."""
    inputs = weights.shape[1] // LANES
    for part in range(len(weights)):
        multiply_rows(source, weights[part], target[part * LANES :], (inputs, LANES), 1, 1, LANES)


def multiply_spots(spots: Any, weights: Any, kept: Any) -> None:
    for part in range(KEPT // LANES):
        for spot in range(0, SPOTS, ABREAST):
            target = kept[spot * KEPT + part * LANES :]
            multiply_rows(spots[spot * SEEN :], weights[part], target, (SEEN, KEPT), ABREAST, 1, LANES)


def read(kept: Any, weights: Any, readings: Any) -> None:
    inputs, outputs = weights.shape[1] // LANES, len(weights) * LANES
    for part in range(len(weights)):
        for reading in range(0, READINGS, READ_ABREAST):
            target = readings[reading * outputs + part * LANES :]
            multiply_rows(kept[reading * inputs :], weights[part], target, (inputs, outputs), READ_ABREAST, 1, LANES)


def write_logits(readings: Any, bias: Any, logits: Any) -> None:
    for reading in range(READINGS):
        own, answers = logits[reading * LOGITS :], readings[reading * len(bias) :]
        for index in range(LOGITS):
            own[index] = answers[index] + bias[index]


def rectify_spots(kept: Any, board: Any, bias: Any) -> None:
    for spot in range(SPOTS):
        own = kept[spot * KEPT :]
        for index in range(KEPT):
            own[index] = max(own[index] + board[index] + bias[index], ZERO)


def rectify(numbers: Any) -> None:
    for index in range(len(numbers)):
        numbers[index] = max(numbers[index], ZERO)


def add(numbers: Any, bias: Any) -> None:
    for index in range(len(bias)):
        numbers[index] += bias[index]


def expected(answers: Any, support: Any) -> Any:
    """The payoff that is expected of logits over a support; without one, of a number before its tanh."""
    if len(support) == 0:
        return np.float32(math.tanh(answers[0]))
    greatest = answers[0]
    for index in range(1, len(support)):
        greatest = max(greatest, answers[index])
    total = weighted = ZERO
    for index in range(len(support)):
        share = np.float32(math.exp(answers[index] - greatest))
        total += share
        weighted += share * support[index]
    return weighted / total
