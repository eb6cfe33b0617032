"""Random streams: the published generator, the same on every target."""

import numpy as np

from anyzero.core.compile import Unit, compile_kernel
from anyzero.core.compile.random import (
    STREAM,
    U,
    make_streams,
    next_word,
    random_below,
    random_unit,
    seed_stream,
)

UNIT = Unit("streams", {}, (__name__,))
MASK = 2**64 - 1


def draw(streams, seed, number, words, below, units):
    seed_stream(streams[0], seed, number)
    for index in range(len(words)):
        words[index] = next_word(streams[0])
        below[index] = random_below(streams[0], 7)
        units[index] = random_unit(streams[0])


def drawn(target, number=5, seed=11, num=200):
    out = np.zeros(num, np.uint64), np.zeros(num, np.int64), np.zeros(num)
    compile_kernel(draw, UNIT, target)(np.zeros(1, STREAM), U(seed), number, *out)
    return out


def rotate(word, by):
    return (word << by | word >> (64 - by)) & MASK


def reference(low, high):
    """xoroshiro128++ over Python's integers, from its description by Blackman and Vigna (2019)."""
    while True:
        yield (rotate((low + high) & MASK, 17) + low) & MASK
        high ^= low
        low, high = rotate(low, 49) ^ high ^ (high << 21 & MASK), rotate(high, 28)


def test_the_words_are_those_of_the_published_generator():
    streams = make_streams(seed=1, num=1)
    expected = reference(int(streams[0].low), int(streams[0].high))
    with np.errstate(over="ignore"):
        assert [int(next_word(streams[0])) for _ in range(50)] == [
            next(expected) for _ in range(50)
        ]


def test_compiled_and_interpreted_streams_are_equal():
    for plain, compiled in zip(drawn("interpreted"), drawn("cpu"), strict=True):
        assert np.array_equal(plain, compiled)


def test_streams_and_seeds_are_told_apart():
    first = {int(drawn("cpu", number, seed)[0][0]) for number in range(20) for seed in range(20)}
    assert len(first) == 400


def test_a_slice_of_streams_equals_the_streams_made_alone():
    assert make_streams(3, 10)[4:7].tobytes() == make_streams(3, 3, first=4).tobytes()


def test_numbers_below_a_bound_are_uniform():
    """Chi-square over 7 bins of 70,000 draws: above 40.5 (6 degrees) has a chance under 4e-7; sees
    a bias of 2 %.
    """
    _, below, units = drawn("cpu", num=70_000)
    counts = np.bincount(below, minlength=7)
    assert len(counts) == 7
    assert ((counts - 10_000) ** 2 / 10_000).sum() < 40.5
    assert 0.0 <= units.min() < 0.001
    assert 0.999 < units.max() < 1.0
