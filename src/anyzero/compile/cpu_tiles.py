"""The CPU's version of `tiles`: a vector for each cell."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from anyzero.compile import tiles
from anyzero.compile.bind import Function
from anyzero.compile.cpu_vectors import INDEX, NUMBER, larger
from anyzero.compile.tiles import FAR, NEAR, SQUARES, both_ways

Changes = Mapping[int, Callable[[Sequence[Any]], list[Any]]]
"""Of a row or column, by its cells within a tile."""
Term = tuple[float, Any]
"""A factor and a vector."""


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
def turn_tile(_context: Any, cells: Any, taps: Any, steps: Any, tall: Any, broad: Any, lanes: Any) -> Any:
    def turn_vectors(code: "TileCode", arrays: list[Any], steps: list[Any]) -> None:
        code.write_taps(code.turns, 2, arrays, steps)

    return lowered(turn_vectors, [cells, taps], steps, [tall, broad, lanes])


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
def spread_tile(_context: Any, cells: Any, taps: Any, steps: Any, tall: Any, broad: Any, lanes: Any) -> Any:
    def spread_vectors(code: "TileCode", arrays: list[Any], steps: list[Any]) -> None:
        code.write_taps(code.spreads, 0, arrays, steps)

    return lowered(spread_vectors, [cells, taps], steps, [tall, broad, lanes])


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
def write_tile(_context: Any, taps: Any, bias: Any, cells: Any, steps: Any, tall: Any, broad: Any, lanes: Any) -> Any:
    def write_vectors(code: "TileCode", arrays: list[Any], steps: list[Any]) -> None:
        for place, vector in code.turned_back(arrays[0], arrays[1], steps):
            code.store(vector, arrays[2], place)

    return lowered(write_vectors, [taps, bias, cells], steps, [tall, broad, lanes])


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
def rectify_tile(_context: Any, taps: Any, bias: Any, cells: Any, steps: Any, tall: Any, broad: Any, lanes: Any) -> Any:
    def rectify_vectors(code: "TileCode", arrays: list[Any], steps: list[Any]) -> None:
        for place, vector in code.turned_back(arrays[0], arrays[1], steps):
            code.store(code.rectify(vector), arrays[2], place)

    return lowered(rectify_vectors, [taps, bias, cells], steps, [tall, broad, lanes])


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
def add_tile(
    _context: Any, taps: Any, bias: Any, trunk: Any, active: Any, steps: Any, tall: Any, broad: Any, lanes: Any
) -> Any:
    def add_vectors(code: "TileCode", arrays: list[Any], steps: list[Any]) -> None:
        for place, vector in code.turned_back(arrays[0], arrays[1], steps):
            total = code.builder.fadd(code.load(arrays[2], place), vector)
            code.store(total, arrays[2], place)
            code.store(code.rectify(total), arrays[3], place)

    return lowered(add_vectors, [taps, bias, trunk, active], steps, [tall, broad, lanes])


def lowered(
    write: Callable[["TileCode", list[Any], list[Any]], None], arrays: list[Any], steps: Any, sizes: list[Any]
) -> Any:
    """The signature and the code of an intrinsic that takes arrays, steps, and sizes known by now."""
    if not all(isinstance(size, types.IntegerLiteral) for size in sizes):
        return None

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kinds = zip(signature.args, args[: len(arrays)], strict=False)
        data = [context.make_array(kind)(context, builder, value).data for kind, value in kinds]
        code = TileCode(builder, *(size.literal_value for size in sizes))
        write(code, data, cgutils.unpack_tuple(builder, args[len(arrays)]))
        return context.get_dummy_value()

    return types.void(*arrays, steps, *sizes), generate


class TileCode:
    """Writes code for tiles of one size, on vectors of so many numbers."""

    def __init__(self, builder: Any, tall: int, broad: int, lanes: int) -> None:
        self.builder, self.kind, self.tall, self.broad = builder, ir.VectorType(NUMBER, lanes), tall, broad
        self.zeros = self.constant(0.0)
        self.turns = {2: self.turn_four, 3: self.turn_five, 4: self.turn_six}
        self.turns_back = {2: self.back_to_two, 3: self.back_to_three, 4: self.back_to_four}
        self.spreads = {2: self.spread_two, 3: self.spread_three, 4: self.spread_four}

    def constant(self, number: float) -> Any:
        return ir.Constant(self.kind, [ir.Constant(NUMBER, number)] * self.kind.count)

    def at(self, number: int, step: Any, more: int = 0, more_step: Any = None) -> Any:
        """The place after `number` steps, and `more` of another kind."""
        place = self.builder.mul(step, ir.Constant(INDEX, number))
        return self.builder.add(place, self.at(more, more_step)) if more else place

    def load(self, array: Any, place: Any) -> Any:
        return self.builder.load(self.pointer(array, place), align=4)

    def store(self, vector: Any, array: Any, place: Any) -> None:
        self.builder.store(vector, self.pointer(array, place), align=4)

    def pointer(self, array: Any, place: Any) -> Any:
        return self.builder.bitcast(self.builder.gep(array, [place]), self.kind.as_pointer())

    def rectify(self, vector: Any) -> Any:
        return larger(self.builder, vector, self.zeros)

    def turn_four(self, cells: Sequence[Any]) -> list[Any]:
        first, second, third, fourth = cells
        add, subtract = self.builder.fadd, self.builder.fsub
        return [subtract(first, third), add(second, third), subtract(third, second), subtract(second, fourth)]

    def back_to_two(self, taps: Sequence[Any]) -> list[Any]:
        first, second, third, fourth = taps
        add, subtract = self.builder.fadd, self.builder.fsub
        return [add(add(first, second), third), subtract(subtract(second, third), fourth)]

    def spread_two(self, cells: Sequence[Any]) -> list[Any]:
        zeroth, first = cells
        add, subtract = self.builder.fadd, self.builder.fsub
        return [zeroth, add(zeroth, first), subtract(zeroth, first), subtract(self.zeros, first)]

    def turn_five(self, cells: Sequence[Any]) -> list[Any]:
        zeroth, first, second, third, fourth = cells
        add, subtract = self.builder.fadd, self.builder.fsub
        ahead, behind = self.total(second, (-2.0, first)), self.total(third, (-2.0, second))
        return [
            subtract(behind, self.total(first, (-2.0, zeroth))),
            add(behind, ahead),
            subtract(behind, ahead),
            subtract(third, first),
            subtract(self.total(fourth, (-2.0, third)), ahead),
        ]

    def back_to_three(self, taps: Sequence[Any]) -> list[Any]:
        zeroth, plus, minus, twice, infinite = taps
        add, subtract = self.builder.fadd, self.builder.fsub
        even, odd = add(plus, minus), subtract(plus, minus)
        return [
            add(add(zeroth, even), twice),
            self.total(odd, (2.0, twice)),
            self.total(add(even, infinite), (4.0, twice)),
        ]

    def spread_three(self, cells: Sequence[Any]) -> list[Any]:
        zeroth, first, second = cells
        add, subtract = self.builder.fadd, self.builder.fsub
        even, twice = add(zeroth, second), self.total(zeroth, (2.0, first), (4.0, second))
        return [zeroth, add(even, first), subtract(even, first), twice, second]

    def turn_six(self, cells: Sequence[Any]) -> list[Any]:
        zeroth, first, second, third, fourth, fifth = cells
        near_even, near_odd = self.total(fourth, (-(FAR**2), second)), self.total(None, (NEAR, third), (-FAR, first))
        far_even, far_odd = self.total(fourth, (-(NEAR**2), second)), self.total(None, (FAR, third), (-NEAR, first))
        add, subtract = self.builder.fadd, self.builder.fsub
        return [
            self.total(add(zeroth, fourth), (-SQUARES, second)),
            add(near_even, near_odd),
            subtract(near_even, near_odd),
            add(far_even, far_odd),
            subtract(far_even, far_odd),
            self.total(add(first, fifth), (-SQUARES, third)),
        ]

    def back_to_four(self, taps: Sequence[Any]) -> list[Any]:
        zeroth, near, near_minus, far, far_minus, infinite = taps
        add, subtract = self.builder.fadd, self.builder.fsub
        near_even, near_odd = add(near, near_minus), subtract(near, near_minus)
        far_even, far_odd = add(far, far_minus), subtract(far, far_minus)
        return [
            add(add(zeroth, near_even), far_even),
            self.total(None, (NEAR, near_odd), (FAR, far_odd)),
            self.total(None, (NEAR**2, near_even), (FAR**2, far_even)),
            self.total(infinite, (NEAR**3, near_odd), (FAR**3, far_odd)),
        ]

    def spread_four(self, cells: Sequence[Any]) -> list[Any]:
        zeroth, first, second, third = cells
        near_even, near_odd = self.total(zeroth, (NEAR**2, second)), self.total(None, (NEAR, first), (NEAR**3, third))
        far_even, far_odd = self.total(zeroth, (FAR**2, second)), self.total(None, (FAR, first), (FAR**3, third))
        add, subtract = self.builder.fadd, self.builder.fsub
        near, far = (near_even, near_odd), (far_even, far_odd)
        return [zeroth, add(*near), subtract(*near), add(*far), subtract(*far), third]

    def total(self, start: Any, *terms: Term) -> Any:
        """The sum of some products, and of what it starts with if that is anything."""
        for factor, vector in terms:
            if start is None:
                start = self.builder.fmul(self.constant(factor), vector)
            else:
                start = self.multiply_add(factor, vector, start)
        return start

    def multiply_add(self, factor: float, vector: Any, start: Any) -> Any:
        name, kind = f"llvm.fma.v{self.kind.count}f32", ir.FunctionType(self.kind, [self.kind] * 3)
        function = self.builder.module.declare_intrinsic(name, fnty=kind)
        return self.builder.call(function, [self.constant(factor), vector, start])

    def write_taps(self, changes: Changes, rim: int, arrays: list[Any], steps: list[Any]) -> None:
        """The cells of a tile and so many rows and columns around it, changed both ways."""
        cell_step, row_step, tap_step = steps
        square = [
            [self.load(arrays[0], self.at(row, row_step, column, cell_step)) for column in range(self.broad + rim)]
            for row in range(self.tall + rim)
        ]
        changed = both_ways(changes[self.broad], changes[self.tall], square)
        for tap, vector in enumerate(vector for row in changed for vector in row):
            self.store(vector, arrays[1], self.at(tap, tap_step))

    def turned_back(self, taps: Any, bias: Any, steps: list[Any]) -> list[tuple[Any, Any]]:
        """Place and vector, with the bias, of each cell."""
        cell_step, row_step, tap_step = steps
        own = self.load(bias, ir.Constant(INDEX, 0))
        columns = self.broad + 2
        square = [
            [self.load(taps, self.at(columns * row + column, tap_step)) for column in range(columns)]
            for row in range(self.tall + 2)
        ]
        return [
            (self.at(row, row_step, column, cell_step), self.builder.fadd(vector, own))
            for row, vectors in enumerate(both_ways(self.turns_back[self.broad], self.turns_back[self.tall], square))
            for column, vector in enumerate(vectors)
        ]


INTRINSICS: dict[Function, Any] = {
    tiles.turn_tile: turn_tile,
    tiles.spread_tile: spread_tile,
    tiles.write_tile: write_tile,
    tiles.rectify_tile: rectify_tile,
    tiles.add_tile: add_tile,
}
