"""A game's rules and a search of it as an object file and a header, for programs in C and whatever calls C."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from anyzero.compile.ahead import any_like_this
from anyzero.compile.c_object import Baked, CFunction, Given, build_object, c_type
from anyzero.compile.random import STREAM, seed_stream
from anyzero.errors import BadOptionError
from anyzero.export.player import plain_search
from anyzero.files import write_whole, writing
from anyzero.games import contract
from anyzero.games.game import Game
from anyzero.search.report import BY_VISITS, final_scores, proven_value
from anyzero.search.settings import GUMBEL
from anyzero.search.simulation import ANY_CHILD, plant_tree, simulate_tree
from anyzero.search.tree import UNKNOWN, root_of


def search_action(
    rules: Any, tree: Any, scratch: Any, settings: Any, roots: Any, scores: Any, simulations: int, state: Any, seed: Any
) -> int:
    """Kernel: the action that a search of a position comes to: most visits, equals by value."""
    roots[0] = state
    seed_stream(scratch.streams[0], seed, 0)
    plant_tree(tree, scratch, 0)
    simulate_tree(rules, tree, scratch, settings, roots, 0, ANY_CHILD, simulations)
    return chosen_action(tree, scores)


def chosen_action(tree: Any, scores: Any) -> int:
    """The most visited action of a tree, equals by value; `scores` is scratch."""
    root, best = root_of(tree, 0), 0
    first, last = tree.first[root], tree.first[root] + tree.num_children[root]
    final_scores(BY_VISITS, tree.visits[first:last], tree.value[first:last], tree.proven[first:last], scores)
    for index in range(1, last - first):
        is_equal = scores[index] == scores[best]
        if scores[index] > scores[best] or (is_equal and value_of(tree, first + index) > value_of(tree, first + best)):
            best = index
    return np.int64(tree.action[first + best])  # type: ignore[return-value]


def value_of(tree: Any, child: int) -> float:
    if tree.proven[child] != UNKNOWN:
        return proven_value(tree.proven[child])
    return float(tree.value[child]) if tree.visits[child] > 0 else -2.0


def export_c(folder: Path, game: Game, player: str) -> list[tuple[Path, str]]:
    """Write GAME.o, GAME.h and example.c; returns each with a note."""
    functions = [
        (CFunction(f"{game.name}_{generic.__name__}", game.compile(generic, "object"), arguments), about)
        for generic, arguments, about in _functions(game)
    ]
    functions.append(_search_function(game, player))
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


def _search_function(game: Game, player: str) -> tuple[CFunction, str]:
    if "@" in player:
        raise BadOptionError(f"{player}: in C a search has no network; export --onnx writes that")
    run, simulations, seconds = plain_search(game, player)
    if seconds or run.settings.formula == GUMBEL:
        raise BadOptionError(f"{player}: in C a search has a number of simulations, as uct:10000 has")
    kernel = game.compile(search_action, "object", run.fixed, parts=run.parts)
    memory = run.tree, run.scratch, run.settings, run.roots, np.zeros(game.max_legal), simulations
    arguments: list[Baked | Given] = [Baked(game.rules), *map(Baked, memory), _state(game), Given("seed", np.uint64(0))]
    about = f"The move of {player}, the same for the same seed. Its memory is one for all: one call at a time."
    return CFunction(f"{game.name}_search", kernel, arguments), about


def _state(game: Game, *, is_changed: bool = False) -> Given:
    return Given("state", game.initial_state(), is_changed)


def _functions(game: Game) -> Iterator[tuple[Any, list[Baked | Given], str]]:
    """The contract's functions with their arguments, each with a line about it."""
    rules, state, changed = Baked(game.rules), _state(game), _state(game, is_changed=True)
    actions = Given("actions", game.new_actions(), True)
    stream, action = Given("stream", np.zeros(1, STREAM)[0], True), Given("action", 0)
    results = Given("payoffs", np.zeros(game.num_seats), True)
    yield contract.initial_state, [rules, changed], "Fill a zeroed state with the position before the first move."
    yield contract.seat_to_move, [rules, state], "0 and up, -1 where it is chance's turn, -2 when the game is over."
    yield contract.legal_actions, [rules, state, actions], "Write the legal actions, or outcomes of chance; how many."
    yield contract.play, [rules, changed, action], "Play a legal action or outcome."
    yield contract.payoffs, [rules, state, results], "Write each seat's result in [-1, 1], once the game is over."
    about = "Play at random to the end; the number of moves. The actions are scratch."
    yield contract.rollout, [rules, changed, actions, stream], about
    if game.num_outcomes:
        yield contract.chance_weight, [rules, state, Given("outcome", 0)], "Relative weight of an outcome of chance."
    if game.has("encode"):
        planes = Given("planes", np.zeros(game.planes_shape, np.float32), True)
        yield contract.encode, [rules, state, planes], "Write the network's input over zeros."


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
