"""What a cluster costs and gains, on real Ray nodes of one core each on this machine.

python benchmarks/cluster.py speed          two nodes against one, in turns
python benchmarks/cluster.py costs          bytes and driver's time of a piece, of a network, of a
sample python benchmarks/cluster.py kills          a run whose nodes are killed every so often,
against an undisturbed one python benchmarks/cluster.py lag            a node that plays while the
driver trains, against one that waits python benchmarks/cluster.py scale          from those
figures: 10 to 10,000 actors, and what becomes the limit
"""

import argparse
import hashlib
import json
import os
import pickle
import statistics
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")  # nodes at 127.0.0.1
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

from anyzero.core.game.load import load
from anyzero.core.learning.block import BlockResult
from anyzero.core.learning.config import RunConfig
from anyzero.core.learning.folder import RunFolder, is_run
from anyzero.core.learning.generation import Stages
from anyzero.core.learning.orders import Order
from anyzero.core.learning.run import Training
from anyzero.core.nets.models import new_network
from anyzero.core.nets.weights import read_network, save_network
from anyzero.extras.cluster import Pace, Pool
from anyzero.extras.cluster.selfplay import LEAST_GAMES, Blocks, ClusterGames
from anyzero.tools.lab.opening import fill_in, make_config

STORE = 200_000_000
BLOCK = 128


class Nodes:
    """A cluster on this machine: a head that does no work, and nodes of one core."""

    def __init__(self, num: int) -> None:
        from ray.cluster_utils import Cluster

        head = {"num_cpus": 0, "object_store_memory": STORE, "include_dashboard": False}
        self.cluster = Cluster(initialize_head=True, head_node_args=head)
        self.nodes = [self.add() for _ in range(num)]

    def add(self) -> Any:
        return self.cluster.add_node(num_cpus=1, object_store_memory=STORE)

    def kill(self, node: Any) -> None:
        self.cluster.remove_node(node, allow_graceful=False)


def stored_network(config: RunConfig) -> Any:
    """A network that knows nothing, as it travels."""
    game = load(config.game)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "network.safetensors"
        save_network(path, new_network(game, config.network, 1), game)
        return read_network(path, game)


class Work:
    """Blocks of self-play on a pool, and what they took."""

    def __init__(self, pool: Pool, config: RunConfig) -> None:
        self.pool, self.config, self.pace = pool, config, Pace(LEAST_GAMES)
        self.network, self.results = stored_network(config), list[BlockResult]()
        shared = pool.share("network", self.network)
        self.order = Order(config, 1, [("0", shared)], [1.0, 0.0, 0.0], -1.0)

    def play(self, games: int) -> tuple[float, int]:
        """Seconds and simulations."""
        bounds = {
            block: (first, min(games, first + BLOCK))
            for block, first in enumerate(range(0, games, BLOCK))
        }
        self.results = []
        start = time.monotonic()
        blocks = Blocks(
            self.pool,
            self.order,
            bounds,
            self.pace,
            lambda number, result, busy: self.results.append(result),
        )
        while blocks.missing:
            blocks.step(0.2)
        return time.monotonic() - start, sum(result.simulations for result in self.results)


def wait_for(pool: Pool, num: int) -> None:
    while len(pool.ready()) < num:
        pool.step()


def tiny(game: str, **selfplay: Any) -> RunConfig:
    return fill_in(
        make_config(game, changes={"threads": 1, "selfplay": {"simulations": 32, **selfplay}})
    )


# --- two nodes against one


def measure_speed(game: str, games: int, rounds: int) -> dict[str, Any]:
    """In turns, so that a noisy neighbour meets both; each turn has warm actors."""
    config, clusters, found = (
        tiny(game),
        {num: Nodes(num) for num in (1, 2)},
        {1: list[float](), 2: list[float]()},
    )
    for _ in range(rounds):
        for num, nodes in clusters.items():
            pool = Pool(nodes.cluster.address)
            wait_for(pool, num)
            work = Work(pool, config)
            work.play(LEAST_GAMES * 4 * num)  # kernels are loaded, the pace is known
            seconds, simulations = work.play(games)
            found[num].append(simulations / seconds)
            pool.close()
    ratios = [two / one for one, two in zip(found[1], found[2], strict=True)]
    return {
        "game": game,
        "games": games,
        "one_node": [round(speed) for speed in found[1]],
        "two_nodes": [round(speed) for speed in found[2]],
        "ratios": [round(ratio, 2) for ratio in ratios],
        "median": round(statistics.median(ratios), 2),
    }


# --- what it costs


def measure_costs(game: str, games: int) -> dict[str, Any]:
    """Bytes on the wire, and the driver's own time: placing, joining, and writing as a run does."""
    config, nodes = tiny(game), Nodes(2)
    pool = Pool(nodes.cluster.address)
    wait_for(pool, 2)
    work = Work(pool, config)
    work.play(LEAST_GAMES * 4)
    waiting = measure_waiting(pool)
    cpu, given = time.process_time(), pool.num_given
    seconds, simulations = work.play(games)
    cpu = time.process_time() - cpu - waiting * seconds
    num, pieces = len(work.results), pool.num_given - given
    samples = sum(result.samples.num for result in work.results)
    size = sum(len(pickle.dumps(result, protocol=5)) for result in work.results)
    weights = len(pickle.dumps(work.network, protocol=5))
    writing, on_disk = measure_writing(config, work.results)
    pool.close()
    return {
        "game": game,
        "games": games,
        "pieces": pieces,
        "blocks": num,
        "samples": samples,
        "simulations": simulations,
        "seconds": round(seconds, 1),
        "bytes_per_sample_on_the_wire": round(size / samples),
        "bytes_per_sample_on_disk": round(on_disk / samples),
        "bytes_per_block_on_the_wire": round(size / num),
        "weights_bytes": weights,
        "driver_share_waiting": round(waiting, 4),
        "driver_ms_per_piece": round(1000 * cpu / pieces, 1),
        "driver_us_per_sample_writing": round(1e6 * writing / samples, 1),
        "driver_share_at_1000_blocks_an_hour": round(
            waiting + (cpu + writing) / num * 1000 / 3600, 4
        ),
    }


