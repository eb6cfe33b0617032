"""Work for a cluster: a job, the values it shares with others, its result, and its size."""

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

from anyzero.core.base import stopping
from anyzero.core.base.errors import AnyzeroError, BadOptionError
from anyzero.core.base.extras import needs_package
from anyzero.core.base.files import cache_folder, remove_unused
from anyzero.core.base.nouns import Values
from anyzero.core.base.report import count

# target duration of a job: short enough to lose, long enough for its overhead of some milliseconds
JOB_S = 20.0
LEAST_S = 2.0
"""Jobs do not become shorter than this as the work runs out: few parallel games make small batches
for a network.

If all of it takes less, a slow actor beside a GPU takes only what it can do in that time, and the
GPU the rest.
"""


class ActorKind(NamedTuple):
    """An actor's share of its node."""

    cores: int
    gpus: int = 0

    def describe(self) -> str:
        """`1 core, 2 GPUs`."""
        return ", ".join(
            [count(self.cores, "core"), *([count(self.gpus, "GPU")] if self.gpus else [])]
        )


@dataclass(frozen=True)
class Shared:
    """A value put into the object store once, for all jobs that name it; equal if the keys are."""

    key: str
    ref: Any = field(compare=False)

    def __call__(self) -> Any:
        """The value; a job's function should cache what it makes of it."""
        return importlib.import_module("ray").get(self.ref)


@dataclass(eq=False)
class Job:
    """A function by name, `module:function`, and its arguments: plain values, arrays, or shared
    values.

    Its first argument is the kind of its actor, since it is not known in advance which actor runs
    it.
    """

    function: str
    arguments: Values
    files: Shared | None = None  # files for the function's current folder
    units: int = 1  # amount of work, for its pace
    about: Any = None  # anything its owner needs when it is done
    deaths: list[str] = field(default_factory=list)  # nodes where its process died
    failed_on: str = ""  # the node on which it failed


Source = Callable[
    [ActorKind], Job | None
]  # the next job for an actor of this kind; None when there are no more


class Done(NamedTuple):
    job: Job
    value: Any
    node: str  # the name of the node that ran it
    kind: ActorKind
    seconds: float


class Pace:
    """How large a job must be to take `JOB_S`: small at first, and smaller when the work runs
    out.
    """

    def __init__(self, least: int, least_on_gpu: int = 0) -> None:
        """`least` is per core of an actor without a GPU."""
        self.least = least
        self.least_on_gpu = least_on_gpu
        self.rates: dict[ActorKind, float] = {}  # units per second, by kind of actor

    def size(self, kind: ActorKind, left: int, others: Sequence[ActorKind]) -> int:
        """Units for an actor of this kind, at most what is left; `others` are all working actors,
        itself included.
        """
        least = self.least_on_gpu if kind.gpus else self.least * kind.cores
        rate = self.rates.get(kind, 0.0)
        rates = [self.rates.get(other, rate) for other in others]
        all_s = left / max(sum(rates), 1e-9)  # seconds until everything is done
        least_s = LEAST_S if rate >= max(rates) else min(LEAST_S, all_s)
        return min(left, max(least, int(rate * min(JOB_S, max(all_s / 2, least_s)))))

    def note(self, done: Done) -> None:
        """Record the duration of a job; the mean of recent ones counts."""
        rate = done.job.units / max(done.seconds, 1e-3)
        self.rates[done.kind] = (self.rates.get(done.kind, rate) + rate) / 2


class ClusterError(AnyzeroError):
    """The cluster cannot be used, or no longer."""


MOST_CORES = 4  # maximum cores per actor; a node with more cores has several actors


class Node(NamedTuple):
    id: str
    name: str
    cores: int
    gpus: int

    def kinds(self, *, with_gpus: bool) -> list[ActorKind]:
        """Its actors: one per GPU, with a core, and one for every few of the other cores."""
        gpus = min(self.gpus, self.cores) if with_gpus else 0
        groups = range(gpus, self.cores, MOST_CORES)
        return [ActorKind(1, 1)] * gpus + [
            ActorKind(min(MOST_CORES, self.cores - first)) for first in groups
        ]


