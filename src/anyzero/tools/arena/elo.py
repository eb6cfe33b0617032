"""Elo from pairs of games, with an interval, and a sequential test of it.

The two games of a pair share an opening, so they are not independent, but pairs are. Both are
therefore based on pair scores: 0, 1/4, 1/2, 3/4 or 1, the five classes of the pentanomial model.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from anyzero.core.base.errors import BadOptionError
from anyzero.core.base.nouns import Number, Numbers, Values
from anyzero.core.base.statistics import Interval, student_95

PAIR_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)


def expected_score(elo: float) -> float:
    """The score of a player who is stronger by this much. Elo 1978: 400 points are odds of ten to
    one.
    """
    return 1.0 / (1.0 + math.pow(10.0, -elo / 400.0))


def elo_difference(score: float) -> float:
    """The Elo difference that corresponds to this score, strictly between 0 and 1."""
    return 400.0 * math.log10(score / (1.0 - score))


def count_pairs(scores: Sequence[float]) -> list[int]:
    return [scores.count(score) for score in PAIR_SCORES]


def elo_interval(counts: Sequence[int]) -> Interval | None:
    """Elo from the five counts of pairs, with Student's interval of their mean; None without a
    pair.

    For the interval two imaginary pairs are added, one lost and one won: equal pair scores then do
    not give certainty, and few pairs, or scores near 0 and 1, keep their 95 %. It covers the truth
    in 95.8 % or more of matches of 3 to 50 pairs whose games are independent, and in 93.6 % or more
    if a pair's games always end alike. As a score of 1 would be an infinite Elo, estimates are
    limited to `farthest_elo`.
    """
    pairs = sum(counts)
    if pairs == 0:
        return None
    plain, _ = mean_and_variance([float(count) for count in counts])
    mean, variance = mean_and_variance([counts[0] + 1.0, *counts[1:4], counts[4] + 1.0])
    half = student_95(pairs + 1) * math.sqrt(
        variance / (pairs + 1)
    )  # of n + 2 pairs: a sample's variance, over n + 2
    far = farthest_elo(pairs)
    value, low, high = (elo_within(score, far) for score in (plain, mean - half, mean + half))
    return Interval(value, min(low, value), max(high, value))


def farthest_elo(pairs: int) -> float:
    """The Elo of a score half a game from 1, in one more game than were played; a limit there is an
    open end.
    """
    return elo_difference(1.0 - 0.5 / (2 * pairs + 1))


def elo_within(score: float, far: float) -> float:
    """The Elo of any score, clipped to this distance from 0."""
    if score <= 0.0 or score >= 1.0:
        return far if score >= 1.0 else -far
    return max(-far, min(far, elo_difference(score)))


def mean_and_variance(weights: Sequence[float]) -> tuple[float, float]:
    """Mean and variance of the pair scores, each class with its weight."""
    total = sum(weights)
    mean = sum(weight * score for weight, score in zip(weights, PAIR_SCORES, strict=True)) / total
    variance = (
        sum(
            weight * (score - mean) ** 2 for weight, score in zip(weights, PAIR_SCORES, strict=True)
        )
        / total
    )
    return mean, variance


# --- the sequential probability ratio test


ALMOST_NONE = 1e-3  # replaces a count of zero, so that no score is considered impossible
BISECTIONS = 50


@dataclass
class Sprt:
    """A test in progress; pairs are added in order."""

    elo0: float
    elo1: float
    alpha: float = 0.05  # maximum probability of accepting `elo1` when `elo0` is true
    beta: float = 0.05  # maximum probability of accepting `elo0` when `elo1` is true
    counts: list[int] = field(default_factory=lambda: [0] * 5)
    llr: float = 0.0  # the log-likelihood ratio so far

    def __post_init__(self) -> None:
        if not (-4000.0 < self.elo0 < self.elo1 < 4000.0):
            raise BadOptionError(
                f"the test needs two Elo differences, the smaller first, not {self.elo0} "
                f"{self.elo1}"
            )

    @property
    def bounds(self) -> tuple[float, float]:
        """The stopping bounds: at the lower one `elo0` is accepted, at the upper one `elo1`."""
        return math.log(self.beta / (1.0 - self.alpha)), math.log((1.0 - self.beta) / self.alpha)

    @property
    def decision(self) -> str | None:
        """ "elo0", "elo1", or None while it is open."""
        lower, upper = self.bounds
        return "elo1" if self.llr >= upper else "elo0" if self.llr <= lower else None

    def add_until_decided(self, pair_scores: Iterable[float]) -> None:
        """Add pairs while the test is open."""
        for score in pair_scores:
            if self.decision is None:
                self.counts[round(4 * score)] += 1
                self.llr = float(log_likelihood_ratio(self.counts, self.elo0, self.elo1))

    def __str__(self) -> str:
        words = {
            "elo0": f"Elo {self.elo0:g} accepted",
            "elo1": f"Elo {self.elo1:g} accepted",
            None: "not decided",
        }
        lower, upper = self.bounds
        ratio = f"log likelihood ratio {self.llr:.2f}, bounds {lower:.2f} and {upper:.2f}"
        return f"SPRT: {words[self.decision]} ({ratio})"

    def to_json(self) -> Values:
        lower, upper = self.bounds
        values = {"elo0": self.elo0, "elo1": self.elo1, "alpha": self.alpha, "beta": self.beta}
        return {
            **values,
            "llr": self.llr,
            "lower": lower,
            "upper": upper,
            "decision": self.decision,
        }


def log_likelihood_ratio(counts: Numbers, elo0: float, elo1: float) -> Number:
    """The log-likelihood ratio of `elo1` to `elo0` for these counts, [..., 5]."""
    weights = np.where(np.asarray(counts) == 0, ALMOST_NONE, np.asarray(counts, float))
    total = weights.sum(axis=-1, keepdims=True)
    tilts = [tilt(weights / total, expected_score(elo)) for elo in (elo0, elo1)]
    return (weights * (np.log(tilts[0]) - np.log(tilts[1]))).sum(axis=-1)


def tilt(shares: Numbers, score: float) -> Number:
    """1 + theta (a - score): dividing the shares by it gives the most likely distribution with this
    expected score.

    Theta satisfies the expected score: the root of a function that falls from plus to minus
    infinity.
    """
    away = np.array(PAIR_SCORES) - score
    low = np.full(shares.shape[:-1], -1.0 / (1.0 - score))
    high = np.full(shares.shape[:-1], 1.0 / score)
    for _ in range(BISECTIONS):
        theta = (low + high) / 2.0
        right = (shares * away / (1.0 + theta[..., None] * away)).sum(axis=-1) > 0.0
        low, high = np.where(right, theta, low), np.where(right, high, theta)
    return 1.0 + ((low + high) / 2.0)[..., None] * away
