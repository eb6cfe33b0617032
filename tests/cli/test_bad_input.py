"""Wrong input is one sentence and exit code 2, and Ctrl-C ends a real process in time and says what is kept."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from anyzero.search.methods import METHODS

FAULTY = str(Path(__file__).parent.parent / "arena" / "faulty.py")
FIRST_MOVE = ("match", "tic_tac_toe", "random", FAULTY, "--openings", "0", "--games", "4", "--workers", "1")
"""A match that needs no search, so nothing is compiled."""

ALL_METHODS = ", ".join(METHODS)

WRONG = [
    # names: the nearest one, and the list
    (["serch", "hex", "uct:10"], "Did you mean 'search'"),
    (["bench", "rollout", "hex"], "Did you mean 'rollouts'"),
    (["search", "hec", "uct:10"], "did you mean hex? known: tic_tac_toe, connect_four, "),
    (["search", "hex:sise=7", "uct:10"], "did you mean size? its options: size, swap"),
    (["search", "hex", "uctt:10"], f"did you mean uct? known: {ALL_METHODS}"),
    (["search", "hex", "what is this"], f"there is no player 'what is this'; known: {ALL_METHODS}"),
    (["search", "hex", "uct:10,exploratoin=1"], "did you mean exploration? its options: exploration, "),
    (
        ["search", "hex", "uct:10,considered=4"],
        "uct has no option 'considered'; it belongs to gumbel, expectimax; its options: ",
    ),
    (["search", "hex", "flat:10,solve=1"], "flat has no option 'solve'; it belongs to ucb, uct"),
    (["search", "hex", "rave:10,equivalence=30"], "rave: equivalence does nothing with the schedule minimum_error"),
    (["search", "hex", "uct:10,expand_after=0"], "uct: expand_after cannot be '0'"),
    (["search", "hex", "uct:10,solve=0.5"], "uct: solve wants a whole number, not '0.5'"),
    (["search", "hex", "uct:10,log_visits=1"], "uct: log_visits is for searches of many positions"),
    (["search", "hex", "rave:10,schedule=never"], "not one of classic, minimum_error, simple, always"),
    (["search", "hex", "uct:10,final=luck"], "there is no final rule 'luck'; known: visits, value"),
    (["search", "hex", "uct:10", "--sed", "3"], "No such option: --sed (Possible options: --seed"),
    (
        ["match", "hex", "randm", "random"],
        f"did you mean random? known: random, {ALL_METHODS}, level, uci, gtp, or a path to a .py file",
    ),
    (["match", "hex", "random", "./nobody.py"], "cannot read the player file ./nobody.py"),
    (["match", "hex", "random", f"{FAULTY}:falt=crash"], "did you mean fault? its options: fault, limit"),
    (["tournament", "hex", "random", "uct:10", "rve:10"], f"did you mean rave? known: random, {ALL_METHODS}"),
    # budgets
    *[
        (["search", "hex", f"uct:{budget}"], "is not a positive number of simulations" if budget else "needs a budget")
        for budget in ("0", "-5", "", "many", "nan", "inf", "1.5", "0s", "-1s", "nans", "infs", "1e400s", "٣")
    ],
    (["search", "hex", f"uct:{'9' * 5000}"], "9999... is not a positive number of simulations"),
    (["search", "hex", "uct:1", "--seed", "9" * 5000], "'--seed': '9999999999999999999999999999999999999999999999999"),
    (["search", "hex", "uct"], "'uct' needs a budget: uct:2000 or uct:2s"),
    (["match", "hex", "uct:0", "random"], "is not a positive number of simulations"),
    (["match", "hex", "random:10", "random"], "random play has neither a budget nor options"),
    (["search", "hex", "uct:10,exploration=nan"], "exploration cannot be 'nan'"),
    (["search", "hex", "uct:10,exploration=much"], "exploration wants a number, not 'much'"),
    (["search", "hex", "uct:10,exploration"], "is not of the form option=value"),
    (["search", "hex", "uct:10,max_nodes=0"], "max_nodes is"),
    # numbers
    (["search", "hex", "uct:10", "--seed", "x"], "'x' is not a valid int"),
    (["search", "hex", "uct:10", "--top", "0"], "--top"),
    (["search", "hex:size=1000000000000", "uct:10"], "from 2 to 19"),
    (["match", "hex", "random", "random", "--games", "0"], "0 is not a positive even number"),
    (["match", "hex", "random", "random", "--openings", "-1"], "-1"),
    (["match", "hex", "random", "random", "--limit", "nan"], "nan seconds is not a positive number"),
    (["search", "hex"], "Missing argument"),
    # positions
    (["search", "tic_tac_toe", "uct:10", "--state", "xxx/oo1/3 o"], "there is nothing to search, the game is over"),
    (["search", "tic_tac_toe", "uct:10", "--state", "xxx/ooo/3 o"], "a position looks like '3/3/3 x'"),
    (["search", "tic_tac_toe", "uct:10", "--state", ""], "a position looks like '3/3/3 x'"),
    (["search", "tic_tac_toe", "uct:10", "--state", "3/3/\x00 x"], "a position looks like '3/3/3 x'"),
    (["search", "chess", "uct:10", "--state", "8/8/8/8/8/8/8/8 w - - 0 1"], "a position looks like 'rnbqkbnr"),
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


@pytest.mark.parametrize("content", ["my diary\n", "", "{}\n"])
def test_a_record_that_is_none_is_left_as_it_is(run, tmp_path, content):
    """An empty file is nobody's and may be written to; everything else is refused."""
    path = tmp_path / "games.jsonl"
    path.write_text(content)
    code, _, err = run(*FIRST_MOVE, "--record", str(path), "--json")
    if content:
        assert (code, path.read_text()) == (2, content)
        assert "is not a record of games; nothing was changed" in err
    else:
        assert (code, len(path.read_text().splitlines())) == (0, 5)


