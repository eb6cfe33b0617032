"""The CPU's version of `convolution`: the sums of some cells stay in registers while a row of the source passes by.

With seven cells and two vectors of outputs, each round loads two vectors of weights and seven numbers, and uses them in
fourteen multiplications with addition: about as many as the processor can do in the time of the loads.
"""

from itertools import product
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from anyzero.compile import convolution
from anyzero.compile.bind import Function

NUMBER, INDEX, LANE = ir.FloatType(), ir.IntType(64), ir.IntType(32)


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
def add_row(
    _context: Any, source: Any, weights: Any, target: Any, steps: Any, cells: Any, vectors: Any, lanes: Any
) -> Any:
    sizes = cells, vectors, lanes
    if not all(isinstance(size, types.IntegerLiteral) for size in sizes):
        return None
    code = RowCode(*(size.literal_value for size in sizes))

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        arrays = [
            context.make_array(kind)(context, builder, value).data
            for kind, value in zip(signature.args[:3], args[:3], strict=True)
        ]
        code.generate(builder, arrays, cgutils.unpack_tuple(builder, args[3]))
        return context.get_dummy_value()

    return types.void(source, weights, target, steps, *sizes), generate


class RowCode:
    """Generates the loop for so many cells and vectors of outputs."""

    def __init__(self, cells: int, vectors: int, lanes: int) -> None:
        self.cells, self.vectors, self.lanes = cells, vectors, lanes
        self.kind = ir.VectorType(NUMBER, lanes)

    def generate(self, builder: Any, arrays: list[Any], steps: list[Any]) -> None:
        source, weights, target = arrays
        inputs, target_step = steps
        places = {
            (cell, vector): self.place(builder, target, [builder.mul(target_step, number(cell)), self.at(vector)])
            for cell, vector in product(range(self.cells), range(self.vectors))
        }
        sums = {key: cgutils.alloca_once_value(builder, builder.load(at, align=4)) for key, at in places.items()}
        with cgutils.for_range(builder, builder.mul(inputs, number(3)), intp=INDEX) as tap:
            row = builder.mul(tap.index, number(self.vectors * self.lanes))
            own = [
                builder.load(self.place(builder, weights, [row, self.at(vector)]), align=4)
                for vector in range(self.vectors)
            ]
            for cell in range(self.cells):
                at = builder.add(tap.index, builder.mul(inputs, number(cell)))
                factor = self.spread(builder, builder.load(builder.gep(source, [at])))
                for vector, weight in enumerate(own):
                    self.add_product(builder, factor, weight, sums[cell, vector])
        for key, at in places.items():
            builder.store(builder.load(sums[key]), at, align=4)

    def at(self, vector: int) -> Any:
        return number(vector * self.lanes)

    def place(self, builder: Any, array: Any, distances: list[Any]) -> Any:
        """The vector that begins at the sum of the distances."""
        return builder.bitcast(builder.gep(array, [builder.add(*distances)]), self.kind.as_pointer())

    def add_product(self, builder: Any, factor: Any, weight: Any, total: Any) -> None:
        name, kind = f"llvm.fma.v{self.lanes}f32", ir.FunctionType(self.kind, [self.kind] * 3)
        multiply_add = builder.module.declare_intrinsic(name, fnty=kind)
        builder.store(builder.call(multiply_add, [factor, weight, builder.load(total)]), total)

    def spread(self, builder: Any, value: Any) -> Any:
        """The number in every lane."""
        undefined = ir.Constant(self.kind, ir.Undefined)
        first = builder.insert_element(undefined, value, ir.Constant(LANE, 0))
        return builder.shuffle_vector(first, undefined, ir.Constant(ir.VectorType(LANE, self.lanes), [0] * self.lanes))


def number(value: int) -> Any:
    return ir.Constant(INDEX, value)


INTRINSICS: dict[Function, Any] = {convolution.add_row: add_row}
