"""A replay whose rows live on the GPU, and whose batches are made there: training never waits for the host."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from anyzero.compile import gpu
from anyzero.compile.gpu import cuda
from anyzero.learning.replay import Batch, Replay
from anyzero.networks.on_gpu import encode_kernel


class BatchOrder(NamedTuple):
    """All that a batch is made from besides the rows themselves."""

    rows: Tensor
    turns: Tensor
    """The number of a symmetry for each row."""
    importance: Tensor
    """What each row's weight is multiplied by."""


class GpuReplay:
    """The same rows, drawn in the same order and turned in the same way, as those of a `Replay`."""

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

    @property
    def num(self) -> int:
        return self.replay.num

    @property
    def num_new(self) -> int:
        return self.replay.num_new

    @property
    def prioritised(self) -> bool:
        return self.replay.prioritised

    def row_batches(self, steps: int, size: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
        return self.replay.row_batches(steps, size, rng)

    def note_losses(self, rows: np.ndarray, losses: np.ndarray) -> None:
        self.replay.note_losses(rows, losses)

    def batch(self, rows: np.ndarray, rng: np.random.Generator | None) -> Batch:
        """The same as the replay's, on the GPU."""
        return self.deliver(self.order(rows, rng))

    def order(self, rows: np.ndarray, rng: np.random.Generator | None) -> BatchOrder:
        """These rows, each to be turned at random; without an `rng` none is."""
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
        """The inputs of these rows, turned by the number of a symmetry each; 0 is none."""
        planes = torch.zeros(len(rows), *self.replay.game.planes_shape, device=self.device)
        stream = torch.cuda.current_stream().cuda_stream if rows.is_cuda else 0
        arguments = self.rules, self.states, gpu.tensor_array(rows), gpu.tensor_array(planes)
        gpu.enqueue(self.kernel, len(rows), stream, *arguments)
        if len(self.plane_turns) == 1:
            return planes
        return planes.flatten(1).gather(1, self.plane_turns[turns]).view_as(planes)

    def dense_policies(self, rows: Tensor, turns: Tensor) -> tuple[Tensor, Tensor]:
        """Policies over all actions, and which of those are legal, both turned."""
        actions, policies = self.actions[rows].long(), self.policies[rows].float()
        totals = policies.sum(1, keepdim=True)
        policies = policies / torch.where(totals > 0, totals, 1.0)  # float16 adds up to almost 1
        num, known = self.replay.game.num_actions, actions >= 0
        places = torch.where(known, self.action_turns[turns[:, None], actions.clamp(min=0)], num)
        dense = policies.new_zeros(len(rows), num + 1).scatter_(1, places, policies)[:, :num]
        legal = known.new_zeros(len(rows), num + 1).scatter_(1, places, known)[:, :num]
        return dense, legal
