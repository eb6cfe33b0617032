"""Where the time goes. Only shares of times that are written down by hand are compared, never a measured time."""

import pytest

from anyzero.doctor import speed
from anyzero.doctor.finding import DOUBTFUL, SKIPPED, WELL
from anyzero.doctor.speed import check_rate, check_speed
from anyzero.learning.config import change
from tests.doctor.runs import nim_case

pytestmark = pytest.mark.xdist_group("doctor")


@pytest.fixture
def case(monkeypatch):
    monkeypatch.setattr(speed, "SECONDS", 0.01)
    case = nim_case()
    case.network = case.fresh
    return case


def seconds(case, simulations_per_second=1e12, **parts):
    case.reports = [{"seconds": parts, "selfplay": {"simulations_per_second": simulations_per_second}}]
    return check_speed(case)


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        ({"selfplay": 30.0, "training": 10.0}, "the bottleneck is self-play"),
        ({"selfplay": 30.0, "training": 70.0}, "the bottleneck is training"),
    ],
)
def test_the_bottleneck_is_named(case, parts, says):
    found = seconds(case, **parts)
    assert (found.verdict, found.conclusion) == (WELL, says)
    assert "self-play 75 %, training 25 % of 40.0 s" in found.seen or "training 70 % of 100.0 s" in found.seen


def test_a_search_that_leaves_its_network_waiting_is_doubtful(case):
    found = seconds(case, simulations_per_second=1e-6, selfplay=30.0)
    assert (found.verdict, found.conclusion) == (DOUBTFUL, "the bottleneck is self-play, and not for its network")
    assert "selfplay.at_once" in found.advice


def test_more_measuring_than_learning_is_doubtful(case):
    found = seconds(case, selfplay=30.0, training=10.0, gate=30.0, league=20.0)
    assert (found.verdict, found.conclusion) == (DOUBTFUL, "more time goes into measuring than into learning")
    assert "the gate 33 %, ratings 22 %" in found.seen


def test_the_network_of_another_machine_is_not_measured_here(case):
    case.device = "another"
    assert "evaluations/s" not in seconds(case, selfplay=30.0).seen


def test_without_games_there_is_nothing_to_say():
    assert check_speed(nim_case()).verdict == SKIPPED


def test_a_generation_that_would_take_long_is_doubtful(case):
    assert check_rate(case).verdict == WELL
    case.config = change(case.config, {"selfplay.games": 10_000_000, "selfplay.simulations": 1_000_000})
    found = check_rate(case)
    assert (found.verdict, found.conclusion) == (DOUBTFUL, "a generation will take long here")
