"""Ahead-of-time compilation with Numba: kernels for a machine other than this process, as an object
file.

Code is generated for that machine from the start (pointers may have another size there), by the
same passes as on the CPU. None of it can be called here.
"""

from functools import cache, cached_property, partial
from types import FunctionType
from typing import Any, NamedTuple

import llvmlite.binding as llvm
from numba.core import codegen, cpu, registry, target_extension
from numba.core.runtime import rtsys

from anyzero.core.compile import bits
from anyzero.core.compile import cpu as our_cpu
from anyzero.core.compile.bind import Function
from anyzero.core.compile.bits import count_bits
from anyzero.core.compile.cache import Fingerprint
from anyzero.core.compile.callees import (
    CalleeCompiler,
    CalleeLibrary,
    KernelCompiler,
    KernelLibrary,
    callers_first,
)
from anyzero.core.compile.kernels import Constants, Unit, bind_kernel, is_inlined, wrap_kernel
from anyzero.core.compile.random import U


class Machine(NamedTuple):
    """The target machine, in LLVM's terms."""

    name: str
    triple: str
    processor: str
    features: str
    relocation: str


WASM = Machine(
    "wasm",
    "wasm32-unknown-unknown",
    "generic",
    "+simd128,+bulk-memory,+bulk-memory-opt,+sign-ext,+nontrapping-fptoint,+mutable-globals",
    "static",
)


@cache
def any_like_this() -> Machine:
    """A machine of this kind, with the features common to all such processors of the last fifteen
    years.
    """
    triple = llvm.get_process_triple()
    return Machine(
        "object", triple, "x86-64-v2" if triple.startswith("x86_64") else "generic", "", "pic"
    )


class AheadCodegen(codegen.CPUCodegen):  # type: ignore[misc]
    """Numba's interface to a processor."""

    _library_class = CalleeLibrary

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        super().__init__(f"anyzero.{machine.name}")

    def _init(self, _module: Any) -> None:
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
        _, triple, processor, self._tm_features, relocation = self.machine
        self._tm = llvm.Target.from_triple(triple).create_target_machine(
            cpu=processor, features=self._tm_features, opt=3, reloc=relocation
        )
        self._target_data = self._tm.target_data
        self._data_layout = str(self._target_data)
        self._loopvect = True
        self._opt_level = 3

    def _create_empty_module(self, name: str) -> Any:
        module = super()._create_empty_module(name)
        module.triple = self.machine.triple
        return module

    def _add_module(self, _module: Any) -> None:
        """Do nothing: no code runs here."""

    def magic_tuple(self) -> tuple[str, str, str]:
        return self.machine.triple, self.machine.processor, self.machine.features


class AheadContext(cpu.CPUContext):  # type: ignore[misc]
    """Numba's CPU context for that processor, without its memory manager, which kernels do not
    use.
    """

    def __init__(self, typing_context: Any, machine: Machine) -> None:
        self.machine = machine
        super().__init__(typing_context, machine.name)

    def init(self) -> None:
        rtsys.initialize(
            registry.cpu_target.target_context
        )  # otherwise it would adopt this context
        self.is32bit = False
        self._internal_codegen = AheadCodegen(self.machine)

    def post_lowering(self, module: Any, library: Any) -> None:
        if self.fastmath:
            cpu.fastmathpass.rewrite_module(module, self.fastmath)


class AheadTarget(registry.CPUTarget):  # type: ignore[misc]
    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        super().__init__(machine.name)

    @cached_property
    def _toplevel_target_context(self) -> Any:
        return AheadContext(self.typing_context, self.machine)


@cache
def dispatcher_for(machine: Machine) -> Any:
    """The class of functions compiled for a machine.

    Numba must know it too: its own functions, such as `max`, are compiled by the class registered
    for the machine.
    """
    kind = type(machine.name, (target_extension.CPU,), {})
    dispatcher = type(
        "AheadDispatcher", (registry.CPUDispatcher,), {"targetdescr": AheadTarget(machine)}
    )
    target_extension.target_registry[machine.name] = kind
    target_extension.dispatcher_registry[kind] = dispatcher
    callee = partial(compile_function, machine, is_kernel=False, inline=False)
    target_extension.jit_registry[kind] = lambda **_options: callee
    return dispatcher


def context_for(machine: Machine) -> Any:
    return dispatcher_for(machine).targetdescr.target_context


