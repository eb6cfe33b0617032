"""The CPU's version of `products`: the sums of some rows stay in registers while the weights pass by.

With twelve rows and two vectors of outputs, each round loads two vectors of weights and twelve numbers, and uses them
in 24 multiplications with addition: what the processor can do in the time of the loads.
"""

from itertools import product
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from anyzero.compile import products
from anyzero.compile.bind import Function
from anyzero.compile.cpu_vectors import INDEX, NUMBER, spread


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
def multiply_rows(
    _context: Any, source: Any, weights: Any, target: Any, steps: Any, rows: Any, vectors: Any, lanes: Any
) -> Any:
    sizes = rows, vectors, lanes
    if not all(isinstance(size, types.IntegerLiteral) for size in sizes):
        return None
    code = ProductCode(*(size.literal_value for size in sizes))

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        arrays = [
            context.make_array(kind)(context, builder, value).data
            for kind, value in zip(signature.args[:3], args[:3], strict=True)
        ]
        code.generate(builder, arrays, cgutils.unpack_tuple(builder, args[3]))
        return context.get_dummy_value()

    return types.void(source, weights, target, steps, *sizes), generate


class ProductCode:
    """Generates the loop for so many rows and vectors of outputs."""

    def __init__(self, rows: int, vectors: int, lanes: int) -> None:
        self.rows, self.vectors, self.lanes = rows, vectors, lanes
        self.kind = ir.VectorType(NUMBER, lanes)

    def generate(self, builder: Any, arrays: list[Any], steps: list[Any]) -> None:
        source, weights, target = arrays
        numbers, target_step = steps
        zeros = ir.Constant(self.kind, [ir.Constant(NUMBER, 0.0)] * self.lanes)
        places = list(product(range(self.rows), range(self.vectors)))
        sums = {place: cgutils.alloca_once_value(builder, zeros) for place in places}
        with cgutils.for_range(builder, numbers, intp=INDEX) as loop:
            first = builder.mul(loop.index, number(self.vectors * self.lanes))
            own = [builder.load(self.place(builder, weights, first, vector), align=4) for vector in range(self.vectors)]
            for row in range(self.rows):
                at = builder.add(loop.index, builder.mul(numbers, number(row)))
                factor = spread(builder, builder.load(builder.gep(source, [at])), self.kind)
                for vector, weight in enumerate(own):
                    self.add_product(builder, factor, weight, sums[row, vector])
        for row, vector in places:
            at = self.place(builder, target, builder.mul(target_step, number(row)), vector)
            builder.store(builder.load(sums[row, vector]), at, align=4)

    def place(self, builder: Any, array: Any, start: Any, vector: int) -> Any:
        at = builder.add(start, number(vector * self.lanes))
        return builder.bitcast(builder.gep(array, [at]), self.kind.as_pointer())

    def add_product(self, builder: Any, factor: Any, weight: Any, total: Any) -> None:
        name, kind = f"llvm.fma.v{self.lanes}f32", ir.FunctionType(self.kind, [self.kind] * 3)
        multiply_add = builder.module.declare_intrinsic(name, fnty=kind)
        builder.store(builder.call(multiply_add, [factor, weight, builder.load(total)]), total)


def number(value: int) -> Any:
    return ir.Constant(INDEX, value)


INTRINSICS: dict[Function, Any] = {products.multiply_rows: multiply_rows}
