"""Numba for WebAssembly: kernels with 32-bit addresses and vectors of 128 bits, and no linker.

Code is generated for wasm from its first line on (an address has another size than on the CPU), by the same passes as
on the CPU. A kernel becomes a function of one argument: the address of a frame, in which its arguments stand as Numba
flattens them, 8 bytes each, behind a status and the result.
"""

import hashlib
import pickle
import sys
from collections.abc import Sequence
from functools import cached_property, partial
from types import FunctionType
from typing import Any, NamedTuple

import llvmlite.binding as llvm
import numba
from llvmlite import ir
from numba.core import codegen, cpu, registry, target_extension, types
from numba.core.runtime import rtsys
from numba.np import numpy_support

from anyzero.compile import bits
from anyzero.compile import cpu as our_cpu
from anyzero.compile.bind import Function
from anyzero.compile.bits import count_bits
from anyzero.compile.cache import cache_folder, read_entry, write_entry
from anyzero.compile.callees import CalleeCompiler, CalleeLibrary, KernelCompiler, KernelLibrary, callers_first
from anyzero.compile.random import U
from anyzero.compile.wasm_format import make_module

NAME, TRIPLE = "wasm", "wasm32-unknown-unknown"
FEATURES = "+simd128,+bulk-memory,+bulk-memory-opt,+sign-ext,+nontrapping-fptoint,+mutable-globals"
STATUS, RESULT, FIRST_ARGUMENT, SLOT = 0, 8, 16, 8
"""Places in a frame, and the bytes of each."""


class WasmCodegen(codegen.CPUCodegen):  # type: ignore[misc]
    """What Numba asks of a processor."""

    _library_class = CalleeLibrary

    def _init(self, _module: Any) -> None:
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
        target = llvm.Target.from_triple(TRIPLE)
        self._tm_features = FEATURES
        self._tm = target.create_target_machine(cpu="generic", features=FEATURES, opt=3, reloc="static")
        self._target_data = self._tm.target_data
        self._data_layout = str(self._target_data)
        self._loopvect, self._opt_level = True, 3

    def _create_empty_module(self, name: str) -> Any:
        module = super()._create_empty_module(name)
        module.triple = TRIPLE
        return module

    def _get_host_cpu_name(self) -> str:
        return "generic"

    def _add_module(self, _module: Any) -> None:
        """Nothing runs here."""

    def magic_tuple(self) -> tuple[str, str, str]:
        return TRIPLE, "generic", FEATURES


class WasmContext(cpu.CPUContext):  # type: ignore[misc]
    """Numba's CPU with that processor and without its memory manager, which kernels do not use."""

    def init(self) -> None:
        rtsys.initialize(registry.cpu_target.target_context)  # else it would take this one for its own
        self.is32bit = False
        self._internal_codegen = WasmCodegen("anyzero.wasm")

    def post_lowering(self, module: Any, library: Any) -> None:
        if self.fastmath:
            cpu.fastmathpass.rewrite_module(module, self.fastmath)


class Wasm(target_extension.CPU):  # type: ignore[misc]
    """By this class Numba finds, for functions of its own, who compiles them."""


class WasmTarget(registry.CPUTarget):  # type: ignore[misc]
    @cached_property
    def _toplevel_target_context(self) -> Any:
        return WasmContext(self.typing_context, NAME)


class WasmDispatcher(registry.CPUDispatcher):  # type: ignore[misc]
    """A function that is only ever compiled, never called."""

    targetdescr = WasmTarget(NAME)


target_extension.target_registry[NAME] = Wasm
target_extension.dispatcher_registry[Wasm] = WasmDispatcher
target_extension.jit_registry[Wasm] = lambda **_options: partial(compile_function, is_kernel=False, inline=False)


class WholeLibrary(KernelLibrary):
    """Kernels with everything they call; nothing is executable here, and all of it is optimised at the end."""

    def finalize(self) -> None:
        for part in callers_first(self):
            self._final_module.link_in(part._get_module_for_linking(), preserve=True)
        self._finalized = True

    get_pointer_to_function, codegen = CalleeLibrary.get_pointer_to_function, CalleeLibrary.codegen

    def emit(self, names: list[str]) -> bytes:
        """An object file of the functions of these names and what they call."""
        for function in self._final_module.functions:
            if not function.is_declaration:
                function.linkage = "external" if function.name in names else "internal"
        for variable in self._final_module.global_variables:
            variable.linkage = "internal"  # wasm has no common ones
        self._optimize_final_module()
        self._final_module.verify()
        return bytes(self._codegen._tm.emit_object(self._final_module))


