"""What is to be done on a cluster: a job, what it shares with others, its result, and how large it should be."""

import contextlib
import hashlib
import importlib
import os
import platform
import shutil
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from anyzero import stopping
from anyzero.errors import AnyzeroError, BadOptionError
from anyzero.files import cache_folder, remove_unused
from anyzero.report import count

JOB_S = 20.0  # how long a job should take: short enough to lose, long enough for its overhead of some milliseconds
LEAST_S = 2.0
"""Jobs do not become shorter than this as the work runs out: few games at once make small batches for a network.

Where all of it takes less, a slow actor beside a GPU takes no more than it can do in that time, and the GPU the rest.
"""


class ActorKind(NamedTuple):
    """What an actor has of its node."""

    cores: int
    gpus: int = 0

    def describe(self) -> str:
        """`1 core, 2 GPUs`."""
        return ", ".join([count(self.cores, "core"), *([count(self.gpus, "GPU")] if self.gpus else [])])


@dataclass(frozen=True)
class Shared:
    """A value that was put into the object store once, for all jobs that name it; equal if its key is."""

    key: str
    ref: Any = field(compare=False)

    def __call__(self) -> Any:
        """The value; for the function of a job, which should remember what it makes of it."""
        return importlib.import_module("ray").get(self.ref)


@dataclass(eq=False)
class Job:
    """A function by its name, `module:function`, and its arguments: plain values, arrays, or what is shared.

    It is called with the kind of its actor first, as nobody knows who will do it in the end.
    """

    function: str
    arguments: dict[str, Any]
    files: Shared | None = None  # the files that the function finds in its current folder
    units: int = 1  # how much work it is, for its pace
    about: Any = None  # whatever its owner needs to know when it is done
    deaths: list[str] = field(default_factory=list)  # the nodes where it was when its process died
    failed_on: str = ""  # the node where it failed


Source = Callable[[ActorKind], Job | None]  # the next job for an actor of this kind; None when all have been handed out


class Done(NamedTuple):
    job: Job
    value: Any
    node: str  # the name of the node that did it
    kind: ActorKind
    seconds: float


class Pace:
    """How much goes into a job so that it takes `JOB_S`: little at first, and less when the work runs out."""

    def __init__(self, least: int, least_on_gpu: int = 0) -> None:
        """`least` is for each core of an actor without a GPU."""
        self.least, self.least_on_gpu = least, least_on_gpu
        self.rates: dict[ActorKind, float] = {}  # units a second, by the kind of actor

    def size(self, kind: ActorKind, left: int, others: Sequence[ActorKind]) -> int:
        """Units for an actor of this kind, at most what is left; `others` are all that work, itself among them."""
        least, rate = self.least_on_gpu if kind.gpus else self.least * kind.cores, self.rates.get(kind, 0.0)
        rates = [self.rates.get(other, rate) for other in others]
        all_s = left / max(sum(rates), 1e-9)  # until all is done
        least_s = LEAST_S if rate >= max(rates) else min(LEAST_S, all_s)
        return min(left, max(least, int(rate * min(JOB_S, max(all_s / 2, least_s)))))

    def note(self, done: Done) -> None:
        """A job has taken so long; the mean of the last ones counts."""
        rate = done.job.units / max(done.seconds, 1e-3)
        self.rates[done.kind] = (self.rates.get(done.kind, rate) + rate) / 2


class ClusterError(AnyzeroError):
    """The cluster cannot be used, or not any more."""


MOST_CORES = 4  # cores of an actor; a node with more of them has several actors


class Node(NamedTuple):
    id: str
    name: str
    cores: int
    gpus: int

    def kinds(self, *, with_gpus: bool) -> list[ActorKind]:
        """Its actors: one for each GPU, with a core, and one for every few of the other cores."""
        gpus = min(self.gpus, self.cores) if with_gpus else 0
        groups = range(gpus, self.cores, MOST_CORES)
        return [ActorKind(1, 1)] * gpus + [ActorKind(min(MOST_CORES, self.cores - first)) for first in groups]


