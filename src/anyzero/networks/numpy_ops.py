"""The operations of `forward` with NumPy alone; the class is written into bots by source."""

from collections.abc import Callable
from typing import Any

import numpy as np

from anyzero.games.game import Game
from anyzero.networks.config import Layout, layout_of, support_of
from anyzero.networks.forward import forward
from anyzero.networks.weights import StoredNetwork
from anyzero.search.methods import Evaluator


class NumpyOps:
    """Computes with weights by name."""

    def __init__(self, weights: Any) -> None:
        self.weights = weights

    def conv(self, x: Any, name: str) -> Any:
        weight = self.weights[name + ".weight"]
        rim = weight.shape[2] // 2
        padded = np.pad(x, ((0, 0), (0, 0), (rim, rim), (rim, rim)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, weight.shape[2:], (2, 3))
        sums = np.tensordot(windows, weight, ((1, 4, 5), (1, 2, 3))).transpose(0, 3, 1, 2)
        bias = self.weights.get(name + ".bias")
        return sums if bias is None else sums + bias[:, None, None]

    def dense(self, x: Any, name: str) -> Any:
        return x @ self.weights[name + ".weight"].T + self.weights.get(name + ".bias", 0)

    def relu(self, x: Any) -> Any:
        return np.maximum(x, 0)

    def add(self, x: Any, y: Any) -> Any:
        return x + y

    def add_board(self, x: Any, y: Any) -> Any:
        return x + y[:, :, None, None]

    def add_spots(self, x: Any, y: Any) -> Any:
        return x + y[:, None]

    def with_rim(self, x: Any) -> Any:
        return np.concatenate([x, np.ones_like(x[:, :1])], 1)

    def pool(self, x: Any) -> Any:
        return np.concatenate([x.mean((2, 3)), x.max((2, 3))], 1)

    def columns(self, x: Any) -> Any:
        return np.concatenate([x.mean(2), x.max(2)], 1).transpose(0, 2, 1)

    def without_rows(self, x: Any, rows: int) -> Any:
        return x[:, :, : x.shape[2] - rows]

    def by_cell(self, x: Any) -> Any:
        return x.transpose(0, 2, 3, 1).reshape(len(x), -1)

    def flat(self, x: Any) -> Any:
        return x.reshape(len(x), -1)

    def join(self, x: Any, y: Any) -> Any:
        return np.concatenate([x, y], 1)


def numpy_network(game: Game, network: StoredNetwork) -> Callable[[Any], tuple[np.ndarray, np.ndarray]]:
    """A function from positions to logits and what the value head says."""
    ops = NumpyOps({name: weight.astype(np.float32) for name, weight in network.weights.items()})
    layout = layout_of(game.planes_shape, game.num_actions) or Layout(0)

    def answer(states: Any) -> tuple[np.ndarray, np.ndarray]:
        planes = np.stack([game.encode(state) for state in states])
        return forward(ops, planes, network.config, (layout.extras, layout.last_rows))  # type: ignore[no-any-return]

    return answer


def numpy_evaluator(game: Game, network: StoredNetwork) -> Evaluator:
    """A network that answers with nothing compiled: at once, and later a good deal slower than compiled code."""
    answer, support = numpy_network(game, network), np.array(support_of(network.config), np.float32)

    def evaluate(_game: Game, states: Any) -> tuple[np.ndarray, np.ndarray]:
        logits, heads = answer(states)
        if len(support) == 0:
            return logits, np.tanh(heads[:, 0])
        shares = np.exp(heads - heads.max(1, keepdims=True))
        return logits, shares @ support / shares.sum(1)

    return evaluate
