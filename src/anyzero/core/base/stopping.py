"""How a person stops a command: the first Ctrl-C ends the work at its next step; the second ends
the process.

Loops call `check` between pieces of work, where everything so far can be kept. A compiler or a
compiled call is never interrupted halfway. Only code that waits for a person or another process,
`with waiting()`, is interrupted at once.
"""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

EXIT_CODE = 130

_asked = threading.Event()
broken = threading.Event()
"""Set by the user of a library that would hang or crash when Python exits: a command then exits at
once.
"""
_num_waiting = 0


def check() -> None:
    """Raise KeyboardInterrupt if Ctrl-C was pressed."""
    if _asked.is_set():
        raise KeyboardInterrupt


def request_stop() -> None:
    """Act as if Ctrl-C had been pressed: for work that another process can stop."""
    _asked.set()


def forget() -> None:
    """Clear any pending request."""
    _asked.clear()


@contextmanager
def waiting() -> Iterator[None]:
    """Nothing within this block can be left half done: Ctrl-C raises at once."""
    global _num_waiting
    check()
    _num_waiting += 1
    try:
        yield
    finally:
        _num_waiting -= 1


@contextmanager
def telling(words: Callable[[], str]) -> Iterator[None]:
    """A KeyboardInterrupt that leaves this block says what was kept; the innermost block with words
    wins.
    """
    try:
        yield
    except KeyboardInterrupt as stop:
        raise KeyboardInterrupt(*(stop.args or (words(),))) from None


@contextmanager
def in_two_steps() -> Iterator[None]:
    """Within this block, Ctrl-C works as described above; elsewhere, such as in a notebook, as
    usual in Python.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    _asked.clear()
    signal.signal(signal.SIGINT, _hear)
    try:
        yield
    finally:
        if (
            not _asked.is_set()
        ):  # otherwise the process is about to end, and a second Ctrl-C still ends it at once
            signal.signal(signal.SIGINT, signal.default_int_handler)


def _hear(_number: int, _frame: FrameType | None) -> None:
    if _asked.is_set():
        exit_now(EXIT_CODE)
    _asked.set()
    if _num_waiting:
        raise KeyboardInterrupt
    if sys.stderr.isatty():
        os.write(2, b"\r\x1b[Kstopping after this step; Ctrl-C again ends at once\n")


def exit_now(code: int) -> None:
    """End the process now, without waiting for threads, exit handlers and half-made objects."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(
            OSError, RuntimeError, AttributeError
        ):  # full, in use by the interrupted code, or closed
            stream.flush()
    if sys.stderr.isatty():
        os.write(2, b"\r\x1b[K\x1b[?25h")  # a progress bar may have hidden the cursor
    os._exit(code)
