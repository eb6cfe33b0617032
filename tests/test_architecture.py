"""Folders import downwards only, and a command's help needs neither NumPy nor Numba."""

import ast
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import anyzero

PACKAGE = Path(anyzero.__file__).parent

LOWER = {
    "cluster": set(),
    "compile": set(),
    "views": set(),
    "games": {"compile", "views"},
    "records": {"compile", "games", "views"},
    "search": {"compile", "games"},
    "players": {"compile", "games", "search", "networks"},
    "arena": {"cluster", "compile", "games", "records", "search", "players", "networks"},
    "experiments": {"cluster", "compile", "games", "search", "players", "arena", "views"},
    "networks": {"compile", "games", "search"},
    "learning": {
        "cluster",
        "compile",
        "games",
        "search",
        "players",
        "arena",
        "networks",
        "experiments",
    },
    "doctor": {"compile", "games", "search", "players", "arena", "networks", "learning"},
    "export": {"compile", "games", "search", "players", "networks", "views", "web"},
    "protocols": {"compile", "games", "views", "search", "players", "arena", "networks", "records"},
    "web": {
        *(
            "compile",
            "views",
            "games",
            "records",
            "search",
            "players",
            "arena",
            "experiments",
            "networks",
            "learning",
        ),
    },
    "cli": {
        "cluster",
        "web",
        "compile",
        "views",
        "games",
        "records",
        "search",
        "players",
        "arena",
        "experiments",
        "networks",
        "learning",
        "protocols",
        "doctor",
        "export",
    },
}
"""What each folder may import besides itself and the bottom."""
BOTTOM = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__", "__main__"}
"""Modules beside the folders: what everybody uses. They import nothing but each other."""


def imported_folders(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("anyzero."):
            found.add(node.module.split(".")[1])
        elif isinstance(node, ast.Import):
            found |= {
                alias.name.split(".")[1]
                for alias in node.names
                if alias.name.startswith("anyzero.")
            }
    return found


def test_files_are_short_enough_to_be_read_at_once():
    """docs/decisions/0022-how-small.md has why there is no such limit on all of them together."""
    lengths = {file: len(file.read_text().splitlines()) for file in PACKAGE.rglob("*.py")}
    assert [str(file) for file, length in lengths.items() if length > 500] == []


def test_no_two_classes_have_one_name():
    trees = (ast.parse(file.read_text()) for file in PACKAGE.rglob("*.py"))
    names = Counter(
        node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)
    )
    assert [name for name, num in names.items() if num > 1] == []


def test_folders_import_downwards_only():
    folders = [
        folder for folder in PACKAGE.iterdir() if folder.is_dir() and folder.name != "__pycache__"
    ]
    assert {folder.name for folder in folders} <= set(LOWER)
    for folder in folders:
        for path in folder.rglob("*.py"):
            above = imported_folders(path) - LOWER[folder.name] - {folder.name} - BOTTOM
            assert not above, f"{path.relative_to(PACKAGE)} imports {above}"


def test_the_bottom_imports_no_folder():
    for name in BOTTOM:
        assert imported_folders(PACKAGE / f"{name}.py") <= BOTTOM


def test_the_games_are_made_without_numba():
    code = (
        "import sys; from anyzero.core.game.load import BUILT_IN, load\n"
        "for name in BUILT_IN: load(name).initial_state()\n"
        "print('numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_every_public_name_can_be_imported():
    assert set(anyzero.HOMES) == set(anyzero.__all__)
    for name in anyzero.__all__:
        assert getattr(anyzero, name) is not None


def test_every_file_that_the_architecture_names_is_there_and_walks_are_short():
    text = (Path(__file__).parent.parent / "docs" / "architecture.md").read_text()
    for part in text.split("\n## ")[1:]:
        named = set(re.findall(r"`(\w+/[\w/]+\.(?:py|js))`", part))
        assert all((PACKAGE / name).is_file() for name in named), named
        assert len(named) <= 12, part.partition("\n")[0]
