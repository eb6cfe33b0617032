"""Positions, their age, losses and gradients, from reports that are written down by hand."""

import pytest

from anyzero.doctor.data import check_age, check_gradients, check_losses, check_unique
from anyzero.doctor.finding import DOUBTFUL, SKIPPED, WELL, WRONG
from tests.doctor.runs import case_of, nim_case

pytestmark = pytest.mark.xdist_group("doctor")

TRAINING = {
    "generation": 3,
    "samples": 10_000,
    "policy_loss": 1.5,
    "kl": 0.5,
    "value_loss": 0.25,
    "gradient_norm": 0.75,
    "gradient_norm_max": 2.0,
    "learning_rate": 1e-3,
    "recoveries": 0,
}
REPLAY = {"num": 20_000, "rows": 10_000, "unique_share": 0.5, "new_share": 0.25, "mean_age": 3.0}


def reported(changes=None, training=None, replay=None, samples=5000, generation=20):
    case = nim_case(changes={"replay.window": 20_000, **(changes or {})})
    case.newest = type("Newest", (), {"number": generation})
    trained = [TRAINING | (one or {}) for one in (training if isinstance(training, list) else [training])]
    case.reports = [
        {"training": one, "replay": REPLAY | (replay or {}), "selfplay": {"samples": samples}} for one in trained
    ]
    return case


CHECKS = (check_unique, check_age, check_losses, check_gradients)


@pytest.mark.parametrize("check", CHECKS)
def test_usual_reports_are_well(check):
    assert check(reported()).verdict == WELL


@pytest.mark.parametrize("check", CHECKS)
def test_before_training_there_is_nothing_to_say(check):
    assert check(nim_case()).verdict == SKIPPED


@pytest.mark.parametrize(("share", "verdict"), [(0.19, DOUBTFUL), (0.01, WRONG)])
def test_few_different_positions_are_found(share, verdict):
    found = check_unique(reported(replay={"unique_share": share}))
    assert (found.verdict, found.conclusion) == (verdict, "training sees the same positions again and again")


def test_positions_that_are_not_merged_are_told_to_be():
    found = check_unique(reported({"replay.merge": False}, replay={"unique_share": 0.1}))
    assert found.advice.endswith("replay.merge=true")


def test_positions_without_keys_are_not_counted():
    found = check_unique(reported({"replay.merge": False}, replay={"unique_share": None}))
    assert (found.verdict, found.conclusion) == (SKIPPED, "positions have no keys where they are not merged")


def test_the_newest_samples_are_counted_too(healthy):
    assert "newest" in check_unique(case_of(healthy)).seen


@pytest.mark.parametrize(
    ("options", "verdict", "says"),
    [
        ({"samples": 30_000}, WRONG, "samples are dropped before they are learnt"),
        ({"replay": {"mean_age": 30.0}}, DOUBTFUL, "most samples are of networks long gone"),
        ({"training": {"samples": 500}}, DOUBTFUL, "most samples are never learnt"),
        ({"training": {"samples": 100_000}}, DOUBTFUL, "samples are learnt by heart"),
    ],
)
def test_the_window_must_fit_the_games(options, verdict, says):
    found = check_age(reported(**options))
    assert (found.verdict, found.conclusion) == (verdict, says)


def test_age_is_told_in_generations():
    # 20,000 of 5,000 a generation; each row once a generation, four generations long
    seen = check_age(reported()).seen
    assert "the window holds 20000 samples, 4.0 generations of 5000; mean age 3.0 generations" in seen
    assert "a sample is learnt about 4.0 times in 4 generations" in seen


@pytest.mark.parametrize(
    ("training", "verdict", "says"),
    [
        ({"value_loss": float("nan")}, WRONG, "losses are not finite in generation 3"),
        ({"gradient_norm": float("inf")}, WRONG, "losses are not finite in generation 3"),
        ({"value_loss": 700.0}, WRONG, "losses exploded in generation 3"),
        ({"recoveries": 1}, WRONG, "training had to go back to its last good state"),
        ([{"recoveries": 1}, {}], DOUBTFUL, "training had to go back to its last good state"),
    ],
)
def test_losses_that_went_wrong_are_found(training, verdict, says):
    found = check_losses(reported(training=training))
    assert (found.verdict, found.conclusion) == (verdict, says)


def test_games_without_any_finished_training_are_doubtful(healthy):
    case = case_of(healthy)
    case.reports = [{"generation": 0, "training": None}]
    assert check_losses(case).conclusion == "games have been played and no training was finished"


@pytest.mark.parametrize(
    ("training", "verdict", "says"),
    [
        ({"gradient_norm": 1e-6}, WRONG, "there are next to no gradients"),
        ({"gradient_norm": 30.0}, DOUBTFUL, "nearly every gradient is clipped"),
    ],
)
def test_gradients_that_are_too_small_or_too_large_are_found(training, verdict, says):
    found = check_gradients(reported(training=training))
    assert (found.verdict, found.conclusion) == (verdict, says)
