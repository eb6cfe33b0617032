"""Functions over vectors, written once: interpreted they run on NumPy, for the CPU they are traced
into LLVM code.

Such a function takes flat float32 arrays, a tuple of strides known at run time, and integers known
at compile time; the last of these is the number of lanes, the length of a vector. It reads and
writes its arrays through `in_lanes`. A sum with a product becomes one instruction (FMA) if the
processor supports it.
"""

import inspect
from collections.abc import Hashable, Iterable, Iterator, Mapping
from inspect import Parameter, signature
from typing import Any

import numpy as np
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
    NumbaType,
    Number,
    Signature,
)
from anyzero.core.compile.bind import Function
from anyzero.core.compile.cpu_vectors import INDEX, NUMBER, larger, spread

Lanes = Any  # a vector of one number for each lane: NumPy's, or a `Vector` in code
LaneArray = Any  # whose vectors are read and written: `ArrayLanes` or `TracedLanes`
Place = Any  # an index into an array, known when tracing or, as an `Offset`, when the code runs
Key = Hashable  # of a vector among those that change in a loop


def in_lanes(lanes: int, *arrays: LaneArray) -> tuple[LaneArray, ...]:
    return tuple(
        array if isinstance(array, TracedLanes) else ArrayLanes(array, lanes) for array in arrays
    )


class ArrayLanes:
    """An array whose vectors are read and written at any index."""

    def __init__(self, array: np.ndarray, lanes: int) -> None:
        self.array = array
        self.lanes = lanes

    def __getitem__(self, place: int) -> Lanes:
        return self.array[place : place + self.lanes].copy()

    def __setitem__(self, place: int, vector: Lanes) -> None:
        self.array[place : place + self.lanes] = vector

    def everywhere(self, place: int) -> Number:
        """One number, broadcast to every lane."""
        return self.array[place]

    def zeros(self) -> Lanes:
        return np.zeros(self.lanes, np.float32)

    def registers(self, start: Mapping[Key, Lanes]) -> dict[Key, Lanes]:
        """Vectors that change in a loop, by any keys."""
        return dict(start)

    def loop(self, num: int) -> Iterable[int]:
        """The numbers from 0 on, like `range`."""
        return range(num)


# --- traced: the same operations emit code


def traced(function: Function) -> Function:
    """The intrinsic with the code of `function`."""

    def define(_context: Context, *kinds: NumbaType) -> tuple[Signature, Function] | None:
        if not all(
            isinstance(kind, types.IntegerLiteral)
            for kind in kinds
            if isinstance(kind, types.Integer)
        ):
            return None

        def generate(
            context: Context, builder: Builder, types_of: Signature, args: LlvmValues
        ) -> LlvmValue:
            pairs = zip(kinds, types_of.args, args, strict=True)
            function(
                *(_argument(context, builder, kinds[-1].literal_value, *pair) for pair in pairs)
            )
            return context.get_dummy_value()

        return types.void(*kinds), generate

    define.__name__ = function.__name__
    parameters = (
        Parameter("context", Parameter.POSITIONAL_ONLY),
        *signature(function).parameters.values(),
    )
    vars(define)["__signature__"] = inspect.Signature(parameters)  # required by Numba
    emitter: Function = intrinsic(prefer_literal=True)(define)
    return emitter


def _argument(
    context: Context,
    builder: Builder,
    lanes: int,
    kind: NumbaType,
    actual: NumbaType,
    value: LlvmValue,
) -> "int | tuple[Offset, ...] | TracedLanes":
    if isinstance(kind, types.IntegerLiteral):
        number: int = kind.literal_value
        return number
    if isinstance(kind, types.BaseTuple):
        return tuple(Offset(builder, part) for part in cgutils.unpack_tuple(builder, value))
    return TracedLanes(builder, context.make_array(actual)(context, builder, value).data, lanes)


class Offset:
    """An integer known at run time."""

    def __init__(self, builder: Builder, value: LlvmValue) -> None:
        self.builder = builder
        self.value = value

    def __add__(self, other: Place) -> "Offset":
        return Offset(self.builder, self.builder.add(self.value, _index(other)))

    def __mul__(self, other: Place) -> "Offset":
        return Offset(self.builder, self.builder.mul(self.value, _index(other)))

    __radd__ = __add__
    __rmul__ = __mul__


