"""How long work shows that it goes on: one bar on standard error, on a terminal or in a notebook."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Tell = Callable[..., None]
"""Told how much is done, and what the bar says beside it: `tell(3, words="+2 =0 -1")`."""

EVERY_S = 0.2
REMEMBER_S = 600
"""The speed, for the time that is left, is that of the last so many seconds."""


def is_seen() -> bool:
    """Whether somebody looks: standard error is a terminal, or this is a notebook."""
    return sys.stderr.isatty() or "ipykernel" in sys.modules


@contextmanager
def progress(words: str, total: float | None = None, *, shown: bool = True) -> Iterator[Tell]:
    """A bar while the block runs; without a total, a sign of life. Nothing where nobody looks."""
    if not (shown and is_seen()):
        yield lambda done=0, words="": None
        return
    bar = _make_bar(total)
    task, seen = None, 0.0

    def tell(done: float = 0, words: str = words) -> None:
        nonlocal task, seen
        if task is None:  # begun with the first figure: what was done before says nothing of the speed
            task = bar.add_task(words, total=total, completed=done)
        if time.monotonic() - seen > EVERY_S or done == total:
            seen = time.monotonic()
            bar.update(task, completed=done, description=words)

    with bar:
        if total is None:
            tell()
        yield tell


def _make_bar(total: float | None) -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

    told = TextColumn("{task.description}", markup=False)
    columns = (told, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()) if total else (SpinnerColumn(), told)
    return Progress(*columns, console=Console(stderr=True), transient=True, speed_estimate_period=REMEMBER_S)
