"""Work on many numbers at once, for loops that the compiler does not turn into vector code by itself.

The bodies below are what runs interpreted and on a GPU; `cpu_vectors.py` holds the CPU's version.
"""

from typing import Any

import numpy as np

from anyzero.compile.random import U

MOST_COUNT = np.float32(16_000_000)
"""Counting ends here: from 2**24 on a float32 cannot count by ones."""
SMALL_SET_WORDS = 8
"""A set of up to so many words fits into one vector; it is padded to that."""


def best_index(scores: Any, count: int) -> int:
    """The index of the greatest of the first `count` float32 numbers, the first one of equals; none is NaN."""
    best = 0
    for index in range(1, count):
        if scores[index] > scores[best]:
            best = index
    return best


def count_members(keys: Any, members: Any, counts: Any, sums: Any, amount: Any, num: int) -> None:
    """For each of the first `num` keys that is in the set `members`: add 1 to its count and `amount` to its sum."""
    for index in range(num):  # without a branch: which keys are members cannot be foreseen
        key = U(keys[index])
        member = np.float32((members[key >> U(6)] >> (key & U(63))) & U(1))
        counted = member if counts[index] < MOST_COUNT else np.float32(0.0)
        counts[index] += counted
        sums[index] += amount * counted


def count_small_set(keys: Any, members: Any, counts: Any, sums: Any, amount: Any, num: int) -> None:
    """`count_members` for a set of SMALL_SET_WORDS words."""
    count_members(keys, members, counts, sums, amount, num)
