"""Value sign: a position that is won must be valued as won, by a network that learns it now and by the run's own."""

from dataclasses import replace
from time import monotonic
from typing import NamedTuple

import numpy as np

from anyzero.doctor.case import Case
from anyzero.doctor.finding import DOUBTFUL, WELL, WRONG, Finding, skipped
from anyzero.doctor.positions import Decided, decide, decided_among
from anyzero.doctor.results import last_positions, replay_lines
from anyzero.doctor.trials import TRIAL_THREADS
from anyzero.learning.config import TrainerConfig
from anyzero.learning.replay import Replay, build_replay
from anyzero.learning.samples import Samples, take
from anyzero.learning.trainer import Trainer
from anyzero.networks import Network

PIPELINE, NETWORK = "value sign in training", "value sign of the network"
LEAST = 8
"""Decided positions without which nothing is said."""
LATE = 2
"""Plies before the end of a random game whose positions are learnt."""
MOST = 96
"""Of them."""
TRIAL = TrainerConfig(batches=300, batch_size=64, learning_rate=2e-3, policy_weight=0.0)
SECONDS = 6.0
"""For a trial, at most."""
LEARNT, HARDLY = 0.4, 0.15
"""Parts of the exact values that a network reaches after the trial, and after a run, at least."""
SURE = 4.0
"""Standard errors below zero before a sign is called wrong."""


class Agreement(NamedTuple):
    """How a network's values go with exact ones."""

    share: float
    """Of the exact values: 1 if they are the same, negative if the sign is wrong; one seat: the correlation."""
    error: float
    """Standard error of the share."""
    text: str


def check_pipeline(case: Case) -> Finding:
    """Positions just before the end of random games go through the run's own samples, targets and trainer."""
    late, decided = late_samples(case)
    if len(decided.values) < LEAST:
        return skipped(PIPELINE, "random games of this game hardly ever end in positions that are decided")
    late.values[:] = late.payoffs  # what a search finds there
    config = replace(case.config.replay, merge=True, priority=0.0, symmetries=False)
    replay = build_replay(case.game, late, config, 0)
    network, steps, seconds = learn(case, replay)
    found = compare(case, network, decided)
    seen = f"after {steps} steps on {replay.num} positions just before the end, {found.text}"
    if found.share < -SURE * found.error:
        advice = (
            "payoffs, root values and the network's value are all for the seat to move: one of the places where they "
            "are written or read has the wrong sign, or encode does not show whose turn it is"
        )
        return Finding(PIPELINE, WRONG, "values are learnt with the wrong sign", seen, advice)
    if found.share < LEARNT and steps < TRIAL.batches:
        return skipped(PIPELINE, f"the network is too slow here: {steps} steps in {seconds:.0f} s")
    if found.share < LEARNT:
        advice = "see that encode shows whose turn it is and whatever decides the game, from the seat to move"
        return Finding(PIPELINE, WRONG, f"a new network cannot learn {results_of(case)}", seen, advice)
    return Finding(PIPELINE, WELL, f"a new network learns {results_of(case)}", seen)


def results_of(case: Case) -> str:
    return "who has won" if case.game.num_seats > 1 else "what a game came to"


def late_samples(case: Case) -> tuple[Samples, Decided]:
    """Some of the last positions of random games that somebody won, and those of them that are decided.

    A seat that could have won at once and did not is left out: what became of that says nothing of the position.
    """
    samples = case.random.samples
    late = (samples.plies >= samples.lengths - LATE) & (samples.policy_weights > 0.0)
    rows = np.flatnonzero(late & ((samples.payoffs != 0.0) | (case.game.num_seats == 1)))
    rows = np.random.default_rng(case.config.seed).permutation(rows)[: 2 * MOST]
    values = decide(case.game, samples.states[rows])
    missed = (values > 0.0) & (samples.plies[rows] < samples.lengths[rows] - 1)
    rows, values = rows[~missed][:MOST], values[~missed][:MOST]
    known = ~np.isnan(values)
    return take(samples, rows), Decided(samples.states[rows[known]], values[known])


