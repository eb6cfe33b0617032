"""The heads of a residual network as one kernel: from its features to logits and the expected
payoff.

A policy takes features of each spot (a cell, or a column), computes a hidden vector for each, to
which it adds features of the whole board, and reads its logits from those: some from each spot, or
all from all spots together. Capitals are sizes of one network and one processor, filled in when the
kernel is compiled.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from anyzero.core.base.nouns import Arrays, Number, Numbers, Scratch
from anyzero.core.compile import compile_kernel
from anyzero.core.game.game import Game
from anyzero.core.nets.config import FLAT_PLANES, Layout, hidden_units, layout_of, support_of
from anyzero.core.nets.evaluator import copy
from anyzero.core.nets.weights import StoredNetwork
from anyzero.extras.fastnets.sizes import aligned
from anyzero.extras.fastnets.transforms import UNIT, multiply

INLINED = True  # these functions are compiled into their callers: see compile.kernels

# of the board, and channels per cell
ROWS = 6
COLUMNS = 7
CHANNELS = 32
BY_COLUMN = True  # whether the spots are columns
# number of spots, inputs per spot, and size of its hidden vector
SPOTS = 7
SEEN = 64
HIDDEN = 32
READINGS = 7
LOGITS = 1
EXTRAS = 0
"""Number of readings, logits per reading, and extra logits computed from the whole board."""
LANES = 16
ABREAST = 8
READ_ABREAST = 8
"""Numbers per vector; spots, and readings, multiplied at once: enough sums to keep the multipliers
busy.
"""
ZERO = np.float32(0.0)
ONE = np.float32(1.0)


def _run_heads(
    features: Numbers,
    pooled: Numbers,
    policy: Numbers,
    value: Arrays,
    room: Scratch,
    logits: Numbers,
    values: Numbers,
) -> None:
    """Logits [positions, actions] and values [positions, values] of features [positions, cells *
    channels], and pooled.

    `policy` is (weights, bias) for the whole board, the spots, the readings and the extras; `value`
    is the same for two layers, and the support of the value's distribution. Layers are padded to
    whole vectors of outputs.
    """
    spots, hidden, board, readings, extras, units, payoffs = room
    whole, local, last, more = policy
    first, second, support = value
    for position in range(len(features)):
        if BY_COLUMN:
            _pool_columns(features[position], spots)
        else:
            copy(features[position], spots)
        _multiply_one(pooled[position], whole, board)
        _hide_spots(spots, local, board, hidden, (SEEN, HIDDEN))
        _read_logits(hidden, last, readings, logits[position])
        if EXTRAS > 0:
            rectify(board, board)
            _multiply_one(board, more, extras)
            copy(extras[:EXTRAS], logits[position, READINGS * LOGITS :])
        _multiply_one(pooled[position], first, units)
        rectify(units, units)
        _multiply_one(units, second, payoffs)
        write_values(payoffs, support, values[position])


def _pool_columns(features: Numbers, spots: Numbers) -> None:
    """Mean and maximum over each column's cells, which are not negative."""
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


def _multiply_one(source: Numbers, layer: Arrays, target: Numbers) -> None:
    """target = source * weights [parts, inputs * lanes] + bias, one row."""
    weights, bias = layer
    inputs = weights.shape[1] // LANES
    for part in range(len(weights)):
        multiply(source, weights[part], target[part * LANES :], (inputs, LANES), 1, 1, LANES)
    for index in range(len(bias)):
        target[index] += bias[index]