def connect(address: str) -> Any:
    """Ray, connected, as it may be already; it tells nobody of its use, and prints nothing here."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        ray = importlib.import_module("ray")
    except ImportError:
        raise ClusterError("a cluster needs Ray, which is not installed: pip install 'anyzero[ray]'") from None
    host, colon, port = address.rpartition(":")
    if address != "auto" and not (host and port.isdigit()):
        raise BadOptionError(f"the address of a cluster is auto or host:port, not {address!r}")
    # Of a node that is lost it would print pages to standard output, where the result goes; the pool has a sentence.
    importlib.import_module("ray._private.worker").print_to_stdstream = lambda *_, **__: None  # type: ignore[attr-defined]
    if ray.is_initialized():
        return ray
    how = "start one by: ray start --head"
    if colon and not answers(address, 5.0):
        raise ClusterError(f"no Ray cluster answers at {address}; {how}")
    try:
        ray.init(address=address, log_to_driver=False, logging_level="ERROR")
    except ConnectionError:
        raise ClusterError(f"no Ray cluster is found; {how}") from None
    except (RuntimeError, ValueError) as error:
        raise ClusterError(f"cannot join the cluster at {address}: {' '.join(str(error).split())[:300]}") from None
    return ray


def answers(address: str, seconds: float) -> bool:
    """Whether somebody listens at `host:port`."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), seconds).close()
    except OSError:
        return False
    return True


def node_of(found: dict[str, Any]) -> Node:
    """A node with the name that its owner gave it, or that of its machine."""
    own, has = found["NodeName"], found["Resources"]
    name = found["NodeManagerHostname"] if own == found["NodeManagerAddress"] else own
    return Node(found["NodeID"], name, int(has.get("CPU", 0)), int(has.get("GPU", 0)))


# --- the actor's side: a process on a node of the cluster that does one job at a time


class Actor:
    def __init__(self, kind: ActorKind) -> None:
        self.kind, self.number, self.lock = kind, -1, threading.Lock()

    def hello(self) -> dict[str, str]:
        """What this process is, and what is wrong with it: the GPU that Ray has given it may not be there."""
        fault, given = "", os.environ.get("CUDA_VISIBLE_DEVICES")
        if self.kind.gpus and not importlib.import_module("torch").cuda.is_available():
            fault = f"Ray gives its GPU {given} to a process, but torch finds none there"
        return {**facts(), "fault": fault}

    def run(
        self, number: int, function: str, arguments: dict[str, Any], files: Shared | None
    ) -> tuple[Any, str, float]:
        """The result, or a sentence about what went wrong, and the seconds that it took."""
        with self.lock:
            self.number = number
            stopping.forget()
        start, value, fault = time.monotonic(), None, ""
        try:
            if files is not None:
                os.chdir(unpack(files))
            module, _, name = function.partition(":")
            value = getattr(importlib.import_module(module), name)(self.kind, **arguments)
        except KeyboardInterrupt:
            fault = "it was stopped"
        except Exception as error:
            fault = str(error) if isinstance(error, AnyzeroError) else f"{type(error).__name__}: {error}"
        with self.lock:
            self.number = -1
        return value, fault, time.monotonic() - start

    def stop(self, number: int) -> None:
        """Leave this job at its next step, if it is still under way."""
        with self.lock:
            if self.number == number:
                stopping.ask()


def unpack(files: Shared) -> Path:
    """A folder with these files and no others. Its name is that of its content: code compiled for it is found again."""
    folder = cache_folder() / "bundles" / files.key
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        remove_unused(folder.parent)
        beside = Path(tempfile.mkdtemp(dir=folder.parent))
        for name, content in files().items():
            (beside / name).parent.mkdir(parents=True, exist_ok=True)
            (beside / name).write_bytes(content)
        with contextlib.suppress(OSError):  # another actor was faster
            beside.rename(folder)
        shutil.rmtree(beside, ignore_errors=True)
    os.utime(folder)
    return folder


def facts() -> dict[str, str]:
    """What must be the same here and there for results to be the same."""
    import numba
    import numpy
    from numba.core.registry import cpu_target

    from anyzero import __version__

    package, source = Path(__file__).parent.parent, hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        source.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
    return {
        "anyzero": f"{__version__} ({source.hexdigest()[:8]})",
        "Python": ".".join(platform.python_version_tuple()[:2]),
        "numba": numba.__version__,
        "numpy": numpy.__version__,
        "processor": " ".join(cpu_target.target_context.codegen().magic_tuple()[1:]),
    }
