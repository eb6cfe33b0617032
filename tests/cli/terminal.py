"""A command in a real pseudo-terminal of 80 columns: what it shows, and what is typed into it."""

import contextlib
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time

PATIENCE_S = 120
"""A first compile may come in between."""
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")

TAKE_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.executable, [sys.executable, "-m", "anyzero", *sys.argv[1:]])
"""
"""Ctrl-C reaches a process through its controlling terminal. Not by `preexec_fn`: a fork of a
process that has threads
may hang."""


class Terminal:
    def __init__(self, *words: str, **environment: str) -> None:
        self.main, side = pty.openpty()
        fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        known = {
            name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")
        }
        self.process = subprocess.Popen(
            [sys.executable, "-c", TAKE_TERMINAL, *words],
            stdin=side,
            stdout=side,
            stderr=side,
            start_new_session=True,
            env={**known, "TERM": "xterm-256color", **environment},
        )
        os.close(side)
        self.shown = ""
        """Everything so far, escapes included."""
        self.seen = 0

    def wait_for(self, *texts: str) -> str:
        """What is shown until one of the texts comes, without escapes."""
        end = time.monotonic() + PATIENCE_S
        while not any(text in self.new_text for text in texts):
            assert time.monotonic() < end, f"{texts} did not come: {self.new_text!r}"
            if not self.read():
                raise AssertionError(f"it ended before {texts}: {self.new_text!r}")
        return self.take()

    @property
    def new_text(self) -> str:
        return ESCAPES.sub("", self.shown[self.seen :]).replace("\r\n", "\n").replace("\r", "\n")

    def take(self) -> str:
        found, self.seen = self.new_text, len(self.shown)
        return found

    def read(self) -> bool:
        """Take over what comes within a moment; False at the end."""
        with contextlib.suppress(OSError):  # how Linux says that the other side is closed
            if not select.select([self.main], [], [], 0.2)[0]:
                return True
            content = os.read(self.main, 65536)
            self.shown += content.decode(errors="replace")
            return bool(content)
        return False

    def type(self, text: str) -> None:
        os.write(self.main, text.encode())

    def stop(self) -> tuple[int, str]:
        """Ctrl-C, and once more if nothing comes of it.

        A signal that arrives between the prompt and the wait for a line is heard by readline only
        with the next one.
        """
        time.sleep(0.3)
        for _ in range(2):
            self.type("\x03")
            end = time.monotonic() + PATIENCE_S / 4
            while time.monotonic() < end:
                if not self.read():
                    return self.end()
        raise AssertionError(f"it does not end: {self.new_text!r}")

    def end(self) -> tuple[int, str]:
        """The exit code, and what came last."""
        end = time.monotonic() + PATIENCE_S
        while self.read():
            assert time.monotonic() < end, f"it does not end: {self.new_text!r}"
        code = self.process.wait(PATIENCE_S)
        os.close(self.main)
        return code, self.take()