class WholeLibrary(KernelLibrary):
    """Kernels with everything they call, optimised together at the end."""

    def finalize(self) -> None:
        for part in callers_first(self):
            self._final_module.link_in(part._get_module_for_linking(), preserve=True)
        self._finalized = True

    get_pointer_to_function = CalleeLibrary.get_pointer_to_function
    codegen = CalleeLibrary.codegen

    def add(self, dispatcher: Any, kinds: tuple[Any, ...]) -> Any:
        """Add a kernel for arguments of these types; returns Numba's description of it."""
        dispatcher.compile(kinds)
        compiled = dispatcher.overloads[kinds]
        self._final_module.link_in(compiled.library._final_module, preserve=True)
        return compiled.fndesc

    def add_text(self, text: str) -> None:
        """Add code that calls them."""
        self._final_module.link_in(llvm.parse_assembly(text))

    def emit(self, names: list[str]) -> bytes:
        """An object file with the functions of these names and their callees."""
        functions = [
            function for function in self._final_module.functions if not function.is_declaration
        ]
        for number, symbol in enumerate([*functions, *self._final_module.global_variables]):
            symbol.linkage = (
                "external" if symbol.name in names else "internal"
            )  # wasm has no common linkage
            if symbol.name not in names:
                # Numba's names have counters and hashes of this process
                symbol.name = f"own.{number}"
        self._optimize_final_module()
        self._final_module.verify()
        return bytes(self._codegen._tm.emit_object(self._final_module))


def new_library(machine: Machine) -> WholeLibrary:
    return WholeLibrary(context_for(machine).codegen(), "whole")


class WholeCompiler(KernelCompiler):
    library = WholeLibrary


def compile_function(
    machine: Machine, function: FunctionType, *, is_kernel: bool, inline: bool
) -> Any:
    options = {**our_cpu.OPTIONS, **our_cpu.CALLEE_OPTIONS, "nopython": True, "forceinline": inline}
    compiler = WholeCompiler if is_kernel else CalleeCompiler
    return dispatcher_for(machine)(function, targetoptions=options, pipeline_class=compiler)


def compile_object(
    function: Function, unit: Unit, constants: Constants, machine: Machine | None = None
) -> Any:
    """A kernel for object files, for machines like this one; it is compiled when added to a
    library.

    Also returns a hash of everything it is compiled from.
    """
    machine = machine or any_like_this()

    def make(rebuilt: FunctionType, is_kernel: bool) -> Any:
        return compile_function(
            machine, rebuilt, is_kernel=is_kernel, inline=is_inlined(rebuilt, unit)
        )

    bound = bind_kernel(function, unit, constants, {**INTRINSICS, **unit.intrinsics})
    return wrap_kernel(bound, unit, constants, (PIPELINE, machine), make)


# --- replacements for missing instructions

HALVES = tuple(
    map(U, (0xFFFFFFFF, 0xFFFF0000FFFF, 0x00FF00FF00FF00FF, 0x0F0F0F0F0F0F0F0F, 0x3333333333333333))
)
FEW = 8  # up to this many low bits are faster dropped than counted


def portable_nth_bit(word: Any, index: int) -> Any:
    """`bits.nth_bit` without the PDEP instruction: selects instead of unpredictable branches."""
    if index < FEW:
        word = drop_bit(drop_bit(drop_bit(drop_bit(word)))) if index & 4 else word
        word = drop_bit(drop_bit(word)) if index & 2 else word
        word = drop_bit(word) if index & 1 else word
        return word & (~word + U(1))
    for half in HALVES:  # keep the half that contains the bit
        low = word & half
        num = count_bits(low)
        is_above = index >= num
        word = word ^ low if is_above else low
        index = index - num if is_above else index
    low = word & (~word + U(1))
    return word ^ low if index > 0 else low


def drop_bit(word: Any) -> Any:
    """The word without its lowest bit."""
    return word & (word - U(1))


INTRINSICS: dict[Function, Any] = {**our_cpu.INTRINSICS, bits.nth_bit: portable_nth_bit}
PIPELINE = Fingerprint().of(
    our_cpu.PIPELINE, our_cpu.OPTIONS, AheadContext, AheadCodegen, WholeLibrary
)
"""A hash of the compiler's parts and options, for the key of the disk cache."""
