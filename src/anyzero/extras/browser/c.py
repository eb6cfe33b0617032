"""A game's rules and a search as an object file and a header, for programs in C or with a C
interface.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from llvmlite import ir
from numba import typeof
from numba.core import types
from numba.core.types.misc import unliteral
from numba.np.numpy_support import as_dtype

from anyzero.core.base.nouns import Builder, Values
from anyzero.core.game.game import Game
from anyzero.extras.browser.ahead import any_like_this, context_for, new_library
from anyzero.extras.browser.wasm_files import write_files
from anyzero.extras.browser.wasm_memory import bytes_of, numbers_of
from anyzero.extras.programs import ExportedFunction, Given, functions_of


def export_c(folder: Path, game: Game, player: str) -> list[tuple[Path, str]]:
    """Write GAME.o, GAME.h and example.c; returns each with a note."""
    functions = [
        each._replace(name=f"{game.name}_{each.name}") for each in functions_of(game, player)
    ]
    builder = _Builder()
    lines = []
    for function in functions:
        parameters = ", ".join(
            _parameter(game, each) for each in function.arguments if isinstance(each, Given)
        )
        lines.append(
            f"/* {function.about} */\n{builder.add(function)} {function.name}({parameters});\n"
        )
    content = builder.emit([function.name for function in functions])
    files = {f"{game.name}.o": content, f"{game.name}.h": _header(game, lines).encode()}
    written = write_files(folder, {**files, "example.c": _example(game).encode()})
    notes = (
        f"for {any_like_this().triple}",
        "what it offers",
        f"cc example.c {game.name}.o -lm -o example",
    )
    return list(zip(written, notes, strict=True))


def _parameter(game: Game, argument: Given) -> str:
    example = argument.example
    constant = "" if argument.is_changed else "const "
    if isinstance(example, np.void):
        kind = "state" if example.dtype == game.state_dtype else "stream"
        return f"{constant}{game.name}_{kind} *{argument.name}"
    if isinstance(example, np.ndarray):
        return f"{constant}{c_type(example.dtype)} *{argument.name}"
    return f"{'uint64_t' if isinstance(example, np.uint64) else 'int64_t'} {argument.name}"


def _header(game: Game, lines: list[str]) -> str:
    upper = game.name.upper()
    fields: Any = game.state_dtype.fields
    members = ""
    for name, form in [
        (name, form) for name, (form, *_) in fields.items() if form.itemsize
    ]:  # C has no empty arrays
        members += (
            f"    {c_type(form.base)} {name}{''.join(f'[{number}]' for number in form.shape)};\n"
        )
    sizes = {"SEATS": game.num_seats, "ACTIONS": game.num_actions, "MAX_LEGAL": game.max_legal}
    sizes |= {"PLANES": int(np.prod(game.planes_shape))} if game.has("encode") else {}
    defines = "".join(f"#define {upper}_{name} {number}\n" for name, number in sizes.items())
    return f"""/* {game.text}, written by anyzero export. */
#ifndef ANYZERO_{upper}_H
#define ANYZERO_{upper}_H
#include <stdbool.h>
#include <stdint.h>

{defines}
/* A position. */
typedef struct {{
{members}}} {game.name}_state;

/* A stream of random numbers: two words that are not both zero. */
typedef struct {{
    uint64_t low, high;
}} {game.name}_stream;

{"".join(lines)}
#endif
"""


def _example(game: Game) -> str:
    name = game.name
    upper = game.name.upper()
    return f"""#include <stdio.h>
#include "{name}.h"

