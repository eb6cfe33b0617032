"""A real Ray cluster of several nodes on this machine, shared by the tests of a module."""

import hashlib
import os
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from anyzero.core.learning.folder import RunFolder
from anyzero.core.learning.generation import Progress
from anyzero.core.learning.run import Training
from anyzero.extras.cluster import Job, Pool
from anyzero.extras.cluster.selfplay import ClusterGames
from anyzero.tools.lab.opening import fill_in, make_config

ROOT = Path(__file__).parent.parent.parent
STORE = 80_000_000
HEAD = {"num_cpus": 1, "include_dashboard": False, "include_log_monitor": False, "no_monitor": True}


class Machines:
    """The nodes; the head is one of them, since each takes seconds to start, and is never
    killed.
    """

    def __init__(self, num_nodes):
        from ray.cluster_utils import Cluster

        self.cluster = Cluster(
            initialize_head=True, head_node_args={**HEAD, "object_store_memory": STORE}
        )
        self.address = self.cluster.address
        self.nodes = [self.add(wait=False) for _ in range(num_nodes - 1)]

    def add(self, cores=1, **options):
        """Ray gives a node 30 seconds to start, which a crowded machine may need more than once."""
        for _ in range(5):
            with suppress(Exception):
                return self.cluster.add_node(num_cpus=cores, object_store_memory=STORE, **options)
        return self.cluster.add_node(num_cpus=cores, object_store_memory=STORE, **options)

    def kill(self, node):
        """As a machine that loses its power."""
        self.cluster.remove_node(node, allow_graceful=False)

    def shutdown(self):
        self.cluster.shutdown()


@pytest.fixture(scope="module")
def machines():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(
            "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0"
        )  # nodes are at 127.0.0.1; read when ray is imported
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("PYTHONPATH", f"{ROOT}:{os.environ.get('PYTHONPATH', '')}")
        pytest.importorskip("ray")
        machines = Machines(2)
        yield machines
        machines.shutdown()


@pytest.fixture(scope="module")
def pool(machines):
    pool = Pool(machines.address)
    yield pool
    pool.close()


@pytest.fixture
def other_pool(machines):
    """For tests that leave their pool in disorder; `said` is what it tells people."""
    said = []
    pool = Pool(machines.address, said.append)
    pool.said = said
    yield pool
    pool.close()


def jobs(name, *arguments):
    """A source of jobs of `chores` with these arguments."""
    left = [Job(f"tests.cluster.chores:{name}", each) for each in arguments]
    return lambda kind: left.pop(0) if left else None


def values(pool, source):
    return [done.value for done in pool.run(source)]


# --- runs

TINY = {
    "network": {"blocks": 1, "channels": 16, "pool_every": 1},
    "selfplay": {
        "games": 48,
        "at_once": 24,
        "simulations": 4,
        "opening_plies": 2,
        "resign_below": -0.5,
        "surprise": 0.5,
    },
    "trainer": {"batch_size": 32},
    "gate": {"games": 4, "threshold": 0.3},
    "league": {"every": 0},
    "threads": 1,
}


def train_tiny(path, pool=None, progress=None, *, generations=2, game="tic_tac_toe", **changes):
    folder = RunFolder.create(path, fill_in(make_config(game, changes={**TINY, **changes})))
    with folder.locked():
        elsewhere = None if pool is None else ClusterGames(pool, folder.config)
        Training(folder, progress, elsewhere).run(generations)
    return folder


def content(path):
    """Networks, trainers, samples and games of a run, by their hashes."""
    files = sorted(
        [*path.glob("generations/*/*.safetensors"), *path.glob("samples/*"), *path.glob("games/*")]
    )
    assert len(files) > 10
    return {
        str(file.relative_to(path)): hashlib.sha256(file.read_bytes()).hexdigest() for file in files
    }


class Disturbance(Progress):
    """Does something to the cluster in the middle of a generation's games."""

    def __init__(self, do):
        self.do, self.is_done = do, False

    @contextmanager
    def stage(self, generation, name, total):
        def tell(done):
            if name == "self-play" and 0 < done < total and not self.is_done:
                self.is_done = True
                self.do()

        yield tell


def wait_until(condition, step=lambda: time.sleep(0.1), seconds=300.0):
    """Step on until it is so."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it does not happen"
        step()
