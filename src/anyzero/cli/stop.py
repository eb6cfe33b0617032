"""Ctrl-C at any moment: Python hears of it only between its own steps, and a compiled call may take hours.

The signal also writes a byte to a pipe, at once. A thread that waits there gives the command a moment to end by
itself, which those do that have something to keep, and ends the process if it cannot.

Where Python cannot pass on an exception, as in a destructor, a Ctrl-C heard there would be lost: it is sent again.
A compiler that is left half way leaves half-made objects behind, and Python crashes when it throws them away: there,
Ctrl-C waits a moment for the compiler's end.
"""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

STOPPED = "stopped; nothing was kept, the same command starts again from the beginning"
SENTENCES = [STOPPED]
"""What is said where a command cannot say it itself: the last one."""
STOP_CODE = 130
NUDGE_S = 0.2
NUDGES = 6
"""How often a Ctrl-C that nobody hears is repeated before the process is ended."""
COMPILERS = ("numba", "llvmlite")


@contextmanager
def keeping(sentence: str) -> Iterator[None]:
    """Within this, a process that is ended has kept something: `sentence` says what."""
    SENTENCES.append(sentence)
    try:
        yield
    finally:
        SENTENCES.pop()


@contextmanager
def ending_on_ctrl_c() -> Iterator[None]:
    """Within this, Ctrl-C ends the process even while compiled code runs; elsewhere everything is as it was."""
    if os.name != "posix" or signal.getsignal(signal.SIGINT) is not signal.default_int_handler or not is_main_thread():
        yield
        return
    heard, (inlet, outlet) = threading.Event(), reversed(os.pipe())

    def hear(number: int, frame: Any) -> None:
        if is_compiling(frame):
            return
        heard.set()
        signal.default_int_handler(number, frame)

    def catch(lost: Any) -> None:
        if not heard.is_set():
            hooked(lost)
        elif issubclass(lost.exc_type, KeyboardInterrupt):
            threading.Timer(NUDGE_S, nudge).start()
        # the rest is what Ctrl-C left half made and what complains when it goes: no news

    os.set_blocking(inlet, False)
    before = signal.signal(signal.SIGINT, hear), signal.set_wakeup_fd(inlet, warn_on_full_buffer=False)
    hooked, sys.unraisablehook = sys.unraisablehook, catch
    threading.Thread(target=wait_for_signal, args=(outlet, heard), daemon=True).start()
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before[0])
        signal.set_wakeup_fd(before[1])
        if not heard.is_set():
            sys.unraisablehook = hooked
        os.close(inlet)


def is_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def is_compiling(frame: Any) -> bool:
    """Whether a function of a compiler is under way."""
    while frame is not None:
        if frame.f_globals.get("__name__", "").startswith(COMPILERS):
            return True
        frame = frame.f_back
    return False


def wait_for_signal(outlet: int, heard: threading.Event) -> None:
    """End the process if a signal comes that Python does not hear in time; return when the pipe is closed."""
    with os.fdopen(outlet, "rb", buffering=0) as pipe:
        while number := pipe.read(1):
            if number[0] != signal.SIGINT:
                continue
            for _ in range(NUDGES):
                # It may have come within a compiler, or just before the main thread began to wait for input.
                if heard.wait(NUDGE_S):
                    break
                nudge()
            else:
                show_cursor()
                print(SENTENCES[-1], file=sys.stderr, flush=True)
                os._exit(STOP_CODE)


def nudge() -> None:
    """Ctrl-C once more, for the main thread."""
    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)


def forget_signal() -> None:
    """Let the exit code count: Python remembers a Ctrl-C that came within the run of a text and would die of it."""
    eval("None")  # the run of another text makes it forget


def show_cursor() -> None:
    """A progress bar may have hidden it."""
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K\x1b[?25h")
