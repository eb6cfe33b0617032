"""The time of a run: how much has passed, interruptions excluded, and when it is up."""

from collections.abc import Callable
from contextlib import suppress

from anyzero.core.base import stopping
from anyzero.core.base.sealed import DamagedError, read_sealed
from anyzero.core.compile.clock import clock
from anyzero.core.learning.folder import RunFolder
from anyzero.core.learning.once import STAGE

Tell = Callable[[int], None]  # called with what is done of a stage


class OutOfTimeError(Exception):
    """The time is up; the generation in progress stays as it is."""


class Timer:
    def __init__(self, folder: RunFolder, meanwhile: Callable[[], None] = lambda: None) -> None:
        """`meanwhile` is called whenever someone looks at the time."""
        self.folder = folder
        self.meanwhile = meanwhile
        self.started = clock()  # shifted as if the run had never been interrupted
        self.deadline = float("inf")

    def start(self, minutes: float | None = None) -> None:
        """Count on from what the run took so far; `minutes` in total end it."""
        self.started = clock() - self.seconds_so_far()
        if minutes is not None:
            self.deadline = self.started + 60.0 * minutes

    def seconds_so_far(self) -> float:
        """Seconds of the finished generations, and of the finished stages of the current one."""
        total = float(sum(sum(report["seconds"].values()) for report in self.folder.reports()))
        for part in map(self.folder.part_path, self.folder.part_numbers()):
            for path in part.glob("*.json"):
                with suppress(DamagedError):
                    total += read_sealed(path, STAGE)["result"]["seconds"]
        return total

    def passed(self) -> float | None:
        """The share of the run's minutes that has passed; None if none are planned."""
        planned = 60.0 * self.folder.config.minutes
        return (clock() - self.started) / planned if planned else None

    def look(self) -> None:
        """Raise an error if the time is up, or if someone asked to stop."""
        stopping.check()
        self.meanwhile()
        if clock() >= self.deadline:
            raise OutOfTimeError

    def watch(self, tell: Tell, before: int = 0) -> Callable[[int, int], None]:
        """The callback of a block or a trainer; `before` was done already."""

        def look(done: int, _more: int) -> None:
            tell(before + done)
            self.look()

        return look
