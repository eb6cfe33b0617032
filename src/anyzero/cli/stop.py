"""Ctrl-C at any moment: Python hears of it only between its own steps, and a compiled call may take hours.

The signal also writes a byte to a pipe, at once. A thread that waits there gives the command a moment to end by
itself, which those do that have something to keep, and ends the process if it cannot. A command that is ending is not
interrupted again; to a second Ctrl-C it has another moment.

Where Python cannot pass on an exception, as in a destructor, a Ctrl-C heard there would be lost: it is sent again.
A compiler that is left half way leaves half-made objects behind, and Python crashes when it throws them away: there,
Ctrl-C waits a moment for the compiler's end.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

STOPPED = "stopped; nothing was kept, the same command starts again from the beginning"
SENTENCES = [STOPPED]
"""What is said where a command cannot say it itself: the last one."""
STOP_CODE = 130
NUDGE_S = 0.2
NUDGES = 6
"""How often a Ctrl-C that nobody hears is repeated before the process is ended."""
LOST = 0
"""What the pipe carries for a Ctrl-C that was heard where Python passes on no exception; else numbers of signals."""
NUDGE = getattr(signal, "SIGURG", signal.SIGINT)
"""The signal that repeats it: one that nobody sends, and that does nothing where nobody waits for it."""
COMPILERS = ("numba", "llvmlite")


@contextmanager
def keeping(sentence: str) -> Iterator[None]:
    """Within this, a process that is ended has kept something: `sentence` says what."""
    SENTENCES.append(sentence)
    yield
    SENTENCES.pop()  # what fails ends the command: the sentence is still true then


@contextmanager
def ending_on_ctrl_c(heard: threading.Event) -> Iterator[None]:
    """Within this, Ctrl-C ends the process even while compiled code runs; elsewhere everything is as it was.

    The event says whether it was heard.
    """
    if os.name != "posix" or signal.getsignal(signal.SIGINT) is not signal.default_int_handler or not is_main_thread():
        yield
        return
    pressed = threading.Event()
    outlet, inlet = os.pipe()

    def hear(number: int, frame: Any) -> None:
        if number == signal.SIGINT:
            pressed.set()
        if pressed.is_set() and not heard.is_set() and not is_compiling(frame):
            heard.set()
            raise KeyboardInterrupt

    def catch(lost: Any) -> None:
        if not pressed.is_set():
            hooked(lost)
        elif issubclass(lost.exc_type, KeyboardInterrupt):
            heard.clear()
            os.write(inlet, bytes([LOST]))
        # the rest is what Ctrl-C left half made and what complains when it goes: no news

    os.set_blocking(inlet, False)
    before = [signal.signal(number, hear) for number in (signal.SIGINT, NUDGE)]
    fd_before = signal.set_wakeup_fd(inlet, warn_on_full_buffer=False)
    hooked, sys.unraisablehook = sys.unraisablehook, catch
    threading.Thread(target=wait_for_signals, args=(outlet, heard), daemon=True).start()
    try:
        yield
    finally:
        if not heard.is_set():  # else the process is about to end, and nothing shall disturb that
            for number, handler in zip((signal.SIGINT, NUDGE), before, strict=True):
                signal.signal(number, handler)
            signal.set_wakeup_fd(fd_before)
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


def wait_for_signals(outlet: int, heard: threading.Event) -> None:
    """End the process if a Ctrl-C comes that Python does not hear in time; return when the pipe is closed."""
    presses = 0
    with os.fdopen(outlet, "rb", buffering=0) as pipe:
        while number := pipe.read(1):
            presses += number[0] == signal.SIGINT
            if number[0] not in (signal.SIGINT, LOST):
                continue
            for _ in range(NUDGES):
                # It may have come within a compiler, or just before the main thread began to wait for input.
                time.sleep(NUDGE_S)
                if heard.is_set() and presses == 1:
                    break
                signal.pthread_kill(threading.main_thread().ident or 0, NUDGE)
            else:
                show_cursor()
                print(SENTENCES[-1], file=sys.stderr, flush=True)
                os._exit(STOP_CODE)


def leave(code: int) -> NoReturn:
    """End the process after a Ctrl-C: at once, for another Ctrl-C would find Python half gone."""
    with suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)


def show_cursor() -> None:
    """A progress bar may have hidden it."""
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K\x1b[?25h")
