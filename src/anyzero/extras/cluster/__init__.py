"""Distribution over many machines: jobs placed on a Ray cluster, without knowledge of games."""

from anyzero.extras.cluster.jobs import ActorKind, Done, Job, Pace, Shared
from anyzero.extras.cluster.pool import Pool, opened

__all__ = ["ActorKind", "Done", "Job", "Pace", "Pool", "Shared", "opened"]
