"""Strength from results: Elo with an interval from pairs of games, ratings, means with a paired
interval.

The two games of a pair share an opening, so they are not independent, but pairs are. All intervals
are therefore based on pair scores: 0, 1/4, 1/2, 3/4 or 1, the five classes of the pentanomial
model.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from anyzero.core.base.errors import BadOptionError
from anyzero.core.base.nouns import Number, Numbers, Values

PAIR_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
# a normal variable is within this many standard deviations of its mean with a probability of 95 %
NORMAL_95 = 1.959964


class Interval(NamedTuple):
    """An estimate with its 95 % confidence limits (approximate)."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Tally:
    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def total(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float | None:
        """From 0 to 1, with a draw as half; None without games."""
        return (self.wins + self.draws / 2) / self.total if self.total else None

    def to_json(self) -> dict[str, int]:
        return {"wins": self.wins, "draws": self.draws, "losses": self.losses}


def tally_scores(scores: Sequence[float]) -> Tally:
    return Tally(scores.count(1.0), scores.count(0.5), scores.count(0.0))


def compare(points: float, others: float) -> float:
    """1, 1/2 or 0."""
    return 1.0 if points > others else 0.5 if points == others else 0.0


def named(name: str, interval: Interval | None) -> dict[str, float | None]:
    """An interval as plain values; None if there is none, and for a limit that is not known."""
    limits = [limit if math.isfinite(limit) else None for limit in interval or (math.nan,) * 3]
    return dict(zip((name, f"{name}_low", f"{name}_high"), limits, strict=True))


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


def student_95(degrees: int) -> float:
    """The 95 % quantile of Student's t, by its expansion around the normal one (Abramowitz and
    Stegun 26.7.5).
    """
    if degrees <= 2:
        return (12.7062, 4.3027)[degrees - 1]
    x = NORMAL_95
    terms = (
        (x**3 + x) / 4,
        (5 * x**5 + 16 * x**3 + 3 * x) / 96,
        (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / 384,
        (79 * x**9 + 776 * x**7 + 1482 * x**5 - 1920 * x**3 - 945 * x) / 92160,
    )
    return x + sum(term / float(degrees) ** power for power, term in enumerate(terms, start=1))


def wilson_interval(score: float, games: int) -> Interval:
    """A score from 0 to 1, draws as halves, with the limits of Wilson 1927, accurate near 0 and 1
    too.

    It treats every game as an independent win or loss. Draws and swapped seats make it
    conservative.
    """
    spread = NORMAL_95**2 / games
    middle = (score + spread / 2) / (1 + spread)
    half = math.sqrt(spread * (score * (1 - score) + spread / 4)) / (1 + spread)
    return Interval(
        score, max(0.0, min(score, middle - half)), min(1.0, max(score, middle + half))
    )  # rounding


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


def mean_interval(values: Sequence[float]) -> Interval | None:
    """The mean with Student's interval (of differences: paired); None without values, no limits
    with only one.
    """
    num = len(values)
    if num == 0:
        return None
    mean = math.fsum(values) / num
    squares = math.fsum((value - mean) ** 2 for value in values)
    half = math.inf if num == 1 else student_95(num - 1) * math.sqrt(squares / (num - 1) / num)
    return Interval(mean, mean - half, mean + half)


# --- ratings of many players

ELO = 400.0 / math.log(10.0)  # Elo points per unit of log odds
NEWTON_STEPS = 100
LONGEST_STEP = 2.0


def fit_ratings(points: Sequence[Sequence[float]], anchor: int = 0) -> list[Interval]:
    """The Bradley-Terry model by maximum likelihood, with 95 % intervals; `points[a][b]` is a's
    score against b.

    A draw counts as half a win. Every two players get one extra imaginary draw, so that a player
    who won or lost everything also has a finite rating. One player, the anchor, is fixed at 0. A
    player's interval is that of its difference to the anchor, from the curvature of the likelihood.
    Single games are assumed to be independent; with swapped seats and draws this is a little
    conservative.
    """
    scored = np.array(points, float) + 0.5 * (1.0 - np.eye(len(points)))
    games = scored + scored.T
    free = [player for player in range(len(scored)) if player != anchor]
    strengths = np.zeros(len(scored))
    for _ in range(NEWTON_STEPS):
        expected = 1.0 / (1.0 + np.exp(strengths[None, :] - strengths[:, None]))
        weights = games * expected * (1.0 - expected)
        gradient = (scored - games * expected).sum(axis=1)  # of the log likelihood
        curvature = np.diag(weights.sum(axis=1)) - weights  # minus its second derivatives
        step = np.linalg.solve(curvature[np.ix_(free, free)], gradient[free])
        strengths[free] += np.clip(step, -LONGEST_STEP, LONGEST_STEP)
        if np.abs(step).max() < 1e-12:
            break
    deviations = np.zeros(len(scored))
    deviations[free] = np.sqrt(np.diag(np.linalg.inv(curvature[np.ix_(free, free)])))
    return [
        Interval(
            ELO * value, ELO * (value - NORMAL_95 * spread), ELO * (value + NORMAL_95 * spread)
        )
        for value, spread in zip(strengths.tolist(), deviations.tolist(), strict=True)
    ]


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
