"""Compile a kernel for a game and a target: the one entry point to all targets."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial, wraps
from time import perf_counter
from types import FunctionType
from typing import Any

import numpy as np

from anyzero.compile.bind import Function, bind

TARGETS = ("cpu", "cuda", "interpreted", "wasm")
Constants = Mapping[str, Any]
Parts = Mapping[Function, Function]


@dataclass(frozen=True, eq=False)
class Unit:
    """What a kernel is compiled for: the functions that replace the generic ones, and where they come from."""

    name: str  # shown while it compiles, and the start of the cache folder's name
    functions: Parts  # generic function -> the function to call instead
    modules: tuple[str, ...]
    """The modules that define those functions; functions in their packages are called, not inlined."""
    intrinsics: Mapping[Function, Any] = field(default_factory=dict)
    """Plain function -> the intrinsic that replaces it on the CPU."""
    inlined: frozenset[str] = frozenset()
    """Packages whose functions are compiled into their callers: a kernel's functions pass dozens of arrays."""
    loops: frozenset[str] = frozenset()  # more functions compiled into their callers, by name
    guarded: bool = False
    """Whether indices are checked and numbers may be NaN: for a user's unchecked game."""
    compiled: dict[tuple[Any, ...], Any] = field(default_factory=dict, repr=False)
    """Kernels compiled so far in this process, by kernel, target, parts and constants."""


def compile_kernel(
    function: Function, unit: Unit, target: str = "cpu", constants: Constants | None = None, parts: Parts | None = None
) -> Any:
    """`function` for this unit on this target. Numba compiles it on the first call, or loads it from disk.

    On `cuda` the result is launched as `kernel[blocks, threads](...)`. `constants` replaces globals of the kernel's
    module by name, for sizes known at compile time; a name like `settings.solve` means a field of
    every argument `settings`, and on the CPU the code that it rules out is left out. `parts` replace functions of
    the kernel itself, as a game's functions replace those of the contract.
    """
    parts, constants = parts or {}, constants or {}
    key = (function, target, *parts.values(), *constants.items())
    if key not in unit.compiled:
        modules = tuple(sorted({*unit.modules, *(part.__module__ for part in parts.values())}))
        packages = {package_of(member.__module__) for member in (function, *parts.values())}
        inlined = frozenset(packages - set(map(package_of, unit.modules)))
        whole = replace(unit, functions={**unit.functions, **parts}, modules=modules, inlined=inlined)
        unit.compiled[key] = COMPILERS[target](function, whole, constants)
    return unit.compiled[key]


def package_of(module: str) -> str:
    return module.rpartition(".")[0]


def _bind(
    function: Function, unit: Unit, constants: Constants, make: Function, intrinsics: Parts, pipeline: Any = ()
) -> tuple[Any, str | None]:
    """The kernel with its callees, and a hash of everything it is compiled from, if given its `pipeline`.

    `make` wraps each rebuilt function for the target; its arguments are whether it is the kernel, and the hash.
    """
    own, functions = unit.functions.get(function, function), {**unit.functions, **intrinsics}
    name_key = partial(key_of, functions=functions, unit=unit, constants=constants, pipeline=pipeline)
    key = name_key(own) if pipeline else None

    def wrap(rebuilt: FunctionType) -> Any:
        if pipeline:  # the name is part of the symbol, and symbols of two games must not collide in one process
            rebuilt.__qualname__ += f"_{unit.name}_{(key or str(id(unit)))[:12]}"
        is_near = rebuilt.__module__ == own.__module__  # constants apply only there; fields of arguments, everywhere
        rebuilt.__globals__.update({name: value for name, value in constants.items() if is_near or "." in name})
        is_kernel = rebuilt.__code__ is own.__code__
        made = make(rebuilt, is_kernel, key)
        if key is not None and not is_kernel:
            from anyzero.compile.cache import SharedCode

            made._cache = SharedCode(lambda: name_key(rebuilt.__wrapped__, kernel=own))  # type: ignore[attr-defined]
        return made

    return bind(function, functions, wrap), key


def key_of(function: Any, functions: Parts, unit: Unit, constants: Constants, pipeline: Any, kernel: Any = None) -> Any:
    """A hash of everything a kernel, or a part of `kernel`, is compiled from; None if impossible to tell."""
    from anyzero.compile.cache import Fingerprint, NoFingerprintError

    fields = {name: value for name, value in constants.items() if "." in name}
    # Compiled code names the class of the rules by its module: copies of a file have separate entries.
    homes = [module for module in unit.modules if not module.startswith("anyzero.")]
    way = pipeline if kernel is None else hash(repr(pipeline))  # a part's key is valid only within this process

    def manner(member: FunctionType) -> tuple[Any, ...]:
        own = {name: value for name, value in fields.items() if name.partition(".")[0] in member.__code__.co_varnames}
        detail = fields if kernel is None else (own, is_of_kernel(member, unit))
        return is_inlined(member, unit), way, detail, *homes

    try:
        return Fingerprint(functions, constants, manner, (kernel or function).__module__).of(function)
    except NoFingerprintError:
        return None


