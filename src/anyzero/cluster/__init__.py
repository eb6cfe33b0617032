"""Many machines: work placed on a Ray cluster, without knowledge of games."""

from anyzero.cluster.jobs import Done, Job, Kind, Pace, Shared
from anyzero.cluster.pool import Pool, opened

__all__ = ["Done", "Job", "Kind", "Pace", "Pool", "Shared", "opened"]
