"""The operations of `forward` with NumPy alone; written into bots by source."""

from typing import Any

import numpy as np


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
