"""Compile a kernel for a game and a target: the one entry point to all targets."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial, wraps
from time import perf_counter
from types import FunctionType
from typing import Any

import numpy as np

from anyzero.core.base.errors import check_name
from anyzero.core.base.extras import find
from anyzero.core.base.nouns import NamedValues
from anyzero.core.compile.bind import Function, bind

TARGETS = ("cpu", "cuda", "interpreted", "wasm")
Constants = NamedValues
Parts = Mapping[Function, Function]


@dataclass(frozen=True, eq=False)
class Unit:
    """What a kernel is compiled for: the functions that replace the generic ones, and where they
    come from.
    """

    name: str  # shown while it compiles, and the start of the cache folder's name
    functions: Parts  # generic function -> the function to call instead
    modules: tuple[str, ...]
    """The modules that define those functions; functions in their packages are called, not inlined.
    """
    intrinsics: Mapping[Function, Any] = field(default_factory=dict)
    """Plain function -> the intrinsic that replaces it on the CPU."""
    loops: frozenset[str] = frozenset()  # more functions compiled into their callers, by name
    guarded: bool = False
    """Whether indices are checked and numbers may be NaN: for a user's unchecked game."""
    compiled: dict[tuple[Any, ...], Any] = field(default_factory=dict, repr=False)
    """Kernels compiled so far in this process, by kernel, target, parts and constants."""


def compile_kernel(
    function: Function,
    unit: Unit,
    target: str = "cpu",
    constants: Constants | None = None,
    parts: Parts | None = None,
) -> Any:
    """`function` for this unit on this target. Numba compiles it on the first call, or loads it
    from disk.

    On `cuda` the result is launched as `kernel[blocks, threads](...)`. `constants` replaces globals
    of the kernel's module by name, for sizes known at compile time; a name like `settings.solve`
    means a field of every argument `settings`, and on the CPU the code that it rules out is left
    out. `parts` replace functions of the kernel itself, as a game's functions replace those of the
    contract.
    """
    parts = parts or {}
    constants = constants or {}
    key = (function, target, *parts.values(), *constants.items())
    if key not in unit.compiled:
        modules = tuple(sorted({*unit.modules, *(part.__module__ for part in parts.values())}))
        whole = replace(unit, functions={**unit.functions, **parts}, modules=modules)
        unit.compiled[key] = compiler_for(target)(function, whole, constants)
    return unit.compiled[key]


def bind_kernel(function: Function, unit: Unit, constants: Constants, intrinsics: Parts) -> Any:
    """The kernel over its callees and constants, in plain Python: what is compiled for a target."""
    functions = {**unit.functions, **intrinsics}
    home = functions.get(function, function).__module__

    def fill(rebuilt: FunctionType) -> FunctionType:
        is_near = (
            rebuilt.__module__ == home
        )  # constants apply only there; fields of arguments, everywhere
        rebuilt.__globals__.update(
            {name: value for name, value in constants.items() if is_near or "." in name}
        )
        return rebuilt

    return bind(function, functions, fill)


def wrap_kernel(
    kernel: Any, unit: Unit, constants: Constants, pipeline: Any, make: Function
) -> tuple[Any, str | None]:
    """A bound kernel with all of its functions wrapped by `make`, and a hash of everything it is
    compiled from.
    """
    from anyzero.core.compile.cache import share

    name_key = partial(kernel_key, unit=unit, constants=constants, pipeline=pipeline)
    key = name_key(kernel)

    def wrap(rebuilt: FunctionType) -> Any:
        # The name is part of the symbol, and symbols of two games must not collide in one process.
        rebuilt.__qualname__ += f"_{unit.name}_{(key or str(id(unit)))[:12]}"
        part: Any = rebuilt.__wrapped__  # type: ignore[attr-defined]
        dispatcher = make(rebuilt, part is kernel)
        if key is not None and part is not kernel:
            share(dispatcher, partial(name_key, part))
        return dispatcher

    return bind(kernel, {}, wrap), key


