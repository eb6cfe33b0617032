"""A kill, or a full disk, at every single write of a run; then it goes on, to the same bytes as an
undisturbed one.

What changes a file or a folder is counted where Python itself announces it (audit events: a file is
opened to be written, something is renamed or removed, a folder is made), and at every fsync, where
the content is not yet in place. Each try is a process of its own, forked off, since such a watch
cannot be taken away again.
"""

import errno
import os
import random
import shutil
import signal
import sys
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from anyzero.core.base.errors import AnyzeroError
from anyzero.tools.lab.opening import open_run, train_on
from tests.faults.runs import DERIVED, TINY, hash_of
from tests.faults.table import HARMLESS, SIGNAL, SILENT, TOLD, TRACEBACK, Table

CHANGES = ("os.rename", "os.remove", "os.mkdir", "os.rmdir")
NOT_FULL = ("os.remove", "os.rmdir")
"""What a full disk still does."""
PATIENCE_S = 600
DONE, WORDS, FAULT = 0, 2, 1
"""How a process of ours ends."""


def train(path: Path, generations: int) -> None:
    """What `anyzero train --run` does, whether the run is there or not."""
    train_on(open_run("tic_tac_toe", run=str(path), changes=TINY), generations=generations)


def watch(folder: Path, act: Callable[[str], None]) -> None:
    """Call `act` before each change below a folder, for the rest of this process."""
    sync, below = os.fsync, str(folder)

    def hear(event: str, args: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = args
            if (
                isinstance(path, str)
                and path.startswith(below)
                and flags & (os.O_WRONLY | os.O_RDWR)
            ):
                act(event)
        elif event in CHANGES and str(args[0]).startswith(below):
            act(event)

    def fsync(number: Any) -> None:
        act("fsync")
        sync(number)

    sys.addaudithook(hear)
    os.fsync = fsync


def kill(_event: str) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def fill_disk(event: str) -> None:
    if event not in NOT_FULL:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def run_apart(
    path: Path, generations: int, number: int, act: Callable[[str], None]
) -> tuple[int, str]:
    """Train in a process of its own that meets `act` at its change of this number; how it ended,
    and what it said.
    """
    end, begin = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(end)
        os._exit(work(path, generations, number, act, begin))
    os.close(begin)
    try:
        with os.fdopen(end, "rb") as words:
            said = words.read().decode()
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said
    except BaseException:
        kill_and_wait(child)
        raise


def kill_and_wait(child: int) -> None:
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def work(path: Path, generations: int, number: int, act: Callable[[str], None], out: int) -> int:
    seen = 0

    def look(event: str) -> None:
        nonlocal seen
        seen += 1
        if seen == number or (seen > number >= 0 and act is fill_disk):  # a full disk stays full
            act(event)

    signal.alarm(PATIENCE_S)
    watch(path, look)
    try:
        train(path, generations)
        os.write(out, str(seen).encode())
        return DONE
    except (AnyzeroError, OSError) as error:
        is_sentence = isinstance(error, AnyzeroError) or error.errno == errno.ENOSPC
        os.write(out, str(error).encode() if is_sentence else traceback.format_exc().encode())
        return WORDS if is_sentence else FAULT
    except BaseException:
        os.write(out, traceback.format_exc().encode())
        return FAULT


def bytes_of(path: Path) -> dict[str, str]:
    """The hash of each file that holds no times: settings, networks, samples, and which others
    there are.
    """
    files = [
        file for file in sorted(path.rglob("*")) if file.is_file() and file.name not in DERIVED
    ]
    timed = (".json", ".jsonl")
    return {
        str(file.relative_to(path)): "" if file.suffix in timed else hash_of(file) for file in files
    }


def run_campaign(place: Path, table: Table, *, generations: int, every: int) -> None:
    """Disturb every so-manieth change of a run, in any order, and compare what it comes to."""
    whole, work_place = place / "whole", place / "run"
    train(place / "warm", generations)  # all code is loaded here, once for all processes
    code, said = run_apart(whole, generations, -1, kill)
    assert code == DONE, said
    expected, changes = bytes_of(whole), int(said)
    kinds = {"kill at a write": kill, "disk full at a write": fill_disk}
    for number in table.turns(
        random.Random(table.seed).sample(range(1, changes + 1), changes)[::every]
    ):
        for kind, act in kinds.items():
            shutil.rmtree(work_place, ignore_errors=True)
            first = run_apart(work_place, generations, number, act)
            again = run_apart(work_place, generations, -1, kill)
            found = bytes_of(work_place)
            table.add(
                kind,
                judge(first, again, found == expected),
                f"{number}: {first} {again} {differ(found, expected)}",
            )


def judge(first: tuple[int, str], again: tuple[int, str], is_same: bool) -> str:
    if FAULT in (first[0], again[0]):
        return TRACEBACK
    if again[0] != DONE or first[0] not in (DONE, WORDS, -signal.SIGKILL):
        return SIGNAL
    return SILENT if not is_same else TOLD if first[0] == WORDS else HARMLESS


def differ(found: dict[str, str], expected: dict[str, str]) -> Iterable[str]:
    return sorted(key for key in {*found, *expected} if found.get(key) != expected.get(key))
