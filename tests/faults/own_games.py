"""A user's game with a fault, in every command that plays it."""

import json
import random
import subprocess
import sys
from pathlib import Path

from anyzero.core.base.files import write_whole
from anyzero.core.game.load import load
from anyzero.core.nets.config import parse_network
from anyzero.core.nets.models import new_network
from anyzero.core.nets.weights import save_network
from tests.faults.served import click_through
from tests.faults.table import HARMLESS, SIGNAL, SILENT, TOLD, TRACEBACK, Table

EXAMPLE = Path(__file__).parents[2] / "examples" / "tic_tac_toe.py"
GAME = EXAMPLE.read_text()
RULES, PICTURE, ENDING, TEXT, INPUT = "rules", "picture", "ending", "text", "input"
"""What a fault is in: only some commands draw, write moves, or ask a network."""

COUNT, ACTION, STONE = (
    "    return count\n",
    "actions[count] = cell\n",
    "state.cells[action] = state.mover + 1\n",
)
OUT, SEAT, PLANE = (
    "    out[state.mover] = -won\n",
    "has_line(rules, state, 1 - state.mover) or",
    "planes[plane, ",
)
STONES, SHOWN = "    stones = [", "    shown.caption = 2 if seat"
RARE = (
    "if state.plies == 7 and state.cells[0] == 2 and state.cells[4] == 2 and "
    "state.cells[2] == 1:\n        "
)
FAULTS: dict[str, tuple[str, str, str]] = {
    "count too large": (RULES, COUNT, "    return count + 40\n"),
    "count huge": (RULES, COUNT, "    return 10**9\n"),
    "count negative": (RULES, COUNT, "    return -3\n"),
    "no action": (RULES, COUNT, "    return count if state.plies < 4 else 0\n"),
    "rare count": (RULES, COUNT, f"    {RARE}return 4000\n    return count\n"),
    "action too large": (RULES, ACTION, "actions[count] = cell + 9\n"),
    "action negative": (RULES, ACTION, "actions[count] = cell - 20\n"),
    "same action twice": (RULES, ACTION, "actions[count] = cell // 2\n"),
    "write out of range": (RULES, STONE, "state.cells[action + 9] = state.mover + 1\n"),
    "write far away": (RULES, STONE, "state.cells[action * 10**9] = state.mover + 1\n"),
    "rare write": (RULES, STONE, f"{STONE}    {RARE}state.cells[10**8] = 1\n"),
    "payoff not a number": (RULES, OUT, "    out[state.mover] = np.nan\n"),
    "payoff too large": (RULES, OUT, "    out[state.mover] = -5.0\n"),
    "payoffs no sum": (RULES, OUT, "    out[state.mover] = -0.25\n"),
    "payoff missing": (RULES, OUT, ""),
    "seat too large": (RULES, SEAT, f"{SEAT} False or"),
    "endless choice": (
        RULES,
        COUNT,
        "    while state.plies > 2:\n        count += 0\n    return count\n",
    ),
    "endless move": (
        RULES,
        STONE,
        f"{STONE}    while state.plies > 2:\n        state.plies += 0\n",
    ),
    "endless game": (
        RULES,
        "    state.plies += 1\n",
        "    state.plies = 1\n    state.cells[action] = 0\n",
    ),
    "rare endless choice": (
        RULES,
        COUNT,
        f"    {RARE}while count >= 0:\n            count += 0\n    return count\n",
    ),
    "rare endless move": (
        RULES,
        STONE,
        f"{STONE}    {RARE}while action >= 0:\n            state.plies += 0\n",
    ),
    "rare endless game": (
        RULES,
        STONE,
        f"{STONE}    {RARE}state.plies = 5\n        state.cells[:] = 0\n",
    ),
    "calls itself": (
        RULES,
        "    for line in range(8):\n",
        "    if has_line(rules, state, seat):\n        return False\n    for line in range(8):\n",
    ),
    "raises": (RULES, STONE, "raise RuntimeError('no')\n"),
    "board of a wrong type": (PICTURE, STONES, f"    return 7\n{STONES}"),
    "board with wrong parts": (PICTURE, STONES, "    stones = [1, 'x', None] + ["),
    "board raises": (PICTURE, STONES, f"    rules.x\n{STONES}"),
    "board without texts": (
        TEXT,
        "square_board(3, 3, stones, ",
        "square_board(3, 3, stones, moves=['a1'], ",
    ),
    "picture raises": (PICTURE, SHOWN, f"    raise RuntimeError('no')\n{SHOWN}"),
    "piece out of range": (PICTURE, "shown.pieces[cell] = ", "shown.pieces[cell] = 7 + "),
    "piece on no cell": (PICTURE, "shown.pieces[cell] = ", "shown.pieces[cell + 1] = "),
    "caption out of range": (PICTURE, SHOWN, "    shown.caption = 3 if state.plies < 9 or seat"),
    "caption out of range at the end": (ENDING, SHOWN, "    shown.caption = 3 if seat"),
    "input not a number": (
        INPUT,
        f"{PLANE}cell // 3, cell % 3] = 1.0",
        f"{PLANE}cell // 3, cell % 3] = np.nan",
    ),
    "input out of range": (INPUT, PLANE, "planes[plane + 2, "),
}
FAULTS["seat too large"] = (
    RULES,
    "state.plies == 9 else state.mover",
    "state.plies == 9 else state.mover + 7",
)

