"""The CPU's version of `products`: the sums of some rows stay in registers while the weights pass by.

With twelve rows and two vectors of outputs, each round loads two vectors of weights and twelve numbers, and uses them
in 24 multiplications with addition: what the processor can do in the time of the loads.
"""

from collections.abc import Callable
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
    return lowered(ProductCode.multiply_rows, [source, weights, target], steps, [rows, vectors, lanes])


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
def add_products(
    _context: Any, source: Any, factors: Any, sums: Any, steps: Any, rows: Any, vectors: Any, lanes: Any
) -> Any:
    return lowered(ProductCode.add_products, [source, factors, sums], steps, [rows, vectors, lanes])


def lowered(
    write: Callable[["ProductCode", list[Any], list[Any]], None], arrays: list[Any], steps: Any, sizes: list[Any]
) -> Any:
    """The signature and the code of an intrinsic that takes arrays, steps and sizes known by now."""
    if not all(isinstance(size, types.IntegerLiteral) for size in sizes):
        return None

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kinds = zip(signature.args, args[: len(arrays)], strict=False)
        data = [context.make_array(kind)(context, builder, value).data for kind, value in kinds]
        code = ProductCode(builder, *(size.literal_value for size in sizes))
        write(code, data, cgutils.unpack_tuple(builder, args[len(arrays)]))
        return context.get_dummy_value()

    return types.void(*arrays, steps, *sizes), generate


class ProductCode:
    """Writes the loop for so many rows and vectors of sums."""

    def __init__(self, builder: Any, rows: int, vectors: int, lanes: int) -> None:
        self.builder, self.rows, self.vectors, self.lanes = builder, range(rows), range(vectors), lanes
        self.kind = ir.VectorType(NUMBER, lanes)

    def multiply_rows(self, arrays: list[Any], steps: list[Any]) -> None:
        source, weights, target = arrays
        numbers, target_step = steps
        zeros = ir.Constant(self.kind, [ir.Constant(NUMBER, 0.0)] * self.lanes)
        sums = self.new_sums(lambda _row, _vector: zeros)
        starts = [self.builder.mul(numbers, number(row)) for row in self.rows]
        with cgutils.for_range(self.builder, numbers, intp=INDEX) as loop:
            own = self.builder.mul(loop.index, number(len(self.vectors) * self.lanes))
            self.add_round(source, [self.builder.add(start, loop.index) for start in starts], weights, own, sums)
        self.store_sums(sums, target, target_step)

    def add_products(self, arrays: list[Any], steps: list[Any]) -> None:
        source, factors, target = arrays
        num, source_step, factor_step, target_step = steps
        sums = self.new_sums(lambda row, vector: self.load(target, self.builder.mul(target_step, number(row)), vector))
        with cgutils.for_range(self.builder, num, intp=INDEX) as loop:
            first, own = (self.builder.mul(loop.index, step) for step in (source_step, factor_step))
            self.add_round(source, [self.builder.add(first, number(row)) for row in self.rows], factors, own, sums)
        self.store_sums(sums, target, target_step)

    def new_sums(self, start: Callable[[int, int], Any]) -> dict[tuple[int, int], Any]:
        places = product(self.rows, self.vectors)
        return {place: cgutils.alloca_once_value(self.builder, start(*place)) for place in places}

    def add_round(
        self, source: Any, places: list[Any], factors: Any, own: Any, sums: dict[tuple[int, int], Any]
    ) -> None:
        """The numbers at these places, one a row, times the vectors of factors that begin at `own`."""
        vectors = [self.load(factors, own, vector) for vector in self.vectors]
        for row, at in enumerate(places):
            factor = spread(self.builder, self.builder.load(self.builder.gep(source, [at])), self.kind)
            for vector, other in enumerate(vectors):
                self.add_product(factor, other, sums[row, vector])

    def store_sums(self, sums: dict[tuple[int, int], Any], target: Any, step: Any) -> None:
        for (row, vector), total in sums.items():
            at = self.place(target, self.builder.mul(step, number(row)), vector)
            self.builder.store(self.builder.load(total), at, align=4)

    def load(self, array: Any, start: Any, vector: int) -> Any:
        return self.builder.load(self.place(array, start, vector), align=4)

    def place(self, array: Any, start: Any, vector: int) -> Any:
        at = self.builder.add(start, number(vector * self.lanes))
        return self.builder.bitcast(self.builder.gep(array, [at]), self.kind.as_pointer())

    def add_product(self, factor: Any, other: Any, total: Any) -> None:
        name, kind = f"llvm.fma.v{self.lanes}f32", ir.FunctionType(self.kind, [self.kind] * 3)
        multiply_add = self.builder.module.declare_intrinsic(name, fnty=kind)
        self.builder.store(self.builder.call(multiply_add, [factor, other, self.builder.load(total)]), total)


def number(value: int) -> Any:
    return ir.Constant(INDEX, value)


INTRINSICS: dict[Function, Any] = {
    products.multiply_rows: multiply_rows,
    products.add_products: add_products,
}
