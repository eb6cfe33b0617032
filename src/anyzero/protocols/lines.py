"""Lines in, lines out: standard output belongs to the protocol alone, whatever else prints."""

import os
import re
import sys
import threading
from collections.abc import Callable, Iterator

from anyzero import stopping

Send = Callable[[str], None]
"""Writes one line, or several, at once."""

MOST_DIGITS = 12


def take_output() -> Send:
    """A door to standard output for the protocol; from now on everything else that prints goes to standard error."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    lock = threading.Lock()

    def send(text: str) -> None:
        with lock:
            try:
                out.write(text + "\n")
                out.flush()
            except OSError:  # nobody listens any more
                os._exit(0)

    return send


def read_lines() -> Iterator[str]:
    """The lines of standard input, whatever bytes they hold."""
    while True:
        with stopping.waiting():
            line = sys.stdin.buffer.readline()
        if not line:
            return
        yield line.decode("utf-8", errors="replace").rstrip("\r\n")


def whole_number(word: str) -> int | None:
    """The number that a word is, or None; a sign is allowed."""
    return int(word) if re.fullmatch(rf"-?[0-9]{{1,{MOST_DIGITS}}}", word) else None


def on_one_line(text: str) -> str:
    return " ".join(text.split())
