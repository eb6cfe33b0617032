"""Checks that train networks: the sign of values, live layers, the learning rate, and the quality
of priors.
"""

import math
from copy import deepcopy
from time import monotonic
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from anyzero.core.base.errors import list_some
from anyzero.core.base.nouns import States
from anyzero.core.game.rollouts import encode_states
from anyzero.core.learning.config import RunConfig, change
from anyzero.core.learning.lesson import row_losses, summarise
from anyzero.core.learning.replay import Batch, build_replay
from anyzero.core.learning.samples import Samples, take
from anyzero.core.learning.trainer import Trainer, computing_on
from anyzero.core.nets.models import Network
from anyzero.tools.doctor.case import DOUBTFUL, SKIPPED, WELL, WRONG, Case, Finding, precise_percent

# maximum per trial
STEPS = 250
SECONDS = 6.0
FEW_STEPS = 60  # with fewer, failing to learn a batch proves nothing
LEARNT = 0.02  # below this share of the first loss a trial ends
FEW_POSITIONS = 8  # minimum decided positions for judging values
SOUND_RATE = 1e-3  # a learning rate at which networks of this kind learn


class Trial(NamedTuple):
    network: Network
    rate: float
    first: float
    last: float  # the mean loss of the last steps; infinite if one was not finite
    steps: int

    @property
    def share(self) -> float:
        """The remaining share of the first loss; also infinite if that was not finite."""
        return self.last / self.first if math.isfinite(self.first) else math.inf

    @property
    def is_short(self) -> bool:
        """Whether the network is too slow here for the trial to prove anything."""
        return self.steps < FEW_STEPS and LEARNT <= self.share < math.inf

    @property
    def text(self) -> str:
        return (
            f"at rate {self.rate:g} the loss goes from {self.first:.3g} to "
            f"{self.last:.3g} in {self.steps} steps"
        )


def learn_batch(case: Case, network: Network, batch: Batch, config: RunConfig) -> Trial:
    """Train a copy on this batch alone, on one thread: two threads on busy cores are far slower."""
    trainer = Trainer(case.game, network, config.trainer, device=case.device, threads=1)
    rate = config.trainer.learning_rate
    losses = list[float]()
    end = math.inf
    batch = Batch(*(part.to(case.device) for part in batch))
    with computing_on(1, network.config):
        while len(losses) < STEPS and monotonic() < end:
            parts = row_losses(trainer.network, trainer.forward(batch), batch)
            loss = (batch.weights * trainer.loss(parts, batch)).mean()
            losses.append(float(loss.detach()))
            if not math.isfinite(losses[-1]) or losses[-1] < LEARNT * losses[0]:
                break
            trainer.backward(loss)
            trainer.step(rate)
            end = min(end, monotonic() + SECONDS)  # the first step may compile
    tail = losses[-1:] if losses[-1] < LEARNT * losses[0] else losses[-10:]
    last = sum(tail) / len(tail)
    return Trial(
        trainer.network_to_play(),
        rate,
        losses[0],
        last if math.isfinite(last) else math.inf,
        len(losses),
    )


def check_one_batch(case: Case) -> Finding:
    """A fresh network must learn one batch at the run's learning rate, and not only at a hundredth
    of it.
    """

    def attempt(rate: float) -> Trial:
        return learn_batch(
            case, case.fresh, case.batch(64), change(case.config, {"trainer.learning_rate": rate})
        )

    trial = attempt(case.config.trainer.learning_rate)
    lower = attempt(trial.rate / 100.0)
    share = trial.share
    lower_share = lower.last / trial.first
    evidence = f"{trial.text}; {lower.text}"
    if share <= 0.5:
        if share > 0.1 and lower_share < share / 3:
            advice = (
                "a lower trainer.learning_rate: one batch is learnt better at a hundredth of it"
            )
            return Finding(DOUBTFUL, "the learning rate is rather high", evidence, advice)
        return Finding(WELL, "the loss of one batch falls", evidence)
    if trial.is_short:
        return Finding(
            SKIPPED, f"the network is too slow here: {trial.steps} steps in {SECONDS:g} s"
        )
    if lower_share < 0.8 * share:
        advice = (
            f"trainer.learning_rate={lower.rate:g}, and a new run: diverged weights do not recover"
        )
        return Finding(WRONG, "the learning rate is too high", evidence, advice)
    sound = attempt(SOUND_RATE)
    if sound.share <= 0.5:
        advice = f"trainer.learning_rate={SOUND_RATE:g}, and check that trainer.clip is not tiny"
        return Finding(WRONG, "the learning rate is too low", f"{evidence}; {sound.text}", advice)
    advice = (
        "the network is too small or dead, its input does not distinguish positions, "
        "or its targets are NaN"
    )
    return Finding(WRONG, "not even one batch is learnt at any learning rate", evidence, advice)


