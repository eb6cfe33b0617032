"""An engine without a process: what it was told and what it said."""

import time

PATIENCE_S = 120
"""A first compile may come in between."""


class Listener:
    """Collects what an engine sends."""

    def __init__(self, make) -> None:
        self.sent: list[str] = []
        self.engine = make(self.sent.append)

    def tell(self, *lines: str) -> list[str]:
        """What is sent in answer to these lines, while they are handled."""
        start = len(self.sent)
        for line in lines:
            assert self.engine.handle(line)
        return self.sent[start:]

    def wait_for(self, word: str, start: int) -> str:
        """The first line from number `start` on that begins with a word."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            for line in self.sent[start:]:
                if line.startswith(word):
                    return line
            time.sleep(0.005)
        raise AssertionError(f"no {word} came: {self.sent[start:]}")

    def go(self, line: str) -> str:
        """The move that the engine answers a `go` with."""
        start = len(self.sent)
        self.tell(line)
        return self.wait_for("bestmove", start).split()[1]