def is_inlined(member: FunctionType, unit: Unit) -> bool:
    return is_of_kernel(member, unit) or member.__name__ in unit.loops


def is_of_kernel(member: FunctionType, unit: Unit) -> bool:
    return package_of(member.__module__) in unit.inlined


def compile_interpreted(function: Function, unit: Unit, constants: Constants) -> Function:
    """Plain Python with the generic functions filled in; words wrap around silently, as in compiled code."""
    bound, _ = _bind(function, unit, constants, lambda rebuilt, _is_kernel, _key: rebuilt, {})

    @wraps(function)
    def run(*args: Any) -> Any:
        with np.errstate(over="ignore"):
            return bound(*args)

    return run


def compile_cpu(function: Function, unit: Unit, constants: Constants) -> Any:
    from anyzero.compile import cpu
    from anyzero.compile.cache import DiskCache

    options = cpu.GUARDED if unit.guarded else cpu.OPTIONS
    pipeline = (*cpu.PIPELINE, cpu.GUARDED) if unit.guarded else cpu.PIPELINE

    def make(rebuilt: FunctionType, is_kernel: bool, key: str | None) -> Any:
        cache = DiskCache(unit.name, rebuilt.__name__, key) if is_kernel else None
        is_rule = not is_of_kernel(rebuilt, unit)
        return cpu.compile_function(rebuilt, cache, options, inline=is_inlined(rebuilt, unit), is_rule=is_rule)

    return _bind(function, unit, constants, make, {**cpu.INTRINSICS, **unit.intrinsics}, pipeline)[0]


def compile_object(function: Function, unit: Unit, constants: Constants, machine: Any = None) -> Any:
    """A kernel for object files, for machines like this one; it is compiled when added to a library.

    Also returns a hash of everything it is compiled from.
    """
    from anyzero.compile import ahead

    machine = machine or ahead.any_like_this()

    def make(rebuilt: FunctionType, is_kernel: bool, _key: str | None) -> Any:
        return ahead.compile_function(machine, rebuilt, is_kernel=is_kernel, inline=is_inlined(rebuilt, unit))

    intrinsics, pipeline = {**ahead.INTRINSICS, **unit.intrinsics}, (machine, *ahead.PIPELINE)
    return _bind(function, unit, constants, make, intrinsics, pipeline)


def compile_wasm(function: Function, unit: Unit, constants: Constants) -> Any:
    """A kernel for browsers; called here, it runs in wasmtime."""
    from anyzero.compile.ahead import WASM
    from anyzero.compile.wasm_memory import WasmKernel

    return WasmKernel(*compile_object(function, unit, constants, WASM))


def compile_cuda(function: Function, unit: Unit, constants: Constants) -> Any:
    from anyzero.compile import gpu

    def make(rebuilt: FunctionType, is_kernel: bool, _key: str | None) -> Any:
        return gpu.cuda.jit(rebuilt) if is_kernel else gpu.cuda.jit(device=True)(rebuilt)

    return _bind(function, unit, constants, make, gpu.INTRINSICS)[0]


COMPILERS: dict[str, Callable[[Function, Unit, Constants], Any]] = {
    "cpu": compile_cpu,
    "cuda": compile_cuda,
    "interpreted": compile_interpreted,
    "object": compile_object,
    "wasm": compile_wasm,
}


COMPILE_AFTER_S = 0.5  # a function is compiled once it has been interpreted for this long in total


class LateKernel:
    """A function that is interpreted at first and compiled once it proves slow; `make` compiles it for a target.

    Both give the same results; the first answer comes at once, and a long loop still runs at machine speed.
    """

    def __init__(self, make: Callable[[str], Any]) -> None:
        self.make, self.seconds = make, 0.0
        self.run = make("interpreted")

    def __call__(self, *args: Any) -> Any:
        if self.seconds > COMPILE_AFTER_S:
            return self.run(*args)
        start = perf_counter()
        result = self.run(*args)
        self.seconds += perf_counter() - start
        if self.seconds > COMPILE_AFTER_S:
            self.compile()
        return result

    def compile(self) -> None:
        self.seconds = math.inf
        self.run = self.make("cpu")
