"""Priors: whether the network has an opinion about moves, or holds them all for equally good."""

import math
from typing import NamedTuple

import numpy as np
import torch

from anyzero.doctor.case import Case
from anyzero.doctor.finding import DOUBTFUL, WELL, WRONG, Finding, percent, skipped
from anyzero.doctor.trials import one_batch
from anyzero.learning.replay import Batch

PRIORS = "priors"
ROWS = 512
EQUAL = 1e-3
"""Divergence from equal priors, in nats, under which a network has no opinion."""
FLAT = 0.02
"""The same for the policies after search, under which there is nothing to learn."""
LITTLE = 0.1
"""Share of what could be learnt."""
LATE = 3
"""Generations after which a network that has learnt nothing of moves is no beginner any more."""


class Opinions(NamedTuple):
    """Means over positions with more than one legal move, in nats."""

    equal: float
    """The logarithm of the number of moves: the policy loss of a network without an opinion, were policies sure."""
    priors: float
    """Divergence of the priors from equal ones."""
    policies: float
    """Divergence of the policies after search from equal ones."""
    missing: float
    """Divergence of the policies from the priors: the part of the loss that can be learnt away."""

    @property
    def learnt(self) -> float:
        return 1.0 - self.missing / self.policies


def check_priors(case: Case) -> Finding:
    """The newest network's priors against equal ones, and against the policies that it was to learn."""
    if case.network is None or case.generation == 0 or not case.has_samples:
        return skipped(PRIORS, "no network has been trained yet")
    found = opinions(case, one_batch(case, ROWS))
    if found is None:
        return skipped(PRIORS, "there are no samples with more than one legal move")
    seen = describe(found, case)
    if found.priors < EQUAL:
        advice = "the policy head is dead or its loss has no weight: see the layers and trainer.policy_weight"
        return Finding(PRIORS, WRONG, "all moves have the same prior", seen, advice)
    if found.policies < FLAT:
        advice = "more simulations, or with gumbel a greater selfplay.value_scale: the search prefers no move itself"
        return Finding(PRIORS, DOUBTFUL, "the policies to learn are flat", seen, advice)
    if found.learnt < LITTLE:
        verdict = WRONG if case.generation >= LATE and found.learnt <= 0.0 else DOUBTFUL
        advice = "normal in the first generations; later, more epochs, another learning rate or a larger network"
        return Finding(PRIORS, verdict, "the priors know next to nothing of the policies", seen, advice)
    return Finding(PRIORS, WELL, "the network has an opinion about moves", seen)


def describe(found: Opinions, case: Case) -> str:
    trained = case.late("training", 1)
    loss = f", policy loss {trained[0]['policy_loss']:.3f}" if trained else ""
    return (
        f"equal priors would be {found.equal:.3f} nats{loss}; the priors are {found.priors:.3f} from equal, "
        f"the policies {found.policies:.3f}, of which {percent(max(0.0, found.learnt))} is learnt"
    )


def opinions(case: Case, batch: Batch) -> Opinions | None:
    """What the newest network and the search think of the moves of a batch; None where there is no choice."""
    assert case.network is not None
    rows = (batch.legal.sum(1) > 1) & (batch.policy_weights > 0.0)
    if not rows.any():
        return None
    with torch.inference_mode():
        logits = case.network(batch.planes[rows]).logits.float().numpy()
    legal, policies = batch.legal[rows].numpy(), batch.policies[rows].numpy()
    return measure(logits, legal, policies)


def measure(logits: np.ndarray, legal: np.ndarray, policies: np.ndarray) -> Opinions:
    """Entropies and divergences by their definitions, in float64."""
    masked = np.where(legal, logits.astype(float), -np.inf)
    logs = masked - np.logaddexp.reduce(masked, axis=1, keepdims=True)
    priors = np.where(legal, np.exp(logs), 0.0)
    equal = np.log(legal.sum(axis=1))
    prior_entropy = -np.where(legal, priors * np.where(legal, logs, 0.0), 0.0).sum(axis=1)
    surest = np.where(policies > 0.0, policies, 1.0).astype(float)
    policy_entropy = -(policies * np.log(surest)).sum(axis=1)
    cross = -(policies * np.where(legal, logs, 0.0)).sum(axis=1)
    means = (equal, equal - prior_entropy, equal - policy_entropy, cross - policy_entropy)
    found = Opinions(*(float(of.mean()) for of in means))
    return found if math.isfinite(found.missing) else found._replace(missing=math.inf)
