"""A game's rules and a search as WebAssembly with a JavaScript module, for pages, workers and
Node.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from anyzero.core.base.files import write_whole, writing
from anyzero.core.base.nouns import Values
from anyzero.core.game.game import Game
from anyzero.extras.browser.wasm import Module, build
from anyzero.extras.browser.wasm_memory import MemoryPlan
from anyzero.extras.programs import ExportedFunction, Given, functions_of

GLUE = Path(__file__).parent / "anyzero.js"
NOTES: tuple[str, ...] = (
    "rules and search",
    "where everything is in memory",
    "what memory begins with",
)
NOTES += ("load(name) for pages and Node", "node example.mjs plays a game")


def export_wasm(folder: Path, game: Game, player: str) -> list[tuple[Path, str]]:
    """Write GAME.wasm, .json and .bin, anyzero.js and example.mjs; returns each with a note."""
    module, plan = build_functions(functions_of(game, player))
    sizes = {
        "seats": game.num_seats,
        "actions": game.num_actions,
        "planes": list(game.planes_shape),
    }
    about = {"game": game.text, "player": player, "sizes": sizes}
    files = {"anyzero.js": GLUE.read_bytes(), "example.mjs": _example(game).encode()}
    written = write_module(folder, game.name, module, plan, about) + write_files(folder, files)
    return list(zip(written, NOTES, strict=True))


def build_functions(functions: Iterable[ExportedFunction]) -> tuple[Module, MemoryPlan]:
    calls = []
    for function in functions:
        kernel = function.compile("wasm")
        named = zip(kernel.parameters, function.arguments, strict=True)
        names = tuple(
            each.name if isinstance(each, Given) else parameter for parameter, each in named
        )
        calls.append(
            (kernel.entry(*function.values)._replace(name=function.name), names, function.values)
        )
    module = build([entry for entry, _, _ in calls])
    plan = MemoryPlan(module.data_end)
    for entry, names, values in calls:
        plan.call(entry.name, names, values)
    return module, plan


def write_module(
    folder: Path, name: str, module: Module, plan: MemoryPlan, about: Values
) -> list[Path]:
    """A module, its memory layout, and its initial memory."""
    image, content = plan.image()
    described = {**about, **plan.describe(), "image": image, "results": module.results}
    places = json.dumps(described, separators=(",", ":")).encode()
    return write_files(
        folder, {f"{name}.wasm": module.code, f"{name}.json": places, f"{name}.bin": content}
    )


def write_files(folder: Path, files: Mapping[str, bytes]) -> list[Path]:
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    for file, content in files.items():
        write_whole(folder / file, content)
    return [folder / file for file in files]


def _example(game: Game) -> str:
    return f"""import {{load}} from './anyzero.js';

const game = await load('{game.name}');
let state = game.initialState();
const actions = [];
for (let seat; (seat = game.seatToMove(state)) !== -2;) {{
  const legal = game.legalActions(state);
  const number = actions.length;
  actions.push(seat === -1 ? legal[number % legal.length] : game.search(state, number));
  state = game.play(state, actions.at(-1));
}}
console.log(...actions);
console.log('payoff of the first seat:', game.payoffs(state)[0] + 0);
"""