def _hide_spots(
    spots: Numbers, layer: Arrays, board: Numbers, hidden: Numbers, steps: tuple[int, int]
) -> None:
    """The hidden vector of each spot: from its inputs and the whole board's, after a ReLU."""
    weights, bias = layer
    for part in range(HIDDEN // LANES):
        for spot in range(0, SPOTS, ABREAST):
            target = hidden[spot * HIDDEN + part * LANES :]
            multiply(spots[spot * SEEN :], weights[part], target, steps, ABREAST, 1, LANES)
    for spot in range(SPOTS):
        vector = hidden[spot * HIDDEN :]
        for index in range(HIDDEN):
            vector[index] = max(vector[index] + board[index] + bias[index], ZERO)


def _read_logits(hidden: Numbers, layer: Arrays, readings: Numbers, logits: Numbers) -> None:
    weights, bias = layer
    inputs = weights.shape[1] // LANES
    outputs = len(weights) * LANES
    for part in range(len(weights)):
        for reading in range(0, READINGS, READ_ABREAST):
            target = readings[reading * outputs + part * LANES :]
            multiply(
                hidden[reading * inputs :],
                weights[part],
                target,
                (inputs, outputs),
                READ_ABREAST,
                1,
                LANES,
            )
    for reading in range(READINGS):
        local_logits = logits[reading * LOGITS :]
        answers = readings[reading * len(bias) :]
        for index in range(LOGITS):
            local_logits[index] = answers[index] + bias[index]


def rectify(source: Numbers, target: Numbers) -> None:
    for index in range(len(source)):
        target[index] = max(source[index], ZERO)


def write_values(answers: Numbers, support: Numbers, values: Numbers) -> None:
    """The expected payoff of each value, from its part of the answers."""
    for number in range(len(values)):
        values[number] = expected(answers[number * max(1, len(support)) :], support)


def expected(answers: Numbers, support: Numbers) -> Number:
    """The expected payoff given logits over a support; without one, given a number before its
    tanh.
    """
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


Layer = tuple[np.ndarray, np.ndarray]  # weights [parts, inputs * lanes] and bias [parts * lanes]


class Policy(NamedTuple):
    layers: tuple[
        Layer, Layer, Layer, Layer
    ]  # for the whole board, the spots, the readings and the extras
    spots: int
    seen: int
    readings: int
    logits: int
    extras: int = 0
    by_column: bool = False


class Heads:
    """The kernel of the heads, and their weights: zero-padded to whole vectors."""

    def __init__(
        self, network: StoredNetwork, game: Game, sizes: Mapping[str, int], target: str
    ) -> None:
        self.network = network
        self.channels = network.config.channels
        self.wide = sizes["CHANNELS"]
        self.lanes = sizes["LANES"]
        board = sizes["ROWS"], sizes["COLUMNS"]
        layout = layout_of(game.planes_shape, game.num_actions)
        if network.config.policy == "columns":
            policy = self.columns(board[1])
        elif network.config.policy == "cells" and layout is not None:
            policy = self.cells(layout, *board)
        else:
            policy = self.flat(board[0] * board[1], game.num_actions)
        support = support_of(network.config)
        units = hidden_units(2 * self.channels)
        self.policy = policy.layers
        self.value = (
            self.layer("value.hidden", units, 2 * self.channels),
            self.layer("value.payoff", game.num_values * max(1, len(support)), units),
            np.array(support, np.float32),
        )
        constants = {name: sizes[name] for name in ("ROWS", "COLUMNS", "CHANNELS", "LANES")}
        abreast = ABREAST if policy.readings > 1 else 1
        policy_sizes = {
            **{name.upper(): size for name, size in policy._asdict().items() if name != "layers"},
            "HIDDEN": len(self.policy[1][1]),
            "READ_ABREAST": abreast,
        }
        self.kernel = compile_kernel(_run_heads, UNIT, target, {**constants, **policy_sizes})
        spots = (
            -(-policy.spots // ABREAST) * ABREAST
        )  # rounded up to whole groups multiplied at once
        readings = -(-policy.readings // abreast) * abreast
        lengths = [len(bias) for _, bias in (*self.policy, *self.value[:2])]
        self.shapes = (
            spots * policy.seen,
            spots * lengths[1],
            lengths[0],
            readings * lengths[2],
            *lengths[3:],
        )

    def cells(self, layout: Layout, rows: int, columns: int) -> Policy:
        wide = self.channels
        extras = layout.extras
        layers = (
            self.layer("policy.pooled", wide, 2 * wide),
            self.layer("policy.local", wide, wide, 1, 1),
            self.layer(
                "policy.cells", layout.planes, wide, 1, 1, has_bias=layout.planes > 1 or extras > 0
            ),
            self.layer("policy.extras", extras, wide) if extras else self.nothing(),
        )
        readings = (rows - layout.last_rows) * columns
        return Policy(layers, rows * columns, self.wide, readings, layout.planes, extras)

    def columns(self, columns: int) -> Policy:
        wide = self.channels
        layers = (
            self.layer("policy.pooled", wide, 2 * wide),
            self.layer("policy.local", wide, 2 * wide),
            self.layer("policy.columns", 1, wide, has_bias=False),
            self.nothing(),
        )
        return Policy(layers, columns, 2 * self.wide, columns, 1, by_column=True)

    def flat(self, cells: int, num_actions: int) -> Policy:
        local = self.layer("policy.local", FLAT_PLANES, self.channels, 1, 1)
        kept = len(local[1])
        weight = self.network.take("policy.actions.weight", num_actions, FLAT_PLANES * cells)
        actions = np.zeros((num_actions, cells, kept), np.float32)
        actions[:, :, :FLAT_PLANES] = weight.reshape(num_actions, FLAT_PLANES, cells).transpose(
            0, 2, 1
        )
        bias = self.network.take("policy.actions.bias", num_actions)
        layers = (
            pack_layer(
                np.zeros((kept, 2 * self.wide), np.float32), np.zeros(kept, np.float32), self.lanes
            ),
            local,
            pack_layer(actions.reshape(num_actions, -1), bias, self.lanes),
            self.nothing(),
        )
        return Policy(layers, cells, self.wide, 1, num_actions)

    def layer(
        self, name: str, outputs: int, inputs: int, *window: int, has_bias: bool = True
    ) -> Layer:
        """A linear layer, or a 1x1 convolution, over channels or over their means and maxima."""
        weight = self.network.take(f"{name}.weight", outputs, inputs, *window).reshape(
            outputs, inputs
        )
        bias = (
            self.network.take(f"{name}.bias", outputs)
            if has_bias
            else np.zeros(outputs, np.float32)
        )
        is_by_channel = inputs in (self.channels, 2 * self.channels)
        parts = weight.reshape(outputs, -1, self.channels) if is_by_channel else weight[:, None]
        whole = np.pad(parts, ((0, 0), (0, 0), (0, -parts.shape[2] % self.lanes)))
        return pack_layer(whole.reshape(outputs, -1), bias, self.lanes)

    def nothing(self) -> Layer:
        return np.zeros((0, self.lanes), np.float32), np.zeros(0, np.float32)


def pack_layer(weight: np.ndarray, bias: np.ndarray, lanes: int) -> Layer:
    """Weights [outputs, inputs] in the order in which kernels read them, and the bias."""
    outputs, inputs = weight.shape
    missing = -outputs % lanes
    parts = np.pad(weight.T, ((0, 0), (0, missing))).reshape(inputs, -1, lanes).transpose(1, 0, 2)
    return aligned(parts).reshape(len(parts), -1), np.pad(bias, (0, missing))
