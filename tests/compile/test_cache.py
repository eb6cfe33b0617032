"""The disk cache, seen from real processes."""

import io
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numba
import numpy as np
import pytest
from numba.core.errors import TypingError

from anyzero.core.compile import cache as cache_module
from anyzero.core.compile.bind import bind
from anyzero.core.compile.clock import Compiling, clock
from anyzero.core.compile.kernels import compile_kernel, kernel_key
from anyzero.core.game.contract import legal_actions
from anyzero.core.game.load import BUILT_IN, load
from anyzero.core.game.streams import rollout_streams
from anyzero.tools.laws.observe import observe_game
from tests.compile.walk import walk, walk_through

RACE = Path(__file__).parent.parent / "race.py"
BY_THREES, BY_ONES = 4, 10
"""Moves from 0 to 10."""


class Ran:
    """What a process printed: the number of moves, and how often its kernel came from the cache."""

    def __init__(self, done: "subprocess.CompletedProcess[str]") -> None:
        assert done.returncode == 0, done.stderr
        self.moves, self.hits = map(int, done.stdout.split())
        self.warnings = done.stderr.splitlines()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of this test's own, for processes and for `walk_through`."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


def start(game: Path | str, cache: Path, **options) -> "subprocess.Popen[str]":
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    command = [sys.executable, "-m", "tests.compile.walk", *str(game).split()]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, env=environment, cwd=RACE.parents[1], **pipes, **options)


def finish(process: "subprocess.Popen[str]") -> Ran:
    out, err = process.communicate(timeout=120)
    return Ran(subprocess.CompletedProcess(process.args, process.returncode, out, err))


def run(game: Path | str, cache: Path, **options) -> Ran:
    return finish(start(game, cache, **options))


def entries(cache: Path) -> list[Path]:
    return sorted((cache / "anyzero").glob("*/*.code"))


def beside(cache: Path) -> list[Path]:
    """What is only there while something is compiled or written."""
    return [
        path
        for path in (cache / "anyzero").glob("*/*")
        if path.suffix == ".lock" or path.name.startswith(".")
    ]


def is_whole(entry: Path) -> bool:
    return entry.read_bytes() == cache_module.sealed(
        entry, entry.read_bytes()[cache_module.DIGEST_BYTES :]
    )


def test_code_that_two_processes_compiled_for_two_sizes_is_loaded_by_a_third(cache):
    small, large = (
        finish(process) for process in [start(f"hex:size={size}", cache) for size in (3, 5)]
    )
    both = [walk_through(f"hex:size={size}") for size in (3, 5)]
    assert both == [(small.moves, 1), (large.moves, 2)]  # one kernel for both sizes, loaded twice
    assert small.moves < large.moves


def test_an_edited_rule_is_used_at_once(cache, tmp_path):
    """The kernel's own file stays the same; only the game's file changes, then a file that it
    imports.
    """
    game, helper = tmp_path / "game.py", tmp_path / "race_step.py"
    source = RACE.read_text()
    helper.write_text("STEP = 3\n")
    game.write_text(source.replace("STEP = 3", "from race_step import STEP"))
    assert run(game, cache).moves == BY_THREES
    helper.write_text(
        "STEP = 1  # of another length: Python tells bytecode by seconds and lengths\n"
    )
    assert run(game, cache).moves == BY_ONES
    game.write_text(source)
    assert walk_through(str(game)) == (BY_THREES, 1)  # the code that was compiled first


def test_an_edited_comment_or_message_compiles_nothing_again_and_copies_keep_their_own(
    cache, tmp_path
):
    """Compiled code names the class of the rules by the file, so a copy elsewhere must not take it
    for its own.
    """
    game, copy, source = tmp_path / "game.py", tmp_path / "copy" / "game.py", RACE.read_text()
    copy.parent.mkdir()
    for path in (game, copy):
        path.write_text(source)
        assert walk_through(str(path)) == (BY_THREES, 0)
    game.write_text(
        f"# a comment\n\nMESSAGE = 'that is no move'\n{source}\n\ndef describe():\n    "
        "return MESSAGE\n"
    )
    for path in (game, copy):
        assert walk_through(str(path)) == (BY_THREES, 1)


def make_helper(number):
    names = {}
    exec(f"def helper(): return {number}", names)
    return names["helper"]


@pytest.mark.parametrize(
    "make",
    [
        lambda n: np.array([n]),
        lambda n: np.uint64(n),
        make_helper,
        lambda n: numba.njit(make_helper(n)),
    ],
    ids=["array", "word", "function", "njit"],
)
def test_what_code_uses_through_a_module_beside_it_is_part_of_its_key(make):
    tables, names = ModuleType("tables"), {}
    exec("def rule(): return tables.part", names)

    def key(number):
        tables.part, names["tables"] = make(number), tables
        return cache_module.Fingerprint().of(names["rule"])

    assert key(3) == key(3) != key(5)


@pytest.mark.parametrize("name", BUILT_IN)
def test_the_code_of_every_game_can_be_kept(name):
    """A field may be called like a function that is never compiled, as the board of Connect Four's
    rules is.
    """
    unit = load(name).unit
    kernels = (
        bind(kernel, unit.functions, lambda rebuilt: rebuilt)
        for kernel in (rollout_streams, observe_game)
    )
    keys = [kernel_key(kernel, unit, {}, ("cpu",)) for kernel in kernels]
    assert all(isinstance(key, str) for key in keys)


