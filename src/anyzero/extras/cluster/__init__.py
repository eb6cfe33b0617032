"""Distribution over many machines: jobs placed on a Ray cluster, without knowledge of games.

What others use of it: `opened`, the pool of a cluster; `games_on_cluster`, the games of training
runs as such jobs; and `play_on_cluster`, matches on its nodes.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from anyzero.extras.cluster.jobs import ActorKind, Done, Job, Pace, Shared
from anyzero.extras.cluster.pool import Pool, opened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anyzero.core.learning.config import RunConfig
    from anyzero.extras.cluster.selfplay import ClusterGames
    from anyzero.tools.arena.workers import Finished, Task

__all__ = [
    "ActorKind",
    "Done",
    "Job",
    "Pace",
    "Pool",
    "Shared",
    "games_on_cluster",
    "opened",
    "play_on_cluster",
]


@contextmanager
def games_on_cluster(address: str, config: "RunConfig") -> Iterator["ClusterGames"]:
    """What plays the games of a run on the cluster at this address, `auto` or `host:port`."""
    from anyzero.extras.cluster.selfplay import ClusterGames  # it needs all of training

    with closing(Pool(address, with_gpus=config.device == "cuda")) as pool:
        yield ClusterGames(pool, config)


def play_on_cluster(tasks: "Sequence[Task]", pool: Pool) -> "Finished":
    """Play these games on all nodes, and yield each result; close the iterator to stop early."""
    from anyzero.extras.cluster.matches import play_tasks  # actors of other work need no arena

    return play_tasks(tasks, pool)