def connect(address: str) -> Any:
    """Connect to Ray, unless already connected, with usage statistics and output turned off."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        ray = importlib.import_module("ray")
    except ImportError:
        raise ClusterError(needs_package("ray")) from None
    host, colon, port = address.rpartition(":")
    if address != "auto" and not (host and port.isdigit()):
        raise BadOptionError(f"the address of a cluster is auto or host:port, not {address!r}")
    # For a lost node it would print pages to standard output, where the result goes; the pool
    # prints one sentence.
    importlib.import_module("ray._private.worker").print_to_stdstream = lambda *_, **__: None  # type: ignore[attr-defined]
    if ray.is_initialized():
        return ray
    advice = "start one by: ray start --head"
    if colon and not answers(address, 5.0):
        raise ClusterError(f"no Ray cluster answers at {address}; {advice}")
    try:
        ray.init(address=address, log_to_driver=False, logging_level="ERROR")
    except ConnectionError:
        raise ClusterError(f"no Ray cluster is found; {advice}") from None
    except (RuntimeError, ValueError) as error:
        raise ClusterError(
            f"cannot join the cluster at {address}: {' '.join(str(error).split())[:300]}"
        ) from None
    return ray


def answers(address: str, seconds: float) -> bool:
    """Whether a server listens at `host:port`."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), seconds).close()
    except OSError:
        return False
    return True


def node_of(found: Values) -> Node:
    """A node with the name given by its owner, or that of its machine."""
    node_name = found["NodeName"]
    has = found["Resources"]
    name = found["NodeManagerHostname"] if node_name == found["NodeManagerAddress"] else node_name
    return Node(found["NodeID"], name, int(has.get("CPU", 0)), int(has.get("GPU", 0)))


# --- the actor's side: a process on a cluster node that runs one job at a time


class Actor:
    def __init__(self, kind: ActorKind) -> None:
        self.kind = kind
        self.number = -1
        self.lock = threading.Lock()

    def hello(self) -> dict[str, str]:
        """The facts about this process, and its faults: the GPU that Ray assigned to it may be
        missing.
        """
        fault = ""
        gpu_numbers = os.environ.get("CUDA_VISIBLE_DEVICES")
        if self.kind.gpus and not importlib.import_module("torch").cuda.is_available():
            fault = f"Ray gives its GPU {gpu_numbers} to a process, but torch finds none there"
        return {**facts(), "fault": fault}

    def run(
        self, number: int, function: str, arguments: Values, files: Shared | None
    ) -> tuple[Any, str, float]:
        """The result, or an error sentence, and the seconds taken."""
        with self.lock:
            self.number = number
            stopping.forget()
        start = time.monotonic()
        value = None
        fault = ""
        try:
            if files is not None:
                os.chdir(unpack(files))
            module, _, name = function.partition(":")
            value = getattr(importlib.import_module(module), name)(self.kind, **arguments)
        except KeyboardInterrupt:
            fault = "it was stopped"
        except Exception as error:
            fault = (
                str(error)
                if isinstance(error, AnyzeroError)
                else f"{type(error).__name__}: {error}"
            )
        with self.lock:
            self.number = -1
        return value, fault, time.monotonic() - start

    def stop(self, number: int) -> None:
        """Abandon this job at its next step, if it is still running."""
        with self.lock:
            if self.number == number:
                stopping.request_stop()


def unpack(files: Shared) -> Path:
    """A folder with exactly these files. Its name is a hash of them, so that code compiled for it
    is found again.
    """
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
    """What must be identical on both sides for results to be identical."""
    import numba
    import numpy
    from numba.core.registry import cpu_target

    from anyzero import __version__

    package = Path(__file__).parents[2]
    source = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        source.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
    return {
        "anyzero": f"{__version__} ({source.hexdigest()[:8]})",
        "Python": ".".join(platform.python_version_tuple()[:2]),
        "numba": numba.__version__,
        "numpy": numpy.__version__,
        "processor": " ".join(cpu_target.target_context.codegen().magic_tuple()[1:]),
    }
