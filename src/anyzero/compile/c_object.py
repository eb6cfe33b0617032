"""Kernels as functions of C in one object file: some arguments are baked in, the others are pointers and numbers."""

import hashlib
import pickle
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import typeof
from numba.core import types

from anyzero.compile.ahead import Baked, Given, any_like_this, context_for, new_library
from anyzero.compile.cache import entry_path, read_entry, write_entry

BYTE, WORD = ir.IntType(8), ir.IntType(64)
C_NAMES = {"i": "int", "u": "uint"}
ALIGNMENT = 64


class CFunction(NamedTuple):
    """A kernel under the name that C calls it by."""

    name: str
    kernel: Any
    arguments: list[Baked | Given]


class CObject(NamedTuple):
    content: bytes
    """The object file."""
    results: dict[str, str]
    """The C types that its functions return."""


def build_object(functions: list[CFunction]) -> CObject:
    """One object file of all of them, from the disk if it is there."""
    keys = [(each.name, each.kernel.key, [_describe(argument) for argument in each.arguments]) for each in functions]
    path = entry_path(functions[0].name, (keys, any_like_this()))
    is_kept = None not in {each.kernel.key for each in functions}
    found = read_entry(path) if is_kept else None
    if found is None:
        builder = _Builder()
        results = {each.name: builder.add(each) for each in functions}
        found = builder.emit(), results
        if is_kept:
            write_entry(path, pickle.dumps(found, pickle.HIGHEST_PROTOCOL))
    return CObject(*found)


def _describe(argument: Any) -> Any:
    """What the code depends on: the type of an argument, and the content of one that is baked in."""
    if isinstance(argument, Given):
        return argument.name, str(typeof(argument.example))
    if isinstance(argument, tuple):
        return type(argument).__name__, [_describe(part) for part in argument]
    if isinstance(argument, np.ndarray):
        return str(typeof(argument)), argument.shape, hashlib.sha256(_bytes(argument)).hexdigest()
    return str(typeof(argument)), repr(argument)


def _bytes(array: np.ndarray) -> Any:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


class _Builder:
    """Functions of C, one after the other, and the arrays that they share."""

    def __init__(self) -> None:
        self.library = new_library(any_like_this())
        self.context = context_for(any_like_this())
        self.module = self.context.create_module("doors")
        self.variables: dict[tuple[Any, ...], Any] = {}
        self.names: list[str] = []

    def add(self, function: CFunction) -> str:
        """Put a function there; the C type of what it returns."""
        name, kernel, arguments = function
        values = [argument.value if isinstance(argument, Baked) else argument.example for argument in arguments]
        description = self.library.add(kernel.dispatcher, tuple(map(typeof, values)))
        self.names.append(name)
        self._add_door(name, description, arguments)
        return _c_result(description.restype)

    def emit(self) -> bytes:
        self.library.add_text(str(self.module))
        return self.library.emit(self.names)

    def _add_door(self, name: str, description: Any, arguments: list[Baked | Given]) -> None:
        """A function that calls a kernel as Numba would."""
        kind = self.context.call_conv.get_function_type(description.restype, description.argtypes)
        kernel = ir.Function(self.module, kind, description.llvm_func_name)
        given = [argument for argument in arguments if isinstance(argument, Given)]
        result = kind.args[0].pointee
        returned = ir.VoidType() if description.restype == types.none else result
        door = ir.Function(self.module, ir.FunctionType(returned, [_c_argument(each.example) for each in given]), name)
        builder = ir.IRBuilder(door.append_basic_block())
        handed = dict(zip((each.name for each in given), door.args, strict=True))
        flat = [number for argument in arguments for number in self._flatten(argument, handed)]
        place = builder.alloca(result)
        words = [_fit(builder, number, of) for number, of in zip(flat, kind.args[2:], strict=True)]
        builder.call(kernel, [place, builder.alloca(kind.args[1].pointee), *words])
        if description.restype == types.none:
            builder.ret_void()
        else:
            builder.ret(builder.load(place))

    def _flatten(self, argument: Any, handed: dict[str, Any]) -> Iterator[Any]:
        """The numbers that Numba hands on for an argument: plain ones, or values of the code."""
        if isinstance(argument, Given):
            example, value = argument.example, handed[argument.name]
            yield from _array(example, value) if isinstance(example, np.ndarray) else (value,)
        elif isinstance(argument, Baked):
            yield from self._flatten(argument.value, handed)
        elif isinstance(argument, tuple):
            for part in argument:
                yield from self._flatten(part, handed)
        elif isinstance(argument, np.ndarray):
            yield from _array(argument, self._variable(argument))
        else:
            yield argument.item() if isinstance(argument, np.generic) else argument

    def _variable(self, array: np.ndarray) -> Any:
        """The array as a variable of the object, once for all functions."""
        key = array.__array_interface__["data"][0], array.shape, array.strides, array.dtype.str
        if key not in self.variables or array.size == 0:
            content = _bytes(array)
            kind = ir.ArrayType(BYTE, max(1, len(content)))
            variable = ir.GlobalVariable(self.module, kind, f"array_{len(self.variables)}")
            variable.initializer = ir.Constant(kind, bytearray(content) if content.any() else None)
            variable.linkage, variable.align = "internal", ALIGNMENT
            self.variables[key] = variable
        return self.variables[key]


def _array(array: np.ndarray, data: Any) -> tuple[Any, ...]:
    return 0, 0, array.size, array.itemsize, data, *array.shape, *np.ascontiguousarray(array).strides


def _fit(builder: Any, number: Any, kind: Any) -> Any:
    """A number or a value of the code as a value of this type."""
    if isinstance(number, ir.Value):
        return builder.bitcast(number, kind) if isinstance(kind, ir.PointerType) else number
    if isinstance(kind, ir.PointerType):
        return ir.Constant(kind, None)
    return ir.Constant(kind, int(number) if isinstance(kind, ir.IntType) else float(number))


def _c_argument(example: Any) -> Any:
    if isinstance(example, np.ndarray | np.void):
        return BYTE.as_pointer()
    return ir.DoubleType() if isinstance(example, float) else WORD


def _c_result(kind: Any) -> str:
    if kind == types.none:
        return "void"
    return "double" if isinstance(kind, types.Float) else c_type(np.dtype(str(kind)))


def c_type(dtype: Any) -> str:
    """The C type of numbers of this kind."""
    if dtype.kind == "f":
        return "float" if dtype.itemsize == 4 else "double"
    return f"{C_NAMES[dtype.kind]}{8 * dtype.itemsize}_t" if dtype.kind in C_NAMES else "bool"
