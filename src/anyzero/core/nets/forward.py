"""The forward pass of a network, written once over operations: the ONNX export emits them, a bot
runs them with NumPy.

The operations are `conv`, `dense` (both by the name of their weights), `relu`, `add`, `add_board`
and `add_spots` (a vector per position, added to each of its cells or columns), `block` (a
`residual_block`), `with_rim` (adds a plane of ones), `pool` (mean and maximum of each channel over
the board), `columns` (the same per column), `without_rows`, `by_cell` (channels last, flat),
`flat`, `join`, and `expected` (the expected payoff given the value head's output).
"""

from typing import Any

import numpy as np

from anyzero.core.base.nouns import Numbers, Planes, States
from anyzero.core.game.game import Game
from anyzero.core.nets.config import BadNetworkError, Layout, NetworkConfig, layout_of, support_of
from anyzero.core.nets.weights import StoredNetwork
from anyzero.core.search.methods import Evaluator

Operations = Any  # what computes, by the names above: NumPy, a torch network, or an ONNX graph
Sizes = tuple[int, int]  # of a policy by cells: its extras, and the last rows without actions


def evaluate_planes(
    ops: Operations, planes: Planes, config: NetworkConfig, sizes: Sizes, support: Numbers
) -> tuple[Numbers, Numbers]:
    """Logits and the expected payoff for planes [positions, ...]."""
    logits, value = forward(ops, planes, config, sizes)
    return logits, ops.expected(value, support)


def forward(
    ops: Operations, planes: Planes, config: NetworkConfig, sizes: Sizes
) -> tuple[Numbers, Numbers]:
    """Logits and the value head's output; `sizes` is (extras, last_rows) of the policy."""
    trunk = residual_trunk if config.kind == "residual" else dense_trunk
    features = ops.relu(trunk(ops, planes, config))
    pooled = ops.pool(features) if config.kind == "residual" else features
    value = ops.dense(ops.relu(ops.dense(pooled, "value.hidden")), "value.payoff")
    return policy(ops, features, pooled, config, sizes), value


def residual_trunk(ops: Operations, planes: Planes, config: NetworkConfig) -> Numbers:
    x = ops.conv(ops.with_rim(planes), "trunk.stem")
    for index in range(config.blocks):
        pools = config.pool_every > 0 and index % config.pool_every == 0
        x = ops.block(x, f"trunk.blocks.{index}", pools)
    return x


def residual_block(ops: Operations, x: Numbers, name: str, pools: bool) -> Numbers:
    """Two convolutions, added to the input; a pooling block also adds features of the whole board.
    After KataGo.
    """
    active = ops.relu(x)
    branch = ops.conv(active, name + ".first")
    if pools:
        branch = ops.add_board(branch, ops.dense(ops.pool(active), name + ".pooled"))
    return ops.add(x, ops.conv(ops.relu(branch), name + ".second"))


def dense_trunk(ops: Operations, planes: Planes, config: NetworkConfig) -> Numbers:
    x = ops.dense(ops.flat(planes), "trunk.stem")
    for index in range(config.layers - 1):
        x = ops.add(x, ops.dense(ops.relu(x), f"trunk.layers.{index}"))
    return x


def policy(
    ops: Operations, features: Numbers, pooled: Numbers, config: NetworkConfig, sizes: Sizes
) -> Numbers:
    if config.kind == "mlp":
        return ops.dense(features, "policy.actions")
    if config.policy == "flat":
        return ops.dense(ops.flat(ops.relu(ops.conv(features, "policy.local"))), "policy.actions")
    board = ops.dense(pooled, "policy.pooled")
    if config.policy == "columns":
        hidden = ops.relu(ops.add_spots(ops.dense(ops.columns(features), "policy.local"), board))
        return ops.flat(ops.dense(hidden, "policy.columns"))
    extras, last_rows = sizes
    hidden = ops.relu(ops.add_board(ops.conv(features, "policy.local"), board))
    logits = ops.by_cell(ops.conv(ops.without_rows(hidden, last_rows), "policy.cells"))
    return ops.join(logits, ops.dense(ops.relu(board), "policy.extras")) if extras else logits


# --- with NumPy alone; the source of this class is copied into bots


