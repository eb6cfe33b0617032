"""WebAssembly: the same numbers as in plain Python, from modules that need no linker."""

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyzero.core.base.errors import AnyzeroError
from anyzero.core.compile import Unit, bits, compile_kernel
from anyzero.extras.browser.ahead import any_like_this, new_library, portable_nth_bit
from anyzero.extras.browser.wasm import Reader, build
from anyzero.extras.browser.wasm_memory import MemoryPlan

UNIT = Unit("wasm_test", {}, (__name__,))
POINT = np.dtype((np.record, [("x", np.float32), ("count", np.int64), ("cells", np.int8, 3)]))


class Tables(NamedTuple):
    weights: np.ndarray
    shift: int
    scale: float


def mix(tables, rows, points, flag, narrow, word):
    """Arguments of every kind: tuples, arrays of two dimensions, records, booleans, short and long
    numbers.
    """
    total = 0.0
    for row in range(rows.shape[0]):
        for column in range(rows.shape[1]):
            rows[row, column] += tables.weights[column] * (1 if flag else -1)
            total += rows[row, column]
    points[1].count = points[0].count + tables.shift + narrow
    points[1].cells[2] = -7
    points[1].x = math.log(points[0].x) * tables.scale
    return total + float(word >> np.uint64(60))


def fail_on_negative(number):
    if number < 0:
        raise ValueError("negative")
    return number + 1


def arguments():
    points = np.zeros(2, POINT)
    points[0] = (2.5, 1 << 40, (1, 2, 3))
    tables = Tables(np.array([0.5, 0.25, 2.0], np.float32), -3, 1.5)
    return tables, np.arange(6.0).reshape(2, 3), points, True, np.int32(-5), np.uint64(2**64 - 1)


@pytest.fixture
def wasmtime():
    return pytest.importorskip("wasmtime")


def test_a_kernel_takes_arguments_of_every_kind(wasmtime):
    ours, theirs = arguments(), arguments()
    assert compile_kernel(mix, UNIT, "wasm")(*ours) == compile_kernel(mix, UNIT, "interpreted")(
        *theirs
    )
    for one, other in zip(ours[1:3], theirs[1:3], strict=True):
        assert one.tobytes() == other.tobytes()


def test_an_error_in_a_kernel_is_an_error_outside(wasmtime):
    kernel = compile_kernel(fail_on_negative, UNIT, "wasm")
    assert kernel(4) == 5
    with pytest.raises(AnyzeroError, match="fail_on_negative"):
        kernel(-1)


def test_several_kernels_share_a_module_and_its_memory():
    kernels = [compile_kernel(function, UNIT, "wasm") for function in (mix, fail_on_negative)]
    given = arguments(), (3,)
    module = build([kernel.entry(*values) for kernel, values in zip(kernels, given, strict=True)])
    assert list(module.results) == ["mix", "fail_on_negative"]
    plan = MemoryPlan(module.data_end)
    for kernel, values in zip(kernels, given, strict=True):
        plan.call(kernel.name, kernel.parameters, values)
    described = plan.describe()
    assert described["arrays"]["points"]["kind"]["fields"]["cells"] == ("|i1", 12, [3])
    assert set(described["frames"]) == {"mix", "fail_on_negative"}
    assert described["slots"]["fail_on_negative.number"][1] == "<i8"
    ends = sorted(
        (region.address, region.address + region.array.nbytes) for region in plan.regions.values()
    )
    assert all(end <= start for (_, end), (start, _) in pairwise(ends))
    assert module.data_end < described["stack"] <= ends[0][0]


def test_an_object_has_no_names_that_differ_from_run_to_run():
    """Numba's do: they have counters, and hashes that each process has its own of."""
    library = new_library(any_like_this())
    library.add_text("""
        define i64 @_ZN6squareB2v5(i64 %x) noinline { %y = mul i64 %x, %x ret i64 %y }
        define i64 @asked(i64 %x) { %y = call i64 @_ZN6squareB2v5(i64 %x) ret i64 %y }
    """)
    content = library.emit(["asked"])
    assert [name in content for name in (b"asked", b"own.", b"_ZN")] == [True, True, False]


@given(st.integers(1, 2**64 - 1), st.integers(0, 63))
def test_a_bit_is_found_without_a_branch(word, index):
    index %= word.bit_count()
    with np.errstate(over="ignore"):
        assert portable_nth_bit(np.uint64(word), index) == bits.nth_bit(np.uint64(word), index)


def test_numbers_of_a_module_are_read():
    assert Reader(b"\xe5\x8e\x26").number() == 624_485  # the example of the DWARF standard
    assert Reader(b"\x7f").number(signed=True) == -1