def learn(case: Case, replay: Replay) -> tuple[Network, int, float]:
    """A fresh network of the run's own kind, trained for some seconds at most."""
    trainer = Trainer(case.game, case.fresh, TRIAL, device=case.device, threads=TRIAL_THREADS)
    watch = StopAfter(SECONDS)
    report = trainer.train(replay, 0, np.random.default_rng(case.config.seed), watch)
    return trainer.network_to_play(), report.steps, report.seconds


class StopAfter:
    """Tells a trainer to stop after so many seconds."""

    def __init__(self, seconds: float) -> None:
        self.end = monotonic() + seconds

    def __call__(self, _done: int, _steps: int) -> bool:
        return monotonic() > self.end


def check_network(case: Case) -> Finding:
    """The run's newest network on positions that are decided, from its own games or from random ones."""
    if case.network is None or case.generation == 0:
        return skipped(NETWORK, "no network has been trained yet")
    decided, source = find_decided(case)
    if len(decided.values) < LEAST or np.ptp(decided.values) == 0.0:
        return skipped(NETWORK, "there are hardly any decided positions")
    found = compare(case, case.network, decided)
    seen = f"on {len(decided.values)} decided positions of {source}, {found.text}"
    ends = ("won", "lost") if case.game.num_seats > 1 else ("good", "bad")
    if found.share < -SURE * found.error:
        advice = (
            "first look at the checks of samples and of training; a network that has learnt this must be thrown away"
        )
        return Finding(NETWORK, WRONG, f"the network takes {ends[0]} positions for {ends[1]} ones", seen, advice)
    if found.share < HARDLY:
        advice = "normal in the first generations; later, look at the learning rate, the layers, and the value's weight"
        return Finding(NETWORK, DOUBTFUL, f"the network hardly tells {ends[0]} from {ends[1]}", seen, advice)
    return Finding(NETWORK, WELL, f"the network tells {ends[0]} from {ends[1]}", seen)


def find_decided(case: Case) -> tuple[Decided, str]:
    """From the run's own games where they have enough of both kinds, else from random ones."""
    if case.lines:
        own = decided_among(case.game, last_positions(replay_lines(case, case.lines)))
        high = int((own.values > own.values.mean()).sum()) if len(own.values) else 0
        if min(high, len(own.values) - high) >= LEAST:
            return own, "its own games"
    samples = case.random.samples
    late = take(samples, np.flatnonzero(samples.plies >= samples.lengths - 3))
    return decided_among(case.game, late.states), "random games"


def compare(case: Case, network: Network, decided: Decided) -> Agreement:
    """The network's values beside the exact ones."""
    values = case.evaluator(network)(case.game, decided.states)[1].astype(float)
    exact = decided.values
    return compare_scores(values, exact) if case.game.num_seats == 1 else compare_sides(values, exact)


def compare_sides(values: np.ndarray, exact: np.ndarray) -> Agreement:
    """Two seats: half the distance from lost to won, so that an opinion that is the same everywhere counts nothing."""
    won, lost = values[exact > 0], values[exact < 0]
    parts = [
        f"{name} ones have the mean value {of.mean():+.2f}" for name, of in (("won", won), ("lost", lost)) if len(of)
    ]
    text = " and ".join(parts)
    if not (len(won) and len(lost)):
        signed = values * np.sign(exact)
        return Agreement(float(signed.mean()), spread(signed), text)
    size = float(np.abs(exact).mean())
    share = float(won.mean() - lost.mean()) / 2 / size
    return Agreement(share, float(np.hypot(spread(won), spread(lost))) / 2 / size, text)


def compare_scores(values: np.ndarray, exact: np.ndarray) -> Agreement:
    """One seat: the correlation with the results."""
    num = len(values)
    if values.std() < 1e-9:
        return Agreement(0.0, 1.0, "every position has the same value")
    found = float(np.corrcoef(values, exact)[0, 1])
    return Agreement(found, 1.0 / np.sqrt(num), f"values and results have the correlation {found:+.2f}")


def spread(values: np.ndarray) -> float:
    """The standard error of the mean."""
    return float(values.std() / np.sqrt(len(values)))
