"""Learning rates, by numbers worked out by hand."""

import math
from typing import get_args

import pytest

from anyzero.core.learning.config import TrainerConfig
from anyzero.core.learning.lesson import learning_rate


def rate(schedule, generation, step=0, steps=10, **config):
    return learning_rate(
        TrainerConfig(schedule=schedule, learning_rate=0.5, **config), generation, step, steps
    )


def test_every_schedule_but_the_constant_one_changes_the_rate():
    for schedule in get_args(TrainerConfig.model_fields["schedule"].annotation):
        rates = {rate(schedule, generation, step) for generation in (1, 50) for step in (0, 9)}
        assert (len(rates) > 1) == (schedule != "constant")


def test_constant_stays():
    assert {rate("constant", generation, step) for generation in (0, 50) for step in (0, 9)} == {
        0.5
    }


def test_cosine_falls_over_the_horizon_and_stays_at_a_thousandth():
    """A quarter of the way: (1 + cos 45 degrees) / 2 = 0.8536 of the fall is left."""
    found = [rate("cosine", generation, horizon=8) for generation in (1, 3, 5, 9, 99)]
    lowest = 0.0005
    assert found == pytest.approx(
        [0.5, lowest + 0.4995 * (1 + math.sqrt(0.5)) / 2, lowest + 0.4995 / 2, lowest, lowest]
    )
    assert rate("cosine", 2, 5, 10, horizon=3) == pytest.approx(lowest + 0.4995 / 2)
    assert rate("cosine", 8, 100, 100, horizon=8) == pytest.approx(lowest), (
        "the horizon's last step"
    )


def test_cosine_falls_by_the_share_of_the_minutes_where_some_are_planned():
    config = TrainerConfig(schedule="cosine", learning_rate=0.5, horizon=8)
    found = [learning_rate(config, 5, 0, 10, passed) for passed in (0.0, 0.5, 1.0, 1.5)]
    assert found == pytest.approx([0.5, 0.0005 + 0.4995 / 2, 0.0005, 0.0005])


def test_cosine_holds_the_rate_for_a_share_of_the_run_before_it_falls():
    """Held for 0.6: half of the fall is over at 0.8, by minutes and by generations."""
    config = TrainerConfig(schedule="cosine", learning_rate=0.5, horizon=10, hold=0.6)
    half = 0.0005 + 0.4995 / 2
    by_minutes = [learning_rate(config, 5, 0, 10, passed) for passed in (0.0, 0.6, 0.8, 1.0, 1.5)]
    by_generations = [learning_rate(config, generation, 0, 10) for generation in (1, 7, 9, 11, 99)]
    assert by_minutes == by_generations == pytest.approx([0.5, 0.5, half, 0.0005, 0.0005])


def test_one_cycle_rises_for_three_tenths_and_falls_to_a_thousandth():
    """101 steps: 0.02 at the first, half way up at step 15, 0.5 at step 30, half way down at 65,
    0.0005 at the last.
    """
    found = [rate("one-cycle", 7, step, 101) for step in (0, 15, 30, 65, 100)]
    assert found == pytest.approx([0.02, 0.26, 0.5, 0.0005 + 0.4995 / 2, 0.0005])


def test_one_cycle_of_a_single_step_has_a_rate():
    assert rate("one-cycle", 0, 0, 1) == pytest.approx(0.02)
