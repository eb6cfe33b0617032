"""How far the game under way is, in memory that two processes share: it outlives a player that takes its process down.

The worker writes before and after every move, the arena reads only when something is wrong.
"""

from pathlib import Path
from typing import Any

import numpy as np

NOBODY = -1


class Live:
    """The game that a worker plays right now; it has room for the longest of its games."""

    def __init__(self, path: Path, max_plies: int, num_seats: int, *, create: bool) -> None:
        fields: list[Any] = [
            ("number", np.int64),  # 1 + the number of the task; 0 before the first
            ("seat", np.int64),  # who is thinking, or NOBODY
            ("deadline", np.float64),  # on the monotonic clock that all processes share
            ("opening", np.int64),
            ("num_actions", np.int64),
            ("seconds", np.float64, (num_seats,)),
            ("actions", np.int32, (max_plies + 1,)),
        ]
        self._row = np.memmap(path, np.dtype(fields), "w+" if create else "r+", shape=(1,))[0]

    def start_match(self, number: int, opening: int) -> None:
        row = self._row
        row["seat"], row["num_actions"], row["seconds"] = NOBODY, 0, 0.0
        row["number"], row["opening"] = number + 1, opening

    def start_move(self, seat: int, deadline: float) -> None:
        self._row["deadline"] = deadline
        self._row["seat"] = seat

    def end_move(self, seat: int, seconds: float) -> None:
        self._row["seat"] = NOBODY
        self._row["seconds"][seat] += seconds

    def add(self, action: int) -> None:
        self._row["actions"][self.num_actions] = action
        self._row["num_actions"] += 1

    @property
    def number(self) -> int:
        """The task, or -1 before the first."""
        return int(self._row["number"]) - 1

    @property
    def seat(self) -> int:
        return int(self._row["seat"])

    @property
    def deadline(self) -> float:
        return float(self._row["deadline"])

    @property
    def opening(self) -> int:
        return int(self._row["opening"])

    @property
    def num_actions(self) -> int:
        return int(self._row["num_actions"])

    @property
    def actions(self) -> list[int]:
        return [int(action) for action in self._row["actions"][: self.num_actions]]

    @property
    def seconds(self) -> list[float]:
        return [float(seconds) for seconds in self._row["seconds"]]
