"""One hash over what a kernel is compiled from: the key of the disk cache.

Numba watches only the file of the function that it compiles. A kernel also holds the code of the game, of all functions
that it calls and of the constants that they use. The hash covers exactly those, as the binding reaches them: bytecode,
constants, defaults, and the intrinsics' own code. Comments, messages elsewhere, line numbers and folders are no part of
it: an edited comment compiles nothing again, an edited rule compiles what uses it.
"""

import hashlib
from collections.abc import Callable, Mapping
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from anyzero.compile.bind import Function, global_names


class NoFingerprintError(Exception):
    """A global whose content cannot be told, so that nothing could say when it changes."""


def fingerprint(
    kernel: Function, functions: Mapping[Function, Any], constants: Mapping[str, Any], options: Callable[[Any], Any]
) -> str:
    """The hash of a kernel bound with `functions`; `constants` stand in for globals of its own module.

    `options` says of each function how it is compiled.
    """
    own = functions.get(kernel, kernel)
    walk = _Walk(functions, own.__module__, constants, options)
    walk.function(own)
    return walk.digest.hexdigest()


class _Walk:
    """A walk over all that a function reaches, each function once."""

    def __init__(
        self,
        functions: Mapping[Function, Any],
        module: str,
        constants: Mapping[str, Any],
        options: Callable[[Any], Any],
    ) -> None:
        self.functions, self.module, self.constants, self.options = functions, module, constants, options
        self.digest = hashlib.sha256()
        self.numbers: dict[Any, int] = {}

    def add(self, *parts: object) -> None:
        self.digest.update(repr(parts).encode(errors="surrogatepass") + b"\0")

    def is_new(self, value: Any) -> bool:
        """Whether this is met for the first time; its number says afterwards which one it is."""
        is_new = value not in self.numbers
        self.add(self.numbers.setdefault(value, len(self.numbers)))
        return is_new

    def function(self, function: FunctionType) -> None:
        if not self.is_new(function):
            return
        code = function.__code__
        self.add(function.__name__)
        self.value(self.options(function))
        self.code(code, function.__doc__)
        for value in (function.__defaults__, function.__kwdefaults__):
            self.value(value)
        for cell in function.__closure__ or ():
            self.value(cell.cell_contents)
        filled = self.constants if function.__module__ == self.module else {}
        names = {**function.__globals__, **filled}
        for name in dict.fromkeys(global_names(code)):
            if name in names:
                self.add(name)
                self.value(names[name], attributes=code)

    def code(self, code: CodeType, docstring: str | None = None) -> None:
        """The instructions and what they hold, without the docstring and the places in the file."""
        kinds = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
        self.add(*kinds, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
        self.add(code.co_code, code.co_exceptiontable)
        for index, constant in enumerate(code.co_consts):
            if isinstance(constant, CodeType):
                self.code(constant)
            elif index > 0 or constant != docstring:
                self.value(constant)

    def value(self, value: Any, attributes: CodeType | None = None) -> None:
        """A global or a constant; of a module of ours only what the code may look up in it."""
        value = self.functions.get(value, value) if isinstance(value, FunctionType) else value
        if isinstance(value, FunctionType):
            self.function(value)
        elif isinstance(value, ModuleType):
            self.add("module", value.__name__)
            if attributes is not None and not _is_of_others(value.__name__):
                for name in dict.fromkeys(global_names(attributes)):
                    if isinstance(found := getattr(value, name, None), FunctionType | int | float | tuple):
                        self.add(name)
                        self.value(found)
        elif isinstance(value, type):
            self.type(value)
        elif (definition := getattr(value, "_defn", None)) is not None:  # an intrinsic of Numba's
            self.function(definition)
        else:
            self.content(value)

    def type(self, kind: type) -> None:
        self.add("type", kind.__module__, kind.__qualname__, getattr(kind, "_fields", None))
        if not _is_of_others(kind.__module__) and not hasattr(kind, "_fields") and self.is_new(kind):
            for member in vars(kind).values():
                if isinstance(member, FunctionType):
                    self.function(member)

    def content(self, value: Any) -> None:
        if isinstance(value, np.ndarray):
            self.add("array", value.dtype.descr, value.shape, hashlib.sha256(value.tobytes()).hexdigest())
        elif isinstance(value, tuple | list | frozenset | set):
            self.add(type(value).__name__, len(value))
            for item in sorted(value, key=repr) if isinstance(value, frozenset | set) else value:
                self.value(item)
        elif isinstance(value, Mapping):
            self.add("mapping", len(value))
            for key, item in value.items():
                self.value(key)
                self.value(item)
        else:
            text = repr(value)
            if " at 0x" in text and not _is_of_others(type(value).__module__):
                raise NoFingerprintError(text)
            self.add(type(value).__name__, text.partition(" at 0x")[0])


def _is_of_others(module: str) -> bool:
    """Whether a module belongs to Python or to an installed compiler, whose version is a part of the key."""
    return module.partition(".")[0] in _OTHERS


_OTHERS = {"builtins", "typing", "math", "numpy", "numba", "llvmlite", "collections", "types", "functools", "operator"}
