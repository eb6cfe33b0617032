"""The solver's table: what was found out about positions, and how much work it took.

Its entries stand in buckets of one cache line.
"""

from typing import NamedTuple

import numpy as np

from anyzero.core.base.nouns import State, Word
from anyzero.core.compile.bits import leading_bit, record_word, record_words
from anyzero.core.compile.random import U, scramble

INLINED = True  # these functions are compiled into their callers: see compile.kernels

ENTRIES = 4  # per bucket; a new entry replaces the one that took the least work
ENTRY_BYTES = 16
BUCKET_BYTES = ENTRY_BYTES * ENTRIES
MOST = (
    1 << 24
) - 1  # infinity for proof and disproof numbers; larger finite numbers are capped one below it


class ProofTable(NamedTuple):
    words: (
        np.ndarray
    )  # [buckets, 2 * ENTRIES]: keys and contents alternating; content 0 is an empty entry


def new_table(megabytes: float) -> ProofTable:
    """An empty table aligned to a cache line. Untouched memory costs nothing."""
    buckets = max(1, int(megabytes * 2**20) // BUCKET_BYTES)
    words = np.zeros((buckets + 1) * 2 * ENTRIES, np.uint64)
    start = -words.ctypes.data % BUCKET_BYTES // 8
    return ProofTable(words[start : start + buckets * 2 * ENTRIES].reshape(buckets, 2 * ENTRIES))


def position_key(state: State) -> tuple[Word, Word]:
    """Two hashes over all bytes of a state.

    Not `state_key`: that may omit what an exact search needs, as chess omits its history.
    """
    key = U(0)
    place = U(0x9E3779B97F4A7C15)
    for index in range(record_words(state)):
        word = record_word(state, index)
        key = scramble(key ^ word) + U(0x9E3779B97F4A7C15)
        place = (place ^ word) * U(0xD1342543DE82EF95)
        place ^= place >> U(32)
    return key, place


def bucket_of(table: ProofTable, place: Word) -> int:
    return np.int64((place >> U(32)) * U(len(table.words)) >> U(32))  # type: ignore[return-value]


def find_content(table: ProofTable, key: Word, place: Word) -> Word:
    bucket = bucket_of(table, place)
    for entry in range(0, 2 * ENTRIES, 2):
        if table.words[bucket, entry] == key:
            return table.words[bucket, entry + 1]
    return U(0)


def put_content(table: ProofTable, key: Word, place: Word, content: Word) -> None:
    """Overwrite the position's old entry, or the one with the least work."""
    bucket = bucket_of(table, place)
    victim = 0
    least = ~U(0)
    for entry in range(0, 2 * ENTRIES, 2):
        old = table.words[bucket, entry + 1]
        if table.words[bucket, entry] == key and old != U(0):
            victim = entry
            break
        if old < least:  # the work is in the highest bits
            victim = entry
            least = old
    table.words[bucket, victim] = key
    table.words[bucket, victim + 1] = content


# --- a content: from the highest bits down, work 10, goal + 1 2 (never 0), high + 1 2, low + 1 2,
# disproof 24, proof 24


def pack_content(low: int, high: int, proof: int, disproof: int, goal: int, work: int) -> Word:
    """Bounds of the first seat's payoff, the numbers for the question `goal`, and the nodes
    spent.
    """
    bounds = U((goal + 1) << 4 | (high + 1) << 2 | (low + 1)) << U(48)
    return U(work_rank(U(work))) << U(54) | bounds | U(disproof) << U(24) | U(proof)


def work_rank(work: Word) -> int:
    """A number of nodes in 10 bits: 16 steps per power of two."""
    power = leading_bit(work | U(1))
    return power << 4 | np.int64((work << U(4) >> U(power)) & U(15))  # type: ignore[return-value]


def low_of(content: Word) -> int:
    return np.int64(content >> U(48) & U(3)) - 1  # type: ignore[return-value]


def high_of(content: Word) -> int:
    return np.int64(content >> U(50) & U(3)) - 1  # type: ignore[return-value]


def goal_of(content: Word) -> int:
    return np.int64(content >> U(52) & U(3)) - 1  # type: ignore[return-value]


def proof_of(content: Word) -> int:
    return np.int64(content & U(MOST))  # type: ignore[return-value]


def disproof_of(content: Word) -> int:
    return np.int64(content >> U(24) & U(MOST))  # type: ignore[return-value]
