"""Elo, intervals and counts, on numbers computed by hand."""

import math

import pytest

from anyzero.arena.statistics import (
    count_pairs,
    elo_difference,
    elo_interval,
    expected_score,
    mean_interval,
    wilson_interval,
)


def test_elo_and_score_are_inverse_to_each_other():
    assert expected_score(0.0) == 0.5
    assert expected_score(400.0) == pytest.approx(10 / 11)
    assert elo_difference(0.75) == pytest.approx(400 * math.log10(3))  # 190.85
    assert elo_difference(expected_score(-37.0)) == pytest.approx(-37.0)


def test_pairs_are_counted_in_five_classes():
    assert count_pairs([0.0, 0.25, 0.5, 0.5, 0.75, 1.0, 1.0, 1.0]) == [1, 1, 2, 1, 3]


def test_the_elo_interval_comes_from_the_variance_of_pair_scores():
    # 10 pairs lost, 20 halved, 10 won 3:1, 60 won 2:0: mean 0.775, mean of squares 0.70625,
    # variance 0.105625 = 0.325 squared; the standard error of 100 pairs is 0.0325.
    found = elo_interval([10, 0, 20, 10, 60])
    assert found.value == pytest.approx(elo_difference(0.775))
    assert found.low == pytest.approx(elo_difference(0.775 - 1.959964 * 0.0325))
    assert found.high == pytest.approx(elo_difference(0.775 + 1.959964 * 0.0325))


def test_pairs_that_are_always_split_narrow_the_interval():
    split, mixed = elo_interval([0, 1, 98, 1, 0]), elo_interval([25, 0, 50, 0, 25])
    assert split.value == mixed.value == 0.0
    assert split.high < 5 < 48 < mixed.high  # single games would not tell the two apart


def test_twenty_pairs_won_without_a_loss_are_finite_and_one_sided():
    # With half a pair lost and half a pair won added: mean 20.5 / 21, variance 20.5 / 21 * 0.5 / 21.
    found = elo_interval([0, 0, 0, 0, 20])
    mean = 20.5 / 21
    half = 1.959964 * math.sqrt(mean * (1 - mean) / 21)
    assert found.value == found.high == pytest.approx(elo_difference(1 - 0.5 / 41))
    assert found.low == pytest.approx(elo_difference(mean - half))
    lost = elo_interval([20, 0, 0, 0, 0])
    assert lost == pytest.approx((-found.value, -found.high, -found.low))


def test_draws_alone_leave_a_doubt():
    found = elo_interval([0, 0, 20, 0, 0])
    # One imaginary pair of variance 1/4 among 21.
    half = 1.959964 * math.sqrt(0.25 / 21 / 21)
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


def test_the_mean_of_differences_has_a_paired_interval():
    # 1, 2, 3, 4: mean 2.5, sample variance 5/3, standard error sqrt(5/12).
    found = mean_interval([1.0, 2.0, 3.0, 4.0])
    assert found.value == 2.5
    assert found.high - 2.5 == pytest.approx(1.959964 * math.sqrt(5 / 12))
    assert 2.5 - found.low == pytest.approx(found.high - 2.5)


@pytest.mark.parametrize(
    ("wins", "games", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_intervals_are_those_of_newcombe(wins, games, low, high):
    """Newcombe 1998, "Two-sided confidence intervals for the single proportion", table I, method 3."""
    assert wilson_interval(wins / games, games) == pytest.approx((wins / games, low, high), abs=5e-5)
    assert wilson_interval(1 - wins / games, games)[1:] == pytest.approx((1 - high, 1 - low), abs=5e-5)


@pytest.mark.parametrize("games", [1, 3, 20, 200, 10**6])
def test_wilson_limits_hold_the_score_and_stay_between_0_and_1(games):
    for wins in {0, 1, games // 2, games}:
        value, low, high = wilson_interval(wins / games, games)
        assert 0.0 <= low <= value <= high <= 1.0
