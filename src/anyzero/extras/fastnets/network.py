"""Networks for inference on the CPU: a residual one as two kernels, for trunk and heads, an MLP as
one.
"""

import math
from threading import local

import numpy as np

from anyzero.core.base.nouns import Arrays, Kernel, Numbers, Planes, Scratch
from anyzero.core.compile import compile_kernel
from anyzero.core.game.game import Game
from anyzero.core.nets.config import hidden_units, support_of
from anyzero.core.nets.evaluator import copy
from anyzero.core.nets.forward import empty_answers
from anyzero.core.nets.weights import StoredNetwork
from anyzero.extras.fastnets.heads import Heads, Layer, pack_layer, rectify, write_values
from anyzero.extras.fastnets.kernels import run_trunk
from anyzero.extras.fastnets.sizes import (
    aligned,
    board_cells,
    lanes_of,
    new_room,
    sizes_for,
)
from anyzero.extras.fastnets.transforms import UNIT, WEIGHTS, multiply, transform_weights

INLINED = True  # these functions are compiled into their callers: see compile.kernels

MOST_TILES = 36
Call = tuple[Kernel, tuple[Arrays, ...]]  # a kernel and its arguments


def compiled(network: StoredNetwork, game: Game, target: str = "cpu") -> "Compiled":
    kind = CompiledMlp if network.config.kind == "mlp" else CompiledResidual
    return kind(network, game, target)


