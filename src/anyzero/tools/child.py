"""Child processes with line-based communication: our own workers, and other engines.

A child runs in its own process group, so that Ctrl-C reaches only its holder, and ends with its
holder, even if that is killed: our workers end when their standard input does (`listen`), engines
are watched by a keeper process.
"""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from queue import Empty, SimpleQueue
from typing import IO

from anyzero.core.base.errors import AnyzeroError

Send = Callable[[str], None]  # sends one line, or several at once
Hear = Callable[[str | None], object]  # called with each line, and with None when there are no more

NOT_FOUND = 127
LAST_WORDS = 3  # lines of standard error kept to explain a crash
LONGEST_LINE = 1 << 22
TOO_LONG = "a_line_that_is_too_long"  # not a command of any protocol
END_S = (
    1.0  # a process whose output has ended has this long to exit, so that the exit code is its own
)


class ChildError(AnyzeroError):
    """A child has ended."""


class LateChildError(ChildError, TimeoutError):
    """A child did not answer in time."""


def python_command(module: str, function: str, *arguments: str) -> tuple[str, ...]:
    """The command that calls a function of this package with these texts, without importing from
    the working folder.
    """
    code = f"import sys; from {module} import {function}; {function}(*sys.argv[1:])"
    return sys.executable, "-P", "-c", code, *arguments


# --- for the holder


class Child:
    """A running process. It ends with this object, and with the process that holds it.

    `hear` is called for each line on a thread of this object; without it, lines wait for `read`.
    From asyncio: `hear=lambda line: loop.call_soon_threadsafe(handle, line)`.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        hear: Hear | None = None,
        is_ours: bool = True,
        keeps_words: bool = False,
        share: Sequence[int] = (),
        env: Mapping[str, str] | None = None,
    ) -> None:
        """`keeps_words`: standard error is kept for `describe_end`; otherwise it is inherited.
        `share`: open files.
        """
        end, lifeline = (-1, -1) if is_ours else os.pipe()
        self.process = subprocess.Popen(
            command if is_ours else python_command(__name__, "_keep", str(end), *command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if keeps_words else None,
            pass_fds=share if is_ours else (end,),
            process_group=0,  # not a new session, in which niceness would have no effect
            env=env,
        )
        if not is_ours:
            os.close(end)
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        self._last_words: deque[str | None] = deque(maxlen=LAST_WORDS)
        ears = [
            (self.process.stdout, hear or self._lines.put),
            (self.process.stderr, self._last_words.append),
        ]
        readers = [
            threading.Thread(target=_pass_on, args=ear, daemon=True)
            for ear in ears
            if ear[0] is not None
        ]
        for reader in readers:
            reader.start()
        self.end = weakref.finalize(self, _end, self.process, lifeline, readers)
        """Stop it and everything it started, unconditionally; may be called more than once."""

    @property
    def is_running(self) -> bool:
        return self.end.alive and self.process.poll() is None

    def send(self, line: str) -> None:
        with contextlib.suppress(OSError, ValueError):  # it is gone, which the reader notices
            self.process.stdin.write(line.encode() + b"\n")  # type: ignore[union-attr]
            self.process.stdin.flush()  # type: ignore[union-attr]

    def read(self, deadline: float | None = None) -> str:
        """The next line; an error once there are no more, or past the deadline (monotonic clock),
        which ends it.
        """
        left = None if deadline is None else max(0.0, deadline - time.monotonic())
        for line in self.lines(left, "no answer in time"):
            return line
        raise ChildError(self.describe_end())

    def lines(
        self, silent_s: float | None = None, late: str = "it said nothing for too long"
    ) -> Iterator[str]:
        """Its lines until its output ends; if it is silent for this long, it is ended with an
        error.
        """
        while True:
            try:
                line = self._lines.get(timeout=silent_s)
            except Empty:
                self.end()
                raise LateChildError(late) from None
            if line is None:
                return
            yield line

    def kill(self) -> None:
        """Kill one of our workers without waiting for it; its output then ends."""
        with contextlib.suppress(OSError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def wait(self, seconds: float | None = END_S) -> int:
        """The exit code of a process whose output has ended; negative for a signal. Afterwards it
        is gone entirely.
        """
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(seconds)
        self.end()
        return self.process.returncode

    def describe_end(self) -> str:
        code = self.wait()
        return f"its process ended with code {code}" + (
            f": {self.last_word}" if self.last_word else ""
        )

    @property
    def last_word(self) -> str:
        """The last nonempty line on standard error."""
        return next((line for line in reversed(self._last_words) if line), "")


def _pass_on(pipe: IO[bytes], hear: Hear) -> None:
    for line in pipe:
        hear(line.decode("utf-8", errors="replace").rstrip("\r\n"))
    hear(None)


def _end(
    process: "subprocess.Popen[bytes]", lifeline: int, readers: Sequence[threading.Thread]
) -> None:
    if lifeline >= 0:
        os.close(lifeline)  # makes the keeper end the engine
    else:
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for reader in readers:
        if reader is not threading.current_thread():
            reader.join()
    for pipe in (process.stdin, process.stdout, process.stderr):
        with contextlib.suppress(OSError):
            if pipe is not None:
                pipe.close()


# --- for the child


def take_output() -> Send:
    """A channel to the holder on standard output; from now on all other output goes to standard
    error.
    """
    out = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    lock = threading.Lock()

    def send(text: str) -> None:
        with lock:
            try:
                out.write(text + "\n")
                out.flush()
            except BrokenPipeError:  # the holder is gone
                os._exit(0)
            except OSError as error:
                os.write(2, f"anyzero: {error.strerror}\n".encode())
                os._exit(2)

    return send


def read_lines() -> Iterator[str]:
    """The lines of standard input, with any bytes; an overlong line is replaced by a word."""
    file = os.fdopen(os.dup(0), "rb")  # `sys.stdin` cannot be closed while a thread waits for it
    while line := file.readline(LONGEST_LINE):
        is_whole = len(line) < LONGEST_LINE or line.endswith(b"\n")
        yield line.decode("utf-8", errors="replace").rstrip("\r\n") if is_whole else TOO_LONG
        while not is_whole:
            rest = file.readline(LONGEST_LINE)
            is_whole = len(rest) < LONGEST_LINE or rest.endswith(b"\n")


def listen(hear: Send = lambda line: None) -> None:
    """Handle each line on a separate thread. When standard input ends, so does the process,
    whatever it is doing.
    """

    def work() -> None:
        for line in read_lines():
            hear(line)
        os._exit(0)

    threading.Thread(target=work, daemon=True).start()


# --- the keeper


def _keep(lifeline: str, *command: str) -> None:
    """Run an engine in its own process group and exit with its exit code, or end it when the
    lifeline closes.
    """
    try:
        engine = subprocess.Popen(command, start_new_session=True)
    except OSError as error:
        print(error.strerror or error, file=sys.stderr, flush=True)
        os._exit(NOT_FOUND)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for pipe in (0, 1, 2):  # only the engine holds the pipes, so that they end when it does
        os.dup2(nowhere, pipe)

    def end_group() -> None:
        with contextlib.suppress(OSError):
            os.killpg(engine.pid, signal.SIGKILL)

    def watch() -> None:
        os.read(int(lifeline), 1)
        end_group()

    threading.Thread(target=watch, daemon=True).start()
    code = engine.wait()
    end_group()
    os._exit(code if code >= 0 else 128 - code)