TRAIN = [
    "--generations",
    "1",
    "--set",
    "selfplay.games=4",
    "--set",
    "selfplay.simulations=4",
    "--set",
    "network=2x8",
]
TWO = ["--workers", "2"]
COMMANDS: dict[str, tuple[set[str], list[str]]] = {
    "show": ({RULES, PICTURE}, ["show", "GAME"]),
    "show --svg": ({RULES, PICTURE}, ["show", "GAME", "--svg", "RUN.svg"]),
    "search": ({RULES, TEXT}, ["search", "GAME", "uct:2000"]),
    "search rave": ({RULES, TEXT}, ["search", "GAME", "rave:500"]),
    "perft": ({RULES}, ["perft", "GAME", "9"]),
    "solve": ({RULES, TEXT}, ["solve", "GAME"]),
    "match": (
        {RULES, TEXT},
        ["match", "GAME", "uct:50", "random", "--games", "4", "--limit", "3", *TWO],
    ),
    "tournament": (
        {RULES, TEXT},
        ["tournament", "GAME", "uct:20", "random", "flat:9", "--games", "2", *TWO],
    ),
    "play": (
        {RULES, PICTURE, ENDING, TEXT},
        ["play", "GAME", "--seat0", "random", "--seat1", "uct:50"],
    ),
    "play by hand": (
        {RULES, PICTURE, TEXT},
        ["play", "GAME", "--seat1", "uct:50", "--hints", "uct:50"],
    ),
    "replay": ({RULES, PICTURE, ENDING, TEXT}, ["replay", "GAME.json", "--game", "GAME"]),
    "rate": (
        {RULES, INPUT},
        ["rate", "NET", "--game", "GAME", "--games", "2", "--most", "100", *TWO],
    ),
    "bench rollouts": ({RULES}, ["bench", "rollouts", "GAME"]),
    "bench search": ({RULES}, ["bench", "search", "GAME", "uct:200", "--seconds", "0.1"]),
    "rules": ({RULES, PICTURE}, ["rules", "GAME"]),
    "estimate": (
        {RULES, TEXT},
        ["estimate", "GAME", "--simulations", "30", "--reference", "200", "--repeats", "4"],
    ),
    "experiment": ({RULES, TEXT}, ["experiment", "GAME.toml"]),
    "export --c": ({RULES}, ["export", "GAME", "--c", "RUN.c", "--player", "uct:20"]),
    "export --wasm": ({RULES}, ["export", "GAME", "--wasm", "RUN.wasm", "--player", "uct:20"]),
    "export --bot": ({RULES}, ["export", "GAME", "--bot", "RUN.bot.py", "--player", "uct:20"]),
    "export --web": ({RULES, PICTURE}, ["export", "GAME", "--web", "RUN.web"]),
    "gtp": ({RULES, PICTURE, TEXT}, ["gtp", "GAME", "--player", "uct:50"]),
    "doctor": ({RULES, INPUT}, ["doctor", "GAME"]),
    "train": ({RULES, INPUT}, ["train", "GAME", "--run", "RUN", *TRAIN]),
    "serve": ({RULES, PICTURE, ENDING, TEXT}, ["--game", "GAME"]),
    "check": ({RULES, PICTURE, ENDING, TEXT, INPUT}, ["check", "GAME"]),
}