def test_the_record_of_another_run_is_refused_and_names_the_difference(run, tmp_path):
    path = tmp_path / "games.jsonl"
    run(*FIRST_MOVE, "--record", str(path))
    before = path.read_bytes()
    for words, says in (
        ([*FIRST_MOVE, "--seed", "1"], "another run (seed 0, not 1)"),
        (["match", "tic_tac_toe", FAULTY, *FIRST_MOVE[3:]], "another run (players ['random'"),
    ):
        code, _, err = run(*words, "--record", str(path))
        assert (code, path.read_bytes()) == (2, before)
        assert says in err


def test_a_broken_last_line_is_dropped_with_a_warning_and_its_game_played_again(run, tmp_path):
    path = tmp_path / "games.jsonl"
    whole = json.loads(run(*FIRST_MOVE, "--record", str(path), "--json")[1])
    lines = path.read_bytes().splitlines(keepends=True)
    for broken in (lines[-1][:-1], lines[-1][:20], b'{"match": 7}\n', b"\xff\x00\n"):
        path.write_bytes(b"".join(lines[:-1]) + broken)
        code, out, err = run(*FIRST_MOVE, "--record", str(path), "--json")
        assert (code, json.loads(out)) == (0, whole)
        assert re.fullmatch(r"anyzero: .*games.jsonl: the last line is broken; its game is played again\n", err)
        assert without_time(path.read_bytes().splitlines()[1:]) == without_time(lines[1:])


def without_time(lines):
    return [{**json.loads(line), "seconds": None, "seal": None} for line in lines]


def test_a_device_or_a_folder_is_no_record(run, tmp_path):
    """Reading /dev/zero to its end would take for ever."""
    for place in ("/dev/zero", str(tmp_path)):
        code, _, err = run(*FIRST_MOVE, "--record", place)
        assert (code, err) == (2, f"anyzero: cannot write {place}: it is not a file\n")


# --- Ctrl-C in real processes