class WholeCompiler(KernelCompiler):
    def new_library(self) -> Any:
        return WholeLibrary(self.state.targetctx.codegen(), self.state.func_id.func_qualname)


LOWEST_BITS, HIGHEST_BITS, ONE_A_BYTE = U(0x0101010101010101), U(0x8080808080808080), U(0x8040201008040201)


def nth_bit(word: Any, index: int) -> Any:
    """`bits.nth_bit` without the instruction PDEP and without a branch: first the byte, then the bit in it.

    Counts of all bytes are summed by one multiplication, and compared with `index` in one subtraction (Vigna 2008,
    Broadword implementation of rank/select queries).
    """
    wanted = U(index)
    pairs = word - ((word >> U(1)) & U(0x5555555555555555))
    fours = (pairs & U(0x3333333333333333)) + ((pairs >> U(2)) & U(0x3333333333333333))
    up_to = ((fours + (fours >> U(4))) & U(0x0F0F0F0F0F0F0F0F)) * LOWEST_BITS
    place = U(count_bits(((wanted * LOWEST_BITS | HIGHEST_BITS) - up_to) & HIGHEST_BITS)) << U(3)
    wanted -= ((up_to << U(8)) >> place) & U(0xFF)
    spread = (((word >> place) & U(0xFF)) * LOWEST_BITS) & ONE_A_BYTE
    flags = (((spread | HIGHEST_BITS) - LOWEST_BITS) | spread) & HIGHEST_BITS
    before = (flags >> U(7)) * LOWEST_BITS
    return U(1) << (place + U(count_bits(((wanted * LOWEST_BITS | HIGHEST_BITS) - before) & HIGHEST_BITS)))


INTRINSICS: dict[Function, Any] = {**our_cpu.INTRINSICS, bits.nth_bit: nth_bit}
PIPELINE = (FEATURES, *our_cpu.PIPELINE, WasmContext, WholeLibrary)
"""How functions are compiled, for the key of the disk cache."""


def compile_function(function: FunctionType, *, is_kernel: bool, inline: bool) -> WasmDispatcher:
    options = {**our_cpu.OPTIONS, **our_cpu.CALLEE_OPTIONS, "nopython": True, "forceinline": inline}
    compiler = WholeCompiler if is_kernel else CalleeCompiler
    return WasmDispatcher(function, targetoptions=options, pipeline_class=compiler)


class Entry(NamedTuple):
    """A kernel for arguments of these types, under the name by which a module exports it."""

    name: str
    dispatcher: Any
    kinds: tuple[Any, ...]
    key: str | None
    """A hash of all that it is compiled from."""

    def add_to(self, library: WholeLibrary) -> str:
        """Put the kernel there, and the function of a frame that calls it; the kind of what it returns."""
        self.dispatcher.compile(self.kinds)
        compiled = self.dispatcher.overloads[self.kinds]
        library._final_module.link_in(compiled.library._final_module, preserve=True)
        library._final_module.link_in(llvm.parse_assembly(_frame_function(self.name, compiled.fndesc)))
        kind = compiled.fndesc.restype
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
    parts = [(entry.name, entry.key, str(entry.kinds)) for entry in entries]
    key = hashlib.sha256(repr((parts, FEATURES, numba.__version__, sys.version)).encode()).hexdigest()[:24]
    path = cache_folder() / "wasm" / f"{entries[0].name}-{key}.code"
    is_kept = None not in {entry.key for entry in entries}
    found = read_entry(path) if is_kept else None
    if found is None:
        library = WholeLibrary(WasmDispatcher.targetdescr.target_context.codegen(), "whole")
        results = {entry.name: entry.add_to(library) for entry in entries}
        found = *make_module(library.emit(list(results)), results), results
        if is_kept:
            write_entry(path, pickle.dumps(found, pickle.HIGHEST_PROTOCOL))
    return Module(*found)


def _frame_function(name: str, description: Any) -> str:
    """The code of a function that reads a kernel's arguments from a frame."""
    context = WasmDispatcher.targetdescr.target_context
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
