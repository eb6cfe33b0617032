"""One generation of training: its steps, its measurements, and recovery when a step goes wrong."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from anyzero.core.base.errors import AnyzeroError
from anyzero.core.compile.clock import clock
from anyzero.core.learning.config import TrainerConfig
from anyzero.core.learning.replay import Batch, BatchOrder, Replay
from anyzero.core.nets.models import Network, Output, log_priors, value_losses

CHECK_EVERY = {
    "cpu": 1,
    "cuda": 16,
}  # steps between checks of the losses: each check waits for the GPU
Watch = Callable[[int, int], None]  # called with the number of steps done and the total
Rng = np.random.Generator
Pace = Callable[
    [], float | None
]  # the share of the run's minutes that has passed; None if none are planned


class Learner(Protocol):
    """What a lesson drives."""

    config: TrainerConfig
    device: str

    def live_tensors(self) -> dict[str, Tensor]:
        """The tensors that training changes in place, by name."""

    def measure(self, source: Replay, order: BatchOrder) -> Tensor:
        """Compute the gradients of a batch, and what a report says of it."""

    def step(self, rate: float) -> None:
        """Change the weights by the gradients."""


class Lesson:
    def __init__(
        self, trainer: Learner, source: Replay, generation: int, rng: Rng, pace: Pace
    ) -> None:
        self.trainer = trainer
        self.source = source
        self.generation = generation
        self.rng = rng
        self.pace = pace
        self.size = min(trainer.config.batch_size, source.num)
        self.steps = num_steps(trainer.config, source)
        self.recovery = Recovery(trainer.live_tensors())
        self.pending: list[Tensor] = []  # measurements since the last check
        self.counted: list[Tensor] = []  # earlier ones, which are part of the report
        self.rate = 0.0

    def run(self, watch: Watch | None) -> "TrainReport":
        start = clock()
        for step, rows in enumerate(self.source.row_batches(self.steps, self.size, self.rng)):
            self.take_step(step, rows)
            if watch is not None:
                watch(step + 1, self.steps)
        self.end()
        return self.report(clock() - start)

    def take_step(self, step: int, rows: np.ndarray) -> None:
        """Measure a batch, and take a step unless the check fails."""
        trainer = self.trainer
        order = self.source.order(rows, self.rng)
        self.pending.append(trainer.measure(self.source, order).clone())
        if (step + 1) % CHECK_EVERY[trainer.device] == 0:
            if not self.is_well(step):
                return
            self.recovery.keep_if_due(
                step
            )  # before the step: the state after it is not yet checked
        rate = learning_rate(trainer.config, self.generation, step, self.steps, self.pace())
        self.rate = self.recovery.factor * rate
        trainer.step(self.rate)
        self.last_order = order

    def is_well(self, step: int) -> bool:
        """Whether losses and gradients since the last check are finite; if not, training goes
        back.
        """
        pending = self.pending
        self.pending = []
        if pending and not torch.stack(pending)[:, :2].isfinite().all():
            self.recovery.recover(step)
            return False
        self.counted += pending
        return True

    def end(self) -> None:
        """Check the state after the last step too: it plays next, and the next lesson starts from
        it.
        """
        if self.is_well(self.steps) and self.counted:
            self.pending.append(self.trainer.measure(self.source, self.last_order))
            if self.is_well(self.steps):
                self.counted.pop()

    def report(self, seconds: float) -> "TrainReport":
        steps = len(self.counted)
        samples = len(self.counted) * self.size
        numbers = torch.stack(self.counted) if steps else torch.zeros(1, 2 + NUM_SUMS)
        norms = numbers[:, 1].tolist()
        return TrainReport(
            generation=self.generation,
            steps=steps,
            samples=samples,
            seconds=seconds,
            samples_per_second=samples / max(seconds, 1e-9),
            learning_rate=self.rate,
            gradient_norm=sum(norms) / len(norms),
            gradient_norm_max=max(norms),
            recoveries=len(self.recovery.notes),
            notes=tuple(self.recovery.notes),
            **summarise(numbers[:, 2:].sum(0)),
        )


def num_steps(config: TrainerConfig, source: Replay) -> int:
    num_rows = config.trainings * source.num_new if config.trainings else config.epochs * source.num
    return config.batches or math.ceil(num_rows / max(1, min(config.batch_size, source.num)))


# cosine schedules end at this share of the learning rate: a run beyond its plan still learns
LOWEST = 1e-3
FIRST = 1 / 25  # one-cycle starts at this share of the learning rate
RISING = 0.3  # one-cycle rises for this share of a generation's steps. Smith and Topin 2018


def learning_rate(
    config: TrainerConfig, generation: int, step: int, steps: int, passed: float | None = None
) -> float:
    """The learning rate of step 0..steps-1 of a generation; training starts with generation 1.

    `passed` is the share of the run's minutes; if none are planned, generations are counted
    instead.
    """
    before = max(0, generation - 1)
    done = step / max(1, steps - 1)
    share = 1.0
    if passed is None:
        passed = (before + step / steps) / config.horizon
    if (
        config.schedule == "cosine"
    ):  # over the run, decaying a little with every step once it is no longer held
        share = fall(max(0.0, passed - config.hold) / (1.0 - config.hold))
    elif config.schedule == "one-cycle":  # per generation: a linear rise, then a cosine decay
        rising = FIRST + (1.0 - FIRST) * done / RISING
        share = rising if done < RISING else fall((done - RISING) / (1.0 - RISING))
    return config.learning_rate * share


def fall(done: float) -> float:
    """Half a cosine from 1 down to the lowest share, constant after that."""
    return LOWEST + (1.0 - LOWEST) * 0.5 * (1.0 + math.cos(math.pi * min(1.0, done)))


MOST = 5  # maximum recoveries in one generation; one more and training fails
KEEP_EVERY = 100  # steps between copies


class TrainingFailedError(AnyzeroError):
    """Losses or gradients were repeatedly not finite."""


class Recovery:
    """Keeps copies of the tensors that training changes in place."""

    def __init__(self, live: dict[str, Tensor]) -> None:
        self.live = live
        self.factor = 1.0
        self.notes: list[str] = []
        self.keep(0)

    def keep(self, step: int) -> None:
        """Copy the state before this step, which is good."""
        self.good = {name: tensor.clone() for name, tensor in self.live.items()}
        self.step = step

    def keep_if_due(self, step: int) -> None:
        if step - self.step >= KEEP_EVERY:
            self.keep(step)

    def recover(self, step: int) -> None:
        """Restore the last good state and halve the learning rate; after too many recoveries,
        fail.
        """
        for name, tensor in self.live.items():
            tensor.copy_(self.good[name])
        if len(self.notes) == MOST:
            raise TrainingFailedError(
                f"training was given up after {MOST} recoveries in one generation, since "
                "its loss or gradient was "
                "again not finite: the learning rate may be too high, clip too loose, or a "
                "policy, payoff or value "
                "of the samples not finite; the network is as it was when it was last good"
            )
        self.factor /= 2
        self.notes.append(
            f"the loss or gradient at step {step} was not finite: back to step {self.step}, "
            f"and on with {self.factor:g} of the learning rate"
        )


# --- measurements: weighted means over the rows seen

ABOUT_POLICIES = (
    "kl",
    "policy_entropy",
    "prior_entropy",
    "agreement",
)  # means over rows by weight and policy weight
ABOUT_VALUES = ("value_loss", "value_error")  # means over rows by weight
NUM_SUMS = len(ABOUT_POLICIES) + len(ABOUT_VALUES) + 2  # in `weighted_sums`


class RowLosses(NamedTuple):
    """The losses of each row of a batch, not yet summed."""

    policy: Tensor  # [rows]: KL(policy || priors), in nats
    value: Tensor  # [rows]: as the value head defines it
    log_priors: Tensor  # [rows, actions]: over the legal actions

    @torch.no_grad()
    def weighted_sums(self, predicted: Tensor, batch: Batch) -> Tensor:
        """One vector, on the batch's device: policy and value measures, and their weights."""
        policy_weights = batch.weights * batch.policy_weights
        predicted, values = (
            part if part.dim() == 1 else part[:, 0] for part in (predicted, batch.values)
        )
        best = batch.policies.gather(1, self.log_priors.argmax(1, keepdim=True)).squeeze(1)
        agrees = (
            best >= batch.policies.amax(1)
        ).float()  # equal to the best counts: ties are no error
        entropies = (
            torch.special.entr(batch.policies).sum(1),
            -(self.log_priors.exp() * self.log_priors).sum(1),
        )
        about_policies = torch.stack([self.policy, *entropies, agrees])
        about_values = torch.stack([self.value, (predicted - values).abs()])
        totals = torch.stack([policy_weights.sum(), batch.weights.sum()])
        return torch.cat(
            [about_policies @ policy_weights, about_values @ batch.weights, totals]
        ).double()


