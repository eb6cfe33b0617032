"""Random streams that give the same numbers interpreted, on the CPU and on the GPU.

A stream is a record of two words, seeded from (seed, stream number), so that game number 17 draws
the same numbers on any thread or device. The generator is xoroshiro128++ (Blackman and Vigna 2019),
seeded by SplitMix64.
"""

import numpy as np

from anyzero.core.base.nouns import Stream, Streams, Word
from anyzero.core.base.structs import struct_of

U = np.uint64
STREAM = struct_of([("low", np.uint64), ("high", np.uint64)])


def scramble(word: Word) -> Word:
    """A bijection of words that makes neighbours look unrelated (the output step of SplitMix64)."""
    word = (word ^ (word >> U(30))) * U(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> U(27))) * U(0x94D049BB133111EB)
    return word ^ (word >> U(31))


def seed_stream(stream: Stream, seed: int, number: int) -> None:
    """Start stream `number` of `seed`."""
    word = scramble(U(seed) + U(0x9E3779B97F4A7C15)) + U(number) * U(0xD1342543DE82EF95)
    stream.low = scramble(word + U(0x9E3779B97F4A7C15))
    stream.high = scramble(word + U(0x3C6EF372FE94F82A)) | U(
        1
    )  # two zero words would stay zero forever


def next_word(stream: Stream) -> Word:
    """64 random bits."""
    low, high = stream.low, stream.high
    total = low + high
    word = ((total << U(17)) | (total >> U(47))) + low
    high ^= low
    stream.low = ((low << U(49)) | (low >> U(15))) ^ high ^ (high << U(21))
    stream.high = (high << U(28)) | (high >> U(36))
    return word


def random_below(stream: Stream, count: int) -> int:
    """A number in 0..count-1, uniform up to count / 2**32."""
    return np.int64(((next_word(stream) >> U(32)) * U(count)) >> U(32))  # type: ignore[return-value]


def random_unit(stream: Stream) -> float:
    """A number in [0, 1) with 53 random bits."""
    return float(next_word(stream) >> U(11)) * (1.0 / 9007199254740992.0)


def make_streams(seed: int, num: int, first: int = 0) -> Streams:
    """Streams `first` to `first + num - 1` of `seed`, as an array of records."""
    return numbered_streams(seed, np.arange(first, first + num, dtype=np.uint64))


def numbered_streams(seed: int, numbers: np.ndarray) -> Streams:
    """The streams of `seed` with these numbers, as an array of records."""
    streams = np.zeros(len(numbers), STREAM)
    with np.errstate(over="ignore"):
        seed_stream(streams.view(np.recarray), seed % 2**64, numbers)  # type: ignore[arg-type]
    return streams
