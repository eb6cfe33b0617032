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
    """A network that writes its answers into arrays: logits [positions, actions] and expected payoffs [positions]."""

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

    def __init__(self, network: Answering, num_actions: int, places: int) -> None:
        self.network, self.num_actions, self.places = network, num_actions, places
        self.own, self.memories = local(), list[Memory]()
        self.look_up, self.keep = compile_kernel(_look_up, UNIT), compile_kernel(keep, UNIT)
        # Compiled now, not by several threads at once.
        keys, sources, answers = np.empty(0, np.uint64), np.empty(0, np.int64), empty_answers(0, num_actions)
        self.look_up(np.empty((0, 1), np.uint32), keys, sources, self.new_memory(), *answers)
        self.keep(keys, sources, answers, self.new_memory(), *answers)

    def answer(self, planes: np.ndarray, logits: np.ndarray, values: np.ndarray) -> None:
        memory, num = self.memory(), len(planes)
        words = planes.reshape(num, math.prod(planes.shape[1:])).view(np.uint32)
        keys, sources = np.empty(num, np.uint64), np.empty(num, np.int64)
        new = self.look_up(words, keys, sources, memory, logits, values)
        if new:
            rows = np.flatnonzero(sources == np.arange(num))
            answers = empty_answers(new, self.num_actions)
            self.network.answer(planes[rows], *answers)
            self.keep(keys, sources, answers, memory, logits, values)

    def memory(self) -> Memory:
        """This thread's own."""
        if not hasattr(self.own, "memory"):
            self.own.memory = self.new_memory()
            self.memories.append(self.own.memory)
        memory: Memory = self.own.memory
        return memory

    def new_memory(self) -> Memory:
        keys, counts = np.zeros(self.places, np.uint64), np.zeros(2, np.int64)
        return Memory(keys, *empty_answers(self.places, self.num_actions), counts)

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
            values[row] = memory.values[place]
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
            values[row] = memory.values[place] = answers[1][number]
            number += 1
        elif sources[row] != REMEMBERED:
            copy(logits[sources[row]], logits[row])
            values[row] = values[sources[row]]


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


def empty_answers(num: int, num_actions: int) -> tuple[np.ndarray, np.ndarray]:
    """Room for the logits and values of so many positions."""
    return np.empty((num, num_actions), np.float32), np.empty(num, np.float32)
