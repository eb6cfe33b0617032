"""Equal positions become one sample: what they taught is averaged, and how many there were is kept."""

from typing import NamedTuple

import numpy as np

from anyzero.learning.samples import Samples, take

CHUNK = 1 << 16
"""Rows whose policies are averaged at a time, so that little memory is needed besides the samples."""


class Merged(NamedTuple):
    """Samples, no two of which are equal, in the order in which each position came first."""

    samples: Samples
    """Policies are means by policy weight, the generation is the newest; every other number is a mean."""
    targets: np.ndarray
    """[samples] float32: the mean of the values to learn."""
    counts: np.ndarray
    """[samples] int64: how many were merged into each."""


def merge(samples: Samples, targets: np.ndarray) -> Merged:
    """Merge rows with equal keys and equal legal actions; `targets` are the values that each row would teach."""
    order = sort_rows(samples)
    starts = np.flatnonzero(begins_group(samples, order))
    counts = np.diff(np.append(starts, samples.num))
    firsts = order[starts]  # the order is stable: the first of a group is the one that came first
    merged = take(samples, order[starts + counts - 1])
    for name in ("policy_weights", "payoffs", "values", "weights"):
        getattr(merged, name)[:] = means(getattr(samples, name), order, starts, counts)
    merged.generations[:] = np.maximum.reduceat(samples.generations[order], starts) if samples.num else 0
    average_policies(samples, merged.policies, order, starts, counts)
    by_first = np.argsort(firsts)
    return Merged(take(merged, by_first), means(targets, order, starts, counts)[by_first], counts[by_first])


def sort_rows(samples: Samples) -> np.ndarray:
    """An order that puts rows side by side that may be equal, those that are in the order in which they came."""
    return np.lexsort((samples.actions.sum(axis=1, dtype=np.int64), samples.keys))


def begins_group(samples: Samples, order: np.ndarray) -> np.ndarray:
    """Whether each row, in this order, differs from the one before."""
    begins = np.ones(len(order), bool)
    begins[1:] = samples.keys[order[1:]] != samples.keys[order[:-1]]
    alike = np.flatnonzero(~begins)
    for first in range(0, len(alike), CHUNK):
        rows = alike[first : first + CHUNK]
        begins[rows] = (samples.actions[order[rows]] != samples.actions[order[rows - 1]]).any(axis=1)
    return begins


def means(column: np.ndarray, order: np.ndarray, starts: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The mean of every group."""
    if not len(order):
        return np.zeros(0, np.float32)
    return np.asarray(np.add.reduceat(column[order], starts, dtype=np.float64) / counts, np.float32)


def average_policies(
    samples: Samples, policies: np.ndarray, order: np.ndarray, starts: np.ndarray, counts: np.ndarray
) -> None:
    """Write the mean policy of each group with more than one row; where none of them has a weight, the last stays."""
    several = np.flatnonzero(counts > 1)
    ends = np.cumsum(counts[several])
    cuts = np.searchsorted(ends, np.arange(0, ends[-1] if len(ends) else 0, CHUNK))
    for groups in np.split(several, cuts[1:]):
        if len(groups):
            average_chunk(samples, policies, order, groups, starts[groups], counts[groups])


def average_chunk(
    samples: Samples,
    policies: np.ndarray,
    order: np.ndarray,
    groups: np.ndarray,
    starts: np.ndarray,
    counts: np.ndarray,
) -> None:
    ends = np.cumsum(counts)
    rows = order[np.repeat(starts - (ends - counts), counts) + np.arange(ends[-1])]
    weights = samples.policy_weights[rows]
    sums = np.add.reduceat(samples.policies[rows] * weights[:, None], ends - counts, axis=0)
    totals = np.add.reduceat(weights, ends - counts)
    known = totals > 0
    policies[groups[known]] = sums[known] / totals[known, None]
