"""Trials: one batch must be learnt by heart, by the run's network and by a fresh one at the run's learning rate."""

import math
from dataclasses import replace
from functools import lru_cache
from time import monotonic
from typing import NamedTuple

import numpy as np

from anyzero.doctor.case import Case
from anyzero.doctor.finding import DOUBTFUL, WELL, WRONG, Finding, skipped
from anyzero.learning.config import TrainerConfig
from anyzero.learning.lesson import on_device
from anyzero.learning.measures import row_losses
from anyzero.learning.replay import Batch, Replay, build_replay
from anyzero.learning.trainer import Trainer, computing_on
from anyzero.networks import Network

RATE, OVERFIT = "learning rate", "overfit one batch"
ROWS, STEPS, SECONDS = 64, 250, 6.0
FEW_STEPS = 60
"""With fewer, a batch that is not learnt proves nothing."""
FALLEN, NEAR_FLOOR = 0.5, 0.2
"""Parts of a fresh network's loss: one that falls, and one that is near its floor, which is 0."""
RATHER_HIGH = 0.1
"""A part of the loss that is left although a hundredth of the rate leaves a third of it or less."""
ENOUGH = 0.02
"""A trial ends when its loss is under this part of the first."""
LAST = 10
"""Steps over which the last loss is a mean."""
LOWER = 100.0
TRIAL_THREADS = 1
"""Two threads that share their processors with other work took up to 30 times as long for a step."""
SOUND_RATE = 1e-3
"""A rate at which networks of this kind learn."""


class Trial(NamedTuple):
    """Steps on one batch."""

    rate: float
    first: float
    last: float
    """The mean loss of the last steps; not a number as soon as one is."""
    steps: int

    def share(self, of: float) -> float:
        """Of another loss; infinite where the loss is not finite."""
        return self.last / of if math.isfinite(self.last) else math.inf

    @property
    def text(self) -> str:
        last = f"{self.last:.3g}" if math.isfinite(self.last) else "a number that is not finite"
        return f"at the rate {self.rate:g} from {self.first:.3g} to {last} in {self.steps} steps"


@lru_cache(maxsize=1)
def newest_rows(case: Case) -> Replay:
    """Different positions of the newest samples, none of them turned, with the run's own targets.

    Samples without keys cannot be told apart: they stay as they are.
    """
    has_keys = bool(case.samples.keys.any())
    config = replace(case.config.replay, merge=has_keys, symmetries=False, priority=0.0, by_count=False)
    return build_replay(case.game, case.samples, config, case.generation)


def one_batch(case: Case, rows: int = ROWS) -> Batch:
    """Some of them, always the same."""
    replay = newest_rows(case)
    chosen = np.random.default_rng(case.config.seed).permutation(replay.num)[:rows]
    return replay.batch(chosen, None)


def learn_batch(case: Case, network: Network, batch: Batch, rate: float) -> Trial:
    """Train a copy on this batch alone, as the run trains, but for its learning rate."""
    config: TrainerConfig = replace(case.config.trainer, learning_rate=rate)
    trainer = Trainer(case.game, network, config, device=case.device, threads=TRIAL_THREADS)
    batch, end = on_device(batch, case.device), monotonic() + SECONDS
    losses: list[float] = []
    with computing_on(TRIAL_THREADS, network.config):
        while len(losses) < STEPS and monotonic() < end:
            parts = row_losses(trainer.network, trainer.forward(batch), batch)
            loss = (batch.weights * trainer.loss(parts, batch)).mean()
            losses.append(float(loss.detach()))
            if not math.isfinite(losses[-1]) or losses[-1] < ENOUGH * losses[0]:
                break
            trainer.backward(loss)
            trainer.step(rate)
    tail = losses[-1:] if losses[-1] < ENOUGH * losses[0] else losses[-LAST:]
    return Trial(rate, losses[0], sum(tail) / len(tail), len(losses))


class Trials(NamedTuple):
    """Of fresh networks, all from the same start."""

    own: Trial
    lower: Trial
    sound: Trial | None
    """At a rate that is known to work, where neither of the others did."""

    @property
    def best(self) -> Trial:
        return min((self.own, self.lower, *([self.sound] if self.sound else [])), key=lambda trial: trial.share(1.0))


@lru_cache(maxsize=1)
def try_rates(case: Case) -> Trials:
    """The run's own learning rate, and a hundredth of it."""
    batch, rate = one_batch(case), case.config.trainer.learning_rate
    own, lower = (learn_batch(case, case.fresh, batch, one) for one in (rate, rate / LOWER))
    stuck = min(own.share(own.first), lower.share(own.first)) > FALLEN
    return Trials(own, lower, learn_batch(case, case.fresh, batch, SOUND_RATE) if stuck else None)


def check_rate(case: Case) -> Finding:
    """The loss of one batch, with a fresh network, at the run's learning rate and at a hundredth of it."""
    own, lower, sound = try_rates(case)
    first, seen = own.first, f"{own.text}; {lower.text}"
    if own.share(first) <= FALLEN:
        if own.share(first) > RATHER_HIGH and lower.share(first) < own.share(first) / 3:
            advice = "a lower trainer.learning_rate: with a hundredth of it one batch is learnt better"
            return Finding(RATE, DOUBTFUL, "the learning rate is rather high", seen, advice)
        return Finding(RATE, WELL, "the loss of one batch falls", seen)
    if own.steps < FEW_STEPS and math.isfinite(own.last):
        return skipped(RATE, f"the network is too slow here: {own.steps} steps in {SECONDS:g} s")
    if lower.share(first) < 0.8 * own.share(first):
        advice = f"trainer.learning_rate={lower.rate:g}, and a new run: weights that went too far do not come back"
        return Finding(RATE, WRONG, "the learning rate is too high", seen, advice)
    if sound is not None and sound.share(first) <= FALLEN:
        advice = f"trainer.learning_rate={SOUND_RATE:g}, and see that trainer.clip is not tiny"
        return Finding(RATE, WRONG, "the learning rate is too low", f"{seen}; {sound.text}", advice)
    advice = "a fresh network does not learn one batch at any rate: see the checks of layers and of overfitting"
    return Finding(RATE, DOUBTFUL, "no rate makes the loss of one batch fall", seen, advice)


def check_overfit(case: Case) -> Finding:
    """A copy of the run's network must learn one batch by heart; for a game, a fresh one."""
    trials = try_rates(case)
    best, first = trials.best, trials.own.first
    whose = "a fresh network"
    if case.network is not None:
        best, whose = learn_batch(case, case.network, one_batch(case), best.rate), "a copy of the newest network"
    share, seen = best.share(first), f"{whose}, {best.text}; a fresh one begins at {first:.3g}"
    if share <= NEAR_FLOOR:
        return Finding(OVERFIT, WELL, "one batch is learnt by heart", seen)
    if best.steps < FEW_STEPS and math.isfinite(best.last):
        return skipped(OVERFIT, f"the network is too slow here: {best.steps} steps in {SECONDS:g} s")
    advice = "the network is too small, dead in places, or its input does not tell positions apart: see the layers"
    if case.network is not None and trials.best.share(first) <= NEAR_FLOOR:
        advice = "a fresh network learns the same batch: the weights of this one are spoilt, begin a new run"
    verdict, says = (
        (DOUBTFUL, "one batch is learnt only in part") if share <= FALLEN else (WRONG, "not even one batch is learnt")
    )
    return Finding(OVERFIT, verdict, says, seen, advice)
