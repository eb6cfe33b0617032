"""The answers of a network: room for them, and a cache of them for inputs that come again.

Successive searches of a game share many positions, and games share their openings. Inputs are
identified by a 64-bit hash, so positions share an answer only if the network cannot tell them
apart.
"""

import math
from threading import local
from typing import Any, NamedTuple, Protocol

import numpy as np

from anyzero.core.base.nouns import Numbers, Planes, Word, Words
from anyzero.core.compile import Unit, compile_kernel
from anyzero.core.compile.random import U, scramble
from anyzero.core.game.game import Game

INLINED = True  # these functions are compiled into their callers: see compile.kernels

MEMORY_BYTES = 2**24
# limits of the cached answers per thread, within MEMORY_BYTES
LEAST_PLACES = 2**12
MOST_PLACES = 2**16


class Answering(Protocol):
    """A network that runs, whatever computes it."""

    def answer(self, planes: Planes, logits: Numbers, values: Numbers) -> None:
        """Write logits [positions, actions] and expected payoffs [positions, values] of planes."""


def empty_answers(num: int, num_actions: int, num_values: int = 1) -> tuple[np.ndarray, np.ndarray]:
    return np.empty((num, num_actions), np.float32), np.empty((num, num_values), np.float32)


def copy(source: Any, target: Any) -> None:
    for index in range(len(source)):
        target[index] = source[index]


def places_that_pay(game: Game) -> int:
    """Cached answers per thread: what a few searches of many games ask for, in bounded memory; else
    none.
    """
    places = (
        1 << (MEMORY_BYTES // (4 * game.num_actions + 12)).bit_length() >> 1
    )  # rounded down to a power of two
    return min(places, MOST_PLACES) if places >= LEAST_PLACES else 0


UNIT = Unit("remembered", {}, ())
START = U(
    0x9E3779B97F4A7C15
)  # initial value of the hash; a key is never 0, which marks an empty place


class Memory(NamedTuple):
    """The cache of one thread: a newer answer replaces an older one."""

    keys: np.ndarray
    logits: np.ndarray
    values: np.ndarray


class Remembered:
    """A network with a cache of up to `places` answers per thread, a power of two."""

    def __init__(
        self, network: Answering, num_actions: int, places: int, num_values: int = 1
    ) -> None:
        self.network = network
        self.sizes = (num_actions, num_values)
        self.places = places
        self.memories = local()
        self.look_up = compile_kernel(_look_up, UNIT)
        nothing = (
            np.empty(0, np.uint64),
            np.empty(0, np.bool_),
        )  # compile now, not on several threads at once
        self.look_up(
            np.empty((0, 1), np.uint32), *nothing, self.new_memory(), *empty_answers(0, *self.sizes)
        )

    def answer(self, planes: np.ndarray, logits: np.ndarray, values: np.ndarray) -> None:
        if not hasattr(self.memories, "own"):
            self.memories.own = self.new_memory()
        memory = self.memories.own
        num = len(planes)
        words = planes.reshape(num, math.prod(planes.shape[1:])).view(np.uint32)
        keys = np.empty(num, np.uint64)
        is_new = np.empty(num, np.bool_)
        if self.look_up(words, keys, is_new, memory, logits, values):
            rows = np.flatnonzero(is_new)
            answers = empty_answers(len(rows), *self.sizes)
            self.network.answer(planes[rows], *answers)
            places = _place_of(keys[rows], memory)
            memory.keys[places] = keys[rows]
            memory.logits[places], memory.values[places] = answers
            logits[rows], values[rows] = answers

    def new_memory(self) -> Memory:
        return Memory(np.zeros(self.places, np.uint64), *empty_answers(self.places, *self.sizes))


def _look_up(
    words: Words, keys: Words, is_new: Any, memory: Any, logits: Numbers, values: Numbers
) -> int:
    """Kernel: write cached answers; returns the number of new rows.

    Equal new inputs are each computed: in self-play they are fewer than 1 % of the new ones.
    """
    new = 0
    for row in range(len(keys)):
        keys[row] = _hash_words(words[row])
        place = _place_of(keys[row], memory)
        is_new[row] = memory.keys[place] != keys[row]
        new += is_new[row]
        if not is_new[row]:
            copy(memory.logits[place], logits[row])
            copy(memory.values[place], values[row])
    return new


def _hash_words(words: Words) -> Any:
    key = START
    for index in range(len(words)):
        key = (key ^ U(words[index])) * START
        key ^= key >> U(32)
    return scramble(key) | U(1)


def _place_of(key: Word, memory: Any) -> Any:
    return (key >> U(1)) & U(len(memory.keys) - 1)
