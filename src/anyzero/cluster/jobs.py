"""What is to be done on a cluster: a job, what it shares with others, its result, and how large it should be."""

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

JOB_S = 20.0
"""How long a job should take: short enough to lose, long enough for its overhead of some milliseconds."""


class Kind(NamedTuple):
    """What an actor has of its node."""

    cores: int
    gpus: int = 0


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
    """A function by its name, `module:function`, and its arguments: plain values, arrays, or what is shared.

    It is called with the kind of its actor first, as nobody knows who will do it in the end.
    """

    function: str
    arguments: dict[str, Any]
    files: Shared | None = None
    """The files that the function finds in its current folder."""
    units: int = 1
    """How much work it is, for its pace."""
    about: Any = None
    """Whatever its owner needs to know when it is done."""
    deaths: list[str] = field(default_factory=list)
    """The nodes where it was when its process died."""
    failed_on: str = ""
    """The node where it failed."""


Source = Callable[[Kind], Job | None]
"""The next job for an actor of this kind; None when all have been handed out."""


class Done(NamedTuple):
    """A job and its result."""

    job: Job
    value: Any
    node: str
    """The name of the node that did it."""
    kind: Kind
    seconds: float


class Pace:
    """How much goes into a job so that it takes `JOB_S`: little at first, and less when the work runs out."""

    def __init__(self, least: int, least_on_gpu: int = 0) -> None:
        """`least` is for each core of an actor without a GPU."""
        self.least, self.least_on_gpu = least, least_on_gpu
        self.rates: dict[Kind, float] = {}
        """Units a second, by the kind of actor."""

    def size(self, kind: Kind, left: int, others: Sequence[Kind]) -> int:
        """Units for an actor of this kind, at most what is left; `others` are all that work, itself among them."""
        least, rate = self.least_on_gpu if kind.gpus else self.least * kind.cores, self.rates.get(kind, 0.0)
        fair = left * rate / max(2 * sum(self.rates.get(other, rate) for other in others), 1e-9)
        return min(left, max(least, int(min(rate * JOB_S, fair))))

    def note(self, done: Done) -> None:
        """A job has taken so long; the mean of the last ones counts."""
        rate = done.job.units / max(done.seconds, 1e-3)
        self.rates[done.kind] = (self.rates.get(done.kind, rate) + rate) / 2