def kernel_key(function: Any, unit: Unit, constants: Constants, pipeline: Any) -> str | None:
    """A hash of everything a bound function is compiled from; None if impossible to tell."""
    from anyzero.core.compile.cache import Fingerprint, NoFingerprintError

    fields = {name: value for name, value in constants.items() if "." in name}
    # Compiled code names the class of the rules by its module: copies of a file have separate
    # entries.
    homes = [module for module in unit.modules if not module.startswith("anyzero.")]

    def manner(member: FunctionType) -> tuple[Any, ...]:
        fixed_fields = {
            name: value
            for name, value in fields.items()
            if name.partition(".")[0] in member.__code__.co_varnames
        }
        return is_inlined(member, unit), is_of_kernel(member), fixed_fields

    try:
        return Fingerprint(manner).of(function, pipeline, homes)
    except NoFingerprintError:
        return None


def is_inlined(member: FunctionType, unit: Unit) -> bool:
    """Whether it is compiled into its callers: a kernel's functions are, and a game's rollouts."""
    return is_of_kernel(member) or member.__name__ in unit.loops


def is_of_kernel(member: FunctionType) -> bool:
    """Whether its module says `INLINED = True`: its functions are compiled into their callers.

    Kernels pass dozens of arrays from function to function, which calls would copy. A game's rules
    are called instead: they pass three, and many kernels share them.
    """
    return member.__globals__.get("INLINED", False) is True


def compile_interpreted(function: Function, unit: Unit, constants: Constants) -> Function:
    """Plain Python with the generic functions filled in; words wrap around silently, as in compiled
    code.
    """
    bound = bind_kernel(function, unit, constants, {})

    @wraps(function)
    def run(*args: Any) -> Any:
        with np.errstate(over="ignore"):
            return bound(*args)

    return run


def compile_cpu(function: Function, unit: Unit, constants: Constants) -> Any:
    from anyzero.core.compile import cpu
    from anyzero.core.compile.cache import keep_on_disk

    options = cpu.GUARDED if unit.guarded else cpu.OPTIONS

    def make(rebuilt: FunctionType, is_kernel: bool) -> Any:
        if is_kernel:
            return cpu.kernel_dispatcher(rebuilt, options)
        return cpu.part_dispatcher(
            rebuilt,
            options,
            inline=is_inlined(rebuilt, unit),
            is_rule=not is_of_kernel(rebuilt),
        )

    bound = bind_kernel(function, unit, constants, {**cpu.INTRINSICS, **unit.intrinsics})
    if cpu.OWN is None:  # what stock `njit` compiles is neither kept nor shared
        code = bound.__code__
        return bind(bound, {}, lambda rebuilt: make(rebuilt, rebuilt.__code__ is code))
    kernel, key = wrap_kernel(bound, unit, constants, (cpu.PIPELINE, options), make)
    keep_on_disk(kernel, unit.name, key)
    return kernel


def compile_cuda(function: Function, unit: Unit, constants: Constants) -> Any:
    from anyzero.core.compile import gpu

    kernel = bind_kernel(function, unit, constants, gpu.INTRINSICS)
    return bind(
        kernel,
        {},
        lambda rebuilt: gpu.cuda.jit(device=rebuilt.__code__ is not kernel.__code__)(rebuilt),
    )


COMPILERS: dict[str, Callable[[Function, Unit, Constants], Any]] = {
    "cpu": compile_cpu,
    "cuda": compile_cuda,
    "interpreted": compile_interpreted,
}
LATER_COMPILERS = {"object": "browser", "wasm": "browser"}
"""Targets whose compilers are in a part that may be missing: its table COMPILERS has them."""


def compiler_for(target: str) -> Callable[[Function, Unit, Constants], Any]:
    check_name("target", target, (*COMPILERS, *LATER_COMPILERS))
    part = LATER_COMPILERS.get(target)
    compilers = COMPILERS if part is None else find(part).COMPILERS
    compiler: Callable[[Function, Unit, Constants], Any] = compilers[target]
    return compiler


COMPILE_AFTER_S = 0.5  # a function is compiled once it has been interpreted for this long in total


class LateKernel:
    """A function that is interpreted at first and compiled once it proves slow; `make` compiles it
    for a target.

    Both give the same results; the first answer comes at once, and a long loop still runs at
    machine speed.
    """

    def __init__(self, make: Callable[[str], Any]) -> None:
        self.make = make
        self.seconds = 0.0
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