def _index(number: Place) -> LlvmValue:
    return number.value if isinstance(number, Offset) else ir.Constant(INDEX, number)


class TracedLanes:
    """The operations of `ArrayLanes`, as code."""

    def __init__(self, builder: Builder, data: LlvmValue, lanes: int) -> None:
        self.builder = builder
        self.data = data
        self.kind = ir.VectorType(NUMBER, lanes)

    def pointer(self, place: Place) -> LlvmValue:
        return self.builder.bitcast(
            self.builder.gep(self.data, [_index(place)]), self.kind.as_pointer()
        )

    def __getitem__(self, place: Place) -> "Vector":
        return Vector(self.builder, self.builder.load(self.pointer(place), align=4))

    def __setitem__(self, place: Place, vector: "Vector") -> None:
        self.builder.store(vector.read(), self.pointer(place), align=4)

    def everywhere(self, place: Place) -> "Vector":
        number = self.builder.load(self.builder.gep(self.data, [_index(place)]))
        return Vector(self.builder, spread(self.builder, number, self.kind))

    def zeros(self) -> "Vector":
        return Vector(self.builder, _filled(self.kind, 0.0))

    def registers(self, start: Mapping[Key, "Vector"]) -> "Registers":
        return Registers(self.builder, start)

    def loop(self, num: Place) -> Iterator[Offset]:
        """Yields one symbolic number: what the caller does with it becomes the body of the loop."""
        with cgutils.for_range(self.builder, _index(num), intp=INDEX) as loop:
            yield Offset(self.builder, loop.index)


class Registers:
    """Vectors that change in a loop; LLVM keeps them in registers."""

    def __init__(self, builder: Builder, start: Mapping[Key, "Vector"]) -> None:
        self.builder = builder
        self.slots = {
            key: cgutils.alloca_once_value(builder, vector.read()) for key, vector in start.items()
        }

    def __getitem__(self, key: Key) -> "Vector":
        return Vector(self.builder, self.builder.load(self.slots[key]))

    def __setitem__(self, key: Key, vector: "Vector") -> None:
        self.builder.store(vector.read(), self.slots[key])


class Vector:
    """A vector, or a pending product, which the first addition turns into an FMA."""

    def __init__(
        self, builder: Builder, value: LlvmValue, factor: "Vector | float | None" = None
    ) -> None:
        self.builder = builder
        self.value = value
        self.factor = factor

    def __mul__(self, factor: "Vector | float") -> "Vector":
        return Vector(self.builder, self.read(), factor)

    def __add__(self, other: "Vector") -> "Vector":
        product, rest = (other, self) if other.factor is not None else (self, other)
        if product.factor is None:
            return Vector(self.builder, self.builder.fadd(self.value, other.value))
        kind = self.value.type
        operation = f"llvm.fmuladd.v{kind.count}f32"
        sum_up = self.builder.module.declare_intrinsic(
            operation, fnty=ir.FunctionType(kind, [kind] * 3)
        )
        return Vector(
            self.builder,
            self.builder.call(sum_up, [product.spread_factor(), product.value, rest.read()]),
        )

    def __sub__(self, other: "Vector") -> "Vector":
        if other.factor is not None:
            return self + Vector(self.builder, other.value, -other.factor)
        return Vector(self.builder, self.builder.fsub(self.read(), other.value))

    def __neg__(self) -> "Vector":
        return Vector(self.builder, _filled(self.value.type, 0.0)) - self

    __rmul__ = __mul__

    def clip(self, least: float) -> "Vector":
        """Every number raised to at least `least`."""
        return Vector(
            self.builder, larger(self.builder, self.read(), _filled(self.value.type, least))
        )

    def spread_factor(self) -> LlvmValue:
        if isinstance(self.factor, Vector):
            return self.factor.read()
        assert self.factor is not None
        return _filled(self.value.type, self.factor)

    def read(self) -> LlvmValue:
        return (
            self.value
            if self.factor is None
            else self.builder.fmul(self.spread_factor(), self.value)
        )


def _filled(kind: LlvmType, number: float) -> LlvmValue:
    return ir.Constant(kind, [ir.Constant(NUMBER, float(number))] * kind.count)
