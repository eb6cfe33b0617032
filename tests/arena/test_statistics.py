"""Elo, intervals and counts, on numbers computed by hand."""

import math

import numpy as np
import pytest

from anyzero.core.base.statistics import mean_interval, named, student_95, wilson_interval
from anyzero.tools.arena.elo import (
    count_pairs,
    elo_difference,
    elo_interval,
    expected_score,
    farthest_elo,
)


def test_elo_and_score_are_inverse_to_each_other():
    assert expected_score(0.0) == 0.5
    assert expected_score(400.0) == pytest.approx(10 / 11)
    assert elo_difference(0.75) == pytest.approx(400 * math.log10(3))  # 190.85
    assert elo_difference(expected_score(-37.0)) == pytest.approx(-37.0)


def test_pairs_are_counted_in_five_classes():
    assert count_pairs([0.0, 0.25, 0.5, 0.5, 0.75, 1.0, 1.0, 1.0]) == [1, 1, 2, 1, 3]


def test_the_elo_interval_comes_from_the_variance_of_pair_scores():
    """10 pairs lost, 20 halved, 8 won 3:1, 60 won 2:0, and the imaginary ones: one lost, one
    won.
    """
    found = elo_interval([10, 0, 20, 8, 60])
    assert found.value == pytest.approx(elo_difference((10 + 6 + 60) / 98))
    mean = (10 + 6 + 61) / 100
    variance = (5 + 8 * 0.5625 + 61) / 100 - mean**2
    half = 1.984217 * math.sqrt(variance / 99)  # Student's factor for 99 degrees of freedom
    assert found.low == pytest.approx(elo_difference(mean - half))
    assert found.high == pytest.approx(elo_difference(mean + half))


@pytest.mark.parametrize(
    ("degrees", "factor", "within"),
    [
        (1, 12.7062, 1e-6),
        (2, 4.3027, 1e-6),
        (3, 3.1824, 5e-3),
        (4, 2.7764, 2e-3),
        (10, 2.2281, 1e-4),
        (30, 2.0423, 1e-4),
        (1000, 1.9623, 1e-4),
    ],
)
def test_students_factor_is_that_of_the_tables(degrees, factor, within):
    assert student_95(degrees) == pytest.approx(factor, rel=within)


@pytest.mark.parametrize(("win", "draw"), [(0.5, 0.0), (0.75, 0.1), (0.995, 0.0)])
@pytest.mark.parametrize("pairs", [3, 10, 50])
def test_the_interval_holds_the_truth_in_95_of_100_matches(win, draw, pairs):
    """A limit at the farthest Elo is an open end. Two games a pair, which do not know of each
    other.
    """
    truth = elo_difference(win + draw / 2)
    rng, far, held = np.random.default_rng(pairs), farthest_elo(pairs), 0
    points = rng.choice(3, (1000, pairs, 2), p=[1.0 - win - draw, draw, win]).sum(axis=2)
    for match in points:
        _, low, high = elo_interval(np.bincount(match, minlength=5).tolist())
        held += (low <= truth or low == -far) and (truth <= high or high == far)
    assert held >= 930


@pytest.mark.parametrize("win", [0.5, 0.67, 0.77, 0.86, 0.97])
@pytest.mark.parametrize("pairs", [3, 12, 100])
def test_the_interval_holds_the_truth_also_where_an_opening_decides_both_games(win, pairs):
    """All possible matches, each with its probability: a pair is won or lost as a whole."""
    truth, far, held = elo_difference(win), farthest_elo(pairs), 0.0
    for won in range(pairs + 1):
        _, low, high = elo_interval([pairs - won, 0, 0, 0, won])
        if (low <= truth or low == -far) and (truth <= high or high == far):
            held += math.comb(pairs, won) * win**won * (1 - win) ** (pairs - won)
    assert held >= 0.935


def test_pairs_that_are_always_split_narrow_the_interval():
    split, mixed = elo_interval([0, 1, 98, 1, 0]), elo_interval([25, 0, 50, 0, 25])
    assert split.value == mixed.value == 0.0
    assert split.high < 11 < 48 < mixed.high  # single games would not tell the two apart


def test_twenty_pairs_won_without_a_loss_are_finite_and_one_sided():
    # With a pair lost and a pair won added: mean 21 / 22, variance 21 / 22 * 1 / 22.
    found = elo_interval([0, 0, 0, 0, 20])
    mean = 21 / 22
    half = 2.079614 * math.sqrt(mean * (1 - mean) / 21)
    assert (
        found.value == found.high == farthest_elo(20) == pytest.approx(elo_difference(1 - 0.5 / 41))
    )
    assert found.low == pytest.approx(elo_difference(mean - half))
    lost = elo_interval([20, 0, 0, 0, 0])
    assert lost == pytest.approx((-found.value, -found.high, -found.low))


def test_draws_alone_leave_a_doubt():
    found = elo_interval([0, 0, 20, 0, 0])
    # Two imaginary pairs of variance 1/4 among 22.
    half = 2.079614 * math.sqrt(2 * 0.25 / 22 / 21)
    assert found == pytest.approx((0.0, -elo_difference(0.5 + half), elo_difference(0.5 + half)))


@pytest.mark.parametrize(
    "counts", [[1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 1], [5, 0, 0, 0, 0]]
)
def test_the_limits_hold_the_value_and_are_finite(counts):
    value, low, high = elo_interval(counts)
    assert low <= value <= high
    assert low < high
    assert math.isfinite(low)
    assert math.isfinite(high)


def test_no_pairs_no_elo():
    assert elo_interval([0] * 5) is None
    assert mean_interval([]) is None


def test_one_value_does_not_bound_its_mean():
    assert mean_interval([7.0]) == (7.0, -math.inf, math.inf)
    assert named("mean", mean_interval([7.0])) == {"mean": 7.0, "mean_low": None, "mean_high": None}


def test_the_mean_of_differences_has_a_paired_interval():
    # 1, 2, 3, 4: mean 2.5, sample variance 5/3, standard error sqrt(5/12).
    found = mean_interval([1.0, 2.0, 3.0, 4.0])
    assert found.value == 2.5
    assert found.high - 2.5 == pytest.approx(
        3.1824 * math.sqrt(5 / 12), rel=2e-3
    )  # Student, 3 degrees
    assert 2.5 - found.low == pytest.approx(found.high - 2.5)


@pytest.mark.parametrize(
    ("wins", "games", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_intervals_are_those_of_newcombe(wins, games, low, high):
    """Newcombe 1998, "Two-sided confidence intervals for the single proportion", table I, method
    3.
    """
    assert wilson_interval(wins / games, games) == pytest.approx(
        (wins / games, low, high), abs=5e-5
    )
    assert wilson_interval(1 - wins / games, games)[1:] == pytest.approx(
        (1 - high, 1 - low), abs=5e-5
    )


@pytest.mark.parametrize("games", [1, 3, 20, 200, 10**6])
def test_wilson_limits_hold_the_score_and_stay_between_0_and_1(games):
    for wins in {0, 1, games // 2, games}:
        value, low, high = wilson_interval(wins / games, games)
        assert 0.0 <= low <= value <= high <= 1.0