LONG = "uct:100000000"
STOPPED = "stopped; nothing was kept, the same command starts again from the beginning\n"


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
        "import time\nfrom pathlib import Path\nfrom anyzero.players import Player\n"
        "def make():\n"
        "    def choose(game, line, seed):\n"
        f"        Path({str(folder / 'asked')!r}).touch()\n"
        f"        while Path({str(folder / 'games.jsonl')!r}).read_bytes().count(b'\\n') >= 4:\n"
        "            time.sleep(60)\n"
        "        return game.legal_actions(line.state)[0]\n"
        "    return Player('patient', choose)\n"
    )
    return str(player)


@pytest.mark.parametrize(("command", "total"), [("match", 8), ("tournament", 24)])
def test_ctrl_c_in_a_match_says_what_is_kept_and_how_to_go_on(tmp_path, command, total):
    path, patient = tmp_path / "games.jsonl", hang_at_the_end(tmp_path)
    others = ["random"] if command == "match" else ["random", "random"]
    words = [command, "tic_tac_toe", patient, *others, "--openings", "0", "--games", "8", "--workers", "1"]
    process = start(*words, "--record", str(path))
    wait_for(path, 4, process)
    time.sleep(0.3)  # the line is there a moment before the game is counted
    out, err = interrupt(process)
    assert out == ""
    kept = path.read_bytes()
    games = kept.count(b"\n") - 1  # behind a line about all of them; a game may have ended while its player looked
    assert 3 <= games < total
    assert err == f"stopped after {games} of {total} games, kept in {path}; the same command goes on from there\n"
    assert kept.endswith(b"}\n")


def test_ctrl_c_in_a_match_without_a_record_says_how_to_keep_games(tmp_path):
    (tmp_path / "games.jsonl").write_text("\n" * 4)  # the player waits from its first move on
    process = start("match", "tic_tac_toe", hang_at_the_end(tmp_path), "random", "--openings", "0", "--games", "8")
    wait_for(tmp_path / "asked", 0, process)
    assert interrupt(process)[1] == "stopped after 0 of 8 games; with --record FILE a stopped run can go on later\n"


@pytest.mark.xdist_group("search")
@pytest.mark.parametrize("method", [LONG, "uct:1000s", "halving:1000000000"])
def test_ctrl_c_in_a_long_search_ends_it(run, method):
    name = method.partition(":")[0]
    assert run("search", "hex", f"{name}:10")[0] == 0  # compiled, so that the real one searches when it is stopped
    process = start("search", "hex", method, "--json")
    time.sleep(2.0)
    out, err = interrupt(process)
    assert out == ""
    assert err == STOPPED


def test_ctrl_c_in_perft_ends_it(run):
    assert run("perft", "connect_four", "2")[0] == 0
    process = start("perft", "connect_four", "20")
    time.sleep(1.5)
    assert interrupt(process)[1] == STOPPED


COMPILING = """
import os, signal, sys
import numba
from numba.extending import overload
from anyzero import stopping

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
from anyzero import stopping

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
from anyzero import stopping
from anyzero.cli.app import app
from anyzero.cli import main

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
        ("from anyzero import AnyzeroError; print('kept'); raise AnyzeroError('no room')", 2, "anyzero: no room\n"),
    ],
)
def test_a_command_that_was_stopped_says_what_it_kept_or_could_not_keep(rest, code, err):
    process = start_python("-c", SAVING.replace("REST", rest))
    assert process.communicate(timeout=60) == ("kept\n", err)
    assert process.returncode == code


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("search hex rave", "'rave' needs a budget: rave:2000 or rave:2s"),
        ("match tic_tac_toe uct random", "'uct' needs a budget: uct:2000 or uct:2s"),
        ("show hex:size=5 --moves d4,d4", "hex: d4 is taken; legal: a1, "),
        ("show breakthrough --moves a1", "breakthrough: 'a1' is not a legal move here"),
        ("train hex --set selfplay.sims=8", "did you mean selfplay.simulations?"),
        ("plya hex", "Did you mean 'play'"),
    ],
)
def test_wrong_input_is_answered_by_what_was_meant(run, words, says):
    code, _, err = run(*words.split())
    assert code == 2
    assert says in err
