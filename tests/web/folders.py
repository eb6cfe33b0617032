"""A run, an experiment and games of a user's own, as the server finds them, and exported pages."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from anyzero.core.base.files import write_whole
from anyzero.core.game.load import load
from anyzero.core.learning.config import RunConfig
from anyzero.core.learning.folder import RunFolder
from anyzero.core.nets.config import parse_network, resolve
from anyzero.core.nets.models import new_network
from anyzero.core.nets.weights import save_network
from anyzero.extras.export import export
from anyzero.extras.programs import FAMILIES
from anyzero.tools.lab.table import GRID_COLUMNS
from tests import OWN
from tests.learning.reports import make_report

GAME_LINE = {
    "names": ["champion", "champion"],
    "start": 0,
    "actions": [4, 0, 8],
    "payoffs": [0.0, 0.0],
    "end": "plies",
}
EXAMPLE = Path(__file__).parents[2] / "examples" / "tic_tac_toe.py"
NASTY = "<img src=x onerror=alert(1)>"


ENGINE = """
import sys
free = []
for line in sys.stdin:
    command, *words = line.split()
    if command == "clear_board":
        free = [column + row for row in "123" for column in "abc"]
    if command == "play":
        free.remove(words[1])
    print("=", free.pop(0) if command == "genmove" else "", end="\\n\\n", flush=True)
"""
"""A program that speaks GTP and plays tic-tac-toe: the first free cell."""


def fill(folder: Path) -> list[str]:
    """Everything that a server can find in its folder; returns what it is told on the command
    line.
    """
    for name in ("small", "running"):
        make_run(folder / "runs" / name)
    (folder / "runs" / "broken").mkdir()
    (folder / "runs" / "broken" / "config.toml").write_text("x = [")
    make_experiment(folder / "rave.csv", ROWS[:2])
    make_experiment(folder / "grid.csv", ROWS)
    (folder / "other.csv").write_text("a,b\n1,2\n")
    OWN.mkdir(exist_ok=True)
    example = OWN / "my_tic_tac_toe.py"
    write_whole(example, EXAMPLE.read_bytes())
    engine = folder / "engine.py"
    engine.write_text(ENGINE)
    games = [word for path in (*write_own_games(OWN), str(example)) for word in ("--game", path)]
    return [*games, "--engine", f"First in line=gtp:{sys.executable} {engine}"]


def make_run(path: Path) -> None:
    """Three generations of tic-tac-toe and one block of games; nothing was trained, nothing
    measured.
    """
    folder, game = (
        RunFolder.create(path, RunConfig(game="tic_tac_toe", minutes=17.0)),
        load("tic_tac_toe"),
    )
    network = new_network(game, resolve(parse_network("tiny"), game))
    with folder.locked():
        for number in range(3):
            part = folder.part(number)
            save_network(part / "network.safetensors", network, game)
            write_whole(
                part / "report.json", json.dumps(make_report(number, champion=number)).encode()
            )
            folder.commit(number, {"champion": number, "previous": None, "promoted": True})
        write_whole(
            folder.games_path(1, 0), (json.dumps({"generation": 1, **GAME_LINE}) + "\n").encode()
        )


ROWS = [
    (
        "hex",
        "size=5",
        "rave:100",
        "uct:100",
        100,
        100,
        "both",
        10,
        8,
        0,
        2,
        0.8,
        0.5,
        0.9,
        0,
        0,
        0,
        1,
    ),
    (
        "hex",
        "size=5",
        "rave:500",
        "uct:100",
        500,
        100,
        "both",
        10,
        9,
        0,
        1,
        0.9,
        0.6,
        1.0,
        0,
        0,
        0,
        1,
    ),
    (
        "hex",
        "size=5",
        "rave:100",
        "uct:500",
        100,
        500,
        "both",
        20,
        14,
        0,
        6,
        0.7,
        0.5,
        0.9,
        0,
        0,
        0,
        1,
    ),
    (
        "hex",
        "size=5",
        "rave:500",
        "uct:500",
        500,
        500,
        "both",
        20,
        17,
        0,
        3,
        0.85,
        0.6,
        1.0,
        0,
        0,
        0,
        1,
    ),
]


def make_experiment(path: Path, rows: list[tuple]) -> None:
    lines = [GRID_COLUMNS, *rows]
    path.write_text("\n".join(",".join(map(str, line)) for line in lines) + "\n")


OWN_GAME = '''
"""Take one or two from a heap; who takes the last wins."""
from typing import NamedTuple

import numpy as np

from anyzero.core.game.contract import OVER
from anyzero.core.game.game import Game
PICTURE


class Rules(NamedTuple):
    size: int


def initial_state(rules, state):
    state.left = rules.size


def seat_to_move(rules, state):
    return OVER if state.left == 0 else state.mover


def legal_actions(rules, state, actions):
    for index in range(min(2, state.left)):
        actions[index] = index
    return min(2, state.left)


def play(rules, state, action):
    state.left -= action + 1
    state.mover = 1 - state.mover


def payoffs(rules, state, out):
    out[1 - state.mover] = 1.0
    out[state.mover] = -1.0


def make(size: int = 5):
    state = [("left", np.int64), ("mover", np.int64)]
    functions = [initial_state, seat_to_move, legal_actions, play, payoffs] + MORE
    return Game("heap", Rules(size), state, functions, num_actions=2, max_plies=size)
'''
PICTURE = f'''
from anyzero.views import Board, Cell, Label


def board(rules):
    outlines = [((x, 0.0), (x + 1.0, 0.0), (x + 1.0, 1.0), (x, 1.0)) for x in (0.0, 1.5)]
    cells = (Cell("one", outlines[0]), Cell("two", outlines[1]))
    label, clicks = Label(1.0, 1.4, "{NASTY}", 0.2), {{0: ("one",), 1: ("two",)}}
    texts = {{"captions": ("{NASTY}",), "moves": ("0", "1"), "title": "{NASTY}"}}
    return Board(cells, clicks=clicks, over=(label,), **texts)
'''


LONG_NAMES = ("the defenders of the little heap", "Donaudampfschifffahrtsgesellschaftskapitän")


def write_own_games(folder: Path) -> list[str]:
    """One game without a picture, and one whose texts would be markup if a page let them."""
    plain, drawn = folder / "heap.py", folder / "drawn_heap.py"
    write_whole(plain, OWN_GAME.replace("PICTURE", "").replace("MORE", "[]").encode())
    source = OWN_GAME.replace("PICTURE", PICTURE).replace("MORE", "[board]")
    write_whole(
        drawn,
        source.replace("max_plies=size)", f"max_plies=size, seat_names={LONG_NAMES})").encode(),
    )
    return [str(plain), str(drawn)]


def write_site(served, name, games, families=FAMILIES):
    """With modules for these families of searches, each of which takes seconds to compile."""
    with pytest.MonkeyPatch.context() as patch:
        chosen = {family: FAMILIES[family] for family in families}
        patch.setattr("anyzero.extras.browser.page.FAMILIES", chosen)
        export(games, web=served.folder / name, net="best")
    (served.folder / name / "package.json").write_text('{"type": "module"}')  # for Node
    return SimpleNamespace(
        folder=served.folder / name, url=f"{served.url}{name.replace(' ', '%20')}/"
    )