def write_game(folder: Path, fault: str, command: str = "") -> Path:
    _, old, new = FAULTS[fault]
    assert old in GAME, fault
    path = folder / f"{fault} {command}".strip().replace(" ", "_")
    path = path.with_suffix(".py")
    source = (
        f"{GAME.replace(old, new, 1)}\n# {path}\n"  # by which what `check` says of it is remembered
    )
    write_whole(path, source.encode())
    return path


INPUTS = {
    "gtp": "genmove b\ngenmove w\nshowboard\nquit\n",
    "play by hand": "hint\nanalyse\na1\nhint\nb1\nc1\na2\nb2\nc2\na3\nb3\nc3\nboard\nquit\n",
}
RECORD = {
    "format": 1,
    "rules": {"name": "my_tic_tac_toe", "options": {}},
    "players": ["a", "b"],
    "moves": ["a1", "a2", "b1", "b2", "c1"],
    "result": {"payoffs": [1.0, -1.0], "termination": "rules"},
}
EXPERIMENT = (
    "games_per_cell = 2\nbudgets = [20]\npairs = [['uct:{{budget}}', "
    "'random']]\n[[games]]\nname = {name!r}\n"
)
ANSWERS = ("check", "doctor", "gtp")
"""Commands that say what is wrong on standard output."""


def judge(fault: str, command: str, code: int | None, said: str) -> str:
    """The verdict on a command that ended so; None: it did not. What is rare need not have been
    met.
    """
    if code is None:
        return SILENT
    if code < 0:
        return SIGNAL
    if "Traceback" in said:
        return TRACEBACK
    if (code in (1, 2) and said.strip()) or (command == "gtp" and "\n?" in f"\n{said}"):
        return TOLD
    return SILENT if concerns(fault, command) and not fault.startswith("rare") else HARMLESS


def concerns(fault: str, command: str) -> bool:
    """Whether a command uses what is wrong."""
    return FAULTS[fault][0] in COMMANDS[command][0]


def run_campaign(folder: Path, table: Table, *, every: int, seconds: float = 600) -> None:
    """Every so-manieth pair of a fault and a command that it concerns, in any order, as a process
    of its own.
    """
    pairs = [
        (fault, command) for fault in FAULTS for command in COMMANDS if concerns(fault, command)
    ]
    random.Random(table.seed).shuffle(pairs)
    game = load(str(EXAMPLE))
    save_network(folder / "net.safetensors", new_network(game, parse_network("2x8")), game)
    for fault, command in table.turns(pairs[::every]):
        path = write_game(folder, fault, command)
        path.with_suffix(".py.toml").write_text(EXPERIMENT.format(name=str(path)))
        path.with_suffix(".py.json").write_text(json.dumps({**RECORD, "game": str(path)}))
        table.add(f"own game: {command}", *run_one(fault, command, path, seconds))


def run_one(fault: str, command: str, path: Path, seconds: float) -> tuple[str, str]:
    """The verdict on one command, and what there is to say of it."""
    texts = {
        "GAME": str(path),
        "RUN": str(path.with_suffix("")),
        "NET": str(path.with_name("net.safetensors")),
    }
    words = [
        next((word.replace(name, text) for name, text in texts.items() if name in word), word)
        for word in COMMANDS[command][1]
    ]
    run = click_through if command == "serve" else run_command
    code, said = run(command, words, path, seconds)
    return judge(fault, command, code, said), f"{fault}: {code} {said[-300:]!r}"


def run_command(
    command: str, words: list[str], path: Path, seconds: float
) -> tuple[int | None, str]:
    """The exit code of a command, None if it does not end, and what it said."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", "anyzero", *words],
            input=INPUTS.get(command, ""),
            capture_output=True,
            text=True,
            timeout=seconds,
            cwd=path.parent,
        )
        return done.returncode, done.stderr + (done.stdout if command in ANSWERS else "")
    except subprocess.TimeoutExpired:
        return None, ""
