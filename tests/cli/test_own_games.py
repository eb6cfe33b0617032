"""A user's game file that is wrong costs one sentence and exit code 2, in every command; `check`
says where.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

RACE = (Path(__file__).parent.parent / "race.py").read_text()
COMMANDS = [
    ["check"],
    ["show"],
    ["play"],
    ["doctor"],
    ["solve"],
    ["perft", "3"],
    ["search", "uct:10"],
    ["match", "random", "random", "--games", "2"],
]
COMPILING = [
    ["perft", "3"],
    *(pytest.param(words, marks=pytest.mark.slow) for words in (["search", "uct:10"], ["solve"])),
]


@pytest.fixture
def faulty(tmp_path):
    """A file with the game of tests/race.py in which one text is replaced by another."""

    def write(old: str, new: str) -> str:
        assert old in RACE
        path = tmp_path / "faulty.py"
        path.write_text(RACE.replace(old, new))
        return str(path)

    return write


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_a_maker_that_raises_is_one_sentence_and_exit_code_2(run, faulty, words):
    path = faulty("    functions = (", "    goal = goal / 0\n    functions = (")
    code, out, err = run(words[0], path, *words[1:])
    assert (code, out) == (2, "")
    assert err == (
        f"anyzero: {path}: make() failed: ZeroDivisionError: division by zero, in make, "
        "faulty.py line 19\n"
    )


@pytest.mark.parametrize("words", COMPILING, ids=lambda words: words[0])
def test_rules_that_do_not_compile_are_one_sentence_and_exit_code_2(run, faulty, words):
    path = faulty("state.total += action", "state.totl += action")
    code, out, err = run(words[0], path, *words[1:])
    assert (code, out) == (2, "")
    assert err.startswith(f"anyzero: {path} breaks a law of the contract, 'the game runs': ")
    assert "'totl', in play, faulty.py line" in err
    assert err.endswith(f"anyzero check {path}:goal=10 has details\n")


def test_check_says_where_a_game_goes_wrong(run, faulty):
    code, out, err = run("check", faulty("state.total += action", "state.totl += action"))
    assert (code, err) == (1, "")
    assert "no attribute 'totl', in play, faulty.py line" in out
    assert "1 of 1 laws broken" in out


def test_compiled_rules_may_print(faulty, tmp_path):
    """What people do to find a fault. A process of its own, as a print that goes wrong never comes
    back.
    """
    path = faulty("state.total += action", 'print("adds", action)\n    state.total += action')
    words = [sys.executable, "-m", "anyzero", "perft", path, "2"]
    fresh = {
        **os.environ,
        "XDG_CACHE_HOME": str(tmp_path),
    }  # code from the cache prints in any case
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=True, env=fresh)
    assert {"adds 1", "adds 2", "adds 3"} <= set(done.stdout.splitlines())
    assert done.stdout.splitlines()[-1].startswith("9 leaves")


def test_moves_of_several_words_are_found_one_after_another(run, faulty):
    own = (
        "def format_action(rules, state, action):\n    return f'add {action}' if action < "
        "3 else 'add, twice: 3'"
    )
    path = Path(faulty("def payoffs(", f"{own}\n\n\ndef payoffs("))
    path.write_text(path.read_text().replace("payoffs)\n", "payoffs, format_action)\n"))
    for moves, total in (
        ("add 1 add 2", 3),
        ("ADD 1, add, twice: 3", 4),
        ("add, twice: 3 add 2", 5),
    ):
        code, out, err = run("show", str(path), "--moves", moves)
        assert (code, err) == (0, "")
        assert f"total: {total}\n" in out
    code, _, err = run("show", str(path), "--moves", "add 1, twice")
    assert (code, "'twice' is not a legal move here" in err) == (2, True)
