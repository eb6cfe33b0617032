"""Answers of an evaluator that are kept for positions that come again: the least recently used are dropped."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np

from anyzero.games.contract import state_key
from anyzero.games.game import Game

Answers = tuple[np.ndarray, np.ndarray]


class Remembered:
    """Up to `most` answers by state_key."""

    def __init__(self, game: Game, most: int) -> None:
        self.game, self.most = game, most
        self.answers: OrderedDict[int, tuple[np.ndarray, np.float32]] = OrderedDict()
        self.hits = self.misses = 0

    def __call__(self, states: Any, evaluate: Callable[[Any], Answers]) -> Answers:
        """The answers to all positions; only those that are not remembered are evaluated, each once."""
        if len(states) == 0:
            return evaluate(states)
        keys = keys_of(self.game, states)
        new = {key: row for row, key in enumerate(keys) if key not in self.answers}
        self.hits, self.misses = self.hits + len(keys) - len(new), self.misses + len(new)
        fresh: dict[int, tuple[np.ndarray, np.float32]] = {}
        if new:
            logits, values = evaluate(states[list(new.values())])
            fresh = {key: (logits[row].copy(), values[row]) for row, key in enumerate(new)}
        rows = [fresh[key] if key in fresh else self.answers[key] for key in keys]
        self.keep(keys, fresh)
        return np.stack([row for row, _ in rows]), np.array([value for _, value in rows], np.float32)

    def keep(self, keys: list[int], fresh: dict[int, tuple[np.ndarray, np.float32]]) -> None:
        """Note that these were used, and drop what has not been for longest."""
        self.answers.update(fresh)
        for key in keys:
            self.answers.move_to_end(key)
        while len(self.answers) > self.most:
            self.answers.popitem(last=False)


def keys_of(game: Game, states: Any) -> list[int]:
    keys = np.empty(len(states), np.uint64)
    game.compile(key_range)(game.rules, states, keys)
    return keys.tolist()


def key_range(rules: Any, states: Any, keys: Any) -> None:
    """Kernel: the key of every position."""
    for index in range(len(keys)):
        keys[index] = state_key(rules, states[index])
