"""Samples: what one position teaches. Stored as positions, so that an input is made when it is needed."""

from typing import Any, NamedTuple

import numpy as np

from anyzero.games.encoding import encode_states
from anyzero.games.game import Game

CHUNK = 4096
"""Positions that are encoded at a time for their keys."""


class Samples(NamedTuple):
    """Columns of equal length, one row a position."""

    states: Any
    """[samples]: positions; at a chance node the afterstate, which teaches a value and no policy."""
    keys: np.ndarray
    """[samples] uint64: equal inputs have equal keys."""
    actions: np.ndarray
    """[samples, max_legal] int16: the legal actions, rising; -1 beyond them."""
    policies: np.ndarray
    """[samples, max_legal] float16: the policy after search, in the order of `actions`."""
    policy_weights: np.ndarray
    """[samples] float32: 0 where there is no policy to learn."""
    payoffs: np.ndarray
    """[samples] float32: the game's result for the seat to move; at a chance node, for the first seat."""
    values: np.ndarray
    """[samples] float32: the value after search, for the same seat."""
    plies: np.ndarray
    """[samples] int16."""
    lengths: np.ndarray
    """[samples] int16: the plies of the whole game."""
    generations: np.ndarray
    """[samples] int32."""
    weights: np.ndarray
    """[samples] float32."""

    @property
    def num(self) -> int:
        return len(self.keys)


def new_samples(game: Game, num: int) -> Samples:
    """Zeroed rows, without actions."""
    return Samples(
        states=game.new_states(num),
        keys=np.zeros(num, np.uint64),
        actions=np.full((num, game.max_legal), -1, np.int16),
        policies=np.zeros((num, game.max_legal), np.float16),
        policy_weights=np.ones(num, np.float32),
        payoffs=np.zeros(num, np.float32),
        values=np.zeros(num, np.float32),
        plies=np.zeros(num, np.int16),
        lengths=np.zeros(num, np.int16),
        generations=np.zeros(num, np.int32),
        weights=np.ones(num, np.float32),
    )


def take(samples: Samples, rows: Any) -> Samples:
    """Some of the rows: a slice, indices or a mask."""
    return Samples(*(column[rows] for column in samples))


def join(parts: list[Samples]) -> Samples:
    """The rows of all parts, in order; at least one part, and a single one is not copied."""
    if len(parts) == 1:
        return parts[0]
    return Samples(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def input_keys(game: Game, states: Any, threads: int = 1) -> np.ndarray:
    """A 64-bit key of each position's input: a sum of its words, each times a random odd number."""
    keys = np.zeros(len(states), np.uint64)
    for first in range(0, len(states), CHUNK):
        planes = encode_states(game, states[first : first + CHUNK], threads=threads)
        words = planes.reshape(len(planes), -1).view(np.uint32).astype(np.uint64)
        keys[first : first + CHUNK] = (words * factors(words.shape[1])).sum(axis=1, dtype=np.uint64)
    return keys


def factors(num: int) -> np.ndarray:
    """The same random odd numbers in every process."""
    return np.random.default_rng(0).integers(0, 1 << 63, num, np.uint64) * np.uint64(2) + np.uint64(1)
