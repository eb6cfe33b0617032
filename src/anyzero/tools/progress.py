"""How long-running work shows its progress: one bar on standard error, in a terminal or a
notebook.
"""

import importlib
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Tell = Callable[..., None]
"""Called with the amount done and the bar's text, or a function that makes the text when it is
shown:
`tell(3, words="+2 =0 -1")`; `total=` changes the total."""

Words = str | Callable[[], str]

SHARE = 1.0  # the total of work measured as a share
EVERY_S = 0.2
SPARE = 20  # a slow text is made at most once in this many times its duration
REMEMBER_S = 600  # the remaining time is estimated from the speed over this many seconds


def in_notebook() -> bool:
    return "ipykernel" in sys.modules


@contextmanager
def progress(words: str, total: float | None = None, *, shown: bool = True) -> Iterator[Tell]:
    """A bar while the block runs; without a total, a sign of life. Nothing if output is not
    interactive.
    """
    if not (shown and (sys.stderr.isatty() or in_notebook())):
        yield lambda done=0, words="", total=None: None
        return
    with _in_notebook() if in_notebook() else _in_terminal() as show:
        due = 0.0
        last = total

        def tell(done: float = 0, words: Words = words, total: float | None = total) -> None:
            nonlocal due, last
            now = time.monotonic()
            if now > due or done == total or total != last:
                last = total
                said = words() if callable(words) else words
                amount = (
                    ""
                    if total is None
                    else f"{done:.0%}"
                    if total == SHARE
                    else f"{done:g}/{total:g}"
                )
                show(done, total, f"{said} {amount}".strip())
                due = now + max(EVERY_S, SPARE * (time.monotonic() - now))

        if total is None:
            tell()
        yield tell


Show = Callable[[float, float | None, str], None]


@contextmanager
def _in_terminal() -> Iterator[Show]:
    try:
        from rich import progress as rich
        from rich.console import Console
    except ModuleNotFoundError:
        yield lambda done, total, words: None  # it comes with the command line
        return
    columns = (
        rich.TextColumn("{task.description}", markup=False),
        rich.BarColumn(),
        rich.TimeRemainingColumn(),
    )
    console = Console(stderr=True, soft_wrap=True)
    with rich.Progress(
        *columns, console=console, transient=True, speed_estimate_period=REMEMBER_S
    ) as bar:

        def show(done: float, total: float | None, words: str) -> None:
            for task in bar.tasks:
                if task.total == total:
                    bar.update(task.id, completed=done, description=words)
                    return
                bar.remove_task(task.id)  # another kind of work
            # started with the first figure: earlier work says nothing about the speed
            bar.add_task(words, total=total, completed=done)  # type: ignore[arg-type]

        yield show


@contextmanager
def _in_notebook() -> Iterator[Show]:
    """An HTML bar that is removed at the end; it needs no widgets."""
    from html import escape

    shell = importlib.import_module("IPython.display")
    place = shell.display(shell.HTML(""), display_id=True)

    def show(done: float, total: float | None, words: str) -> None:
        bar = "" if total is None else f'<progress value="{done}" max="{total}"></progress> '
        place.update(shell.HTML(f"{bar}{escape(words)}"))

    try:
        yield show
    finally:
        place.update(shell.HTML(""))
