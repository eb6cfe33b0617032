"""One generation of training: its steps, what is measured on the way, and the way back when one goes wrong."""

import math
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import torch
from torch import Tensor

from anyzero.errors import AnyzeroError
from anyzero.learning.config import TrainerConfig
from anyzero.learning.measures import TrainReport, empty_sums, summarise
from anyzero.learning.replay import Batch

if TYPE_CHECKING:
    from anyzero.learning.trainer import Trainer

CHECK_EVERY = {"cpu": 1, "cuda": 16}
"""Steps from one look at the numbers to the next: on a GPU each look waits for it."""
Watch = Callable[[int, int], bool | None]
"""Told how many steps are done and how many there are; True stops training."""
Pace = Callable[[], float | None]
"""What share of the run's minutes has passed; None where none are planned."""


class Source(Protocol):
    """Where batches come from; they may already be on the device."""

    @property
    def num(self) -> int: ...

    @property
    def num_new(self) -> int:
        """Samples that no generation has trained on before."""

    @property
    def prioritised(self) -> bool:
        """Whether it wants to hear the loss of every row."""

    def row_batches(self, steps: int, size: int, rng: np.random.Generator) -> Iterator[Any]: ...

    def order(self, rows: Any, rng: np.random.Generator | None) -> Any:
        """A NamedTuple of tensors: all of a batch that comes from the host."""

    def deliver(self, order: Any) -> Batch:
        """The batch, made where its order is; a GPU records how, and does it again for other orders."""

    def note_losses(self, rows: Any, losses: np.ndarray) -> None: ...


class Lesson:
    """A trainer at work on a source."""

    def __init__(
        self, trainer: "Trainer", source: Source, generation: int, rng: np.random.Generator, pace: Pace
    ) -> None:
        self.trainer, self.source, self.generation, self.rng, self.pace = trainer, source, generation, rng, pace
        self.size = min(trainer.config.batch_size, source.num)
        self.steps = num_steps(trainer.config, source)
        self.recovery = Recovery(trainer.live_tensors())
        self.sums = empty_sums(trainer.device)
        self.norms: list[float] = []
        self.rate = 0.0
        self.stopped = False
        self.forget()

    def forget(self) -> None:
        """Nothing has been measured since the last look at the numbers."""
        self.pending: list[Tensor] = []
        self.pending_sums = torch.zeros_like(self.sums)

    def run(self, watch: Watch | None) -> TrainReport:
        start = perf_counter()
        for step, rows in enumerate(self.source.row_batches(self.steps, self.size, self.rng)):
            self.one(step, rows)
            if watch is not None and watch(step + 1, self.steps):
                self.stopped = step + 1 < self.steps
                break
        self.end()
        return self.report(perf_counter() - start)

    def one(self, step: int, rows: Any) -> None:
        """Measure a batch, and take a step unless the numbers say that something is wrong."""
        trainer = self.trainer
        order = on_device(self.source.order(rows, self.rng), trainer.device)
        losses = self.measure(order)
        if (step + 1) % CHECK_EVERY[trainer.device] == 0:
            if not self.is_well(step):
                return
            self.count()
            self.recovery.keep_if_due(step)  # before the step: what comes after it is not known to be good
        rate = learning_rate(trainer.config, self.generation, step, self.steps, self.pace())
        self.rate = self.recovery.factor * rate * warmth(trainer.config, int(trainer.steps))
        trainer.step(self.rate)
        if self.source.prioritised:
            self.source.note_losses(rows, losses.cpu().numpy())
        self.last_order = order

    def measure(self, order: Any) -> Tensor:
        """Make the gradients of a batch, and note what there is to say of it; returns the loss of each row."""
        measured = self.trainer.measure(self.source, order)
        self.pending.append(measured.loss_and_norm.clone())
        self.pending_sums += measured.sums
        return measured.losses

    def is_well(self, step: int) -> bool:
        """Whether losses and gradients since the last look are finite; if not, training goes back."""
        if not self.pending or torch.stack(self.pending).isfinite().all():
            return True
        self.recovery.recover(step)
        self.forget()
        return False

    def count(self) -> None:
        """What was measured since the last look is part of the report."""
        self.sums += self.pending_sums
        self.norms += [float(norm) for _, norm in self.pending]
        self.forget()

    def end(self) -> None:
        """The state after the last step is looked at too: it is what will play, and where the next lesson begins."""
        if self.is_well(self.steps):
            self.count()
            if self.norms:
                self.measure(self.last_order)
                self.is_well(self.steps)

    def report(self, seconds: float) -> TrainReport:
        steps, samples = len(self.norms), len(self.norms) * self.size
        return TrainReport(
            generation=self.generation,
            steps=steps,
            samples=samples,
            seconds=seconds,
            samples_per_second=samples / max(seconds, 1e-9),
            learning_rate=self.rate,
            gradient_norm=sum(self.norms) / max(1, steps),
            gradient_norm_max=max(self.norms, default=0.0),
            recoveries=len(self.recovery.notes),
            stopped=self.stopped,
            notes=tuple(self.recovery.notes),
            **summarise(self.sums),
        )


