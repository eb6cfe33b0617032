"""The sequential test: its ratio by hand, and how often it errs on simulated matches."""

import math

import numpy as np
import pytest

from anyzero.core.base.errors import BadOptionError
from anyzero.tools.arena.elo import PAIR_SCORES, Sprt, expected_score, log_likelihood_ratio

WIN_OR_LOSE = [40, 0, 0, 0, 60]


def test_the_ratio_of_won_and_lost_pairs_is_the_binomial_one():
    # With two outcomes a mean fixes the distribution: 40 log((1-s1)/(1-s0)) + 60 log(s1/s0).
    s0, s1 = expected_score(0.0), expected_score(50.0)
    binomial = 40 * math.log((1 - s1) / (1 - s0)) + 60 * math.log(s1 / s0)
    assert log_likelihood_ratio(WIN_OR_LOSE, 0.0, 50.0) == pytest.approx(binomial, abs=0.02)


def test_the_ratio_is_close_to_its_normal_approximation_for_many_pairs():
    # n (s1 - s0) (2 m - s0 - s1) / (2 v), the form that several testing tools use.
    counts = np.array([60, 240, 400, 240, 60])
    scores, n = np.array(PAIR_SCORES), counts.sum()
    mean = (counts * scores).sum() / n
    variance = (counts * (scores - mean) ** 2).sum() / n
    s0, s1 = expected_score(0.0), expected_score(5.0)
    normal = n * (s1 - s0) * (2 * mean - s0 - s1) / (2 * variance)
    assert log_likelihood_ratio(counts, 0.0, 5.0) == pytest.approx(normal, rel=0.02)


def test_the_ratio_of_mirrored_results_and_questions_is_the_opposite():
    forwards = log_likelihood_ratio([3, 5, 9, 14, 20], 0.0, 30.0)
    assert log_likelihood_ratio([20, 14, 9, 5, 3], -30.0, 0.0) == pytest.approx(-forwards)
    assert forwards > 0


def test_wins_alone_need_many_pairs_not_one():
    test = Sprt(0.0, 50.0)
    test.add_until_decided([1.0] * 1000)
    # Each won pair counts log(s1 / s0) = log(0.5715 / 0.5) = 0.1336, and 2.944 is wanted: 23 pairs.
    assert (sum(test.counts), test.decision) == (23, "elo1")


def test_a_decided_test_takes_no_more_pairs():
    test = Sprt(0.0, 50.0)
    test.add_until_decided([0.0] * 1000)
    assert test.decision == "elo0"
    taken = sum(test.counts)
    test.add_until_decided([1.0] * 10)
    assert sum(test.counts) == taken
    assert test.to_json()["lower"] == pytest.approx(-math.log(19))


@pytest.mark.parametrize("elos", [(5.0, 5.0), (10.0, 0.0), (math.nan, 5.0), (0.0, math.inf)])
def test_a_question_without_two_answers_is_refused(elos):
    with pytest.raises(BadOptionError, match="the smaller first"):
        Sprt(*elos)


def pair_distribution(elo: float, draw_rate: float, spread: float) -> np.ndarray:
    """Two games with draws, in an opening that favours one side by `spread` half of the time each
    way.
    """
    found = np.zeros(5)
    for bias in (-spread, spread):
        games = []
        for tilt in (bias, -bias):  # the seats are swapped, so the opening favours each in turn
            score = expected_score(elo + tilt)
            draws = draw_rate * 2 * min(score, 1 - score)
            games.append([1 - score - draws / 2, draws, score - draws / 2])
        found += np.convolve(*games) / 2
    return found


def tune_to_score(score: float, draw_rate: float, spread: float) -> np.ndarray:
    """The distribution whose mean is exactly this score."""
    low, high = -1000.0, 1000.0
    for _ in range(60):
        middle = (low + high) / 2
        mean = pair_distribution(middle, draw_rate, spread) @ np.array(PAIR_SCORES)
        low, high = (middle, high) if mean < score else (low, middle)
    return pair_distribution(low, draw_rate, spread)


def simulate_matches(
    shares: np.ndarray, elo0: float, elo1: float, matches: int, rng
) -> tuple[float, float, float]:
    """How often elo0 and elo1 were accepted, and the mean number of pairs."""
    lower, upper = Sprt(elo0, elo1).bounds
    counts, taken = np.zeros((matches, 5)), np.zeros(matches)
    decided = np.zeros(matches, int)
    while (decided == 0).any():
        open_ = np.flatnonzero(decided == 0)
        counts[open_, rng.choice(5, len(open_), p=shares)] += 1
        taken[open_] += 1
        ratio = log_likelihood_ratio(counts[open_], elo0, elo1)
        decided[open_] = np.where(ratio >= upper, 1, np.where(ratio <= lower, -1, 0))
    return (decided == -1).mean(), (decided == 1).mean(), taken.mean()


@pytest.mark.parametrize(
    ("draw_rate", "spread"), [pytest.param(0.0, 0.0, marks=pytest.mark.slow), (0.6, 100.0)]
)
def test_on_2000_simulated_matches_the_error_rates_are_within_their_bounds(draw_rate, spread):
    """False alarm below 1e-6 for true rates of 5 %: 2,000 matches then err in at most 7.4 % (4.9
    sigma).
    """
    rng = np.random.default_rng(1)
    elo0, elo1 = 0.0, 80.0
    null = simulate_matches(
        tune_to_score(expected_score(elo0), draw_rate, spread), elo0, elo1, 2000, rng
    )
    real = simulate_matches(
        tune_to_score(expected_score(elo1), draw_rate, spread), elo0, elo1, 2000, rng
    )
    assert null[1] <= 0.074
    assert real[0] <= 0.074
