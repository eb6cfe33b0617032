"""Modules of WebAssembly: several kernels in one, without a linker.

A kernel becomes a function of one argument: the address of a frame, in which its arguments stand as Numba flattens
them, 8 bytes each, behind a status and the result.
"""

import pickle
from collections.abc import Sequence
from typing import Any, NamedTuple

from llvmlite import ir
from numba.core import types
from numba.np import numpy_support

from anyzero.compile.ahead import WASM, WholeLibrary, context_for, new_library
from anyzero.compile.cache import entry_path, read_entry, write_entry
from anyzero.compile.wasm_format import make_module

STATUS, RESULT, FIRST_ARGUMENT, SLOT = 0, 8, 16, 8
"""Places in a frame, and the bytes of each."""


class Entry(NamedTuple):
    """A kernel for arguments of these types, under the name by which a module exports it."""

    name: str
    dispatcher: Any
    kinds: tuple[Any, ...]
    key: str | None
    """A hash of all that it is compiled from."""

    def add_to(self, library: WholeLibrary) -> str:
        """Put the kernel there, and the function of a frame that calls it; the kind of what it returns."""
        description = library.add(self.dispatcher, self.kinds)
        library.add_text(_frame_function(self.name, description))
        kind = description.restype
        return "" if kind == types.none else numpy_support.as_dtype(kind).str


class Module(NamedTuple):
    code: bytes
    """It imports its memory, the address of its stack and functions of mathematics, all from `env`."""
    data_end: int
    """Its own data are below this address."""
    results: dict[str, str]
    """What its functions return, as kinds of NumPy; empty for nothing."""


def build(entries: Sequence[Entry]) -> Module:
    """One module for all of them, from the disk if it is there."""
    path = entry_path(entries[0].name, [(entry.name, entry.key, str(entry.kinds)) for entry in entries])
    is_kept = None not in {entry.key for entry in entries}
    found = read_entry(path) if is_kept else None
    if found is None:
        library = new_library(WASM)
        results = {entry.name: entry.add_to(library) for entry in entries}
        found = *make_module(library.emit(list(results)), results), results
        if is_kept:
            write_entry(path, pickle.dumps(found, pickle.HIGHEST_PROTOCOL))
    return Module(*found)


def _frame_function(name: str, description: Any) -> str:
    """The code of a function that reads a kernel's arguments from a frame."""
    context = context_for(WASM)
    module = context.create_module(name)
    kind = context.call_conv.get_function_type(description.restype, description.argtypes)
    kernel = ir.Function(module, kind, description.llvm_func_name)
    byte, word = ir.IntType(8), ir.IntType(32)
    function = ir.Function(module, ir.FunctionType(word, [byte.as_pointer()]), name)
    builder = ir.IRBuilder(function.append_basic_block())

    def slot(place: int, of: Any) -> Any:
        return builder.bitcast(builder.gep(function.args[0], [ir.Constant(word, place)]), of.as_pointer())

    arguments = [slot(RESULT, kind.args[0].pointee), builder.alloca(kind.args[1].pointee)]
    for index, of in enumerate(kind.args[2:]):
        arguments.append(builder.load(slot(FIRST_ARGUMENT + SLOT * index, of)))
    status = builder.call(kernel, arguments)
    builder.store(status, slot(STATUS, word))
    builder.ret(status)
    return str(module)
