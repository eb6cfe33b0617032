"""An MLP for inference on the CPU, as one kernel: some positions at a time, from inputs to logits and values.

The capitals are sizes of one processor, filled in when the kernel is compiled.
"""

import math
from threading import local
from typing import Any

import numpy as np

from anyzero.compile import Unit, compile_kernel
from anyzero.games.game import Game
from anyzero.networks.config import hidden_units, support_of
from anyzero.networks.remembered import empty_answers, in_columns
from anyzero.networks.weights import StoredNetwork
from anyzero.networks.winograd.heads import Layer, pack, write_values
from anyzero.networks.winograd.sizes import lanes_of, room
from anyzero.networks.winograd.transforms import INTRINSICS, multiply

LANES, ROWS = 16, 12
"""Numbers in a vector; positions that are computed together, whose sums are in registers at once."""
ZERO = np.float32(0.0)
UNIT = Unit("mlp", {}, (), intrinsics=INTRINSICS)


def _run_mlp(planes: Any, trunk: Any, heads: Any, support: Any, room: Any, logits: Any, values: Any) -> None:
    """Logits [positions, actions] and values [positions, values] of planes [positions, inputs].

    `trunk` is the stem, and the weights and biases of all hidden layers; `heads` are the policy and two layers of the
    value. A layer is (weights [parts, inputs * lanes], bias).
    """
    inputs, x, active, branch, actions, units, payoffs = room
    stem, weights, biases = trunk
    for first in range(0, len(planes), ROWS):
        num = min(ROWS, len(planes) - first)
        for row in range(num):
            _copy_numbers(planes[first + row], inputs[row * (len(inputs) // ROWS) :], planes.shape[1])
        _multiply_rows(inputs, stem[0], stem[1], x)
        for layer in range(len(weights)):
            _rectify_rows(x, active)
            _multiply_rows(active, weights[layer], biases[layer], branch)
            for index in range(len(x)):
                x[index] += branch[index]
        _rectify_rows(x, active)
        _multiply_rows(active, heads[0][0], heads[0][1], actions)
        _multiply_rows(active, heads[1][0], heads[1][1], units)
        _rectify_rows(units, units)
        _multiply_rows(units, heads[2][0], heads[2][1], payoffs)
        for row in range(num):
            _copy_numbers(actions[row * (len(actions) // ROWS) :], logits[first + row], logits.shape[1])
            write_values(payoffs[row * (len(payoffs) // ROWS) :], support, values[first + row])


def _multiply_rows(source: Any, weights: Any, bias: Any, target: Any) -> None:
    """target = source @ weights + bias, for ROWS rows, one after the other."""
    steps = len(source) // ROWS, len(bias)
    for part in range(len(weights)):
        multiply(source, weights[part], target[part * LANES :], steps, ROWS, 1, LANES)
    for row in range(ROWS):
        own = target[row * len(bias) :]
        for index in range(len(bias)):
            own[index] += bias[index]


def _rectify_rows(source: Any, target: Any) -> None:
    for index in range(len(source)):
        target[index] = max(source[index], ZERO)


def _copy_numbers(source: Any, target: Any, num: int) -> None:
    for index in range(num):
        target[index] = source[index]


class CompiledMlp:
    """What `network` answers for one game, up to the rounding of sums; for any number of threads.

    The answer to a position does not depend on the others that it is asked with.
    """

    def __init__(self, network: StoredNetwork, game: Game, target: str = "cpu") -> None:
        width, support, lanes = network.config.width, support_of(network.config), lanes_of(target)
        units, inputs = hidden_units(width), math.prod(game.planes_shape)

        def layer(name: str, outputs: int, inputs: int) -> Layer:
            weight, bias = network.take(f"{name}.weight", outputs, inputs), network.take(f"{name}.bias", outputs)
            return pack(np.pad(weight, ((0, 0), (0, -inputs % lanes))), bias, lanes)

        hidden = [layer(f"trunk.layers.{index}", width, width) for index in range(network.config.layers - 1)]
        stem = layer("trunk.stem", width, inputs)
        wide = len(stem[1])
        weights = np.array([weight for weight, _ in hidden], np.float32).reshape(-1, wide // lanes, wide * lanes)
        self.trunk = stem, weights, np.array([bias for _, bias in hidden], np.float32).reshape(-1, wide)
        self.heads = (
            layer("policy.actions", game.num_actions, width),
            layer("value.hidden", units, width),
            layer("value.payoff", game.num_values * max(1, len(support)), units),
        )
        network.check_all_taken()
        self.support, self.own, self.inputs = np.array(support, np.float32), local(), inputs
        columns = inputs + -inputs % lanes, wide, wide, wide, *(len(bias) for _, bias in self.heads)
        self.shapes = [ROWS * number for number in columns]
        self.kernel = compile_kernel(_run_mlp, UNIT, target, {"LANES": lanes})
        if target == "cpu":  # compiled now, not by several threads at once
            self.answer(np.zeros((0, inputs), np.float32), *empty_answers(0, game.num_actions, game.num_values))

    @property
    def weights(self) -> tuple[Any, ...]:
        """What its kernel only reads."""
        return self.trunk, self.heads, self.support

    def answer(self, planes: np.ndarray, logits: np.ndarray, values: np.ndarray) -> None:
        """Write logits [positions, actions] and expected payoffs [positions], or [positions, seats]; all float32."""
        for kernel, arguments in self.calls(planes, logits, values):
            kernel(*arguments)

    def calls(self, planes: np.ndarray, logits: np.ndarray, values: np.ndarray) -> list[tuple[Any, tuple[Any, ...]]]:
        """The kernels that answer, one after the other, with their arguments."""
        if not hasattr(self.own, "room"):  # each thread works on its own
            self.own.room = room(*self.shapes)
        rows = planes.reshape(len(planes), self.inputs)
        return [(self.kernel, (rows, self.trunk, self.heads, self.support, self.own.room, logits, in_columns(values)))]

    def untransformed(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """It has no convolutions."""
        return []
