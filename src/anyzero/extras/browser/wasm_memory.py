"""The memory of a wasm module, and modules run here by wasmtime.

A plan gives the addresses of arrays, and of the frames through which kernels are called. It serves
Python, which copies arrays there and back at each call (for tests and laws), and a page, which gets
it as a file: every address is known when the module is built, so that its host only copies bytes
and writes numbers into slots.
"""

import atexit
import importlib.util
import math
from collections.abc import Iterator
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from anyzero.core.base.errors import AnyzeroError
from anyzero.core.base.extras import needs_package
from anyzero.core.base.nouns import Values
from anyzero.core.compile.bind import Function
from anyzero.core.compile.kernels import Constants, Unit
from anyzero.extras.browser.ahead import WASM, compile_object
from anyzero.extras.browser.wasm import FIRST_ARGUMENT, RESULT, SLOT, STATUS, Entry, Module, build

ALIGNMENT = 64
STACK_BYTES = 1 << 20
PAGE_BYTES = 65_536


class Region(NamedTuple):
    address: int
    array: np.ndarray


def bytes_of(array: np.ndarray) -> np.ndarray:
    """The bytes of its numbers, contiguous."""
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def numbers_of(array: np.ndarray, data: Any) -> tuple[Any, ...]:
    """The numbers Numba passes for an array whose bytes are at `data`."""
    return (
        0,
        0,
        array.size,
        array.itemsize,
        data,
        *array.shape,
        *np.ascontiguousarray(array).strides,
    )


