"""Binding: generic names are replaced all the way down, and nothing is registered anywhere."""

import pytest

from anyzero.core.compile.bind import bind, global_names


def generic(x):
    raise NotImplementedError


def helper(x):
    return generic(x) + 1


def kernel(x):
    return helper(x) * 10


def countdown(x):
    return 0 if x == 0 else generic(x) + countdown(x - 1)


def double(x):
    return 2 * x


def triple(x):
    return 3 * x


def plain(function):
    return function


def test_a_callee_of_a_callee_is_replaced():
    assert bind(kernel, {generic: double}, plain)(4) == 90


def test_two_bindings_of_one_kernel_live_side_by_side():
    first, second = (bind(kernel, {generic: chosen}, plain) for chosen in (double, triple))
    assert (first(4), second(4)) == (90, 130)
    with pytest.raises(NotImplementedError):
        kernel(4)


def test_recursion_calls_the_bound_function():
    assert bind(countdown, {generic: double}, plain)(3) == 12


def test_each_function_is_wrapped_once():
    wrapped = []
    bind(kernel, {generic: double}, lambda function: wrapped.append(function.__name__) or function)
    assert wrapped == ["kernel", "helper", "double"]


def test_a_closure_is_refused_with_its_name():
    def make():
        offset = 3
        return lambda x: x + offset

    with pytest.raises(TypeError, match="module level"):
        bind(make(), {}, plain)


def test_a_field_is_not_looked_up_in_the_globals():
    def read(rules):
        return rules.board + len(rules.cells) + sum(abs(cell) for cell in rules.cells)

    assert set(global_names(read.__code__)) == {"len", "sum", "abs"}
