"""Distribution over many machines: jobs placed on a Ray cluster.

What others use of it: `opened`, the pool of a cluster, and `play_on_cluster`, matches on its nodes.
"""

from typing import TYPE_CHECKING

from anyzero.extras.cluster.jobs import ActorKind, Done, Job, Pace, Shared
from anyzero.extras.cluster.pool import Pool, opened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anyzero.tools.arena.workers import Finished, Task

__all__ = ["ActorKind", "Done", "Job", "Pace", "Pool", "Shared", "opened", "play_on_cluster"]


def play_on_cluster(tasks: "Sequence[Task]", pool: Pool) -> "Finished":
    """Play these games on all nodes, and yield each result; close the iterator to stop early."""
    from anyzero.extras.cluster.matches import play_tasks  # actors of other work need no arena

    return play_tasks(tasks, pool)
