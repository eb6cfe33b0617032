"""Replay: the samples that training sees, a pure function of the samples in order, the config and
the generation.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from anyzero.core.game.game import Game
from anyzero.core.game.rollouts import encode_states
from anyzero.core.learning.config import ReplayConfig
from anyzero.core.learning.samples import Samples, take


class Batch(NamedTuple):
    planes: Tensor  # [rows, *planes_shape] float32
    # [rows, actions] float32: the policy after search, with sum 1; zeros if there is none
    policies: Tensor
    legal: Tensor  # [rows, actions] bool
    # [rows] float32: the value target; [rows, seats] if each seat has one, the seat to move first
    values: Tensor
    policy_weights: Tensor  # [rows] float32: weight of the policy relative to the value
    weights: Tensor  # [rows] float32: weight of the row


@dataclass(frozen=True)
class ReplayStatistics:
    """The composition of a window; shares and ages refer to its samples before duplicates were
    merged.
    """

    num: int
    rows: int  # distinct positions after merging
    unique_share: float | None  # distinct positions per sample; None if samples have no keys
    new_share: float  # from this generation
    mean_age: float  # in generations


def build_replay(
    game: Game, window: Samples, config: ReplayConfig, generation: int, device: str = "cpu"
) -> "Replay":
    """The replay of a generation, made from all samples of a window, oldest first."""
    targets = value_targets(window, config)
    least_one = max(1, window.num)
    merged = (
        merge(window, targets)
        if config.merge
        else Merged(window, targets, np.ones(window.num, np.int64))
    )
    statistics = ReplayStatistics(
        num=window.num,
        rows=merged.samples.num,
        unique_share=len(np.unique(window.keys)) / least_one
        if window.num == 0 or window.keys.any()
        else None,
        new_share=int((window.generations == generation).sum()) / least_one,
        mean_age=float((generation - window.generations.astype(np.int64)).sum()) / least_one,
    )
    return Replay(game, merged, config, generation, statistics, device)


def value_targets(samples: Samples, config: ReplayConfig) -> np.ndarray:
    """k * payoff + (1 - k) * root value, [samples] float32; followed by the other seats' payoffs,
    if any.
    """
    first, last = config.payoff_share, config.payoff_share_end
    share = np.full(samples.num, first)
    if last != -1:  # interpolated linearly from the game's first ply to its last
        share = first + (last - first) * np.clip(
            samples.plies / np.maximum(1, samples.lengths - 1.0), 0.0, 1.0
        )
    targets = np.asarray(share * samples.payoffs + (1.0 - share) * samples.values, np.float32)
    return np.column_stack([targets, samples.others]) if samples.others.shape[1] else targets


class BatchOrder(NamedTuple):
    """A batch to be made: everything that comes from the host."""

    rows: Tensor
    turns: Tensor  # the number of each row's symmetry; 0: none


class Replay:
    """Rows to sample from, and batches made from them where training happens: on a GPU it never
    waits for the host.

    Inputs are encoded and transformed on demand.
    """

    def __init__(
        self,
        game: Game,
        merged: "Merged",
        config: ReplayConfig,
        generation: int,
        statistics: ReplayStatistics,
        device: str = "cpu",
    ) -> None:
        self.game = game
        self.statistics = statistics
        self.device = device
        samples, targets, self.counts = merged
        self.samples = samples
        self.num = samples.num
        self.num_new = round(
            statistics.new_share * statistics.num
        )  # of this generation, before merging
        self.cumulated = np.cumsum(self.counts, dtype=np.float64) if config.by_count else None
        ages = generation - samples.generations
        weights = samples.weights * np.maximum(config.fade_floor, 1.0 - config.fade * ages)
        self.actions = upload(samples.actions, device)
        self.policies = upload(samples.policies, device)
        self.targets = upload(targets, device)
        self.policy_weights = upload(samples.policy_weights, device)
        self.weights = upload(weights.astype(np.float32), device)
        turns = game.symmetries if config.symmetries else []
        same = np.arange(math.prod(game.planes_shape)), np.arange(game.num_actions)
        self.plane_turns = upload(
            np.stack([same[0], *(turn.planes for turn in turns)]).astype(np.int64), device
        )
        self.action_turns = upload(
            np.stack([same[1], *(turn.actions for turn in turns)]).astype(np.int64), device
        )
        if device == "cuda":
            from anyzero.core.compile import gpu  # numba-cuda takes half a second to import
            from anyzero.core.nets.on_gpu import encode_kernel

            self.on_gpu = gpu.rules_to_device(game.rules), gpu.cuda.to_device(samples.states)
            self.kernel = game.compile(encode_kernel, "cuda")

    def row_batches(self, steps: int, size: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
        """The rows of every step: successive permutations, or drawn with replacement in proportion
        to their counts.
        """
        size = min(size, self.num)
        cumulated = self.cumulated
        if cumulated is None:
            return permuted(self.num, steps, size, rng)
        places = (rng.random(size) * cumulated[-1] for _ in range(steps))
        return (
            np.searchsorted(cumulated, place, side="right").clip(max=self.num - 1)
            for place in places
        )

    def batch(self, rows: np.ndarray, rng: np.random.Generator | None) -> Batch:
        """These rows, each under a random symmetry; without `rng`, unchanged."""
        return self.deliver(self.order(rows, rng))

    def order(self, rows: np.ndarray, rng: np.random.Generator | None) -> BatchOrder:
        num = len(self.action_turns)
        turns = np.zeros(len(rows), np.int64) if rng is None else rng.integers(0, num, len(rows))
        return BatchOrder(upload(rows, self.device), upload(turns, self.device))

    def deliver(self, order: BatchOrder) -> Batch:
        """The batch that was ordered. No step waits for the GPU, so that it can be captured in a
        CUDA graph.
        """
        rows = order.rows
        planes, (policies, legal) = self.turned_planes(*order), self.dense_policies(*order)
        return Batch(
            planes,
            policies,
            legal,
            self.targets[rows],
            self.policy_weights[rows],
            self.weights[rows],
        )

    def turned_planes(self, rows: Tensor, turns: Tensor) -> Tensor:
        if self.device == "cpu":
            planes = torch.from_numpy(encode_states(self.game, self.samples.states[rows.numpy()]))
        else:
            from anyzero.core.compile import gpu

            planes = self.weights.new_zeros(len(rows), *self.game.planes_shape)
            stream = torch.cuda.current_stream().cuda_stream if rows.is_cuda else 0
            gpu.enqueue(
                self.kernel,
                len(rows),
                stream,
                *self.on_gpu,
                gpu.tensor_array(rows),
                gpu.tensor_array(planes),
            )
        if len(self.plane_turns) == 1:
            return planes
        return planes.flatten(1).gather(1, self.plane_turns[turns]).view_as(planes)

    def dense_policies(self, rows: Tensor, turns: Tensor) -> tuple[Tensor, Tensor]:
        """Policies over all actions, and the mask of legal ones, both transformed by the
        symmetry.
        """
        # Each sums to almost 1, up to float16 rounding, or to 0 if there is none.
        actions = self.actions[rows].long()
        policies = F.normalize(self.policies[rows].float(), p=1.0)
        num = self.game.num_actions
        listed = actions >= 0
        places = torch.where(listed, self.action_turns[turns[:, None], actions.clamp(min=0)], num)
        dense = policies.new_zeros(len(rows), num + 1)
        legal = listed.new_zeros(len(rows), num + 1)
        dense = dense.scatter_(1, places, policies)
        legal = legal.scatter_(1, places, listed)
        return dense[:, :num].contiguous(), legal[:, :num].contiguous()


def upload(array: np.ndarray, device: str) -> Tensor:
    """Copy to a GPU from pinned memory: a plain copy would wait for all pending work."""
    tensor = torch.from_numpy(array)
    return tensor if device == "cpu" else tensor.pin_memory().to(device, non_blocking=True)


def permuted(num: int, steps: int, size: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Batches cut from successive permutations, so that every row occurs equally often."""
    left = np.zeros(0, np.int64)
    for _ in range(steps):
        if len(left) < size:
            left = np.concatenate([left, rng.permutation(num)])
        yield left[:size]
        left = left[size:]


