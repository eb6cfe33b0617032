"""The CPU's vector operations of `bits`: LLVM code on sixteen numbers at a time, for any
processor.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from anyzero.core.base.nouns import (
    Builder,
    Context,
    LlvmType,
    LlvmValue,
    LlvmValues,
    Lowering,
    NumbaType,
    Signature,
)
from anyzero.core.compile import bits
from anyzero.core.compile.bind import Function

WIDE = 16
NUMBER = ir.FloatType()
INDEX = ir.IntType(64)
LANE = ir.IntType(32)
VECTOR = ir.VectorType(NUMBER, WIDE)
LANES = ir.VectorType(LANE, WIDE)
LOWEST = -3.0e38


@intrinsic  # type: ignore[untyped-decorator]
def emit_best_index(_context: Context, scores: NumbaType, count: NumbaType) -> Lowering:
    def generate(
        context: Context, builder: Builder, signature: Signature, args: LlvmValues
    ) -> LlvmValue:
        numbers = context.make_array(signature.args[0])(context, builder, args[0]).data
        count = context.cast(builder, args[1], signature.args[1], types.int64)
        return emit_index_of(builder, numbers, count, emit_maximum(builder, numbers, count))

    return types.int64(scores, count), generate


def emit_maximum(builder: Builder, numbers: LlvmValue, count: LlvmValue) -> LlvmValue:
    """The maximum: lane by lane, then across the lanes, then the remainder that does not fill a
    vector.
    """
    lanes = cgutils.alloca_once_value(
        builder, ir.Constant(VECTOR, [ir.Constant(NUMBER, LOWEST)] * WIDE)
    )
    with each_vector(builder, numbers, count) as (_, vector):
        builder.store(larger(builder, vector, builder.load(lanes)), lanes)
    fold = builder.module.declare_intrinsic(
        f"llvm.vector.reduce.fmax.v{WIDE}f32", fnty=ir.FunctionType(NUMBER, [VECTOR])
    )
    best = cgutils.alloca_once_value(
        builder, builder.call(fold, [builder.load(lanes)], fastmath=("nnan", "nsz"))
    )
    with each_rest(builder, numbers, count) as (_, number):
        builder.store(larger(builder, number, builder.load(best)), best)
    return builder.load(best)


def emit_index_of(
    builder: Builder, numbers: LlvmValue, count: LlvmValue, best: LlvmValue
) -> LlvmValue:
    place = cgutils.alloca_once_value(builder, count)
    everywhere = spread(builder, best)
    with each_vector(builder, numbers, count) as (index, vector):
        hits = builder.bitcast(builder.fcmp_ordered("==", vector, everywhere), ir.IntType(WIDE))
        any_hit = builder.icmp_unsigned("!=", hits, ir.Constant(ir.IntType(WIDE), 0))
        with builder.if_then(
            builder.and_(any_hit, builder.icmp_unsigned("==", builder.load(place), count))
        ):
            lane = builder.zext(builder.cttz(hits, ir.Constant(ir.IntType(1), 1)), INDEX)
            builder.store(builder.add(index, lane), place)
    with each_rest(builder, numbers, count) as (index, number):
        hit = builder.fcmp_ordered("==", number, best)
        with builder.if_then(
            builder.and_(hit, builder.icmp_unsigned("==", builder.load(place), count))
        ):
            builder.store(index, place)
    return builder.load(place)


def larger(builder: Builder, first: LlvmValue, second: LlvmValue) -> LlvmValue:
    return builder.select(builder.fcmp_ordered(">", first, second), first, second)


@contextmanager
def each_vector(
    builder: Builder, numbers: LlvmValue, count: LlvmValue
) -> Iterator[tuple[LlvmValue, LlvmValue]]:
    """A loop over whole vectors: (index of the first lane, vector)."""
    whole = builder.and_(count, ir.Constant(INDEX, -WIDE))
    zero = ir.Constant(INDEX, 0)
    wide = ir.Constant(INDEX, WIDE)
    with cgutils.for_range_slice(builder, zero, whole, wide, intp=INDEX) as (index, _):
        place = builder.bitcast(builder.gep(numbers, [index]), VECTOR.as_pointer())
        yield index, builder.load(place, align=4)


@contextmanager
def each_rest(
    builder: Builder, numbers: LlvmValue, count: LlvmValue
) -> Iterator[tuple[LlvmValue, LlvmValue]]:
    """A loop over the remainder after the whole vectors: (index, number)."""
    whole = builder.and_(count, ir.Constant(INDEX, -WIDE))
    step = ir.Constant(INDEX, 1)
    with cgutils.for_range_slice(builder, whole, count, step, intp=INDEX) as (index, _):
        yield index, builder.load(builder.gep(numbers, [index]))


# --- counting the members of a small set


@intrinsic  # type: ignore[untyped-decorator]
def emit_small_set_count(
    _context: Context,
    keys: NumbaType,
    members: NumbaType,
    counts: NumbaType,
    sums: NumbaType,
    amount: NumbaType,
    num: NumbaType,
) -> Lowering:
    def generate(
        context: Context, builder: Builder, signature: Signature, args: LlvmValues
    ) -> LlvmValue:
        if "+avx512f" not in context.codegen().magic_tuple()[2]:
            return context.compile_internal(builder, bits.count_members, signature, args)
        parts = [
            context.make_array(kind)(context, builder, value).data
            for kind, value in zip(signature.args[:4], args[:4], strict=True)
        ]
        number = context.cast(builder, args[5], signature.args[5], types.int64)
        generate_count(builder, parts, args[4], number)
        return context.get_dummy_value()

    return types.void(keys, members, counts, sums, types.float32, num), generate


def generate_count(
    builder: Builder, parts: list[LlvmValue], amount: LlvmValue, number: LlvmValue
) -> None:
    """Sixteen keys at a time: the whole set is in one register, from which each key selects its
    word.
    """
    keys, members, counts, sums = parts
    words = builder.load(builder.bitcast(members, LANES.as_pointer()), align=8)
    pick = builder.module.declare_intrinsic(
        "llvm.x86.avx512.permvar.si.512", fnty=ir.FunctionType(LANES, [LANES, LANES])
    )

    def step(index: LlvmValue, kind: LlvmType, pick_word: Function) -> None:
        place = [
            builder.bitcast(builder.gep(part, [index]), kind.as_pointer())
            for part in (counts, sums)
        ]
        lane_kind = LANES if kind == VECTOR else LANE
        key = builder.load(
            builder.bitcast(builder.gep(keys, [index]), lane_kind.as_pointer()), align=4
        )
        word = pick_word(builder.lshr(key, fill(lane_kind, 5)))
        bit = builder.and_(
            builder.lshr(word, builder.and_(key, fill(lane_kind, 31))), fill(lane_kind, 1)
        )
        count, total = (builder.load(part, align=4) for part in place)
        member = builder.and_(
            builder.icmp_unsigned("!=", bit, fill(lane_kind, 0)),
            builder.fcmp_ordered("<", count, fill(kind, float(bits.MOST_COUNT))),
        )
        more = spread(builder, amount) if kind == VECTOR else amount
        builder.store(
            builder.select(member, builder.fadd(count, fill(kind, 1.0)), count), place[0], align=4
        )
        builder.store(builder.select(member, builder.fadd(total, more), total), place[1], align=4)

    short_words = builder.bitcast(members, LANE.as_pointer())
    with each_vector(builder, counts, number) as (index, _):
        step(index, VECTOR, lambda at: builder.call(pick, [words, at]))
    with each_rest(builder, counts, number) as (index, _):
        step(index, NUMBER, lambda at: builder.load(builder.gep(short_words, [at])))


def fill(kind: LlvmType, value: float) -> LlvmValue:
    """A constant, in every lane if there are several."""
    return ir.Constant(
        kind,
        [ir.Constant(kind.element, value)] * WIDE if isinstance(kind, ir.VectorType) else value,
    )


def spread(builder: Builder, number: LlvmValue, kind: LlvmType = VECTOR) -> LlvmValue:
    undefined = ir.Constant(kind, ir.Undefined)
    first_lane = builder.insert_element(undefined, number, ir.Constant(LANE, 0))
    return builder.shuffle_vector(
        first_lane, undefined, ir.Constant(ir.VectorType(LANE, kind.count), [0] * kind.count)
    )


INTRINSICS: dict[Function, Function] = {
    bits.best_index: emit_best_index,
    bits.count_small_set: emit_small_set_count,
}