int main(void) {{
    {name}_state state = {{0}};
    int32_t outcomes[{upper}_MAX_LEGAL];
    double payoffs[{upper}_SEATS];
    {name}_initial_state(&state);
    for (int64_t seat, turn = 0; (seat = {name}_seat_to_move(&state)) != -2; turn++) {{
        int64_t count = {name}_legal_actions(&state, outcomes);
        int64_t action = seat == -1 ? outcomes[turn % count] : {name}_search(&state, turn);
        printf("%lld ", (long long)action);
        {name}_play(&state, action);
    }}
    {name}_payoffs(&state, payoffs);
    printf("\\npayoff of the first seat: %g\\n", payoffs[0] + 0.0);
}}
"""


# --- C functions


BYTE = ir.IntType(8)
WORD = ir.IntType(64)
C_NAMES = {"i": "int", "u": "uint"}
ALIGNMENT = 64


class _Builder:
    """C functions, and the arrays they share."""

    def __init__(self) -> None:
        self.library = new_library(any_like_this())
        self.context = context_for(any_like_this())
        self.module = self.context.create_module("doors")
        self.variables: dict[tuple[Any, ...], Any] = {}

    def add(self, function: ExportedFunction) -> str:
        """Add a function; returns the C type of its result."""
        description = self.library.add(
            function.compile("object")[0], tuple(map(typeof, function.values))
        )
        self._add_door(function.name, description, function.arguments)
        kind = description.restype
        if kind == types.none:
            return "void"
        return "double" if isinstance(kind, types.Float) else c_type(as_dtype(unliteral(kind)))

    def emit(self, names: list[str]) -> bytes:
        """One object file with all of them."""
        self.library.add_text(str(self.module))
        return self.library.emit(names)

    def _add_door(self, name: str, description: Any, arguments: list[Any]) -> None:
        """A function that calls a kernel as Numba would."""
        kind = self.context.call_conv.get_function_type(description.restype, description.argtypes)
        kernel = ir.Function(self.module, kind, description.llvm_func_name)
        parameters = [argument for argument in arguments if isinstance(argument, Given)]
        result = kind.args[0].pointee
        returned = ir.VoidType() if description.restype == types.none else result
        by_type = {
            np.ndarray: BYTE.as_pointer(),
            np.void: BYTE.as_pointer(),
            float: ir.DoubleType(),
        }
        kinds = [
            next((of for type_, of in by_type.items() if isinstance(each.example, type_)), WORD)
            for each in parameters
        ]
        door = ir.Function(self.module, ir.FunctionType(returned, kinds), name)
        builder = ir.IRBuilder(door.append_basic_block())
        handed = dict(zip((each.name for each in parameters), door.args, strict=True))
        flat = [number for argument in arguments for number in self._flatten(argument, handed)]
        place = builder.alloca(result)
        words = [_fit(builder, number, of) for number, of in zip(flat, kind.args[2:], strict=True)]
        builder.call(kernel, [place, builder.alloca(kind.args[1].pointee), *words])
        builder.ret_void() if description.restype == types.none else builder.ret(
            builder.load(place)
        )

    def _flatten(self, argument: Any, handed: Values) -> Iterator[Any]:
        """The numbers that Numba passes for an argument: plain ones, or values in the code."""
        if isinstance(argument, Given):
            example = argument.example
            value = handed[argument.name]
            yield from numbers_of(example, value) if isinstance(example, np.ndarray) else (value,)
        elif isinstance(argument, tuple):
            for part in argument:
                yield from self._flatten(part, handed)
        elif isinstance(argument, np.ndarray):
            yield from numbers_of(argument, self._variable(argument))
        else:
            yield argument.item() if isinstance(argument, np.generic) else argument

    def _variable(self, array: np.ndarray) -> Any:
        """The array as a variable of the object, shared by all functions."""
        key = array.__array_interface__["data"][0], array.shape, array.strides, array.dtype.str
        if key not in self.variables or array.size == 0:
            content = bytes_of(array)
            kind = ir.ArrayType(BYTE, max(1, len(content)))
            variable = ir.GlobalVariable(self.module, kind, f"array_{len(self.variables)}")
            variable.initializer = ir.Constant(kind, bytearray(content) if content.any() else None)
            variable.linkage = "internal"
            variable.align = ALIGNMENT
            self.variables[key] = variable
        return self.variables[key]


def _fit(builder: Builder, number: Any, kind: Any) -> Any:
    """A number or a value in the code as a value of this type."""
    if isinstance(number, ir.Value):
        return builder.bitcast(number, kind) if isinstance(kind, ir.PointerType) else number
    if isinstance(kind, ir.PointerType):
        return ir.Constant(kind, None)
    return ir.Constant(kind, int(number) if isinstance(kind, ir.IntType) else float(number))


def c_type(dtype: Any) -> str:
    if dtype.kind == "f":
        return "float" if dtype.itemsize == 4 else "double"
    return f"{C_NAMES[dtype.kind]}{8 * dtype.itemsize}_t" if dtype.kind in C_NAMES else "bool"
