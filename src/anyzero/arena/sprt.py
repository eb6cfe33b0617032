"""The sequential test: play until it is clear enough which of two Elo differences is nearer to the truth.

The generalised sequential probability ratio test on pair scores, as chess testing tools run it: the likelihood of the
five counts under the best distribution with the one expected score, against that with the other. Wald 1945 for the
bounds; Van den Bergh, "A practical introduction to the GSPRT" (2017), for the distribution: p / (1 + theta (a - s)).
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from anyzero.arena.statistics import PAIR_SCORES, expected_score
from anyzero.errors import BadOptionError

ALMOST_NONE = 1e-3
"""Stands for a count of zero, so that no score is held to be impossible."""
BISECTIONS = 50


@dataclass
class Sprt:
    """A test under way; pairs are added in their order."""

    elo0: float
    elo1: float
    alpha: float = 0.05
    """Most often that `elo1` is accepted where `elo0` is true."""
    beta: float = 0.05
    """Most often that `elo0` is accepted where `elo1` is true."""
    counts: list[int] = field(default_factory=lambda: [0] * 5)
    llr: float = 0.0
    """The logarithm of the likelihood ratio so far."""

    def __post_init__(self) -> None:
        if not (-4000.0 < self.elo0 < self.elo1 < 4000.0):
            raise BadOptionError(f"the test wants two Elo differences, the smaller first, not {self.elo0} {self.elo1}")

    @property
    def bounds(self) -> tuple[float, float]:
        """Where the test ends: at the lower one `elo0` is accepted, at the upper one `elo1`."""
        return math.log(self.beta / (1.0 - self.alpha)), math.log((1.0 - self.beta) / self.alpha)

    @property
    def decision(self) -> str | None:
        """ "elo0", "elo1", or None while it is open."""
        lower, upper = self.bounds
        return "elo1" if self.llr >= upper else "elo0" if self.llr <= lower else None

    def add(self, pair_score: float) -> None:
        self.counts[round(4 * pair_score)] += 1
        self.llr = float(log_likelihood_ratio(self.counts, self.elo0, self.elo1))

    def add_until_decided(self, pair_scores: Iterable[float]) -> int:
        """Take pairs for as long as the test is open; returns how many were taken."""
        taken = 0
        for score in pair_scores:
            if self.decision is not None:
                break
            self.add(score)
            taken += 1
        return taken

    def __str__(self) -> str:
        words = {"elo0": f"Elo {self.elo0:g} accepted", "elo1": f"Elo {self.elo1:g} accepted", None: "not decided"}
        lower, upper = self.bounds
        ratio = f"log likelihood ratio {self.llr:.2f}, bounds {lower:.2f} and {upper:.2f}"
        return f"SPRT: {words[self.decision]} ({ratio})"

    def to_json(self) -> dict[str, Any]:
        lower, upper = self.bounds
        values = {"elo0": self.elo0, "elo1": self.elo1, "alpha": self.alpha, "beta": self.beta}
        return {**values, "llr": self.llr, "lower": lower, "upper": upper, "decision": self.decision}


def log_likelihood_ratio(counts: Any, elo0: float, elo1: float) -> Any:
    """How much likelier the counts are under `elo1` than under `elo0`, as a logarithm; `counts` is [..., 5]."""
    weights = np.where(np.asarray(counts) == 0, ALMOST_NONE, np.asarray(counts, float))
    total = weights.sum(axis=-1, keepdims=True)
    tilts = [tilt(weights / total, expected_score(elo)) for elo in (elo0, elo1)]
    return (weights * (np.log(tilts[0]) - np.log(tilts[1]))).sum(axis=-1)


def tilt(shares: Any, score: float) -> Any:
    """1 + theta (a - score): dividing the shares by it gives the likeliest distribution with this expected score.

    Theta makes the expected score right: the root of a function that falls from plus to minus infinity.
    """
    away = np.array(PAIR_SCORES) - score
    low, high = np.full(shares.shape[:-1], -1.0 / (1.0 - score)), np.full(shares.shape[:-1], 1.0 / score)
    for _ in range(BISECTIONS):
        theta = (low + high) / 2.0
        right = (shares * away / (1.0 + theta[..., None] * away)).sum(axis=-1) > 0.0
        low, high = np.where(right, theta, low), np.where(right, high, theta)
    return 1.0 + ((low + high) / 2.0)[..., None] * away
