"""How a process joins a Ray cluster, and what a node of it is."""

import importlib
import os
import socket
from typing import Any, NamedTuple

from anyzero.cluster.jobs import Kind
from anyzero.errors import AnyzeroError, BadOptionError


class ClusterError(AnyzeroError):
    """The cluster cannot be used, or not any more."""


MOST_CORES = 4
"""Cores of an actor; a node with more of them has several actors."""


class Node(NamedTuple):
    id: str
    name: str
    cores: int
    gpus: int

    def kinds(self, *, with_gpus: bool) -> list[Kind]:
        """Its actors: one for each GPU, with a core, and one for every few of the other cores."""
        gpus = min(self.gpus, self.cores) if with_gpus else 0
        groups = range(gpus, self.cores, MOST_CORES)
        return [Kind(1, 1)] * gpus + [Kind(min(MOST_CORES, self.cores - first)) for first in groups]


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
