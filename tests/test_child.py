"""Child processes: lines to and fro, deadlines, ends, and that nothing outlives its holder."""

import asyncio
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from anyzero.tools.child import LONGEST_LINE, TOO_LONG, Child, ChildError, LateChildError

ECHO_CODE = """
from anyzero.tools.child import listen, take_output; import time
send = take_output(); print("not for the holder"); send("ready")
listen(lambda line: send(f"{line} {line}")); time.sleep(600)
"""
ECHO = (sys.executable, "-c", ECHO_CODE)
"""A child of ours: it says each line twice, and prints what nobody is to hear."""
PATIENCE_S = 60


def in_the_end(name: str) -> bool:
    """Whether all processes with this word in their command are gone, after some patience."""
    end = time.monotonic() + PATIENCE_S
    while any(name.encode() in read_command(path) for path in Path("/proc").glob("[0-9]*")):
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def read_command(path: Path) -> bytes:
    try:
        command = (path / "cmdline").read_bytes()
    except OSError:
        return b""
    return b"" if b"pytest" in command else command


def test_lines_go_in_and_come_out_and_prints_do_not():
    child = Child(ECHO)
    assert child.read() == "ready"
    child.send("é")
    assert child.read(time.monotonic() + PATIENCE_S) == "é é"
    child.end()
    child.end()
    assert not child.is_running
    child.send("nobody hears this")
    with pytest.raises(ChildError, match="ended with code -9"):
        child.read()


def test_a_line_that_is_too_long_is_not_kept():
    child = Child(ECHO)
    child.send("x" * (3 * LONGEST_LINE))
    child.send("y")
    assert [child.read() for _ in range(3)] == ["ready", f"{TOO_LONG} {TOO_LONG}", "y y"]


def test_a_late_answer_ends_the_child():
    child = Child([sys.executable, "-c", "import time; time.sleep(600)"])
    with pytest.raises(LateChildError, match="no answer in time"):
        child.read(time.monotonic() + 0.05)
    assert not child.is_running


@pytest.mark.parametrize("is_ours", [True, False])
def test_an_end_is_told_with_its_code_and_last_words(is_ours):
    code = (
        "import sys; print('one'); print('a reason', file=sys.stderr); "
        "print(file=sys.stderr); sys.exit(3)"
    )
    child = Child([sys.executable, "-c", code], is_ours=is_ours, keeps_words=True)
    assert child.read() == "one"
    with pytest.raises(ChildError, match="its process ended with code 3: a reason"):
        child.read()


def test_a_program_that_cannot_start_says_so():
    child = Child(["/nowhere/engine"], is_ours=False, keeps_words=True)
    with pytest.raises(ChildError, match="code 127: No such file"):
        child.read()


def test_asyncio_hears_each_line_and_the_end():
    async def work() -> list[str | None]:
        heard: asyncio.Queue[str | None] = asyncio.Queue()
        loop = asyncio.get_running_loop()
        child = Child(ECHO, hear=lambda line: loop.call_soon_threadsafe(heard.put_nowait, line))
        lines = [await heard.get()]
        child.send("a")
        lines.append(await heard.get())
        await asyncio.to_thread(child.end)
        return [*lines, await heard.get()]

    with ThreadPoolExecutor(
        1
    ) as thread:  # a browser's tests may have left a loop running in this one
        assert thread.submit(lambda: asyncio.run(work())).result() == ["ready", "a a", None]


@pytest.mark.parametrize("is_ours", [True, False])
def test_nothing_outlives_a_holder_that_is_killed(is_ours):
    word = f"held_{is_ours}_{os.getpid()}"
    # it does not care whether its input ends
    deaf = "import time; print('ready', flush=True); time.sleep(600)"
    command = (*ECHO, word) if is_ours else (sys.executable, "-c", deaf, word)
    code = (
        f"import time; from anyzero.tools.child import Child; child = Child({command!r}, "
        f"is_ours={is_ours})\n"
        "print(child.read(), flush=True); time.sleep(600)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout.readline() == "ready\n"
        holder.kill()
    assert in_the_end(word)
