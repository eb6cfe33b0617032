"""Bit tricks and raw access that compile to single instructions; these bodies are what runs interpreted.

`cpu.py` and `gpu.py` hold the machine's own version of each. Words are `numpy.uint64` throughout: mixing them with
signed integers turns both into floats.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

Word = Any  # a numpy.uint64; Any, because compiled functions are not checked for integer widths


def trailing_zeros(word: Word) -> int:
    """Index of the lowest set bit of a word that is not zero."""
    value = int(word)
    return (value & -value).bit_length() - 1


def leading_bit(word: Word) -> int:
    """Index of the highest set bit of a word that is not zero."""
    return int(word).bit_length() - 1


def count_bits(word: Word) -> int:
    """How many bits of the word are set."""
    return int(word).bit_count()


def nth_bit(word: Word, index: int) -> Word:
    """The word with only its set bit number `index` left, counted from 0 at the low end."""
    one = np.uint64(1)
    for _ in range(index):
        word &= word - one
    return word & (~word + one)


def record_dtype(fields: Sequence[Any]) -> np.dtype[Any]:
    """A record of these fields, aligned, and padded to whole words.

    The padding is made of fields too: NumPy does not copy bytes that belong to none.
    """
    aligned = np.dtype(list(fields), align=True)
    offsets: Any = aligned.fields
    parts: list[Any] = []
    end = 0
    for name in aligned.names or ():
        form, offset = offsets[name][:2]
        parts += [*padding(end, offset), (name, form)]
        end = offset + form.itemsize
    return np.dtype((np.record, np.dtype([*parts, *padding(end, -(-end // 8) * 8)], align=True)))


def padding(start: int, end: int) -> list[Any]:
    """A field for the bytes from `start` to `end`, if there are any."""
    return [(f"unused_{start}", np.uint8, end - start)] if end > start else []


def record_words(record: Any) -> int:
    """How many 64-bit words the record's bytes make."""
    return int(record.nbytes) // 8


def record_word(record: Any, index: int) -> Word:
    """The record's bytes from 8 * index to 8 * index + 7, as one word."""
    return np.frombuffer(record.tobytes(), np.uint64)[index]


def by_pointer(parts: Any) -> Any:
    """A NamedTuple as a kernel hands it on to its functions: on the CPU, where it stands (see `bundle`)."""
    return parts
