"""Wrong input is one sentence and exit code 2, and Ctrl-C ends a real process in time and says what
is kept.
"""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from anyzero.core.base import stopping
from anyzero.core.search.methods import METHODS

FAULTY = str(Path(__file__).parent.parent / "arena" / "faulty.py")
FIRST_MOVE = (
    "match",
    "tic_tac_toe",
    "random",
    FAULTY,
    "--openings",
    "0",
    "--games",
    "4",
    "--workers",
    "1",
)
"""A match that needs no search, so nothing is compiled."""

ALL_METHODS = ", ".join(METHODS)

WRONG = [
    # names: the nearest one, and the list
    (["serch", "hex", "uct:10"], "Did you mean 'search'"),
    (["bench", "rollout", "hex"], "Did you mean 'rollouts'"),
    (["export", "--web", "site"], "name a game, or use --all for all of them"),
    (
        ["export", "--all", "--web", "site", "--onnx", "net.onnx"],
        "several games can only be exported with --web",
    ),
    (["export", "hex"], "nothing to export: name a target"),
    (
        ["export", "hex", "--bot", "x/b.py", "--net", "best"],
        "--net does nothing here: it is for --onnx or --web",
    ),
    (
        ["export", "hex", "--web", "x", "--player", "uct:9"],
        "--player does nothing here: it is for --bot, --c or --wasm",
    ),
    (
        ["export", "hex", "--c", "x", "--max-characters", "9"],
        "--max-characters does nothing here: it is for --bot",
    ),
    (["search", "hec", "uct:10"], "did you mean hex? known: atarigo, breakthrough, "),
    (["search", "hex:sise=7", "uct:10"], "did you mean size? its options: size, swap"),
    (["search", "hex", "uctt:10"], f"did you mean uct? known: {ALL_METHODS}"),
    (["search", "hex", "what is this"], f"there is no player 'what is this'; known: {ALL_METHODS}"),
    (
        ["search", "hex", "uct:10,exploratoin=1"],
        "did you mean exploration? its options: exploration, ",
    ),
    (
        ["search", "hex", "uct:10,considered=4"],
        "uct has no option 'considered'; it belongs to gumbel, expectimax; its options: ",
    ),
    (
        ["search", "hex", "uct:10,threads=2"],
        "uct has no option 'threads'; it belongs to nets; its options: exploration, "
        "first_play, expand_after, "
        "max_depth, solve, look_ahead; for one position final, evaluator, max_nodes, trees, "
        "reuse, temperature; "
        "for many positions log_visits, move_value",
    ),
    (["search", "hex", "rave:10,tres=2"], "did you mean trees?"),
    (["search", "hex", "flat:10,solve=1"], "flat has no option 'solve'; it belongs to ucb, uct"),
    (
        ["search", "hex", "rave:10,equivalence=30"],
        "rave: equivalence does nothing with the schedule minimum_error",
    ),
    (["search", "hex", "uct:10,expand_after=0"], "uct: expand_after cannot be '0'"),
    (["search", "hex", "uct:10,solve=0.5"], "uct: solve needs a whole number, not '0.5'"),
    (["search", "hex", "uct:10,log_visits=1"], "uct: log_visits is for searches of many positions"),
    (
        ["search", "hex", "rave:10,schedule=never"],
        "not one of classic, minimum_error, simple, always",
    ),
    (["search", "hex", "uct:10,final=luck"], "there is no final rule 'luck'; known: visits, value"),
    (["search", "hex", "uct:10", "--sed", "3"], "No such option: --sed (Possible options: --seed"),
    (
        ["match", "hex", "randm", "random"],
        f"did you mean random? known: random, {ALL_METHODS}, level, uci, gtp, or a path to "
        "a .py file",
    ),
    (["match", "hex", "random", "./nobody.py"], "cannot read the player file ./nobody.py"),
    (
        ["match", "hex", "random", f"{FAULTY}:falt=crash"],
        "did you mean fault? its options: fault, limit",
    ),
    (
        ["tournament", "hex", "random", "uct:10", "rve:10"],
        f"did you mean rave? known: random, {ALL_METHODS}",
    ),
    # budgets
    *[
        (
            ["search", "hex", f"uct:{budget}"],
            "is not a positive number of simulations" if budget else "needs a budget",
        )
        for budget in (
            "0",
            "-5",
            "",
            "many",
            "nan",
            "inf",
            "1.5",
            "0s",
            "-1s",
            "nans",
            "infs",
            "1e400s",
            "٣",
        )
    ],
    (["search", "hex", f"uct:{'9' * 5000}"], "9999... is not a positive number of simulations"),
    (
        ["search", "hex", "uct:1", "--seed", "9" * 5000],
        "'--seed': '9999999999999999999999999999999999999999999999999",
    ),
    (
        ["search", "hex", "uct:99999999s"],
        "a budget of 99999999.0 seconds is not a positive number below 10,000,000",
    ),
    (["search", "hex", "uct"], "'uct' needs a budget: uct:2000 or uct:2s"),
    (["match", "hex", "uct:0", "random"], "is not a positive number of simulations"),
    (["match", "hex", "random:10", "random"], "random play has neither a budget nor options"),
    (["search", "hex", "uct:10,exploration=nan"], "exploration cannot be 'nan'"),
    (["search", "hex", "uct:10,exploration=much"], "exploration needs a number, not 'much'"),
    (["search", "hex", "uct:10,exploration"], "is not of the form option=value"),
    (["search", "hex", "uct:10,max_nodes=0"], "max_nodes is"),
    # numbers
    (["search", "hex", "uct:10", "--seed", "x"], "'x' is not a valid int"),
    (["search", "hex", "uct:10", "--top", "0"], "--top"),
    (["search", "hex:size=1000000000000", "uct:10"], "from 2 to 19"),
    (["match", "hex", "random", "random", "--games", "0"], "0 is not a positive even number"),
    (["match", "hex", "random", "random", "--openings", "-1"], "-1"),
    (
        ["match", "hex", "random", "random", "--limit", "nan"],
        "nan seconds is not a positive number",
    ),
    (["search", "hex"], "Missing argument"),
    (
        ["play", "hex", "--web", "--seed", str(2**53)],
        "a browser takes seeds from 0 to 9007199254740991",
    ),
    # positions
    (
        ["search", "tic_tac_toe", "uct:10", "--state", "xxx/oo1/3 o"],
        "there is nothing to search, the game is over",
    ),
    (
        ["search", "tic_tac_toe", "uct:10", "--state", "xxx/ooo/3 o"],
        "a position looks like '3/3/3 x'",
    ),
    (["search", "tic_tac_toe", "uct:10", "--state", ""], "a position looks like '3/3/3 x'"),
    (
        ["search", "tic_tac_toe", "uct:10", "--state", "3/3/\x00 x"],
        "a position looks like '3/3/3 x'",
    ),
    (
        ["search", "chess", "uct:10", "--state", "8/8/8/8/8/8/8/8 w - - 0 1"],
        "a position looks like 'rnbqkbnr",
    ),
    (["search", "take_it_easy", "uct:10"], "it is chance's turn"),
    (["show", "hex", "--state", "11/11 x"], "the board has 11 rows, the text 2"),
    (["show", "tic_tac_toe", "--moves", "a1 a1"], "a1 is taken"),
]