class Compiled:
    """The outputs of `network` for one game, up to the rounding of sums; thread-safe.

    The output for a position does not depend on the rest of its batch.
    """

    weights: tuple[Arrays, ...]

    def answer(self, planes: np.ndarray, logits: np.ndarray, values: np.ndarray) -> None:
        """Write logits [positions, actions] and expected payoffs [positions, values]; all
        float32.
        """
        for kernel, arguments in self.calls(planes, logits, values):
            kernel(*arguments)

    def calls(self, planes: np.ndarray, logits: np.ndarray, values: np.ndarray) -> list[Call]:
        """The kernels to call, in order, with their arguments."""
        raise NotImplementedError

    def untransformed(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """The packed weights of each convolution, and its nine weights in the same order: [9,
        numbers per point].
        """
        return []


class CompiledResidual(Compiled):
    """A residual network, with the weights of its trunk in the order in which the kernel reads
    them.
    """

    def __init__(self, network: StoredNetwork, game: Game, target: str) -> None:
        planes, rows, columns = game.planes_shape
        self.network = network
        self.channels = network.config.channels
        self.own = local()
        self.sizes = sizes_for(
            rows, columns, self.channels, inputs=planes + 1, most_tiles=MOST_TILES, target=target
        )
        self.wide = self.sizes["CHANNELS"]
        blocks = range(network.config.blocks)
        self.kernel = compile_kernel(run_trunk, UNIT, target, self.sizes)
        self.names = [
            f"trunk.blocks.{index}.{layer}" for index in blocks for layer in ("first", "second")
        ]
        self.stem = (
            aligned(self.pack("trunk.stem", planes + 1, planes + 1)),
            self.bias("trunk.stem"),
        )
        self.blocks = (
            aligned(np.stack([self.pack(name, self.channels, self.wide) for name in self.names])),
            np.stack([self.bias(name) for name in self.names]),
        )
        self.pools = self.pack_pools()
        self.transform = np.kron(
            np.array(WEIGHTS[self.sizes["HEIGHT"]]), np.array(WEIGHTS[self.sizes["WIDTH"]])
        )
        """[points, 9]: converts untransformed weights to packed ones."""
        self.heads = Heads(network, game, self.sizes, target)
        self.weights = self.stem, self.blocks, self.pools, self.heads.policy, self.heads.value
        network.check_all_taken()
        if target == "cpu":  # compile now, not on several threads at once
            nothing = empty_answers(0, game.num_actions, game.num_values)
            self.answer(np.zeros((0, *game.planes_shape), np.float32), *nothing)

    def calls(self, planes: np.ndarray, logits: np.ndarray, values: np.ndarray) -> list[Call]:
        sizes = self.sizes
        heads = self.heads
        num = len(planes)
        if not hasattr(self.own, "rooms"):  # each thread has its own scratch memory
            self.own.rooms = new_room(*self.shapes()), new_room(*heads.shapes)
        features = np.zeros((num, sizes["ROWS"] * sizes["COLUMNS"] * self.wide), np.float32)
        pooled = np.zeros((num, 2 * self.wide), np.float32)
        trunk_room, heads_room = self.own.rooms
        return [
            (
                self.kernel,
                (planes, self.stem, self.blocks, self.pools, trunk_room, features, pooled),
            ),
            (
                heads.kernel,
                (features, pooled, heads.policy, heads.value, heads_room, logits, values),
            ),
        ]

    def shapes(self) -> tuple[int | tuple[int, ...], ...]:
        boards = self.sizes["BOARDS"]
        cells = board_cells(self.sizes)
        board = (boards, cells * self.wide)
        tiles = self.sizes["POINTS"] * self.sizes["POINT_STEP"]
        return (
            (boards, cells * self.sizes["INPUTS"]),
            board,
            board,
            board,
            tiles,
            tiles,
            (boards, self.wide),
        )

    def bias(self, name: str) -> np.ndarray:
        return np.pad(
            self.network.take(f"{name}.bias", self.channels), (0, self.wide - self.channels)
        )

    def pack(self, name: str, inputs: int, wide: int) -> np.ndarray:
        """The weight transform of a convolution: [points, parts, inputs * outputs of a part]."""
        weight = self.network.take(f"{name}.weight", self.channels, inputs, 3, 3)
        return self.in_parts(
            transform_weights(weight, self.sizes["HEIGHT"], self.sizes["WIDTH"]), wide
        )

    def in_parts(self, weights: np.ndarray, wide: int) -> np.ndarray:
        """Weights [points, inputs, outputs] in the order in which the kernel reads them."""
        points, inputs, _ = weights.shape
        whole = np.zeros((points, wide, self.wide))
        whole[:, :inputs, : self.channels] = weights
        parts = whole.reshape(
            points, wide, -1, self.sizes["VECTORS"] * self.sizes["LANES"]
        ).transpose(0, 2, 1, 3)
        return np.ascontiguousarray(parts, np.float32).reshape(points, parts.shape[1], -1)

    def untransformed(self) -> list[tuple[np.ndarray, np.ndarray]]:
        def nine(name: str) -> np.ndarray:
            weight = np.asarray(self.network.weights[f"{name}.weight"], np.float32)
            outputs, inputs = weight.shape[:2]
            ordered = weight.reshape(outputs, inputs, 9).transpose(2, 1, 0)
            return self.in_parts(ordered, inputs if name == "trunk.stem" else self.wide).reshape(
                9, -1
            )

        return [
            (self.stem[0], nine("trunk.stem")),
            *zip(self.blocks[0], map(nine, self.names), strict=True),
        ]

    def pack_pools(self) -> tuple[np.ndarray, ...]:
        """Weights [blocks, 2 * channels, channels], biases and which blocks pool; zeros for those
        that do not.
        """
        config = self.network.config
        wide = self.channels
        num = self.network.config.blocks
        weights = np.zeros((num, 2, self.wide, self.wide), np.float32)
        biases = np.zeros((num, self.wide), np.float32)
        pools = np.array(
            [config.pool_every > 0 and index % config.pool_every == 0 for index in range(num)]
        )
        for index in np.flatnonzero(pools):
            weight = self.network.take(f"trunk.blocks.{index}.pooled.weight", wide, 2 * wide)
            weights[index, :, :wide, :wide] = weight.reshape(wide, 2, wide).transpose(1, 2, 0)
            biases[index] = self.bias(f"trunk.blocks.{index}.pooled")
        return weights.reshape(num, 2 * self.wide, self.wide), biases, pools


# --- an MLP as one kernel: a few positions at a time, from inputs to logits and values
#
# Capitals are sizes of one processor, filled in when the kernel is compiled.

# numbers per vector; positions computed together, with all their sums in registers
LANES = 16
ROWS = 12
FEW = 3  # up to this many positions are faster one by one: together they take as long as ROWS


def _run_mlp(
    planes: Planes,
    trunk: Arrays,
    heads: Arrays,
    support: Numbers,
    room: Scratch,
    logits: Numbers,
    values: Numbers,
) -> None:
    """Logits [positions, actions] and values [positions, values] from planes [positions, inputs].

    `trunk` is the stem, and the weights and biases of all hidden layers; `heads` are the policy and
    two value layers. A layer is (weights [parts, inputs * lanes], bias).
    """
    inputs, x, active, branch, actions, units, payoffs = room
    stem, weights, biases = trunk
    for first in range(0, len(planes), ROWS):
        num = min(ROWS, len(planes) - first)
        for row in range(num):
            copy(planes[first + row], inputs[row * (len(inputs) // ROWS) :])
        _multiply_rows(inputs, stem[0], stem[1], x)
        for layer in range(len(weights)):
            rectify(x, active)
            _multiply_rows(active, weights[layer], biases[layer], branch)
            for index in range(len(x)):
                x[index] += branch[index]
        rectify(x, active)
        _multiply_rows(active, heads[0][0], heads[0][1], actions)
        _multiply_rows(active, heads[1][0], heads[1][1], units)
        rectify(units, units)
        _multiply_rows(units, heads[2][0], heads[2][1], payoffs)
        for row in range(num):
            row_logits = actions[row * (len(actions) // ROWS) :]
            copy(row_logits[: logits.shape[1]], logits[first + row])
            write_values(payoffs[row * (len(payoffs) // ROWS) :], support, values[first + row])


def _multiply_rows(source: Numbers, weights: Numbers, bias: Numbers, target: Numbers) -> None:
    """target = source @ weights + bias, for ROWS contiguous rows."""
    steps = len(source) // ROWS, len(bias)
    for part in range(len(weights)):
        multiply(source, weights[part], target[part * LANES :], steps, ROWS, 1, LANES)
    for row in range(ROWS):
        row_sums = target[row * len(bias) :]
        for index in range(len(bias)):
            row_sums[index] += bias[index]


class CompiledMlp(Compiled):
    def __init__(self, network: StoredNetwork, game: Game, target: str) -> None:
        width = network.config.width
        support = support_of(network.config)
        units = hidden_units(network.config.width)
        # A web page evaluates one position: four vectors of sums at a time then avoid waiting for
        # each other.
        lanes, together = (16, (1,)) if target == "wasm" else (lanes_of(target), (1, ROWS))
        self.own = local()
        self.inputs = math.prod(game.planes_shape)

        def layer(name: str, outputs: int, inputs: int) -> Layer:
            weight = network.take(f"{name}.weight", outputs, inputs)
            bias = network.take(f"{name}.bias", outputs)
            return pack_layer(np.pad(weight, ((0, 0), (0, -inputs % lanes))), bias, lanes)

        hidden = [
            layer(f"trunk.layers.{index}", width, width)
            for index in range(network.config.layers - 1)
        ]
        stem = layer("trunk.stem", width, self.inputs)
        wide = len(stem[1])
        weights = np.array([weight for weight, _ in hidden], np.float32).reshape(
            -1, wide // lanes, wide * lanes
        )
        heads = (
            layer("policy.actions", game.num_actions, width),
            layer("value.hidden", units, width),
            layer("value.payoff", game.num_values * max(1, len(support)), units),
        )
        network.check_all_taken()
        biases = np.array([bias for _, bias in hidden], np.float32).reshape(-1, wide)
        self.weights = (stem, weights, biases), heads, np.array(support, np.float32)
        self.columns = (
            self.inputs + -self.inputs % lanes,
            wide,
            wide,
            wide,
            *(len(bias) for _, bias in heads),
        )
        sizes = {rows: {"LANES": lanes, "ROWS": rows} for rows in together}
        self.kernels = {
            rows: compile_kernel(_run_mlp, UNIT, target, constants)
            for rows, constants in sizes.items()
        }
        for num in (
            (0, FEW + 1) if target == "cpu" else ()
        ):  # compile now, not on several threads at once
            nothing = empty_answers(num, game.num_actions, game.num_values)
            self.answer(np.zeros((num, self.inputs), np.float32), *nothing)

    def calls(self, planes: np.ndarray, logits: np.ndarray, values: np.ndarray) -> list[Call]:
        if not hasattr(self.own, "rooms"):  # each thread has its own scratch memory
            self.own.rooms = {
                rows: new_room(*(rows * number for number in self.columns)) for rows in self.kernels
            }
        rows = min(self.kernels) if len(planes) <= FEW else max(self.kernels)
        flat = planes.reshape(-1, self.inputs)
        return [(self.kernels[rows], (flat, *self.weights, self.own.rooms[rows], logits, values))]
