"""Old names of modules go on for a release, and every module that a text names is there."""

import ast
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import anyzero
from anyzero.core.base.extras import PARTS
from anyzero.moved import MOVED

SOURCE = Path(anyzero.__file__).parent
MODULE = re.compile(r"anyzero(\.[a-z_0-9]+)+(:\w+)?")
FILES = ("anyzero.js", "anyzero.json", "anyzero.css")


@pytest.mark.parametrize("old", MOVED)
def test_an_old_name_stands_for_the_module_and_says_its_new_name(old):
    sys.modules.pop(old, None)
    with pytest.warns(FutureWarning, match=f"{old} is now {MOVED[old]}; the old name goes"):
        module = importlib.import_module(old)
    new = importlib.import_module(MOVED[old])
    names = [name for name in vars(new) if not name.startswith("_")]
    assert names
    assert all(getattr(module, name) is getattr(new, name) for name in names)


def test_the_modules_of_a_moved_package_are_not_loaded_a_second_time():
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("anyzero.players.text")


def test_the_warning_names_the_file_that_imports_the_old_name(tmp_path):
    file = tmp_path / "my_script.py"
    file.write_text("import sys\nfrom anyzero.games.contract import CHANCE\nprint(CHANCE)\n")
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, check=True)
    assert done.stdout == "-1\n"
    assert f"{file}:2: FutureWarning" in done.stderr


OLD_GAME = """
from typing import NamedTuple
import numpy as np
from anyzero.compile.bits import count_bits
from anyzero.compile.random import U
from anyzero.errors import BadOptionError
from anyzero.games import contract
from anyzero.games.game import Game, State
from anyzero.games.load import load

class Rules(NamedTuple):
    goal: int

def make(goal: int = 7):
    functions = (initial_state, seat_to_move, legal_actions, play, payoffs)
    state = [("taken", np.uint64), ("mover", np.int64)]
    return Game("old_game", Rules(goal), state, functions, num_actions=7, max_plies=7)

def initial_state(rules, state):
    state.taken = U(0)

def seat_to_move(rules, state):
    return contract.OVER if count_bits(state.taken) >= rules.goal else state.mover

def legal_actions(rules, state, actions):
    count = 0
    for action in range(7):
        if not state.taken >> U(action) & U(1):
            actions[count] = action
            count += 1
    return count

def play(rules, state, action):
    state.taken |= U(1) << U(action)
    state.mover = 1 - state.mover

def payoffs(rules, state, out):
    out[0], out[1] = 1.0, -1.0
"""


def test_a_game_file_with_old_names_loads_and_plays_compiled(tmp_path):
    file = tmp_path / "old_game.py"
    file.write_text(OLD_GAME)
    code = (
        "import anyzero\n"
        f"print(anyzero.search({str(file)!r}, None, 'uct', simulations=50, seed=1).nodes)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 1
    told = [line for line in done.stderr.splitlines() if "FutureWarning" in line]
    assert told, "the old names are not named"
    assert all(line.startswith(f"{file}:") for line in told), done.stderr
    assert len(told) == len(set(told)), "each is said once, not again by the processes that check"


# --- modules named by texts


def texts_of_modules():
    """Module and, where there is one, function of each text in the package that names a module."""
    for path in SOURCE.rglob("*.py"):
        home = ".".join(["anyzero", *path.relative_to(SOURCE).with_suffix("").parts])
        home = home.removesuffix(".__init__")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "python_command":
                module, function = node.args[:2]
                named = home if isinstance(module, ast.Name) else module.value
                if isinstance(function, ast.Constant):
                    yield home, f"{named}:{function.value}"
            elif isinstance(node, ast.JoinedStr) and is_of_here(node):
                yield home, home + node.values[1].value
            elif is_a_module(getattr(node, "value", None)):
                yield home, node.value


def is_a_module(value):
    return isinstance(value, str) and bool(MODULE.fullmatch(value)) and value not in FILES


def is_of_here(text):
    """Whether it reads `{__name__}:function`."""
    first, *rest = text.values
    is_name = isinstance(first, ast.FormattedValue) and getattr(first.value, "id", "") == "__name__"
    return is_name and len(rest) == 1 and bool(re.fullmatch(r":\w+", rest[0].value))


TEXTS = sorted({*texts_of_modules()})


@pytest.mark.parametrize(("home", "text"), TEXTS)
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_a_module_named_by_a_text_is_there(home, text):
    module, _, name = text.partition(":")
    parts = importlib.import_module(module)
    assert not name or callable(getattr(parts, name))


def test_such_texts_are_looked_for_in_the_right_way():
    texts = {text for _, text in TEXTS}
    assert {part.module for part in PARTS.values()} <= texts
    assert {*MOVED, *MOVED.values()} <= texts
    assert "anyzero.tools.laws.apart:_tell_laws" in texts  # a process
    assert "anyzero.tools.child:_keep" in texts
    assert any(text.endswith(":play_chunk") for text in texts)  # a job


@pytest.mark.parametrize("name", anyzero.HOMES)
def test_each_public_name_has_a_home(name):
    module, _, own = anyzero.HOMES[name].partition(":")
    assert hasattr(importlib.import_module(f"anyzero.{module}"), own or name)
