"""Answers of a network to inputs that come again; each thread remembers its own.

The search for a move meets many positions of the search before it, and games share their openings. Inputs are told
apart by 64 bits of a hash, so that positions share an answer only where the network sees no difference between them.
"""

import math
from threading import local
from typing import Any, NamedTuple, Protocol

import numpy as np

from anyzero.compile import Unit, compile_kernel
from anyzero.compile.random import U, scramble

UNIT = Unit("remembered", {}, ())
START = U(0x9E3779B97F4A7C15)
"""What the hash begins with; a key is never 0, which marks an empty place."""
REMEMBERED = -1
"""Stands where the answer to a row was found."""


class Answering(Protocol):
    """A network that writes its answers into arrays: logits [positions, actions] and expected payoffs [positions].

    Where each seat has a value, they are [positions, seats].
    """

    def answer(self, planes: np.ndarray, logits: np.ndarray, values: np.ndarray) -> None: ...


class Memory(NamedTuple):
    """What one thread remembers: a newer answer takes the place of an older one."""

    keys: np.ndarray
    logits: np.ndarray
    values: np.ndarray
    counts: np.ndarray
    """Positions that were asked for, and those that the network was."""


class Remembered:
    """A network with a memory of up to `places` answers a thread, a power of two."""

    def __init__(self, network: Answering, num_actions: int, places: int, num_values: int = 1) -> None:
        self.network, self.sizes, self.places = network, (num_actions, num_values), places
        self.own, self.memories = local(), list[Memory]()
        self.look_up, self.keep = compile_kernel(_look_up, UNIT), compile_kernel(keep, UNIT)
        # Compiled now, not by several threads at once.
        keys, sources, answers = np.empty(0, np.uint64), np.empty(0, np.int64), self.new_answers(0)
        self.look_up(np.empty((0, 1), np.uint32), keys, sources, self.new_memory(), *answers)
        self.keep(keys, sources, answers, self.new_memory(), *answers)

    def answer(self, planes: np.ndarray, logits: np.ndarray, values: np.ndarray) -> None:
        memory, num = self.memory(), len(planes)
        words = planes.reshape(num, math.prod(planes.shape[1:])).view(np.uint32)
        keys, sources = np.empty(num, np.uint64), np.empty(num, np.int64)
        values = in_columns(values)
        new = self.look_up(words, keys, sources, memory, logits, values)
        if new:
            rows = np.flatnonzero(sources == np.arange(num))
            found = empty_answers(new, *self.sizes)
            self.network.answer(planes[rows], *found)
            self.keep(keys, sources, (found[0], in_columns(found[1])), memory, logits, values)

    def memory(self) -> Memory:
        if not hasattr(self.own, "memory"):
            self.own.memory = self.new_memory()
            self.memories.append(self.own.memory)
        memory: Memory = self.own.memory
        return memory

    def new_memory(self) -> Memory:
        keys, counts = np.zeros(self.places, np.uint64), np.zeros(2, np.int64)
        return Memory(keys, *self.new_answers(self.places), counts)

    def new_answers(self, num: int) -> tuple[np.ndarray, np.ndarray]:
        logits, values = empty_answers(num, *self.sizes)
        return logits, in_columns(values)

    @property
    def counts(self) -> tuple[int, int]:
        """Positions that were asked for, and those that the network was, on all threads."""
        asked, new = np.sum([memory.counts for memory in self.memories], axis=0) if self.memories else (0, 0)
        return int(asked), int(new)


def _look_up(words: Any, keys: Any, sources: Any, memory: Any, logits: Any, values: Any) -> int:
    """Kernel: write what is remembered; how many rows are new. A row's source is the first row with the same input."""
    new = 0
    for row in range(len(keys)):
        key = _hash_words(words[row])
        place = _place_of(key, memory)
        keys[row], sources[row] = key, REMEMBERED
        if memory.keys[place] == key:
            copy(memory.logits[place], logits[row])
            copy(memory.values[place], values[row])
            continue
        sources[row] = row
        for before in range(row):
            if keys[before] == key:
                sources[row] = sources[before]
                break
        new += sources[row] == row
    memory.counts[0] += len(keys)
    memory.counts[1] += new
    return new


def keep(keys: Any, sources: Any, answers: Any, memory: Any, logits: Any, values: Any) -> None:
    """Kernel: write the answers to new rows, and remember them."""
    number = 0
    for row in range(len(keys)):
        if sources[row] == row:
            place = _place_of(keys[row], memory)
            copy(answers[0][number], logits[row])
            copy(answers[0][number], memory.logits[place])
            memory.keys[place] = keys[row]
            copy(answers[1][number], values[row])
            copy(answers[1][number], memory.values[place])
            number += 1
        elif sources[row] != REMEMBERED:
            copy(logits[sources[row]], logits[row])
            copy(values[sources[row]], values[row])


def _hash_words(words: Any) -> Any:
    key = START
    for index in range(len(words)):
        key = (key ^ U(words[index])) * START
        key ^= key >> U(32)
    return scramble(key) | U(1)


def _place_of(key: Any, memory: Any) -> Any:
    return np.int64((key >> U(1)) & U(len(memory.keys) - 1))


def copy(source: Any, target: Any) -> None:
    for index in range(len(source)):
        target[index] = source[index]


def empty_answers(num: int, num_actions: int, num_values: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Room for the logits and values of so many positions; several values have a dimension of their own."""
    values = np.empty(num if num_values == 1 else (num, num_values), np.float32)
    return np.empty((num, num_actions), np.float32), values


def in_columns(values: np.ndarray) -> np.ndarray:
    """The same memory as [positions, values]."""
    return values if values.ndim == 2 else values[:, None]