def check_learnt_sign(case: Case) -> Finding:
    """The last positions of random games go through the run's own targets and trainer into a fresh
    network.
    """
    samples = case.random.samples
    late = _late(case, samples)
    keys = np.random.default_rng(case.config.seed).permutation(np.unique(samples.keys[late]))[:96]
    final = take(samples, late & np.isin(samples.keys, keys))
    if final.num < FEW_POSITIONS:
        return Finding(SKIPPED, "random games hardly ever have a winner")
    if np.ptp(final.payoffs) == 0.0:
        return Finding(
            SKIPPED,
            "the last positions of random games all have the same result for the seat to move",
        )
    final.values[:] = final.payoffs  # what a search would find there
    settings = {"replay.merge": True, "replay.symmetries": False}
    config = change(
        case.config, settings | {"trainer.learning_rate": 2e-3, "trainer.policy_weight": 0.0}
    )
    replay = build_replay(case.game, final, config.replay, 0)
    trial = learn_batch(case, case.fresh, replay.batch(np.arange(replay.num), None), config)
    slope, error = slope_of(values_of(case, trial.network, final.states), final.payoffs)
    evidence = (
        f"after {trial.steps} steps on {replay.num} final positions, values follow "
        f"results with slope {slope:+.2f}"
    )
    if slope < -4.0 * error:
        advice = (
            "payoffs, root values and the network's value are all for the seat to move: some code "
        )
        advice += (
            "writes or reads them with the wrong sign, or encode does not show whose turn it is"
        )
        return Finding(WRONG, "values are learnt with the wrong sign", evidence, advice)
    if slope < 0.2 and trial.is_short:
        return Finding(
            SKIPPED, f"the network is too slow here: {trial.steps} steps in {SECONDS:g} s"
        )
    if slope < 0.2:
        advice = (
            "check that encode shows whose turn it is and what decides the game, as "
            "seen by the seat to move"
        )
        return Finding(WRONG, "a new network cannot learn results", evidence, advice)
    return Finding(WELL, "a new network learns results", evidence)


