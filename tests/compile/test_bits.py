"""Intrinsics: the compiled instruction and the plain function agree."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anyzero.compile import Unit, compile_kernel
from anyzero.compile.bits import count_bits, leading_bit, record_word, record_words, trailing_zeros

UNIT = Unit("bits", {}, (__name__,))
RECORD = np.dtype((np.record, [("a", np.int64), ("b", np.uint8, 16)]))


def ask(word, out):
    out[0], out[1], out[2] = trailing_zeros(word), leading_bit(word), count_bits(word)


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
