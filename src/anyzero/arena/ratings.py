"""Ratings of many players from all their games at once: Bradley and Terry's model by maximum likelihood.

A draw counts as half a win. Every two players get one imaginary drawn game more, so that a player who won or lost
everything has a finite rating too. One player, the anchor, stands at 0.
"""

import math
from collections.abc import Sequence

import numpy as np

from anyzero.arena.statistics import NORMAL_95, Interval

ELO = 400.0 / math.log(10.0)
"""Elo points of one unit of log odds."""
STEPS = 100
LONGEST_STEP = 2.0


def rate(points: Sequence[Sequence[float]], anchor: int = 0) -> list[Interval]:
    """Ratings with 95 % intervals; `points[a][b]` is what a scored against b.

    The interval of a player is that of its difference to the anchor, from the curvature of the likelihood. Single games
    are taken to be independent; seats that are swapped and draws make the truth a little more certain than that.
    """
    scored = np.array(points, float) + 0.5 * (1.0 - np.eye(len(points)))
    games = scored + scored.T
    free = [player for player in range(len(scored)) if player != anchor]
    strengths = np.zeros(len(scored))
    for _ in range(STEPS):
        gradient, curvature = slope(strengths, scored, games)
        step = np.linalg.solve(curvature[np.ix_(free, free)], gradient[free])
        strengths[free] += np.clip(step, -LONGEST_STEP, LONGEST_STEP)
        if np.abs(step).max() < 1e-12:
            break
    deviations = np.zeros(len(scored))
    deviations[free] = np.sqrt(np.diag(np.linalg.inv(curvature[np.ix_(free, free)])))
    return [
        Interval(ELO * value, ELO * (value - NORMAL_95 * spread), ELO * (value + NORMAL_95 * spread))
        for value, spread in zip(strengths.tolist(), deviations.tolist(), strict=True)
    ]


def slope(strengths: np.ndarray, scored: np.ndarray, games: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The gradient of the log likelihood and minus its second derivatives."""
    expected = 1.0 / (1.0 + np.exp(strengths[None, :] - strengths[:, None]))
    weights = games * expected * (1.0 - expected)
    return (scored - games * expected).sum(axis=1), np.diag(weights.sum(axis=1)) - weights
