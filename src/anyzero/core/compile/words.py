"""Raw access to records: the LLVM code of `bits.record_words` and `bits.record_word`, for CPUs and
GPUs.
"""

from llvmlite import ir
from numba import types

from anyzero.core.base.nouns import (
    Builder,
    Context,
    LlvmValue,
    LlvmValues,
    Lowering,
    NumbaType,
    Signature,
)
from anyzero.core.compile import bits
from anyzero.core.compile.bind import Function


def record_intrinsics(intrinsic: Function, align: int) -> dict[Function, Function]:
    """For the compiler whose `intrinsic` this is; words of its records start at multiples of
    `align` bytes.
    """

    @intrinsic
    def record_words(_context: Context, record: NumbaType) -> Lowering:
        def generate(
            _context: Context, _builder: Builder, signature: Signature, _args: LlvmValues
        ) -> LlvmValue:
            return ir.Constant(ir.IntType(64), signature.args[0].size // 8)

        return types.int64(record), generate

    @intrinsic
    def record_word(_context: Context, record: NumbaType, index: NumbaType) -> Lowering:
        def generate(
            _context: Context, builder: Builder, _signature: Signature, args: LlvmValues
        ) -> LlvmValue:
            words = builder.bitcast(args[0], ir.IntType(64).as_pointer())
            return builder.load(builder.gep(words, [args[1]]), align=align)

        return types.uint64(record, index), generate

    return {bits.record_words: record_words, bits.record_word: record_word}
