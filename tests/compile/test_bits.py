"""Intrinsics: the compiled instruction and the plain function agree."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anyzero.core.compile import Unit, compile_kernel, cpu
from anyzero.core.compile.bits import (
    count_bits,
    leading_bit,
    nth_bit,
    record_word,
    record_words,
    trailing_zeros,
)

UNIT = Unit("bits", {}, (__name__,))
RECORD = np.dtype((np.record, [("a", np.int64), ("b", np.uint8, 16)]))


def ask(word, out):
    out[0], out[1], out[2] = trailing_zeros(word), leading_bit(word), count_bits(word)


def split(word, out):
    for index in range(count_bits(word)):
        out[index] = nth_bit(word, index)


def read(records, out):
    for index in range(record_words(records[0])):
        out[index] = record_word(records[0], index)
    return record_words(records[0])


@given(st.integers(1, 2**64 - 1))
def test_bit_counts_agree_with_python(word):
    for target in ("cpu", "interpreted"):
        out = np.zeros(3, np.int64)
        compile_kernel(ask, UNIT, target)(np.uint64(word), out)
        text = f"{word:b}"
        assert out.tolist() == [len(text) - len(text.rstrip("0")), len(text) - 1, text.count("1")]


@given(st.integers(0, 2**64 - 1))
def test_a_word_is_split_into_its_set_bits(word):
    bits = [1 << index for index in range(64) if word >> index & 1]
    for target in ("cpu", "interpreted"):
        out = np.zeros(64, np.uint64)
        compile_kernel(split, UNIT, target)(np.uint64(word), out)
        assert out.tolist() == bits + [0] * (64 - len(bits))


def test_a_processor_without_the_instruction_splits_words_as_well(monkeypatch):
    monkeypatch.setattr(cpu, "deposits_bits_fast", lambda context: False)
    out = np.zeros(64, np.uint64)
    compile_kernel(split, Unit("plain_bits", {}, (__name__,)), "cpu")(
        np.uint64(2**63 + 2**40 + 5), out
    )
    assert out[:5].tolist() == [1, 4, 2**40, 2**63, 0]


def test_narrow_words_are_read_as_unsigned():
    out = np.zeros(3, np.int64)
    compile_kernel(ask, UNIT, "cpu")(np.uint16(0x8000), out)
    assert out.tolist() == [15, 15, 1]


def test_a_record_is_read_word_by_word():
    records = np.zeros(1, RECORD)
    records[0].a, records[0].b[9] = -2, 1
    for target in ("cpu", "interpreted"):
        out = np.zeros(3, np.uint64)
        assert compile_kernel(read, UNIT, target)(records, out) == 3
        assert out.tolist() == [2**64 - 2, 0, 256]