def check_sign(case: Case) -> Finding:
    """Near the end of the newest games, values of the search and of the newest network must agree
    with the results.
    """
    if case.network is None or case.generation == 0 or not case.has_samples:
        return Finding(SKIPPED, "no network has been trained yet")
    samples = take(case.samples, _late(case, case.samples))
    samples = take(samples, slice(None, None, max(1, samples.num // 600)))
    if samples.num < FEW_POSITIONS or np.ptp(samples.payoffs) == 0.0:
        return Finding(SKIPPED, "too few games were won, or all by the same side")
    predictions = {
        "search": samples.values,
        "network": values_of(case, case.network, samples.states),
    }
    slopes = {name: slope_of(values, samples.payoffs) for name, values in predictions.items()}
    shown = " and ".join(f"{slope:+.2f} (the {name}'s)" for name, (slope, _) in slopes.items())
    evidence = (
        f"on {samples.num} positions near the end of games, values follow results with "
        f"slope {shown}"
    )
    for name, (slope, error) in slopes.items():
        if slope < -4.0 * error:
            advice = (
                "values are for the seat to move: check the targets and encode; "
                "discard this network"
            )
            return Finding(
                WRONG, f"the {name} mistakes won positions for lost ones", evidence, advice
            )
    for name, (slope, _) in slopes.items():
        if slope < 0.15:
            advice = (
                "normal in the first generations; later, check the learning rate, the "
                "layers, trainer.value_weight"
            )
            return Finding(DOUBTFUL, f"the {name} hardly tells won from lost", evidence, advice)
    return Finding(WELL, "won and lost positions are told apart", evidence)


def _late(case: Case, samples: Samples) -> np.ndarray:
    """The samples just before the end of decided games, [samples] bool; in games of one seat, of
    all games.

    Those of truncated games are left out: their targets come from their searches.
    """
    cut_off = (
        (samples.payoffs == samples.values)
        & (np.abs(samples.values) < 1.0)
        & (samples.values != 0.0)
    )
    late = (samples.plies >= samples.lengths - 2) & (samples.policy_weights > 0.0)
    return np.asarray(late & ~cut_off & ((samples.payoffs != 0.0) | (case.game.num_seats == 1)))


def values_of(case: Case, network: Network, states: States) -> np.ndarray:
    """Values for the seat to move, which comes first if each seat has a value."""
    with torch.inference_mode():
        values = network.expected(network(torch.from_numpy(encode_states(case.game, states))).value)
    return values.reshape(len(states), -1)[:, 0].double().numpy()


def slope_of(values: np.ndarray, results: np.ndarray) -> tuple[float, float]:
    """The slope of values against results: 1 if they are equal, 0 if values are constant; and its
    standard error.
    """
    values = values - values.mean()
    results = results - results.mean()
    size = float((results**2).sum())
    slope = float((values * results).sum()) / size
    return slope, math.sqrt(float(((values - slope * results) ** 2).mean()) / size)


class LayerState(NamedTuple):
    name: str
    is_zero: bool  # whether all weights are 0
    dead_units: float  # share of its outputs whose weights have no gradient


def check_layers(case: Case) -> Finding:
    """Every layer of the newest network must be alive; before a run, of a fresh one."""
    advice = (
        "start a new run, or continue from an earlier generation: units without a "
        "gradient never recover"
    )
    if case.network is None:
        advice = (
            "a layer of zeros after another layer of zeros learns nothing: initialise "
            "its weights at random"
        )
    return judge_layers(probe(case.network or case.fresh, case.batch(128).planes), advice)


def judge_layers(layers: list[LayerState], advice: str) -> Finding:
    """Wrong if a whole layer is dead, doubtful if most of one is."""
    dead = {
        "have weights that are all zero": [layer.name for layer in layers if layer.is_zero],
        "have no gradient": [
            layer.name for layer in layers if layer.dead_units == 1.0 and not layer.is_zero
        ],
    }
    faults = [
        f"{len(names)} of {len(layers)} {fault} ({list_some(names, 6)})"
        for fault, names in dead.items()
        if names
    ]
    if faults:
        return Finding(WRONG, "layers are dead", "; ".join(faults), advice)
    worst = max(layers, key=lambda layer: layer.dead_units)
    evidence = (
        f"{len(layers)} layers have gradients; {precise_percent(worst.dead_units)} of the units "
        f"in {worst.name} have none"
    )
    if worst.dead_units > 0.75:  # a third is common in the value head's hidden layer
        advice = (
            "a lower learning rate, or a smaller network: units that are never positive are lost"
        )
        return Finding(DOUBTFUL, "most units in a layer are dead", evidence, advice)
    return Finding(WELL, "every layer is alive", evidence)


def probe(network: Network, planes: Tensor) -> list[LayerState]:
    """Backpropagate a random gradient from every output: a layer it does not reach cannot learn
    from any loss.
    """
    network = deepcopy(network).double()
    planes = planes.double()
    weights = {
        name: network.get_parameter(f"{name}.weight").requires_grad_(True)
        for name in network.layers
    }
    rng = torch.Generator().manual_seed(0)
    output = network(planes)
    loss = sum((part * torch.randn(part.shape, generator=rng)).mean() for part in output)
    gradients = torch.autograd.grad(loss, list(weights.values()), allow_unused=True)
    states = []
    for (name, weight), of in zip(weights.items(), gradients, strict=True):
        dead = 1.0 if of is None else float((of.flatten(1) == 0).all(1).float().mean())
        states.append(LayerState(name, not weight.any(), dead))
    return states


def check_priors(case: Case) -> Finding:
    """The newest network's priors compared with uniform ones, and with the policies it was to
    learn.
    """
    if case.network is None or case.generation == 0 or not case.has_samples:
        return Finding(SKIPPED, "no network has been trained yet")
    batch = case.batch(512)
    rows = (batch.legal.sum(1) > 1) & (batch.policy_weights > 0.0)
    if not rows.any():
        return Finding(SKIPPED, "there are no samples with more than one legal move")
    batch = Batch(*(part[rows] for part in batch))
    with torch.inference_mode():
        output = case.network(batch.planes)
        parts = row_losses(case.network, output, batch)
        numbers = summarise(parts.weighted_sums(case.network.expected(output.value), batch))
    weights = batch.weights * batch.policy_weights
    equal = float((batch.legal.sum(1).log() * weights).sum() / weights.sum())
    priors = equal - numbers["prior_entropy"]
    policies = equal - numbers["policy_entropy"]
    missing = numbers["kl"]
    learnt = 1.0 - missing / max(policies, 1e-9)
    progress = precise_percent(max(0.0, learnt))
    evidence = (
        f"the priors are {priors:.3f} nats from uniform, the policies {policies:.3f}; "
        f"{progress} of that is learnt"
    )
    if priors < 1e-3:
        advice = (
            "the policy head is dead or its loss has no weight: see the layers and "
            "trainer.policy_weight"
        )
        return Finding(WRONG, "all moves have the same prior", evidence, advice)
    if policies < 0.02:
        advice = (
            "more simulations, or with gumbel a larger selfplay.value_scale: the "
            "search itself prefers no move"
        )
        return Finding(DOUBTFUL, "the target policies are flat", evidence, advice)
    if learnt < 0.1:
        verdict = WRONG if case.generation >= 3 and learnt <= 0.0 else DOUBTFUL
        advice = (
            "normal in the first generations; later, more epochs, another learning "
            "rate or a larger network"
        )
        return Finding(
            verdict, "the priors have learnt almost nothing of the policies", evidence, advice
        )
    return Finding(WELL, "the network prefers some moves", evidence)
