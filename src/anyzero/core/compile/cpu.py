"""Numba on the CPU: intrinsics, and a dispatcher with our disk cache."""

from types import FunctionType

import numba
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from anyzero.core.base.nouns import (
    Builder,
    Context,
    Dispatcher,
    LlvmValue,
    LlvmValues,
    Lowering,
    NumbaType,
    Signature,
    Values,
)
from anyzero.core.compile import bits, bundle, inside
from anyzero.core.compile.bind import Function
from anyzero.core.compile.cache import Fingerprint
from anyzero.core.compile.cpu_vectors import INTRINSICS as VECTOR_INTRINSICS
from anyzero.core.compile.words import record_intrinsics

# The NumPy error model: a division by zero raises nothing, as on the GPU. Kernels release the GIL.
# They allocate nothing, so references are not counted: counting those to the tables of the rules
# took longer than the rules. No kernel makes a NaN, and 0.0 equals -0.0: knowing that, several
# scores are compared at once. Sums keep their order.
OPTIONS = {"nogil": True, "error_model": "numpy", "fastmath": {"nnan", "nsz"}, "_nrt": False}
GUARDED = {**OPTIONS, "fastmath": False, "boundscheck": True}  # for unchecked rules
CALLEE_OPTIONS = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Only kernels are called from Python; the others need no wrapper, which saves compile time."""


inside.name_records_by_fields()
inside.look_for_blas_later()

OWN = inside.own_compiler()
"""Our way to compile; None where Numba lacks what it needs, and `njit` does it alone."""

PIPELINE = Fingerprint().of(inside.name_of_record, *(OWN.PARTS if OWN else ()), *bundle.PARTS)
"""A hash of the compiler's parts, for the key of the disk cache."""


def as_word(builder: Builder, value: LlvmValue) -> LlvmValue:
    return builder.zext(value, ir.IntType(64)) if value.type.width < 64 else value


def on_word(operate: Function) -> Function:
    """The intrinsic that applies this to a word and returns an index or a count."""

    def define(_context: Context, word: NumbaType) -> Lowering:
        return types.int64(word), lambda _context, builder, _signature, args: operate(
            builder, as_word(builder, args[0])
        )

    emitter: Function = intrinsic(define)
    return emitter


NOT_ZERO = ir.Constant(
    ir.IntType(1), 1
)  # words are nonzero when their first or last bit is requested
trailing_zeros = on_word(lambda builder, word: builder.cttz(word, NOT_ZERO))
leading_bit = on_word(
    lambda builder, word: builder.sub(ir.Constant(ir.IntType(64), 63), builder.ctlz(word, NOT_ZERO))
)
count_bits = on_word(lambda builder, word: builder.ctpop(word))


@intrinsic  # type: ignore[untyped-decorator]
def emit_nth_bit(_context: Context, word: NumbaType, index: NumbaType) -> Lowering:
    def generate(
        context: Context, builder: Builder, signature: Signature, args: LlvmValues
    ) -> LlvmValue:
        if not deposits_bits_fast(context):
            return context.compile_internal(builder, bits.nth_bit, signature, args)
        wide = ir.IntType(64)
        deposit = builder.module.declare_intrinsic(
            "llvm.x86.bmi.pdep.64", fnty=ir.FunctionType(wide, [wide, wide])
        )
        bit = builder.shl(ir.Constant(wide, 1), as_word(builder, args[1]))
        return builder.call(deposit, [bit, as_word(builder, args[0])])

    return types.uint64(word, index), generate


def deposits_bits_fast(context: Context) -> bool:
    """Whether the processor has the PDEP instruction, other than the slow version of the first AMD
    Zens.
    """
    _, processor, features = context.codegen().magic_tuple()
    return "+bmi2" in features and processor not in ("znver1", "znver2")


INTRINSICS: dict[Function, Function] = {
    bits.trailing_zeros: trailing_zeros,
    bits.leading_bit: leading_bit,
    bits.count_bits: count_bits,
    bits.nth_bit: emit_nth_bit,
    bits.by_pointer: bundle.emit_pointer,
    **record_intrinsics(intrinsic, align=1),
    **VECTOR_INTRINSICS,
}


def kernel_dispatcher(function: FunctionType, options: Values) -> Dispatcher:
    """A dispatcher for a function that is called from Python."""
    if OWN is None:
        return numba.njit(**options)(function)
    pipeline = {"no_cfunc_wrapper": True, "pipeline_class": OWN.KernelCompiler}
    return numba.njit(**options, **pipeline)(function)


def part_dispatcher(
    function: FunctionType, options: Values, *, inline: bool, is_rule: bool
) -> Dispatcher:
    """A dispatcher for a function that only compiled code calls."""
    if OWN is None or "print" in function.__code__.co_names:
        # print needs an environment, which a linked part does not have
        return numba.njit(**options)(function)
    compiler = OWN.RulesCompiler if is_rule else OWN.CalleeCompiler
    return numba.njit(**options, **CALLEE_OPTIONS, pipeline_class=compiler, forceinline=inline)(
        function
    )
