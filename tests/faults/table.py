"""What came of each try: told in words, harmless, silent, a traceback, or a process that died of a
signal.
"""

import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path
from typing import TypeVar

from anyzero.core.base.errors import AnyzeroError
from anyzero.core.base.files import write_whole

TOLD, HARMLESS, SILENT, TRACEBACK, SIGNAL = "told", "harmless", "silent", "traceback", "signal"
VERDICTS = (TOLD, HARMLESS, SILENT, TRACEBACK, SIGNAL)


class Told(Exception):  # noqa: N818  (not an error)
    """Something was said to the user."""


Thing = TypeVar("Thing")
SAVE_EVERY_S = 5.0


class Table:
    """Verdicts, counted by what was tried; one of several workers has every so-manieth turn of a
    part.
    """

    def __init__(
        self, *, worker: int = 0, workers: int = 1, seed: int = 0, path: Path | None = None
    ) -> None:
        self.worker, self.workers, self.seed, self.path = worker, workers, seed, path
        self.counts: dict[str, Counter[str]] = {}
        self.wrong: list[str] = []
        """What was tried where the verdict is one that must not be."""
        self.planned, self.done, self.saved = 0, 0, 0.0

    def turns(self, things: Iterable[Thing]) -> Iterator[Thing]:
        """This worker's share of all turns of a part; how far it has come is on the disk now and
        then.
        """
        own = list(things)[self.worker :: self.workers]
        self.planned += len(own)
        for thing in own:
            yield thing
            self.done += 1
            if time.monotonic() > self.saved + SAVE_EVERY_S:
                self.save()

    def save(self) -> None:
        self.saved = time.monotonic()
        if self.path is not None:
            fields = {
                "counts": self.counts,
                "wrong": self.wrong,
                "planned": self.planned,
                "done": self.done,
            }
            write_whole(self.path, json.dumps(fields, indent=1).encode())

    def include(self, path: Path) -> None:
        """Add what another table has saved; nothing if it has not."""
        if path.exists():
            found = json.loads(path.read_text())
            for kind, counts in found["counts"].items():
                self.counts.setdefault(kind, Counter()).update(counts)
            self.wrong += found["wrong"]
            self.planned, self.done = self.planned + found["planned"], self.done + found["done"]

    def add(self, kind: str, verdict: str, words: str = "") -> None:
        self.counts.setdefault(kind, Counter())[verdict] += 1
        if verdict not in (TOLD, HARMLESS):
            self.wrong.append(f"{verdict}: {kind}: {words}")

    def judge(self, kind: str, use: Callable[[], object], expected: object, words: str = "") -> str:
        """Count what comes of `use`, which returns a result to be compared with that of nothing
        wrong.
        """
        said = StringIO()
        try:
            with redirect_stderr(said):
                found = use()
            verdict = TOLD if said.getvalue() else HARMLESS if found == expected else SILENT
        except Told:
            verdict = TOLD
        except AnyzeroError as error:
            verdict = TOLD if "\n" not in str(error) and len(str(error)) < 2000 else TRACEBACK
        except Exception as error:
            verdict, words = TRACEBACK, f"{words} {type(error).__name__}: {error}"[:300]
        self.add(kind, verdict, words)
        return verdict

    def __str__(self) -> str:
        wide = max(map(len, self.counts), default=0)
        lines = [f"{'':{wide}} {'tries':>8} " + " ".join(f"{name:>9}" for name in VERDICTS)]
        total = sum(self.counts.values(), Counter())
        for kind, counts in [*self.counts.items(), ("all", total)]:
            lines.append(
                f"{kind:{wide}} {sum(counts.values()):8,} "
                + " ".join(f"{counts[name]:9,}" for name in VERDICTS)
            )
        return "\n".join([*lines, *self.wrong[:40]])
