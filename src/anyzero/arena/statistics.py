"""What results say about strength: Elo with an interval from pairs of games, and means with a paired interval.

The two games of a pair share an opening, so they are not independent, but pairs are. All intervals are therefore made
of pair scores: 0, 1/4, 1/2, 3/4 or 1, the five classes of the pentanomial model.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

PAIR_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
NORMAL_95 = 1.959964
"""A normal variable is within this many standard deviations of its mean with a probability of 95 %."""


class Interval(NamedTuple):
    """An estimate and the limits between which the truth lies with a probability of about 95 %."""

    value: float
    low: float
    high: float


def expected_score(elo: float) -> float:
    """The score of a player who is this much stronger. Elo 1978: 400 points are odds of ten to one."""
    return 1.0 / (1.0 + math.pow(10.0, -elo / 400.0))


def elo_difference(score: float) -> float:
    """How much stronger a player with this score is; the score lies between 0 and 1, both left out."""
    return 400.0 * math.log10(score / (1.0 - score))


def count_pairs(scores: Sequence[float]) -> list[int]:
    """How many pairs fall into each of the five classes."""
    counts = [0] * 5
    for score in scores:
        counts[round(4 * score)] += 1
    return counts


def elo_interval(counts: Sequence[int]) -> Interval | None:
    """Elo from the five counts of pairs, by the normal approximation of their mean; None without a pair.

    Two cases need help. If all pairs scored the same, their variance says nothing: one imaginary pair is added, half of
    it lost and half of it won, for the interval only. And as a score of 1 would be an infinite Elo, no score is taken
    to be nearer to 0 or 1 than half a game in one more game than were played.
    """
    pairs = sum(counts)
    if pairs == 0:
        return None
    weights = [float(count) for count in counts]
    plain, _ = mean_and_variance(weights)
    if max(counts) == pairs:
        weights[0] += 0.5
        weights[4] += 0.5
    mean, variance = mean_and_variance(weights)
    half = NORMAL_95 * math.sqrt(variance / sum(weights))
    edge = 0.5 / (2 * pairs + 1)
    value, low, high = (
        elo_difference(min(1.0 - edge, max(edge, score))) for score in (plain, mean - half, mean + half)
    )
    return Interval(value, low, high)


def wilson_interval(score: float, games: int) -> Interval:
    """A score from 0 to 1 in so many games, draws as halves, with the limits of Wilson 1927: good near 0 and 1 too.

    It takes every game for an independent win or loss. Draws and seats that are swapped make the truth more certain.
    """
    spread = NORMAL_95**2 / games
    middle = (score + spread / 2) / (1 + spread)
    half = math.sqrt(spread * (score * (1 - score) + spread / 4)) / (1 + spread)
    return Interval(score, max(0.0, min(score, middle - half)), min(1.0, max(score, middle + half)))  # rounding


def mean_and_variance(weights: Sequence[float]) -> tuple[float, float]:
    """Of the pair scores, each class with its weight."""
    total = sum(weights)
    mean = sum(weight * score for weight, score in zip(weights, PAIR_SCORES, strict=True)) / total
    variance = sum(weight * (score - mean) ** 2 for weight, score in zip(weights, PAIR_SCORES, strict=True)) / total
    return mean, variance


def mean_interval(values: Sequence[float]) -> Interval | None:
    """The mean and its normal interval; of differences on the same deals, the paired interval. None without a value."""
    num = len(values)
    if num == 0:
        return None
    mean = math.fsum(values) / num
    variance = math.fsum((value - mean) ** 2 for value in values) / max(1, num - 1)
    half = NORMAL_95 * math.sqrt(variance / num)
    return Interval(mean, mean - half, mean + half)
