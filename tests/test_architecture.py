"""The walls: rooms import downwards only, without cycles, and a search loads next to nothing.

docs/architecture.md says what each room is for, decision 26 why the walls stand where they do.
"""

import ast
import re
import subprocess
import sys
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

import pytest

import anyzero
from anyzero.moved import MOVED

PACKAGE = Path(anyzero.__file__).parent
CORE = ("base", "compile", "game", "search", "nets", "learning")
"""The rooms of the core, lowest first: each imports only itself and those before it."""

ABOVE_THE_CORE = {
    "views": {"core.base", "views"},
    "games": {"core.base", "core.compile", "core.game", "views", "games"},
    "tools.child": set(),
    "tools.progress": set(),
    "tools.figures": set(),
    "tools.speed": set(),
    "tools.presets": set(),
    "tools.laws": set(),
    "tools.proofs": set(),
    "tools.players": set(),
    "tools.search": {"tools.players"},
    "tools.arena": {"tools.players"},
    "tools.lab": {"tools.presets", "tools.players", "tools.arena"},
    "tools.doctor": {"tools.presets", "tools.players", "tools.arena", "tools.laws"},
    "app.records": {"tools.players", "tools.arena"},
    "app.protocols": {"tools.players", "tools.arena", "app.records"},
    "app.web": {"tools.players", "tools.arena", "app.records"},
    "app.cli": {"tools.players", "tools.arena", "app.records", "app.protocols", "app.web"},
}
"""What a room may import besides itself; tools and the app also the whole core, games and views.

All tools and the app share processes, progress, figures and speeds. What else the app needs of the
tools it takes from the door, `import anyzero`. Extras may import everything, and nobody imports
them: they are found by name.
"""
SHARED = {"tools.child", "tools.progress", "tools.figures", "tools.speed"}
LONGEST_FILE = 450


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def is_old(name: str) -> bool:
    """Whether this is a name that only goes on for a release."""
    return any(f"{old}.".startswith(f"anyzero.{name}.") for old in MOVED)


@cache
def modules() -> dict[str, Path]:
    """Every module of the package but the door, which loads everything late, and old names."""
    paths = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        if name and name != "moved" and not is_old(name):
            paths[name] = path
    return paths


def room_of(module: str) -> str:
    parts = module.split(".")
    return ".".join(parts[:2]) if parts[0] in ("core", "tools", "app", "extras") else parts[0]


@cache
def imports_of(module: str) -> frozenset[str]:
    """The modules that one imports, at its top, late, or for types alone."""
    names = set()
    for node in ast.walk(tree_of(modules()[module])):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    imported = set()
    for name in names:
        parts = name.split(".")[1:] if name.startswith("anyzero.") else []
        while parts and ".".join(parts) not in modules():
            parts.pop()
        imported.add(".".join(parts))
    return frozenset(imported - {"", module})


def allowed(room: str) -> set[str]:
    if room.startswith("core."):
        return {f"core.{name}" for name in CORE[: CORE.index(room[5:]) + 1]}
    beside = ABOVE_THE_CORE[room] | {room}
    if room.startswith(("tools", "app")):
        beside |= {f"core.{name}" for name in CORE} | {"games", "views"} | SHARED
    return beside


def test_rooms_import_downwards_only():
    for module in modules():
        room = room_of(module)
        if room in ("core", "tools", "app", "__main__") or room.startswith("extras"):
            continue  # a folder's own page, the start of the command line
        above = {name for name in imports_of(module) if room_of(name) not in allowed(room)}
        assert not above, f"{module} imports {sorted(above)}"


def test_extras_are_imported_by_nobody_and_not_by_each_other():
    for module in modules():
        shared = "extras.programs" if room_of(module).startswith("extras") else ""
        others = {
            name
            for name in imports_of(module)
            if name.startswith("extras.") and room_of(name) not in (room_of(module), shared)
        }
        assert not others, f"{module} imports {sorted(others)}"