def measure_waiting(pool: Pool) -> float:
    """The share of a core that the driver takes while nothing happens."""
    start, cpu = time.monotonic(), time.process_time()
    while time.monotonic() < start + 20.0:
        pool.step()
    return (time.process_time() - cpu) / (time.monotonic() - start)


def measure_writing(config: RunConfig, results: list[BlockResult]) -> tuple[float, int]:
    """Processor seconds to write these blocks into a run's folder, and the bytes of their
    samples.
    """
    with tempfile.TemporaryDirectory() as root:
        folder = RunFolder.create(Path(root) / "run", config)
        stages = Stages(folder)
        start = time.process_time()
        for block, result in enumerate(results):
            stages.keep_block(1, block, result)
        seconds = time.process_time() - start
        return seconds, sum(path.stat().st_size for path in (folder.path / "samples").iterdir())


# --- a run whose nodes are killed


def content(path: Path) -> dict[str, str]:
    files = [
        *path.glob("generations/*/*.safetensors"),
        *path.glob("samples/*"),
        *path.glob("games/*"),
    ]
    return {
        str(file.relative_to(path)): hashlib.sha256(file.read_bytes()).hexdigest() for file in files
    }


def train(
    path: Path, game: str, changes: dict[str, Any], generations: int, pool: Pool | None = None
) -> float:
    """The seconds until the run in this folder has so many generations."""
    start = time.monotonic()
    folder = (
        RunFolder.open(path)
        if is_run(path)
        else RunFolder.create(path, fill_in(make_config(game, changes=changes)))
    )
    with folder.locked():
        elsewhere = None if pool is None else ClusterGames(pool, folder.config)
        Training(folder, None, elsewhere).run(generations)
    return time.monotonic() - start


def measure_kills(game: str, games: int, minutes: float, every_s: float) -> dict[str, Any]:
    """Two nodes; every so often the older one is killed, and a new one joins, for so many minutes
    at least.
    """
    changes = {
        "threads": 1,
        "network": {"blocks": 2, "channels": 32},
        "selfplay": {"games": games, "simulations": 32},
        "league": {"every": 0},
    }
    nodes, kills, seconds = Nodes(2), 0, list[float]()
    pool = Pool(nodes.cluster.address)

    def disturb(path: Path) -> None:
        while sum(seconds) < 60.0 * minutes:
            seconds.append(train(path, game, changes, len(seconds) + 1, pool))

    with tempfile.TemporaryDirectory() as root, ThreadPoolExecutor(1) as beside:
        there, here = Path(root) / "there", Path(root) / "here"
        alone = train(here, game, changes, 1)  # first, so that nodes find all code compiled
        disturbed = beside.submit(disturb, there)
        while not wait([disturbed], every_s).done:  # nodes are started by the main thread alone
            nodes.kill(nodes.nodes.pop(0))
            nodes.nodes.append(nodes.add())
            kills += 1
        disturbed.result()
        alone += train(here, game, changes, len(seconds))
        found, wanted = content(there), content(here)
    pool.close()
    return {
        "game": game,
        "games": games,
        "generations": len(seconds),
        "kills": kills,
        "every_s": every_s,
        "seconds_disturbed": round(sum(seconds)),
        "seconds_alone": round(alone),
        "files": len(found),
        "different": sorted(
            name for name in found.keys() | wanted.keys() if found.get(name) != wanted.get(name)
        ),
    }


# --- games that do not wait for the network


def measure_lag(game: str, games: int, generations: int, rounds: int) -> dict[str, Any]:
    """A driver that trains on a core of its own, and one node that plays: with games that wait, and
    with `lag=1`.
    """
    pool, found = Pool(Nodes(1).cluster.address), {0: list[float](), 1: list[float]()}
    with tempfile.TemporaryDirectory() as root:
        for part, lag in enumerate([0, *([0, 1] * rounds)]):
            changes = {
                "threads": 1,
                "selfplay": {"games": games, "lag": lag},
                "league": {"every": 0},
            }
            seconds = train(Path(root) / str(part), game, changes, generations, pool)
            if part:  # the first has compiled what all need
                found[lag].append(round(seconds / generations, 2))
    pool.close()
    gains = [round(waiting / ahead, 2) for waiting, ahead in zip(found[0], found[1], strict=True)]
    return {
        "game": game,
        "games": games,
        "seconds_waiting": found[0],
        "seconds_ahead": found[1],
        "gains": gains,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["speed", "costs", "kills", "lag", "scale"])
    parser.add_argument("--game", default="connect_four")
    parser.add_argument("--games", type=int, default=512)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--generations", type=int, default=5)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--every", type=float, default=20.0)
    parser.add_argument("--plot", type=Path, default=Path("docs/pictures/internet_scale.svg"))
    given = parser.parse_args()
    measures: dict[str, Callable[[], Any]] = {
        "speed": lambda: measure_speed(given.game, given.games, given.rounds),
        "costs": lambda: measure_costs(given.game, given.games),
        "kills": lambda: measure_kills(given.game, given.games, given.minutes, given.every),
        "lag": lambda: measure_lag(given.game, given.games, given.generations, given.rounds),
    }
    if given.what == "scale":
        from cluster_scale import show_scale

        show_scale(given.plot)
    else:
        print(json.dumps(measures[given.what](), indent=1))


if __name__ == "__main__":
    main()
