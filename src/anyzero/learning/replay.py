"""Replay: what training sees of the samples. A pure function of the samples in order, the config and the generation."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from anyzero.compile import gpu
from anyzero.compile.gpu import cuda
from anyzero.games.game import Game
from anyzero.games.rollouts import encode_states
from anyzero.learning.config import ReplayConfig
from anyzero.learning.samples import Samples, take
from anyzero.networks.on_gpu import encode_kernel

LEAST_LOSS = 0.01  # samples that are learnt by heart are still drawn as often as if their loss were this


class Batch(NamedTuple):
    planes: Tensor  # [rows, *planes_shape] float32
    policies: Tensor  # [rows, actions] float32: the policy after search, which adds up to 1; zeros where there is none
    legal: Tensor  # [rows, actions] bool
    values: Tensor  # [rows] float32: the value to learn; [rows, seats] where each seat has one, the seat to move first
    policy_weights: Tensor  # [rows] float32: how much the policy counts beside the value
    weights: Tensor  # [rows] float32: how much the row counts


@dataclass(frozen=True)
class ReplayStatistics:
    """What a window is made of; shares and ages are of its samples before equal ones were merged."""

    num: int
    rows: int  # what is left of them once equal positions are one
    unique_share: float | None  # different positions, by their number of samples; None where samples have no keys
    new_share: float  # from this generation
    mean_age: float  # in generations


def window_size(config: ReplayConfig, total: int) -> int:
    """How many samples, the newest, are trained on once there have been so many in all. Wu 2019, Appendix C."""
    smallest, power = config.window, config.window_power
    grown = ((max(total, smallest) / smallest) ** power - 1.0) / power
    return int(smallest * (1.0 + config.window_growth * grown))


def build_replay(game: Game, samples: Samples, config: ReplayConfig, generation: int, total: int = 0) -> "Replay":
    """The replay of a generation, from the newest samples, the oldest first, of `total` that there have been."""
    window = take(samples, slice(max(0, samples.num - window_size(config, max(total, samples.num))), None))
    targets, least_one = value_targets(window, config), max(1, window.num)
    merged = merge(window, targets) if config.merge else Merged(window, targets, np.ones(window.num, np.int64))
    statistics = ReplayStatistics(
        num=window.num,
        rows=merged.samples.num,
        unique_share=len(np.unique(window.keys)) / least_one if window.num == 0 or window.keys.any() else None,
        new_share=int((window.generations == generation).sum()) / least_one,
        mean_age=float((generation - window.generations.astype(np.int64)).sum()) / least_one,
    )
    return Replay(game, merged, config, generation, statistics)


def value_targets(samples: Samples, config: ReplayConfig) -> np.ndarray:
    """k * payoff + (1 - k) * root value, [samples] float32; the other seats' payoffs beside it, where there are any."""
    first, last = config.payoff_share, config.payoff_share_end
    share = np.full(samples.num, first)
    if last != -1:  # on a line from the game's first ply to its last
        share = first + (last - first) * np.clip(samples.plies / np.maximum(1, samples.lengths - 1.0), 0.0, 1.0)
    own = np.asarray(share * samples.payoffs + (1.0 - share) * samples.values, np.float32)
    return np.column_stack([own, samples.others]) if samples.others.shape[1] else own