class MemoryPlan:
    """Arrays and frames, back to back; an array that is passed twice is stored once."""

    def __init__(self, data_end: int) -> None:
        self.stack_top = _round_up(data_end + STACK_BYTES, ALIGNMENT)
        self.end = self.stack_top
        self.regions: dict[str, Region] = {}
        self.slots: dict[str, tuple[int, str]] = {}
        """Addresses and kinds of the numbers passed to kernels, by kernel and argument."""
        self.later: set[str] = set()  # arrays that the host fills in
        self.frames: dict[str, int] = {}
        self.places: dict[tuple[Any, ...], int] = {}

    @property
    def pages(self) -> int:
        return -(-self.end // PAGE_BYTES)

    def add(self, name: str, array: np.ndarray) -> int:
        """The address of an array; the same numbers in another shape are also stored once."""
        order = "" if array.flags.c_contiguous else array.strides
        key = array.__array_interface__["data"][0], array.nbytes, order, array.dtype.str
        if key not in self.places or array.size == 0:
            self.places[key], self.end = self.end, _round_up(self.end + array.nbytes, ALIGNMENT)
            self.regions[name if name not in self.regions else f"{name} {self.end}"] = Region(
                self.places[key], array
            )
        return self.places[key]

    def call(self, kernel: str, names: tuple[str, ...], arguments: tuple[Any, ...]) -> int:
        """The address of a frame with these arguments, whose parameters have these names."""
        pairs = zip(names, arguments, strict=True)
        numbers = [
            slot for name, value in pairs for slot in self._flatten(f"{kernel}.{name}", value)
        ]
        frame = np.zeros(FIRST_ARGUMENT // SLOT + len(numbers), np.uint64)
        address = self.frames[kernel] = self.end
        for index, (name, kind, number) in enumerate(numbers):
            frame[FIRST_ARGUMENT // SLOT + index :].view(kind)[0] = number
            if name:
                self.slots[name] = address + FIRST_ARGUMENT + SLOT * index, kind
        return self.add(f"{kernel}.frame", frame)

    def _flatten(self, name: str, value: Any) -> Iterator[tuple[str, str, Any]]:
        """Numbers as Numba passes them: a name if a caller may change it, kind and value."""
        if isinstance(value, tuple):
            fields = getattr(value, "_fields", range(len(value)))
            for field, part in zip(fields, value, strict=True):
                yield from self._flatten(f"{name}.{field}", part)
        elif isinstance(value, np.ndarray):
            for number in numbers_of(value, self.add(name.partition(".")[2], value)):
                yield "", "<i8", number
        elif isinstance(value, np.void):
            yield "", "<i8", self.add(name.partition(".")[2], np.ndarray(1, value.dtype, value))
        elif isinstance(value, float | np.floating):
            yield name, "<f4" if isinstance(value, np.float32) else "<f8", value
        else:
            yield name, "<u8" if isinstance(value, np.uint64) else "<i8", int(value)

    def image(self) -> tuple[list[list[int]], bytes]:
        """The initial memory: (address, offset in the bytes, length) of everything nonzero, and the
        bytes.
        """
        places = []
        content = bytearray()
        for name, region in self.regions.items():
            initial = bytes_of(region.array)
            if name not in self.later and initial.any():
                places.append([region.address, len(content), len(initial)])
                content += initial.tobytes()
        return places, bytes(content)

    def describe(self) -> Values:
        """The plan as plain values, for a page."""
        return {
            "pages": self.pages,
            "stack": self.stack_top,
            "arrays": {
                name: {"address": region.address, **describe_array(region.array)}
                for name, region in self.regions.items()
            },
            "frames": self.frames,
            "slots": {name: list(place) for name, place in self.slots.items()},
        }


def describe_array(array: np.ndarray) -> Values:
    """Its shape, and the kind of its numbers: `<f4`, or for records, size and offsets of the
    fields.
    """
    fields = array.dtype.fields
    kind: Any = array.dtype.str
    if fields is not None:
        parts = {
            name: (form.base.str, int(offset), list(form.shape))
            for name, (form, offset, *_) in fields.items()
        }
        kind = {"size": array.itemsize, "fields": parts}
    return {"kind": kind, "shape": list(array.shape)}


def _round_up(number: int, step: int) -> int:
    return -(-number // step) * step


# --- running it here


def can_run_wasm() -> bool:
    return importlib.util.find_spec("wasmtime") is not None


def check_wasm() -> None:
    if not can_run_wasm():
        raise AnyzeroError(needs_package("wasmtime"))


def compile_wasm(function: Function, unit: Unit, constants: Constants) -> "WasmKernel":
    """A kernel for browsers; called here, it runs in wasmtime."""
    return WasmKernel(*compile_object(function, unit, constants, WASM))


class WasmKernel:
    """A kernel that runs in wasm when called."""

    def __init__(self, dispatcher: Any, key: str | None) -> None:
        self.name = dispatcher.__name__
        self.dispatcher = dispatcher
        self.key = key
        code = dispatcher.py_func.__code__
        self.parameters = code.co_varnames[: code.co_argcount]
        self.lock = Lock()  # a module has one memory

    def entry(self, *arguments: Any) -> Entry:
        """The kernel for such arguments, as part of a module."""
        from numba import typeof

        return Entry(self.name, self.dispatcher, tuple(map(typeof, arguments)), self.key)

    def __call__(self, *arguments: Any) -> Any:
        entry = self.entry(*arguments)
        with self.lock:
            if (self, entry.kinds) not in INSTANCES:
                INSTANCES[self, entry.kinds] = Instance(build([entry]))
            instance = INSTANCES[self, entry.kinds]
            plan = MemoryPlan(instance.module.data_end)
            plan.call(self.name, self.parameters, arguments)
            instance.write(plan)
            result = instance.call(plan, self.name)
            instance.read(plan)
            return result


class Instance:
    """A module with its memory."""

    def __init__(self, module: Module) -> None:
        check_wasm()
        import wasmtime

        self.module = module
        self.store = wasmtime.Store()
        self.memory = wasmtime.Memory(self.store, wasmtime.MemoryType(wasmtime.Limits(1, None)))
        address = wasmtime.GlobalType(wasmtime.ValType.i32(), True)
        self.stack = wasmtime.Global(self.store, address, wasmtime.Val.i32(0))
        imports_by_name = {"__linear_memory": self.memory, "__stack_pointer": self.stack}
        code = wasmtime.Module(self.store.engine, module.code)
        imports = [
            imports_by_name.get(item.name)
            or wasmtime.Func(self.store, item.type, mathematics(item.name))
            for item in code.imports
        ]
        self.exports = wasmtime.Instance(self.store, code, imports).exports(self.store)

    def bytes(self) -> Any:
        """All of the memory, as an array that is valid until it grows."""
        return np.ctypeslib.as_array(
            self.memory.data_ptr(self.store), (self.memory.data_len(self.store),)
        )

    def write(self, plan: MemoryPlan) -> None:
        """Copy all arrays and frames to their places."""
        missing = plan.pages - self.memory.size(self.store)
        if missing > 0:
            self.memory.grow(self.store, missing)
        self.stack.set_value(self.store, plan.stack_top)
        content = self.bytes()
        for address, array in plan.regions.values():
            content[address : address + array.nbytes] = bytes_of(array)

    def read(self, plan: MemoryPlan) -> None:
        """Copy what kernels may have changed back to the arrays."""
        content = self.bytes()
        for address, array in plan.regions.values():
            if array.flags.writeable and array.size:
                array[...] = (
                    content[address : address + array.nbytes].view(array.dtype).reshape(array.shape)
                )

    def call(self, plan: MemoryPlan, name: str) -> Any:
        frame = plan.frames[name]
        kind = self.module.results[name]
        self.exports[name](self.store, frame)
        status = int(self.slot(frame + STATUS, "<i4"))
        content = self.slot(frame + RESULT, kind or "<i8")
        if status != 0:
            raise AnyzeroError(f"{name} in wasm ended with the status {status}")
        return content if kind else None

    def slot(self, address: int, kind: str) -> Any:
        return self.bytes()[address : address + 8].view(kind)[0]


INSTANCES: dict[
    tuple[WasmKernel, Any], Instance
] = {}  # running in this process, by kernel and argument types
atexit.register(INSTANCES.clear)  # wasmtime cannot release them once Python is shutting down


def mathematics(name: str) -> Any:
    """The C library function that a module imports; a final `f` is for 32-bit numbers."""
    for function_name, narrow in ((name, False), (name.removesuffix("f"), True)):
        function = getattr(math, function_name, None)
        if function is not None:
            return lambda *numbers: (
                float(np.float32(function(*numbers))) if narrow else function(*numbers)
            )
    raise AnyzeroError(f"a kernel calls {name}, which there is not in wasm")
