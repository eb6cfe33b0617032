"""WebAssembly modules: several kernels in one, without a linker.

A kernel becomes a function of one argument: the address of a frame with a status, the result, and
its arguments as Numba flattens them, 8 bytes each.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from llvmlite import ir
from numba.core import types
from numba.np import numpy_support

from anyzero.core.compile.cache import kept
from anyzero.extras.browser.ahead import WASM, WholeLibrary, context_for, new_library

# offsets in a frame, and the bytes per slot
STATUS = 0
RESULT = 8
FIRST_ARGUMENT = 16
SLOT = 8


class Entry(NamedTuple):
    """A kernel for arguments of these types, and the name under which a module exports it."""

    name: str
    dispatcher: Any
    kinds: tuple[Any, ...]
    key: str | None  # a hash of everything it is compiled from

    def add_to(self, library: WholeLibrary) -> str:
        """Add the kernel and the frame function that calls it; returns the kind of its result."""
        description = library.add(self.dispatcher, self.kinds)
        library.add_text(_frame_function(self.name, description))
        kind = description.restype
        return "" if kind == types.none else numpy_support.as_dtype(kind).str


class Module(NamedTuple):
    # it imports its memory, the address of its stack and mathematical functions, all from `env`
    code: bytes
    data_end: int  # its own data is below this address
    results: dict[str, str]  # the kinds of its functions' results, as in NumPy; empty for none


def build(entries: Sequence[Entry]) -> Module:
    """One module for all of them, from disk if present."""

    def make() -> tuple[Any, ...]:
        library = new_library(WASM)
        results = {entry.name: entry.add_to(library) for entry in entries}
        return *make_module(library.emit(list(results)), results), results

    keys = [(entry.key, entry.name, str(entry.kinds)) for entry in entries]
    is_known = all(entry.key for entry in entries)
    return Module(*kept("wasm", entries[0].name, keys if is_known else None, make))


def _frame_function(name: str, description: Any) -> str:
    """The code of a function that reads a kernel's arguments from a frame."""
    context = context_for(WASM)
    module = context.create_module(name)
    kind = context.call_conv.get_function_type(description.restype, description.argtypes)
    kernel = ir.Function(module, kind, description.llvm_func_name)
    byte = ir.IntType(8)
    word = ir.IntType(32)
    function = ir.Function(module, ir.FunctionType(word, [byte.as_pointer()]), name)
    builder = ir.IRBuilder(function.append_basic_block())

    def slot(place: int, of: Any) -> Any:
        return builder.bitcast(
            builder.gep(function.args[0], [ir.Constant(word, place)]), of.as_pointer()
        )

    arguments = [slot(RESULT, kind.args[0].pointee), builder.alloca(kind.args[1].pointee)]
    for index, of in enumerate(kind.args[2:]):
        arguments.append(builder.load(slot(FIRST_ARGUMENT + SLOT * index, of)))
    status = builder.call(kernel, arguments)
    builder.store(status, slot(STATUS, word))
    builder.ret(status)
    return str(module)


# --- an object file as a module


HEADER = b"\0asm\1\0\0\0"
CUSTOM = 0
IMPORT = 2
EXPORT = 7
ELEMENT = 9
CODE = 10
DATA = 11
DATA_COUNT = 12
BEHIND_EXPORTS = (8, ELEMENT, DATA_COUNT, CODE, DATA)
SYMBOLS = 8
FUNCTION = 0
DATA_SYMBOL = 1
SECTION = 3
UNDEFINED = 0x10
EXPLICIT_NAME = 0x40


def make_module(linkable: bytes, names: Iterable[str]) -> tuple[bytes, int]:
    """The object file as a module that exports the functions of these names, and the end address of
    its data.
    """
    sections = list(_sections(linkable))
    linking = next(
        body for kind, body in sections if kind == CUSTOM and Reader(body).text() == "linking"
    )
    functions = _function_indices(linking)
    exports = [
        _number(len(name)) + name.encode() + b"\0" + _number(functions[name]) for name in names
    ]
    kept = [(kind, body) for kind, body in sections if kind != CUSTOM]
    place = next(index for index, (kind, _) in enumerate(kept) if kind in BEHIND_EXPORTS)
    kept.insert(place, (EXPORT, _number(len(exports)) + b"".join(exports)))
    code = HEADER + b"".join(bytes([kind]) + _number(len(body)) + body for kind, body in kept)
    return code, max((_data_end(body) for kind, body in kept if kind == DATA), default=0)


class Reader:
    """Reads a part of a module from front to back."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.place = 0

    def take(self, size: int) -> bytes:
        self.place += size
        return self.content[self.place - size : self.place]

    def number(self, *, signed: bool = False) -> int:
        """An integer in LEB128: seven bits per byte, lowest first."""
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value - (1 << shift) if signed and byte & 64 else value

    def text(self) -> str:
        return self.take(self.number()).decode()


def _sections(module: bytes) -> Iterator[tuple[int, bytes]]:
    reader = Reader(module)
    reader.take(len(HEADER))
    while reader.place < len(module):
        kind = reader.take(1)[0]
        yield kind, reader.take(reader.number())


def _function_indices(linking: bytes) -> dict[str, int]:
    """The indices of the functions visible to a linker, by name."""
    reader = Reader(linking)
    reader.text(), reader.number()  # its name and version
    while reader.take(1)[0] != SYMBOLS:
        reader.take(reader.number())
    reader.number()
    return dict(symbol for _ in range(reader.number()) if (symbol := _symbol(reader)) is not None)


def _symbol(reader: Reader) -> tuple[str, int] | None:
    """Name and index if it is a function defined by the file."""
    kind = reader.take(1)[0]
    flags = reader.number()
    if kind == DATA_SYMBOL:
        reader.text()
        if not flags & UNDEFINED:
            reader.number(), reader.number(), reader.number()  # segment, offset and size
        return None
    index = reader.number()
    if kind == SECTION or (flags & UNDEFINED and not flags & EXPLICIT_NAME):
        return None
    name = reader.text()
    return (name, index) if kind == FUNCTION and not flags & UNDEFINED else None


def _data_end(section: bytes) -> int:
    reader = Reader(section)
    end = 0
    for _ in range(reader.number()):
        reader.number(), reader.take(1)  # flags: active, in memory 0; the instruction i32.const
        start = reader.number(signed=True)
        reader.take(1)
        size = reader.number()
        reader.take(size)
        end = max(end, start + size)
    return end


def _number(value: int) -> bytes:
    low = value & 127
    rest = value >> 7
    return bytes([low | 128]) + _number(rest) if rest else bytes([low])
