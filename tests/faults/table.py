"""What came of each try: told in words, harmless, silent, a traceback, or a process that died of a signal."""

from collections import Counter
from collections.abc import Callable
from contextlib import redirect_stderr
from io import StringIO

from anyzero.errors import AnyzeroError

TOLD, HARMLESS, SILENT, TRACEBACK, SIGNAL = "told", "harmless", "silent", "traceback", "signal"
VERDICTS = (TOLD, HARMLESS, SILENT, TRACEBACK, SIGNAL)


class Told(Exception):  # noqa: N818  (not an error)
    """Something was said to the user."""


class Table:
    """Verdicts, counted by what was tried."""

    def __init__(self) -> None:
        self.counts: dict[str, Counter[str]] = {}
        self.wrong: list[str] = []
        """What was tried where the verdict is one that must not be."""

    def add(self, kind: str, verdict: str, words: str = "") -> None:
        self.counts.setdefault(kind, Counter())[verdict] += 1
        if verdict not in (TOLD, HARMLESS):
            self.wrong.append(f"{verdict}: {kind}: {words}")

    def judge(self, kind: str, use: Callable[[], object], expected: object, words: str = "") -> str:
        """Count what comes of `use`, which returns a result to be compared with that of nothing wrong."""
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
                f"{kind:{wide}} {sum(counts.values()):8,} " + " ".join(f"{counts[name]:9,}" for name in VERDICTS)
            )
        return "\n".join([*lines, *self.wrong[:40]])