def test_no_module_imports_itself_through_others():
    """Imports inside functions and for type checkers count too: Tarjan's components have size 1."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    open_: list[str] = []
    cycles = []

    def visit(module: str) -> None:
        order[module] = lowest[module] = len(order)
        open_.append(module)
        for other in imports_of(module):
            if other not in order:
                visit(other)
            if other in open_:
                lowest[module] = min(lowest[module], lowest[other])
        if lowest[module] == order[module]:
            component = open_[open_.index(module) :]
            del open_[open_.index(module) :]
            if len(component) > 1:
                cycles.append(sorted(component))

    for module in modules():
        if module not in order:
            visit(module)
    assert cycles == []


def test_files_are_short_enough_to_be_read_at_once():
    """docs/decisions/0022-how-small.md has why there is no such limit on all of them together."""
    lengths = {name: len(path.read_text().splitlines()) for name, path in modules().items()}
    assert [name for name, length in lengths.items() if length > LONGEST_FILE] == []


def test_no_two_classes_have_one_name():
    nodes = (node for path in modules().values() for node in ast.walk(tree_of(path)))
    names = Counter(node.name for node in nodes if isinstance(node, ast.ClassDef))
    assert [name for name, num in names.items() if num > 1] == []


TWIN_MODULES = {
    "core.game.guard": "the contract's functions, checked",
    "core.compile.cpu": "intrinsics of `bits`",
    "core.compile.cpu_vectors": "the same for vectors",
    "core.compile.gpu": "intrinsics of `bits`",
    "core.compile.bundle": "an intrinsic of `bits`",
    "extras.browser.ahead": "intrinsics of `bits`",
    "tools.search": "the door of the core's search",
}
"""Modules whose functions stand in for others of the same name on purpose."""


def test_a_function_name_means_one_thing():
    """Twins on purpose: guards and the contract, intrinsics and `bits`, commands and the door."""
    homes = defaultdict(set)
    for name, path in modules().items():
        if name.startswith("games.") or room_of(name) == "app.cli":
            continue  # rules all have the contract's names, and commands those of the door
        for node in tree_of(path).body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                homes[node.name].add(name)
    doubled = {
        name: places - TWIN_MODULES.keys()
        for name, places in homes.items()
        if len(places - TWIN_MODULES.keys()) > 1
    }
    assert doubled == {}


def loaded_by(code: str) -> set[str]:
    """The modules that a fresh process has loaded after this code."""
    code += "\nimport sys; print('MODULES', *sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.rpartition("MODULES ")[2].split())


def test_the_games_are_made_without_numba():
    code = (
        "from anyzero.core.game.load import game_names, load\n"
        "for name in game_names(): load(name).initial_state()\n"
    )
    assert "numba" not in loaded_by(code)


RAVE = "import anyzero; anyzero.search('hex:size=5', None, 'rave', simulations=20)"


def test_a_search_loads_no_picture_no_process_no_card_and_no_schema():
    loaded = loaded_by(RAVE)
    rooms = {
        room_of(name.removeprefix("anyzero.")) for name in loaded if name.startswith("anyzero.")
    }
    assert rooms <= {"core", "core.base", "core.compile", "core.game", "core.search", "games"} | {
        "tools",
        "tools.search",
    }
    others = {name.partition(".")[0] for name in loaded}
    assert others.isdisjoint({"pydantic", "matplotlib", "typer", "rich", "torch", "fastapi"})
    assert loaded.isdisjoint({"anyzero.tools.child", "anyzero.core.base.schema"})


@pytest.mark.parametrize("name", anyzero.__all__)
def test_every_public_name_can_be_imported(name):
    assert set(anyzero.HOMES) == set(anyzero.__all__)
    assert getattr(anyzero, name) is not None


def test_every_file_that_the_architecture_names_is_there_and_walks_are_short():
    text = (Path(__file__).parent.parent / "docs" / "architecture.md").read_text()
    for part in text.split("\n## ")[1:]:
        named = set(re.findall(r"`([\w/]+/\w+\.(?:py|js))`", part))
        assert all((PACKAGE / name).is_file() for name in named), named
        assert len(named) <= 14, part.partition("\n")[0]
