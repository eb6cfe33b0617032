"""The process of an engine: lines to it, lines from it, and never a wait without an end."""

import contextlib
import os
import subprocess
import sys
import time
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import IO

from anyzero.players import engine_keeper
from anyzero.players.player import FailedPlayerError

KEEPER = (sys.executable, "-I", "-S", str(Path(engine_keeper.__file__)))
LAST_WORDS = 3
"""Lines of standard error that are kept for the reason of a crash."""


class EngineError(FailedPlayerError):
    """An engine that broke off, or answered what nobody understands."""


class EngineLateError(EngineError, TimeoutError):
    """An engine that did not answer in time."""


class EngineProcess:
    """A running engine. It ends with this object, and with the process that holds it."""

    def __init__(self, name: str, command: Sequence[str]) -> None:
        self.name = name
        """What errors call it."""
        end, self.lifeline = os.pipe()
        self.process = subprocess.Popen(
            [*KEEPER, str(end), *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=(end,),
            start_new_session=True,
        )
        os.close(end)
        self.lines: SimpleQueue[str | None] = SimpleQueue()
        self.last_words: deque[str] = deque(maxlen=LAST_WORDS)
        readers = [
            Thread(target=pass_on, args=(self.process.stdout, self.lines.put), daemon=True),
            Thread(target=pass_on, args=(self.process.stderr, self.last_words.append), daemon=True),
        ]
        for reader in readers:
            reader.start()
        self.end = weakref.finalize(self, end_process, self.process, self.lifeline, readers)
        """Stop it, whatever it does; more than once does no harm."""

    def send(self, line: str) -> None:
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):  # it is gone; the next read says so
            self.process.stdin.write(line.encode() + b"\n")
            self.process.stdin.flush()

    def read(self, deadline: float) -> str:
        """The next line; EngineError if there is none any more, EngineLateError past the deadline (monotonic clock)."""
        try:
            line = self.lines.get(timeout=max(0.0, deadline - time.monotonic()))
        except Empty:
            self.end()
            raise EngineLateError(f"{self.name}: no answer in time") from None
        if line is None:
            raise EngineError(f"{self.name}: {self.describe_end()}")
        return line

    def describe_end(self) -> str:
        """How the process ended, with its last words."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(1.0)
        self.end()
        words = [line for line in self.last_words if line]
        return f"its process ended with code {self.process.returncode}" + (f": {words[-1]}" if words else "")

    @property
    def is_running(self) -> bool:
        return self.end.alive and self.process.poll() is None


def pass_on(pipe: IO[bytes], put: Callable[[str | None], None]) -> None:
    """Hand on each line of a pipe, and None at its end."""
    for line in pipe:
        put(line.decode("utf-8", errors="replace").strip("\r\n"))
    put(None)


def end_process(process: "subprocess.Popen[bytes]", lifeline: int, readers: Sequence[Thread]) -> None:
    """Cut the lifeline, upon which the keeper ends the engine, and clear up."""
    os.close(lifeline)
    process.wait()
    for reader in readers:
        reader.join()
    for pipe in (process.stdin, process.stdout, process.stderr):
        with contextlib.suppress(OSError):
            pipe.close()  # type: ignore[union-attr]