def row_losses(network: Network, output: Output, batch: Batch) -> RowLosses:
    logs = log_priors(output.logits, batch.legal)
    policy = F.kl_div(logs, batch.policies, reduction="none").sum(1)
    return RowLosses(policy, value_losses(network, output.value, batch.values), logs)


@dataclass(frozen=True)
class TrainReport:
    """One generation of training: means over its steps, each measured before the step."""

    generation: int
    steps: int
    samples: int  # rows seen in training, counted as often as they occurred
    seconds: float
    samples_per_second: float
    learning_rate: float  # of the last step
    policy_loss: (
        float  # cross-entropy of the search's policy and the priors: `kl` plus `policy_entropy`
    )
    kl: float  # KL(search's policy || priors), in nats
    policy_entropy: float  # of the search's policy, in nats: the lower bound of the policy loss
    prior_entropy: float  # of the priors, in nats
    agreement: float  # how often the move with the highest prior is also the search's best
    value_loss: float
    value_error: float  # mean absolute difference between the value and its target
    gradient_norm: float  # mean over steps, before clipping
    gradient_norm_max: float
    recoveries: int  # how often training returned to its last good state
    notes: tuple[str, ...]  # notes for the user


def summarise(sums: Tensor) -> dict[str, float]:
    """The measures of a report from the sum of all vectors; zeros if there were no rows."""
    *numbers, policy_total, value_total = sums.tolist()
    means = dict(zip((*ABOUT_POLICIES, *ABOUT_VALUES), numbers, strict=True))
    for name in means:
        means[name] /= (policy_total if name in ABOUT_POLICIES else value_total) or 1.0
    return means | {"policy_loss": means["kl"] + means["policy_entropy"]}