CHUNK = 1 << 16  # rows whose policies are averaged at a time, to save memory


class Merged(NamedTuple):
    """Distinct samples, ordered by the first occurrence of each position."""

    # policies are means by policy weight, the generation is the newest; all other numbers are means
    samples: Samples
    targets: np.ndarray  # [samples] or [samples, seats] float32: the mean value target
    counts: np.ndarray  # [samples] int64: how many samples were merged into each


def merge(samples: Samples, targets: np.ndarray) -> Merged:
    """Merge rows with equal keys and equal legal actions; `targets` are the value targets of the
    rows.
    """
    # Sorting makes candidates for merging adjacent; equal ones stay in their original order.
    order = np.lexsort((samples.actions.sum(axis=1, dtype=np.int64), samples.keys))
    starts = np.flatnonzero(begins_group(samples, order))
    counts = np.diff(np.append(starts, samples.num))
    firsts = order[starts]  # the sort is stable: the first of a group is its first occurrence
    merged = take(samples, order[starts + counts - 1])
    averaged = ("policy_weights", "payoffs", "values", "weights", "others")
    merged = merged._replace(
        **{name: means(getattr(samples, name), order, starts, counts) for name in averaged}
    )
    if samples.num:
        newest = np.maximum.reduceat(samples.generations[order], starts)
        merged = merged._replace(generations=newest)
    average_policies(samples, merged.policies, order, starts, counts)
    by_first = np.argsort(firsts)
    return Merged(
        take(merged, by_first), means(targets, order, starts, counts)[by_first], counts[by_first]
    )


