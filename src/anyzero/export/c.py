"""A game's rules and a search of it as an object file and a header, for programs in C and whatever calls C."""

from pathlib import Path
from typing import Any

import numpy as np

from anyzero.compile.ahead import Given, any_like_this
from anyzero.compile.c_object import CFunction, build_object, c_type
from anyzero.export.functions import functions_of
from anyzero.files import write_whole, writing
from anyzero.games.game import Game


def export_c(folder: Path, game: Game, player: str) -> list[tuple[Path, str]]:
    """Write GAME.o, GAME.h and example.c; returns each with a note."""
    functions = [
        (CFunction(f"{game.name}_{each.name}", each.compile("object"), each.arguments), each.about)
        for each in functions_of(game, player)
    ]
    built = build_object([function for function, _ in functions])
    lines = [_declare(game, function, built.results[function.name], about) for function, about in functions]
    files = {
        f"{game.name}.o": (built.content, f"for {any_like_this().triple}"),
        f"{game.name}.h": (_header(game, lines).encode(), "what it offers"),
        "example.c": (_example(game).encode(), f"cc example.c {game.name}.o -lm -o example"),
    }
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    for name, (content, _) in files.items():
        write_whole(folder / name, content)
    return [(folder / name, note) for name, (_, note) in files.items()]


def _declare(game: Game, function: CFunction, returned: str, about: str) -> str:
    given = ", ".join(_parameter(game, argument) for argument in function.arguments if isinstance(argument, Given))
    return f"/* {about} */\n{returned} {function.name}({given});\n"


def _parameter(game: Game, argument: Given) -> str:
    example, constant = argument.example, "" if argument.is_changed else "const "
    if isinstance(example, np.void):
        kind = "state" if example.dtype == game.state_dtype else "stream"
        return f"{constant}{game.name}_{kind} *{argument.name}"
    if isinstance(example, np.ndarray):
        return f"{constant}{c_type(example.dtype)} *{argument.name}"
    return f"{'uint64_t' if isinstance(example, np.uint64) else 'int64_t'} {argument.name}"


def _header(game: Game, lines: list[str]) -> str:
    upper = game.name.upper()
    fields: Any = game.state_dtype.fields
    members = "".join(f"    {_member(name, form)};\n" for name, (form, *_) in fields.items())
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


def _member(name: str, form: Any) -> str:
    size = "".join(f"[{number}]" for number in form.shape)
    return f"{c_type(form.base)} {name}{size}"


def _example(game: Game) -> str:
    name, upper = game.name, game.name.upper()
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
    printf("\\npayoff of the first seat: %g\\n", payoffs[0]);
}}
"""
