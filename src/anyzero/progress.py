"""How long work shows that it goes on: one bar on standard error, on a terminal or in a notebook."""

import importlib
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Tell = Callable[..., None]
"""Told how much is done, and what the bar says beside it: `tell(3, words="+2 =0 -1")`."""

SHARE = 1.0
"""The total of work that is told as a share of it."""
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
    with _in_notebook(total) if "ipykernel" in sys.modules else _in_terminal(total) as show:
        seen = 0.0

        def tell(done: float = 0, words: str = words) -> None:
            nonlocal seen
            if time.monotonic() - seen > EVERY_S or done == total:
                seen = time.monotonic()
                show(done, words)

        if total is None:
            tell()
        yield tell


Show = Callable[[float, str], None]


@contextmanager
def _in_terminal(total: float | None) -> Iterator[Show]:
    from rich import progress as rich
    from rich.console import Console

    told = rich.TextColumn("{task.description}", markup=False)
    much = rich.TaskProgressColumn() if total == SHARE else rich.MofNCompleteColumn()
    columns = (told, rich.BarColumn(), much, rich.TimeRemainingColumn()) if total else (rich.SpinnerColumn(), told)
    with rich.Progress(*columns, console=Console(stderr=True), transient=True, speed_estimate_period=REMEMBER_S) as bar:

        def show(done: float, words: str) -> None:
            if not bar.task_ids:  # begun with the first figure: what was done before says nothing of the speed
                bar.add_task(words, total=total, completed=done)  # type: ignore[arg-type]
            bar.update(bar.task_ids[0], completed=done, description=words)

        yield show


@contextmanager
def _in_notebook(total: float | None) -> Iterator[Show]:
    """A bar of HTML that leaves nothing behind; it needs no widgets."""
    from html import escape

    shell = importlib.import_module("IPython.display")
    place = shell.display(shell.HTML(""), display_id=True)

    def show(done: float, words: str) -> None:
        much = f"{done:.0%}" if total == SHARE else f"{done:g} of {total:g}" if total else ""
        bar = f'<progress value="{done}" max="{total}"></progress> {much} ' if total else ""
        place.update(shell.HTML(f"{bar}{escape(words)}"))

    try:
        yield show
    finally:
        place.update(shell.HTML(""))
