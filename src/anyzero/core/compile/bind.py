"""Rebuild a plain function with its callees filled in, so that one source becomes code for any game
and target.

A kernel calls `legal_actions(rules, state, actions)` without knowing the game. `bind` makes a copy
of the kernel whose globals name the game's own function instead, and does the same to everything
that function calls. There is no registry: two games, or two versions of one game, can coexist in
one process.
"""

import dis
from collections.abc import Callable, Mapping
from functools import cache, update_wrapper
from types import CodeType, FunctionType
from typing import Any

from anyzero.core.base.nouns import Values

Function = Callable[..., Any]


def bind(
    function: Function,
    replace: Mapping[Function, Function],
    wrap: Callable[[FunctionType], Function],
    bound: dict[Function, Function] | None = None,
) -> Function:
    """A copy of `function`, wrapped for a target, that calls `replace[callee]` in place of
    `callee`.

    A replacement that is itself a plain function is bound too; any other callable is used as is.
    """
    bound = {} if bound is None else bound
    if function in bound:
        return bound[function]
    member = replace.get(function, function)
    if not isinstance(member, FunctionType):
        bound[function] = member
        return member
    names: Values = dict(member.__globals__)
    bound[function] = bound[member] = wrap(over_globals(member, names))
    for name in global_names(member.__code__):
        callee = names.get(name)
        if isinstance(callee, FunctionType):
            names[name] = bind(callee, replace, wrap, bound)
    return bound[function]


def over_globals(function: FunctionType, names: Values) -> FunctionType:
    """The same code over other globals. Functions with closures are refused: one source must serve
    all targets.
    """
    if function.__closure__:
        raise TypeError(
            f"{function.__qualname__} uses names of an enclosing function; define it at "
            "module level"
        )
    copy = FunctionType(function.__code__, names, function.__name__, function.__defaults__)
    copy.__kwdefaults__ = function.__kwdefaults__
    update_wrapper(copy, function)
    return copy


@cache
def global_names(code: CodeType) -> tuple[str, ...]:
    """The names that code looks up in its globals, including comprehensions; `rules.board` does not
    look up `board`.
    """
    looked_up = (
        step.argval
        for step in dis.get_instructions(code)
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")
    )
    inner = (
        name for part in code.co_consts if isinstance(part, CodeType) for name in global_names(part)
    )
    return tuple(dict.fromkeys([*looked_up, *inner]))