def num_steps(config: TrainerConfig, source: Source) -> int:
    """Steps a generation takes on a source."""
    wanted = config.trainings * source.num_new if config.trainings else config.epochs * source.num
    return config.batches or math.ceil(wanted / max(1, min(config.batch_size, source.num)))


def on_device(order: Any, device: str) -> Any:
    """The same tensors where the network is; they stay where they are if they are there already."""
    if device == "cpu" or order[0].is_cuda:
        return order
    return type(order)(*(part.pin_memory().to(device, non_blocking=True) for part in order))


# --- the learning rate


LOWEST = 1e-3
"""Cosines end at this share of the rate: a run that goes on beyond its plan still learns."""
FIRST = 1 / 25
"""One-cycle begins at this share of the rate."""
RISING = 0.3
"""One-cycle rises for this share of a generation's steps. Smith and Topin 2018."""


def learning_rate(config: TrainerConfig, generation: int, step: int, steps: int, passed: float | None = None) -> float:
    """The rate of step 0..steps-1 of a generation; generation 1 is the first that is trained.

    `passed` is the share of the run's minutes; where none are planned, its generations are counted instead.
    """
    before = max(0, generation - 1)
    if passed is None:
        passed = (before + step / steps) / config.horizon
    return config.learning_rate * SHARES[config.schedule](config, before, passed, step / max(1, steps - 1))


def warmth(config: TrainerConfig, steps: int) -> float:
    """The share of the rate after so many steps of the run: a straight line up, then 1."""
    return min(1.0, (steps + 1) / max(1, config.warm_up))


# Shares of the rate, by generations that were trained before, the share of the run, and that of the generation's steps.


def constant(_config: TrainerConfig, _before: int, _passed: float, _done: float) -> float:
    return 1.0


def stepwise(config: TrainerConfig, before: int, _passed: float, _done: float) -> float:
    return math.pow(config.step_factor, before // config.step_every)


def cosine(_config: TrainerConfig, _before: int, passed: float, _done: float) -> float:
    """From the full rate to the lowest at the end of the run, falling a little with every step."""
    return fall(passed)


def one_cycle(_config: TrainerConfig, _before: int, _passed: float, done: float) -> float:
    """Within the generation: a straight line up, then a cosine down."""
    if done < RISING:
        return FIRST + (1.0 - FIRST) * done / RISING
    return fall((done - RISING) / (1.0 - RISING))


def fall(done: float) -> float:
    """Half a cosine from 1 to the lowest share, and flat after that."""
    return LOWEST + (1.0 - LOWEST) * 0.5 * (1.0 + math.cos(math.pi * min(1.0, done)))


SHARES = {"constant": constant, "step": stepwise, "cosine": cosine, "one-cycle": one_cycle}
"""What share of the rate each schedule gives; the names are those that the config allows."""


# --- the way back


MOST = 5
"""Recoveries in one generation; one more, and training is given up."""
KEEP_EVERY = 100
"""Steps from one copy to the next."""


class TrainingFailedError(AnyzeroError):
    """Losses or gradients that are not finite, again and again."""


class Recovery:
    """Watches over tensors that training changes in place."""

    def __init__(self, live: dict[str, Tensor]) -> None:
        self.live, self.factor = live, 1.0
        self.notes: list[str] = []
        self.keep(0)

    def keep(self, step: int) -> None:
        """The state before this step is good."""
        self.good, self.step = {name: tensor.clone() for name, tensor in self.live.items()}, step

    def keep_if_due(self, step: int) -> None:
        if step - self.step >= KEEP_EVERY:
            self.keep(step)

    def recover(self, step: int) -> None:
        """Go back to the last good state, and on with half the learning rate; in the end, give up."""
        for name, tensor in self.live.items():
            tensor.copy_(self.good[name])
        if len(self.notes) == MOST:
            raise TrainingFailedError(
                f"training was given up after {MOST} recoveries in one generation, since its loss or gradient was "
                "again not finite: the learning rate may be too high, clip too loose, or a policy, payoff or value "
                "of the samples not finite; the network is as it was when it was last good"
            )
        self.factor /= 2
        self.notes.append(
            f"the loss or gradient at step {step} was not finite: back to step {self.step}, "
            f"and on with {self.factor:g} of the learning rate"
        )
