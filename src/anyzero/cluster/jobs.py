"""What is to be done on a cluster: a job, what it shares with others, its result, and how large it should be."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

JOB_S = 20.0
"""How long a job should take: short enough to lose, long enough for its overhead of some milliseconds."""


@dataclass(frozen=True)
class Shared:
    """A value that was put into the object store once, for all jobs that name it; equal if its key is."""

    key: str
    ref: Any = field(compare=False)

    def get(self) -> Any:
        """The value; for the function of a job, which should remember what it makes of it."""
        return importlib.import_module("ray").get(self.ref)


@dataclass(eq=False)
class Job:
    """A function by its name, `module:function`, and its arguments: plain values, arrays, or what is shared."""

    function: str
    arguments: dict[str, Any]
    files: Shared | None = None
    """The files that the function finds in its current folder."""
    units: int = 1
    """How much work it is, for its pace."""
    about: Any = None
    """Whatever its owner needs to know when it is done."""
    deaths: int = 0
    failed_on: str = ""
    """The node where it failed."""


Source = Callable[[int], Job | None]
"""The next job for an actor of so many cores; None when all have been handed out."""


class Done(NamedTuple):
    """A job and its result."""

    job: Job
    value: Any
    node: str
    """The name of the node that did it."""
    cores: int
    seconds: float


class Pace:
    """How much goes into a job so that it takes `JOB_S`: little at first, and less when the work runs out."""

    def __init__(self, least: int = 1) -> None:
        self.least, self.rate = least, 0.0

    def size(self, cores: int, left: int, all_cores: int) -> int:
        """Units for an actor of so many cores, at most what is left."""
        fair = left * cores // (2 * max(all_cores, cores))
        return min(left, max(self.least * cores, min(int(self.rate * cores * JOB_S), fair)))

    def note(self, done: Done) -> None:
        """A job has taken so long; the mean of the last ones counts."""
        rate = done.job.units / (done.cores * max(done.seconds, 1e-3))
        self.rate = (self.rate + rate) / 2 if self.rate else rate
