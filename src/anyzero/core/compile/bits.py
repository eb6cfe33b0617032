"""Bit tricks and raw access that compile to single instructions; the bodies here are the
interpreted versions.

`cpu.py` and `gpu.py` hold each machine's own version. Words are `numpy.uint64` throughout: mixing
them with signed integers turns both into floats.
"""

import numpy as np

from anyzero.core.base.nouns import Arrays, Number, Numbers, Record, Word, Words
from anyzero.core.compile.random import U


def trailing_zeros(word: Word) -> int:
    """Index of the lowest set bit of a nonzero word."""
    value = int(word)
    return (value & -value).bit_length() - 1


def leading_bit(word: Word) -> int:
    """Index of the highest set bit of a nonzero word."""
    return int(word).bit_length() - 1


def count_bits(word: Word) -> int:
    return int(word).bit_count()


def nth_bit(word: Word, index: int) -> Word:
    """The word with only its set bit number `index` left, counted from 0 at the low end."""
    low_bit = np.uint64(1)
    for _ in range(index):
        word &= word - low_bit
    return word & (~word + low_bit)


def record_words(record: Record) -> int:
    return int(record.nbytes) // 8


def record_word(record: Record, index: int) -> Word:
    """The record's bytes from 8 * index to 8 * index + 7, as one word."""
    return np.frombuffer(record.tobytes(), np.uint64)[index]


def same_records(first: Record, second: Record) -> bool:
    """Whether both have the same bytes."""
    same = True
    for index in range(record_words(first)):
        same = same and record_word(first, index) == record_word(second, index)
    return same


def by_pointer(parts: Arrays) -> Arrays:
    """A NamedTuple as a kernel passes it to its functions: on the CPU, by pointer (see
    `bundle`).
    """
    return parts


# --- vectors


MOST_COUNT = np.float32(
    16_000_000
)  # counting ends here: from 2**24 on a float32 cannot count by ones
SMALL_SET_WORDS = 8  # a set of up to this many words, to which it is padded, fits into one vector


def best_index(scores: Numbers, count: int) -> int:
    """The index of the maximum of the first `count` float32 numbers, the first among equals; none
    is NaN.
    """
    best = 0
    for index in range(1, count):
        if scores[index] > scores[best]:
            best = index
    return best


def count_members(
    keys: Words, members: Words, counts: Numbers, sums: Numbers, amount: Number, num: int
) -> None:
    """For each of the first `num` keys that is in the set `members`: add 1 to its count and
    `amount` to its sum.
    """
    for index in range(num):  # branchless: membership is unpredictable
        key = U(keys[index])
        member = np.float32((members[key >> U(6)] >> (key & U(63))) & U(1))
        counted = member if counts[index] < MOST_COUNT else np.float32(0.0)
        counts[index] += counted
        sums[index] += amount * counted


def count_small_set(
    keys: Words, members: Words, counts: Numbers, sums: Numbers, amount: Number, num: int
) -> None:
    """`count_members` for a set of SMALL_SET_WORDS words."""
    count_members(keys, members, counts, sums, amount, num)