def begins_group(samples: Samples, order: np.ndarray) -> np.ndarray:
    """Whether each row, in this order, differs from the one before."""
    begins = np.ones(len(order), bool)
    begins[1:] = samples.keys[order[1:]] != samples.keys[order[:-1]]
    alike = np.flatnonzero(~begins)
    for first in range(0, len(alike), CHUNK):
        rows = alike[first : first + CHUNK]
        begins[rows] = (samples.actions[order[rows]] != samples.actions[order[rows - 1]]).any(
            axis=1
        )
    return begins


def means(
    column: np.ndarray, order: np.ndarray, starts: np.ndarray, counts: np.ndarray
) -> np.ndarray:
    if not len(order):
        return np.zeros((0, *column.shape[1:]), np.float32)
    each = counts.reshape(-1, *(1 for _ in column.shape[1:]))
    return np.asarray(np.add.reduceat(column[order], starts, dtype=np.float64) / each, np.float32)


def average_policies(
    samples: Samples,
    policies: np.ndarray,
    order: np.ndarray,
    starts: np.ndarray,
    counts: np.ndarray,
) -> None:
    """Write the mean policy of each group with more than one row; if none of them has weight, the
    last stays.
    """
    several = np.flatnonzero(counts > 1)
    ends = np.cumsum(counts[several])
    cuts = np.searchsorted(ends, np.arange(0, ends[-1] if len(ends) else 0, CHUNK))
    for groups in filter(len, np.split(several, cuts[1:])):
        num = counts[groups]
        begins = np.cumsum(num) - num
        rows = order[np.repeat(starts[groups] - begins, num) + np.arange(num.sum())]
        weights = samples.policy_weights[rows]
        sums = np.add.reduceat(samples.policies[rows] * weights[:, None], begins, axis=0)
        totals = np.add.reduceat(weights, begins)
        weighted = totals > 0
        policies[groups[weighted]] = sums[weighted] / totals[weighted, None]
