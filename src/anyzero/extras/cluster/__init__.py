"""Distribution over many machines: jobs placed on a Ray cluster, without knowledge of games, and
the games of training runs as such jobs.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from anyzero.extras.cluster.jobs import ActorKind, Done, Job, Pace, Shared
from anyzero.extras.cluster.pool import Pool, opened

__all__ = ["ActorKind", "Done", "Job", "Pace", "Pool", "Shared", "games_on_cluster", "opened"]

if TYPE_CHECKING:
    from anyzero.core.learning.config import RunConfig
    from anyzero.extras.cluster.selfplay import ClusterGames


@contextmanager
def games_on_cluster(address: str, config: "RunConfig") -> Iterator["ClusterGames"]:
    """What plays the games of a run on the cluster at this address, `auto` or `host:port`."""
    from anyzero.extras.cluster.selfplay import ClusterGames  # it needs all of training

    with closing(Pool(address, with_gpus=config.device == "cuda")) as pool:
        yield ClusterGames(pool, config)