@pytest.mark.parametrize(
    ("words", "says"), WRONG, ids=lambda part: " ".join(part)[:60] if isinstance(part, list) else ""
)
def test_wrong_input_is_one_sentence_and_exit_code_2(run, words, says):
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert says in err
    assert err.startswith("anyzero")
    assert err.count("\n") == 1
    assert len(err) < 1000
    assert "Traceback" not in err


def test_a_device_or_a_folder_is_no_record(run, tmp_path):
    """Reading /dev/zero to its end would take for ever."""
    for place in ("/dev/zero", str(tmp_path)):
        code, _, err = run(*FIRST_MOVE, "--record", place)
        assert (code, err) == (2, f"anyzero: cannot write {place}: it is not a file\n")


# --- Ctrl-C

STOPPED = "stopped; nothing was saved, so the same command starts over\n"


def start(*words):
    """A command in a process of its own, as a shell would start it."""
    return start_python("-m", "anyzero", *words)


def start_python(*words):
    return subprocess.Popen(
        [sys.executable, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def interrupt(process):
    """Ctrl-C; what the process said, once it has ended."""
    assert process.poll() is None, process.communicate()
    os.kill(process.pid, signal.SIGINT)
    try:
        out, err = process.communicate(timeout=120)
    finally:
        process.kill()
    assert process.returncode == 130
    assert "Traceback" not in err
    return out, err


def wait_for(path, num_lines, process):
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        if path.exists() and path.read_bytes().count(b"\n") >= num_lines:
            return
        time.sleep(0.01)
    raise AssertionError(process.communicate())


def hang_at_the_end(folder):
    """A player that answers at once until the record holds three games, and then never again."""
    player = folder / "patient.py"
    player.write_text(
        "import time\nfrom pathlib import Path\nfrom anyzero.tools.players import Player\n"
        "def make():\n"
        "    def choose(game, line, seed):\n"
        f"        Path({str(folder / 'asked')!r}).touch()\n"
        f"        while Path({str(folder / 'games.jsonl')!r}).read_bytes().count(b'\\n') >= 4:\n"
        "            time.sleep(60)\n"
        "        return game.legal_actions(line.state)[0]\n"
        "    return Player('patient', choose)\n"
    )
    return str(player)


def test_ctrl_c_in_a_match_says_what_is_kept_and_how_to_go_on(tmp_path):
    path, patient = tmp_path / "games.jsonl", hang_at_the_end(tmp_path)
    words = [
        "match",
        "tic_tac_toe",
        patient,
        "random",
        "--openings",
        "0",
        "--games",
        "8",
        "--workers",
        "1",
    ]
    process = start(*words, "--record", str(path))
    wait_for(path, 4, process)
    out, err = interrupt(process)
    assert out == ""
    kept = path.read_bytes()
    games = (
        kept.count(b"\n") - 1
    )  # behind a line about all of them; a game may have ended while its player looked
    assert 3 <= games < 8
    said = re.fullmatch(
        r"stopped after (\d) of 8 games, saved in (.*); the same command resumes from there\n", err
    )
    assert said[2] == str(path)
    assert (
        games - 1 <= int(said[1]) <= games
    )  # the line is there a moment before the game is counted
    assert kept.endswith(b"}\n")


def test_ctrl_c_in_a_match_without_a_record_says_how_to_keep_games(tmp_path):
    (tmp_path / "games.jsonl").write_text("\n" * 4)  # the player waits from its first move on
    process = start(
        "match",
        "tic_tac_toe",
        hang_at_the_end(tmp_path),
        "random",
        "--openings",
        "0",
        "--games",
        "8",
    )
    wait_for(tmp_path / "asked", 0, process)
    assert (
        interrupt(process)[1]
        == "stopped after 0 of 8 games; with --record FILE a stopped match can be resumed\n"
    )


class Pressed:
    """Ctrl-C as loops see it: pressed before their fourth look."""

    looks = 0

    def is_set(self):
        self.looks += 1
        return self.looks >= 4

    def clear(self): ...


@pytest.mark.xdist_group("search")
@pytest.mark.parametrize(
    "words",
    [
        "search connect_four uct:100000000",
        "search connect_four halving:1000s",
        "perft connect_four 20",
    ],
)
def test_ctrl_c_in_long_work_ends_it_at_its_next_look(run, monkeypatch, words):
    monkeypatch.setattr(stopping, "_asked", Pressed())
    assert run(*words.split()) == (130, "", STOPPED)
    assert stopping._asked.looks >= 4


COMPILING = """
import os, signal, sys
import numba
from numba.extending import overload
from anyzero.core.base import stopping

def one():
    return 1

@overload(one)
def make_one():
    for _ in range(int(sys.argv[1])):
        os.kill(os.getpid(), signal.SIGINT)
    print("went on", flush=True)
    return one

@numba.njit
def two():
    return 2 * one()

with stopping.in_two_steps():
    print(two(), flush=True)
    try:
        stopping.check()
    except KeyboardInterrupt:
        print("asked to stop", flush=True)
"""


def test_the_first_ctrl_c_lets_the_compiler_end_and_the_second_ends_the_process():
    """A compiler that is left half way leaves objects behind that crash Python."""
    once, twice = (start_python("-c", COMPILING, presses) for presses in ("1", "2"))
    assert once.communicate(timeout=60) == ("went on\n2\nasked to stop\n", "")
    assert twice.communicate(timeout=60) == ("", "")
    assert (once.returncode, twice.returncode) == (0, 130)


WAITING = """
import os, signal, sys, threading, time
from anyzero.core.base import stopping

try:
    with stopping.in_two_steps(), stopping.waiting():
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        sys.stdin.readline()
except KeyboardInterrupt:
    print("heard", flush=True)
"""


def test_what_waits_for_a_person_is_left_at_once():
    process = subprocess.Popen(
        [sys.executable, "-c", WAITING], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "heard\n"
    process.communicate(timeout=60)


SAVING = """
import os, signal, sys
from anyzero.core.base import stopping
from anyzero.app.cli.app import app
from anyzero.app.cli import main

@app.command("save")
def save():
    os.kill(os.getpid(), signal.SIGINT)
    try:
        stopping.check()
    except KeyboardInterrupt:
        REST

sys.argv[1:] = ["save"]
main()
"""


@pytest.mark.parametrize(
    ("rest", "code", "err"),
    [
        ("print('kept'); raise SystemExit(130)", 130, ""),
        ("print('kept'); raise", 130, STOPPED),
        (
            "from anyzero import AnyzeroError; print('kept'); raise AnyzeroError('no room')",
            2,
            "anyzero: no room\n",
        ),
    ],
)
def test_a_command_that_was_stopped_says_what_it_kept_or_could_not_keep(rest, code, err):
    process = start_python("-c", SAVING.replace("REST", rest))
    assert process.communicate(timeout=60) == ("kept\n", err)
    assert process.returncode == code
