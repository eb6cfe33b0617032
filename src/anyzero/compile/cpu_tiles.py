"""The CPU's version of `tiles`: a vector for each cell."""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from anyzero.compile import tiles
from anyzero.compile.bind import Function
from anyzero.compile.cpu_vectors import INDEX, NUMBER, larger

SIDE = range(4)
"""Cells of a tile and around it, from left to right and from top to bottom."""
INNER = range(2)


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
def turn_tile(_context: Any, cells: Any, taps: Any, steps: Any, lanes: Any) -> Any:
    def turn_vectors(code: "TileCode", arrays: list[Any], steps: list[Any]) -> None:
        cell_step, row_step, tap_step = steps
        rows = [
            code.turn([code.load(arrays[0], code.at(row, row_step, column, cell_step)) for column in SIDE])
            for row in SIDE
        ]
        for column in SIDE:
            for row, vector in enumerate(code.turn([turned[column] for turned in rows])):
                code.store(vector, arrays[1], code.at(4 * row + column, tap_step))

    return lowered(turn_vectors, [cells, taps], steps, lanes)


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
def write_tile(_context: Any, taps: Any, bias: Any, cells: Any, steps: Any, lanes: Any) -> Any:
    def write_vectors(code: "TileCode", arrays: list[Any], steps: list[Any]) -> None:
        for place, vector in code.turned_back(arrays[0], arrays[1], steps):
            code.store(code.rectify(vector), arrays[2], place)

    return lowered(write_vectors, [taps, bias, cells], steps, lanes)


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
def add_tile(_context: Any, taps: Any, bias: Any, trunk: Any, active: Any, steps: Any, lanes: Any) -> Any:
    def add_vectors(code: "TileCode", arrays: list[Any], steps: list[Any]) -> None:
        for place, vector in code.turned_back(arrays[0], arrays[1], steps):
            total = code.builder.fadd(code.load(arrays[2], place), vector)
            code.store(total, arrays[2], place)
            code.store(code.rectify(total), arrays[3], place)

    return lowered(add_vectors, [taps, bias, trunk, active], steps, lanes)


def lowered(
    write: Callable[["TileCode", list[Any], list[Any]], None], arrays: list[Any], steps: Any, lanes: Any
) -> Any:
    """The signature and the code of an intrinsic that takes arrays, steps and a number of lanes known by now."""
    if not isinstance(lanes, types.IntegerLiteral):
        return None

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kinds = zip(signature.args, args[: len(arrays)], strict=False)
        data = [context.make_array(kind)(context, builder, value).data for kind, value in kinds]
        write(TileCode(builder, lanes.literal_value), data, cgutils.unpack_tuple(builder, args[len(arrays)]))
        return context.get_dummy_value()

    return types.void(*arrays, steps, lanes), generate


class TileCode:
    """Writes code on vectors of so many numbers."""

    def __init__(self, builder: Any, lanes: int) -> None:
        self.builder, self.kind = builder, ir.VectorType(NUMBER, lanes)
        self.zeros = ir.Constant(self.kind, [ir.Constant(NUMBER, 0.0)] * lanes)

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

    def turn(self, vectors: list[Any]) -> list[Any]:
        first, second, third, fourth = vectors
        add, subtract = self.builder.fadd, self.builder.fsub
        return [subtract(first, third), add(second, third), subtract(third, second), subtract(second, fourth)]

    def turn_back(self, vectors: list[Any]) -> list[Any]:
        first, second, third, fourth = vectors
        add, subtract = self.builder.fadd, self.builder.fsub
        return [add(add(first, second), third), subtract(subtract(second, third), fourth)]

    def turned_back(self, taps: Any, bias: Any, steps: list[Any]) -> list[tuple[Any, Any]]:
        """Place and vector, with the bias, of each of the four cells."""
        cell_step, row_step, tap_step = steps
        rows = [
            self.turn_back([self.load(taps, self.at(4 * row + column, tap_step)) for column in SIDE]) for row in SIDE
        ]
        own, found = self.load(bias, ir.Constant(INDEX, 0)), []
        for column in INNER:
            for row, vector in enumerate(self.turn_back([turned[column] for turned in rows])):
                found.append((self.at(row, row_step, column, cell_step), self.builder.fadd(vector, own)))
        return found


INTRINSICS: dict[Function, Any] = {
    tiles.turn_tile: turn_tile,
    tiles.write_tile: write_tile,
    tiles.add_tile: add_tile,
}
