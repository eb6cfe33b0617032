"""The table of a proof search: what is known of positions seen before, in memory that never grows.

An entry is two words: the position's key, and everything known of it. Four entries make a bucket, one cache line. Where
a bucket stands follows from a second hash of the position, so that two positions are taken for one only if both agree.
"""

from typing import Any, NamedTuple

import numpy as np

from anyzero.compile.bits import leading_bit, record_word, record_words
from anyzero.compile.random import U, scramble

ENTRIES = 4
"""A bucket holds this many; a new one takes the place of the one that cost least to find."""
ENTRY_BYTES = 16
BUCKET_BYTES = ENTRY_BYTES * ENTRIES
MOST = (1 << 24) - 1
"""A proof or disproof number that means never; numbers that would be larger stay one below it."""


class Table(NamedTuple):
    words: np.ndarray
    """[buckets, 2 * ENTRIES]: keys and contents in turn; a content of 0 is an empty entry."""


def new_table(megabytes: float) -> Table:
    """An empty table that begins on a cache line. Untouched memory costs nothing."""
    buckets = max(1, int(megabytes * 2**20) // BUCKET_BYTES)
    words = np.zeros((buckets + 1) * 2 * ENTRIES, np.uint64)
    start = -words.ctypes.data % BUCKET_BYTES // 8
    return Table(words[start : start + buckets * 2 * ENTRIES].reshape(buckets, 2 * ENTRIES))


def position_key(state: Any) -> tuple[Any, Any]:
    """Two hashes of all the bytes of a state.

    Not `state_key`: that may leave out what a search of values must not, as chess leaves out its history.
    """
    key, place = U(0), U(0x9E3779B97F4A7C15)
    for index in range(record_words(state)):
        word = record_word(state, index)
        key = scramble(key ^ word) + U(0x9E3779B97F4A7C15)
        place = (place ^ word) * U(0xD1342543DE82EF95)
        place ^= place >> U(32)
    return key, place


def bucket_of(table: Table, place: Any) -> int:
    return np.int64((place >> U(32)) * U(len(table.words)) >> U(32))  # type: ignore[return-value]


def find(table: Table, key: Any, place: Any) -> Any:
    """The content of the position's entry, or 0."""
    bucket = bucket_of(table, place)
    for entry in range(0, 2 * ENTRIES, 2):
        if table.words[bucket, entry] == key:
            return table.words[bucket, entry + 1]
    return U(0)


def put(table: Table, key: Any, place: Any, content: Any) -> None:
    """Write an entry over the position's old one, or over the one with the least work."""
    bucket, victim, least = bucket_of(table, place), 0, ~U(0)
    for entry in range(0, 2 * ENTRIES, 2):
        old = table.words[bucket, entry + 1]
        if table.words[bucket, entry] == key and old != U(0):
            victim = entry
            break
        if old < least:  # the work stands in the highest bits
            victim, least = entry, old
    table.words[bucket, victim] = key
    table.words[bucket, victim + 1] = content


# --- a content: from the highest bits down, work 10, goal + 1 2 (never 0), high + 1 2, low + 1 2, disproof 24, proof 24


def pack(low: int, high: int, proof: int, disproof: int, goal: int, work: int) -> Any:
    """Bounds of the first seat's payoff, the numbers of the question `goal`, and the nodes that it took."""
    bounds = U((goal + 1) << 4 | (high + 1) << 2 | (low + 1)) << U(48)
    return U(work_rank(U(work))) << U(54) | bounds | U(disproof) << U(24) | U(proof)


def work_rank(work: Any) -> int:
    """A number of nodes in 10 bits: 16 steps from one power of two to the next."""
    power = leading_bit(work | U(1))
    return power << 4 | np.int64((work << U(4) >> U(power)) & U(15))  # type: ignore[return-value]


def low_of(content: Any) -> int:
    return np.int64(content >> U(48) & U(3)) - 1  # type: ignore[return-value]


def high_of(content: Any) -> int:
    return np.int64(content >> U(50) & U(3)) - 1  # type: ignore[return-value]


def goal_of(content: Any) -> int:
    return np.int64(content >> U(52) & U(3)) - 1  # type: ignore[return-value]


def proof_of(content: Any) -> int:
    return np.int64(content & U(MOST))  # type: ignore[return-value]


def disproof_of(content: Any) -> int:
    return np.int64(content >> U(24) & U(MOST))  # type: ignore[return-value]
