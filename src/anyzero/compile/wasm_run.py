"""Modules of wasm in Python, by wasmtime: for tests and laws. Each call copies its arrays there and back."""

import atexit
import importlib.util
import math
from threading import Lock
from typing import Any

import numpy as np

from anyzero.compile.wasm import RESULT, STATUS, Entry, Module, build
from anyzero.compile.wasm_memory import Block, Plan
from anyzero.errors import AnyzeroError


def is_available() -> bool:
    return importlib.util.find_spec("wasmtime") is not None


def check_runtime() -> None:
    if not is_available():
        raise AnyzeroError("the target wasm needs the package wasmtime to run here: install anyzero[browser]")


class WasmKernel:
    """A kernel that runs in wasm when it is called."""

    def __init__(self, name: str, dispatcher: Any, key: str | None) -> None:
        self.name, self.dispatcher, self.key = name, dispatcher, key
        code = dispatcher.py_func.__code__
        self.parameters = code.co_varnames[: code.co_argcount]
        self.lock = Lock()  # a module has one memory

    def entry(self, *arguments: Any) -> Entry:
        """The kernel for such arguments, as a part of a module."""
        from numba import typeof

        return Entry(self.name, self.dispatcher, tuple(map(typeof, arguments)), self.key)

    def __call__(self, *arguments: Any) -> Any:
        entry = self.entry(*arguments)
        with self.lock:
            if (self, entry.kinds) not in INSTANCES:
                INSTANCES[self, entry.kinds] = Instance(build([entry]))
            instance = INSTANCES[self, entry.kinds]
            plan = Plan(instance.module.data_end)
            plan.call(self.name, self.parameters, arguments)
            instance.write(plan)
            result = instance.call(plan, self.name)
            instance.read(plan)
            return result


class Instance:
    """A module with its memory."""

    def __init__(self, module: Module) -> None:
        check_runtime()
        import wasmtime

        self.module, self.store = module, wasmtime.Store()
        self.memory = wasmtime.Memory(self.store, wasmtime.MemoryType(wasmtime.Limits(1, None)))
        address = wasmtime.GlobalType(wasmtime.ValType.i32(), True)
        self.stack = wasmtime.Global(self.store, address, wasmtime.Val.i32(0))
        given = {"__linear_memory": self.memory, "__stack_pointer": self.stack}
        code = wasmtime.Module(self.store.engine, module.code)
        imports = [
            given.get(wanted.name) or wasmtime.Func(self.store, wanted.type, mathematics(wanted.name))
            for wanted in code.imports
        ]
        self.exports = wasmtime.Instance(self.store, code, imports).exports(self.store)

    def bytes(self) -> Any:
        """All of the memory, as an array that lasts until it grows."""
        return np.ctypeslib.as_array(self.memory.data_ptr(self.store), (self.memory.data_len(self.store),))

    def write(self, plan: Plan) -> None:
        """Copy all arrays and frames to their places."""
        missing = plan.pages - self.memory.size(self.store)
        if missing > 0:
            self.memory.grow(self.store, missing)
        self.stack.set_value(self.store, plan.stack_top)
        content = self.bytes()
        for address, array in plan.blocks.values():
            content[address : address + array.nbytes] = Block(address, array).content

    def read(self, plan: Plan) -> None:
        """Copy what kernels may have changed back to the arrays."""
        content = self.bytes()
        for address, array in plan.blocks.values():
            if array.flags.writeable and array.size:
                array[...] = content[address : address + array.nbytes].view(array.dtype).reshape(array.shape)

    def call(self, plan: Plan, name: str) -> Any:
        frame, kind = plan.frames[name], self.module.results[name]
        self.exports[name](self.store, frame)
        status, content = int(self.slot(frame + STATUS, "<i4")), self.slot(frame + RESULT, kind or "<i8")
        if status != 0:
            raise AnyzeroError(f"{name} in wasm ended with the status {status}")
        return content if kind else None

    def slot(self, address: int, kind: str) -> Any:
        return self.bytes()[address : address + 8].view(kind)[0]


INSTANCES: dict[tuple[WasmKernel, Any], Instance] = {}  # all that run in this process, by kernel and types of arguments
atexit.register(INSTANCES.clear)  # wasmtime cannot let go of them once Python is being taken down


def mathematics(name: str) -> Any:
    """The function of the C library that a module asks for; a final `f` is for 32-bit numbers."""
    for known, narrow in ((name, False), (name.removesuffix("f"), True)):
        function = getattr(math, known, None)
        if function is not None:
            return lambda *numbers: float(np.float32(function(*numbers))) if narrow else function(*numbers)
    raise AnyzeroError(f"a kernel calls {name}, which there is not in wasm")
