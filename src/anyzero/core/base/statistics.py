"""Strength from results: tallies, means and shares with intervals, ratings of many players."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

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