class NumpyOps:
    def __init__(self, weights: Numbers) -> None:
        self.weights = weights

    def conv(self, x: Numbers, name: str) -> Numbers:
        weight = self.weights[name + ".weight"]
        rim = weight.shape[2] // 2
        padded = np.pad(x, ((0, 0), (0, 0), (rim, rim), (rim, rim)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, weight.shape[2:], (2, 3))
        sums = np.tensordot(windows, weight, ((1, 4, 5), (1, 2, 3))).transpose(0, 3, 1, 2)
        bias = self.weights.get(name + ".bias")
        return sums if bias is None else sums + bias[:, None, None]

    def dense(self, x: Numbers, name: str) -> Numbers:
        return x @ self.weights[name + ".weight"].T + self.weights.get(name + ".bias", 0)

    def relu(self, x: Numbers) -> Numbers:
        return np.maximum(x, 0)

    def add(self, x: Numbers, y: Numbers) -> Numbers:
        return x + y

    def add_board(self, x: Numbers, y: Numbers) -> Numbers:
        return x + y[:, :, None, None]

    def add_spots(self, x: Numbers, y: Numbers) -> Numbers:
        return x + y[:, None]

    def block(self, x: Numbers, name: str, pools: bool) -> Numbers:
        return residual_block(self, x, name, pools)

    def with_rim(self, x: Numbers) -> Numbers:
        return np.concatenate([x, np.ones_like(x[:, :1])], 1)

    def pool(self, x: Numbers) -> Numbers:
        return np.concatenate([x.mean((2, 3)), x.max((2, 3))], 1)

    def columns(self, x: Numbers) -> Numbers:
        return np.concatenate([x.mean(2), x.max(2)], 1).transpose(0, 2, 1)

    def without_rows(self, x: Numbers, rows: int) -> Numbers:
        return x[:, :, : x.shape[2] - rows]

    def by_cell(self, x: Numbers) -> Numbers:
        return x.transpose(0, 2, 3, 1).reshape(len(x), -1)

    def flat(self, x: Numbers) -> Numbers:
        return x.reshape(len(x), -1)

    def join(self, x: Numbers, y: Numbers) -> Numbers:
        return np.concatenate([x, y], 1)

    def expected(self, x: Numbers, support: Numbers) -> Numbers:
        if len(support) == 0:
            return np.tanh(x[:, 0])
        shares = np.exp(x - x.max(1, keepdims=True))
        return shares @ support / shares.sum(1)


def empty_answers(num: int, num_actions: int, num_values: int = 1) -> tuple[np.ndarray, np.ndarray]:
    return np.empty((num, num_actions), np.float32), np.empty((num, num_values), np.float32)


class NumpyNetwork:
    """A network without compiled code: available at once, but much slower later."""

    def __init__(self, network: StoredNetwork, game: Game) -> None:
        layout = layout_of(game.planes_shape, game.num_actions) or Layout(0)
        self.config = network.config
        self.sizes = (layout.extras, layout.last_rows)
        self.support = np.array(support_of(network.config), np.float32)
        self.ops = NumpyOps(
            {name: network.take(name, *weight.shape) for name, weight in network.weights.items()}
        )
        planes = np.zeros((1, *game.planes_shape), np.float32)
        logits, values = empty_answers(1, game.num_actions, game.num_values)
        try:
            self.answer(planes, logits, values)
        except (KeyError, ValueError):  # there are too few, or they are of other sizes
            raise BadNetworkError(f"{network.name} lacks weights of its network") from None

    def answer(self, planes: Planes, logits: Numbers, values: Numbers) -> None:
        """Write logits [positions, actions] and expected payoffs [positions, values] of planes."""
        logits[:], value = forward(self.ops, planes, self.config, self.sizes)
        per_seat = value.reshape(values.size, -1)
        values[:] = self.ops.expected(per_seat, self.support).reshape(values.shape)


def numpy_evaluator(game: Game, network: StoredNetwork) -> Evaluator:
    """The same as an evaluator of positions that encodes them by the interpreted rules."""
    numpy_network = NumpyNetwork(network, game)

    def ask(_game: Game, states: States) -> tuple[np.ndarray, np.ndarray]:
        planes = np.stack([game.encode(state) for state in states])
        logits, values = empty_answers(len(states), game.num_actions)
        numpy_network.answer(planes, logits, values)
        return logits, values[:, 0]

    return ask