class Replay:
    """Rows to draw from, and batches made of them: inputs are encoded and turned when they are needed."""

    def __init__(
        self, game: Game, merged: "Merged", config: ReplayConfig, generation: int, statistics: ReplayStatistics
    ) -> None:
        self.game, self.config, self.statistics = game, config, statistics
        self.samples, self.targets, self.counts = merged
        self.num, self.prioritised = self.samples.num, config.priority > 0  # whether it wants to hear of losses
        self.num_new = round(statistics.new_share * statistics.num)  # of this generation, before equal ones were merged
        ages = generation - self.samples.generations
        self.weights = self.samples.weights * np.maximum(config.fade_floor, 1.0 - config.fade * ages)
        self.base = self.counts.astype(np.float64) if config.by_count else np.ones(self.num)
        self.chances = self.base.copy()  # how likely each row is drawn, up to a factor
        self.cumulated: np.ndarray | None = None
        turns = game.symmetries if config.symmetries else []
        self.action_turns = np.stack([np.arange(game.num_actions), *(turn.actions for turn in turns)])
        self.plane_turns = [np.asarray(turn.planes) for turn in turns]

    def row_batches(self, steps: int, size: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
        """The rows of every step: one permutation after the other, or drawn by their chances at that moment."""
        size = min(size, self.num)
        if not (self.prioritised or self.config.by_count):
            return permuted(self.num, steps, size, rng)
        return (self.draw(size, rng) for _ in range(steps))

    def draw(self, size: int, rng: np.random.Generator) -> np.ndarray:
        """Rows with replacement, in proportion to their chances."""
        if self.cumulated is None:
            self.cumulated = np.cumsum(self.chances)
        places = rng.random(size) * self.cumulated[-1]
        return np.asarray(np.searchsorted(self.cumulated, places, side="right").clip(max=self.num - 1))

    def note_losses(self, rows: np.ndarray, losses: np.ndarray) -> None:
        """From now on these rows are drawn by these losses."""
        losses = np.where(np.isfinite(losses), losses, 0.0)
        self.chances[rows] = self.base[rows] * np.maximum(losses, LEAST_LOSS) ** self.config.priority
        self.cumulated = None

    def importance(self, rows: np.ndarray) -> np.ndarray:
        """Weights that take back the bias of drawing by losses, the greatest 1. Schaul et al. 2016."""
        if not self.prioritised:
            return np.ones(len(rows))
        excess = self.chances[rows] / self.base[rows]
        return np.asarray((excess / excess.min()) ** -self.config.importance)

    def batch(self, rows: np.ndarray, rng: np.random.Generator | None) -> Batch:
        """These rows, each turned at random; without an `rng` none is."""
        turns = self.draw_turns(len(rows), rng)
        policies, legal = self.dense_policies(rows, turns)
        weights = (self.weights[rows] * self.importance(rows)).astype(np.float32)
        targets, policy_weights = self.targets[rows], self.samples.policy_weights[rows]
        arrays = self.turned_planes(rows, turns), policies, legal, targets, policy_weights, weights
        return Batch(*map(torch.from_numpy, arrays))

    def draw_turns(self, num: int, rng: np.random.Generator | None) -> np.ndarray:
        """The number of a symmetry for each of so many rows; 0 is none."""
        return rng.integers(0, len(self.action_turns), num) if rng is not None else np.zeros(num, np.int64)

    order = batch

    def deliver(self, order: Batch) -> Batch:
        return order

    def turned_planes(self, rows: np.ndarray, turns: np.ndarray) -> np.ndarray:
        """The inputs of these rows, turned by the number of a symmetry each; 0 is none."""
        planes = encode_states(self.game, self.samples.states[rows])
        flat = planes.reshape(len(rows), -1)
        for number, turn in enumerate(self.plane_turns, 1):
            chosen = np.flatnonzero(turns == number)
            flat[chosen] = flat[chosen].take(turn, axis=1)
        return planes

    def dense_policies(self, rows: np.ndarray, turns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Policies over all actions, and which of those are legal, both turned."""
        actions, policies = self.samples.actions[rows], self.samples.policies[rows].astype(np.float32)
        totals = policies.sum(axis=1, keepdims=True)
        policies /= np.where(totals > 0, totals, 1.0)  # float16 adds up to almost 1
        known, num_actions = actions >= 0, self.game.num_actions
        owners = np.repeat(np.arange(len(rows)), known.sum(axis=1))
        places = self.action_turns[turns[owners], actions[known]] + owners * num_actions
        dense, legal = np.zeros((len(rows), num_actions), np.float32), np.zeros((len(rows), num_actions), bool)
        dense.reshape(-1)[places] = policies[known]
        legal.reshape(-1)[places] = True
        return dense, legal


def permuted(num: int, steps: int, size: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Batches cut from one permutation after the other, so that every row comes equally often."""
    left = np.zeros(0, np.int64)
    for _ in range(steps):
        if len(left) < size:
            left = np.concatenate([left, rng.permutation(num)])
        yield left[:size]
        left = left[size:]


CHUNK = 1 << 16  # rows whose policies are averaged at a time, so that little memory is needed besides the samples


class Merged(NamedTuple):
    """Samples, no two of which are equal, in the order in which each position came first."""

    samples: Samples  # policies are means by policy weight, the generation is the newest; every other number is a mean
    targets: np.ndarray  # [samples] or [samples, seats] float32: the mean of the values to learn
    counts: np.ndarray  # [samples] int64: how many were merged into each


def merge(samples: Samples, targets: np.ndarray) -> Merged:
    """Merge rows with equal keys and equal legal actions; `targets` are the values that each row would teach."""
    # Rows that may be equal lie side by side, those that are in the order in which they came.
    order = np.lexsort((samples.actions.sum(axis=1, dtype=np.int64), samples.keys))
    starts = np.flatnonzero(begins_group(samples, order))
    counts = np.diff(np.append(starts, samples.num))
    firsts = order[starts]  # the order is stable: the first of a group is the one that came first
    merged = take(samples, order[starts + counts - 1])
    for name in ("policy_weights", "payoffs", "values", "weights", "others"):
        getattr(merged, name)[:] = means(getattr(samples, name), order, starts, counts)
    merged.generations[:] = np.maximum.reduceat(samples.generations[order], starts) if samples.num else 0
    average_policies(samples, merged.policies, order, starts, counts)
    by_first = np.argsort(firsts)
    return Merged(take(merged, by_first), means(targets, order, starts, counts)[by_first], counts[by_first])


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
    if not len(order):
        return np.zeros((0, *column.shape[1:]), np.float32)
    each = counts.reshape(-1, *(1 for _ in column.shape[1:]))
    return np.asarray(np.add.reduceat(column[order], starts, dtype=np.float64) / each, np.float32)


def average_policies(
    samples: Samples, policies: np.ndarray, order: np.ndarray, starts: np.ndarray, counts: np.ndarray
) -> None:
    """Write the mean policy of each group with more than one row; where none of them has a weight, the last stays."""
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
        known = totals > 0
        policies[groups[known]] = sums[known] / totals[known, None]


class BatchOrder(NamedTuple):
    rows: Tensor
    turns: Tensor  # the number of a symmetry for each row
    importance: Tensor  # what each row's weight is multiplied by


class GpuReplay:
    """A replay whose rows live on the GPU, and whose batches are made there: training never waits for the host.

    The rows are drawn in the same order and turned in the same way.
    """

    def __init__(self, replay: Replay, device: str = "cuda") -> None:
        self.replay, self.device = replay, device
        game, samples = replay.game, replay.samples
        self.rules, self.states = gpu.rules_to_device(game.rules), cuda.to_device(samples.states)
        self.actions, self.policies = self.upload(samples.actions), self.upload(samples.policies)
        self.targets, self.policy_weights = self.upload(replay.targets), self.upload(samples.policy_weights)
        self.weights = self.upload(np.asarray(replay.weights, np.float32))
        self.action_turns = self.upload(replay.action_turns.astype(np.int64))
        same = np.arange(int(np.prod(game.planes_shape)))
        self.plane_turns = self.upload(np.stack([same, *replay.plane_turns]).astype(np.int64))
        self.kernel = game.compile(encode_kernel, "cuda")

    def upload(self, array: np.ndarray) -> Tensor:
        """From pinned memory: a plain copy would wait for all that the GPU still has to do."""
        tensor = torch.from_numpy(array)
        return tensor if self.device == "cpu" else tensor.pin_memory().to(self.device, non_blocking=True)

    def __getattr__(self, name: str) -> Any:
        """Which rows there are, and which are drawn, is the replay's own matter."""
        return getattr(self.replay, name)

    def batch(self, rows: np.ndarray, rng: np.random.Generator | None) -> Batch:
        return self.deliver(self.order(rows, rng))

    def order(self, rows: np.ndarray, rng: np.random.Generator | None) -> BatchOrder:
        turns, importance = self.replay.draw_turns(len(rows), rng), self.replay.importance(rows).astype(np.float32)
        return BatchOrder(self.upload(rows), self.upload(turns), self.upload(importance))

    def deliver(self, order: BatchOrder) -> Batch:
        """What was ordered. Nothing of it waits for the GPU, so that it can be recorded."""
        rows = order.rows
        policies, legal = self.dense_policies(rows, order.turns)
        weights = self.weights[rows] * order.importance
        planes = self.turned_planes(rows, order.turns)
        return Batch(planes, policies, legal, self.targets[rows], self.policy_weights[rows], weights)

    def turned_planes(self, rows: Tensor, turns: Tensor) -> Tensor:
        planes = torch.zeros(len(rows), *self.replay.game.planes_shape, device=self.device)
        stream = torch.cuda.current_stream().cuda_stream if rows.is_cuda else 0
        arguments = self.rules, self.states, gpu.tensor_array(rows), gpu.tensor_array(planes)
        gpu.enqueue(self.kernel, len(rows), stream, *arguments)
        if len(self.plane_turns) == 1:
            return planes
        return planes.flatten(1).gather(1, self.plane_turns[turns]).view_as(planes)

    def dense_policies(self, rows: Tensor, turns: Tensor) -> tuple[Tensor, Tensor]:
        actions, policies = self.actions[rows].long(), self.policies[rows].float()
        totals = policies.sum(1, keepdim=True)
        policies = policies / torch.where(totals > 0, totals, 1.0)  # float16 adds up to almost 1
        num, known = self.replay.game.num_actions, actions >= 0
        places = torch.where(known, self.action_turns[turns[:, None], actions.clamp(min=0)], num)
        dense = policies.new_zeros(len(rows), num + 1).scatter_(1, places, policies)[:, :num]
        legal = known.new_zeros(len(rows), num + 1).scatter_(1, places, known)[:, :num]
        return dense, legal


Source = Replay | GpuReplay
"""Where batches come from: `order` has all of one that comes from the host, `deliver` makes the rest where that is."""