def test_of_processes_that_start_together_one_compiles_and_the_other_waits_for_it(cache):
    processes = [start(RACE, cache) for _ in range(2)]
    done = [finish(process) for process in processes]
    assert {ran.moves for ran in done} == {BY_THREES}
    assert sorted(ran.hits for ran in done) == [0, 1]
    (entry,) = entries(cache)
    assert is_whole(entry)
    assert not beside(cache)


HOLDER = """
import fcntl, sys, time
file = open(sys.argv[1], "ab")
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(600)
"""


def test_when_the_process_that_compiles_is_killed_the_one_that_waits_compiles(cache, monkeypatch):
    walk_through(str(RACE))
    (entry,) = entries(cache)
    entry.unlink()
    command = [sys.executable, "-c", HOLDER, str(entry.with_suffix(".lock"))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline() == "held\n"
        waits = []

        def wait(_seconds):
            waits.append(holder.poll())
            holder.kill()
            holder.wait()

        monkeypatch.setattr(
            cache_module, "time", SimpleNamespace(monotonic=time.monotonic, sleep=wait)
        )
        assert walk_through(str(RACE)) == (BY_THREES, 0)
    assert waits == [None]
    assert entries(cache) == [entry]


def test_a_kernel_that_cannot_be_compiled_leaves_nobody_waiting(cache):
    kernel = compile_kernel(add_text, load(str(RACE)).unit)
    for _ in range(2):
        with pytest.raises(TypingError):
            kernel(1)
    assert not entries(cache)
    assert not beside(cache)


def add_text(number):
    return number + "one"


def count(rules, state, actions):
    return legal_actions(rules, state, actions) + walk(rules, state, actions)


def test_kernels_of_a_process_share_their_parts_and_another_process_needs_one_kernel_alone(
    cache, monkeypatch
):
    monkeypatch.setattr(cache_module, "_shared", {})
    game = load("tic_tac_toe")
    compile_kernel(count, game.unit)(game.rules, game.initial_state(), game.new_actions())
    parts = set(cache_module._shared)
    assert walk_through("tic_tac_toe") == (
        7,
        0,
    )  # from the last cell on, the seventh makes a diagonal
    assert set(cache_module._shared) == parts
    alone = run("tic_tac_toe", cache)
    assert (alone.moves, alone.hits) == (7, 1)


@pytest.mark.parametrize("damage", [b"garbage" * 100, None], ids=["garbage", "half of it"])
def test_a_damaged_entry_is_thrown_away_and_rebuilt(cache, damage):
    walk_through(str(RACE))
    (entry,) = entries(cache)
    content = entry.read_bytes()
    entry.write_bytes(content[: len(content) // 2] if damage is None else damage)
    assert not is_whole(entry)
    assert walk_through(str(RACE)) == (BY_THREES, 0)
    assert is_whole(entry)


@pytest.mark.parametrize("other", ["race/roll-2.code", "race/play-1.code", "pace/roll-1.code"])
def test_a_whole_entry_under_the_name_of_another_is_not_used(tmp_path, other):
    one, another = tmp_path / "race" / "roll-1.code", tmp_path / other
    cache_module.write_entry(one, "code")
    another.parent.mkdir(exist_ok=True)
    another.write_bytes(one.read_bytes())
    assert cache_module.read_entry(one) == "code"
    assert cache_module.read_entry(another) is None
    assert not another.exists()


def test_a_folder_that_cannot_be_written_costs_one_warning(cache, monkeypatch, capsys):
    cache.write_text("not a folder")
    monkeypatch.setattr(cache_module, "_warned", set())
    assert walk_through(str(RACE)) == (BY_THREES, 0)
    (warning,) = capsys.readouterr().err.splitlines()
    assert "compiling in memory" in warning


def test_a_clock_stands_still_while_code_is_compiled(monkeypatch):
    monkeypatch.setattr(Compiling, "seconds", 0.0)
    with cache_module.compiling("race"):
        time.sleep(0.1)
        before = clock()
    assert Compiling.seconds >= 0.1
    assert clock() < before


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("patience", "says"), [(0.01, "compiling hex for this machine"), (60.0, "")]
)
def test_a_compilation_that_takes_long_says_so_once_on_a_terminal(monkeypatch, patience, says):
    monkeypatch.setattr(cache_module, "NOTICE_AFTER_S", patience)
    monkeypatch.setattr(cache_module, "_announced", set())
    monkeypatch.setattr(sys, "stderr", Terminal())
    with cache_module.compiling("hex"):
        while says and not sys.stderr.getvalue():
            time.sleep(0.01)
    if says:
        cache_module.announce("hex")  # another of its kernels
    assert says in sys.stderr.getvalue()
    assert len(sys.stderr.getvalue().splitlines()) == bool(says)


def test_a_full_disk_costs_one_warning_and_leaves_no_part_behind(cache):
    def small_files_only() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    done = run(RACE, cache, preexec_fn=small_files_only)
    assert done.moves > 0
    assert len(done.warnings) == 1
    assert "compiling in memory" in done.warnings[0]
    assert entries(cache) == []
    assert not beside(cache)
