"""Noise where it belongs, and games that come to different ends."""

import pytest

from anyzero.doctor import play
from anyzero.doctor.finding import DOUBTFUL, SKIPPED, WELL, WRONG
from anyzero.doctor.play import check_noise, check_outcomes
from anyzero.learning.contestants import self_play_method
from tests.doctor.runs import nim_case, play_line

pytestmark = pytest.mark.xdist_group("doctor")

PUCT_OFF = {"selfplay.method": "puct", "selfplay.noise_fraction": 0.0, "selfplay.temperature": 0.0}
DIFFERENT = [play_line([first, second, third]) for first in range(3) for second in range(3) for third in range(3)]


def noise(changes, lines=()):
    case = nim_case(changes=changes)
    case.lines = list(lines)
    return check_noise(case)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"selfplay.method": "puct"},
        {"selfplay.method": "puct", "selfplay.noise_fraction": 0.0},
        {"selfplay.method": "puct", "selfplay.temperature": 0.0},
    ],
)
def test_noise_of_either_kind_is_well(changes):
    found = noise(changes, DIFFERENT)
    assert found.verdict == WELL
    assert "27 of the newest 27 games are different, with 3 of 3 first moves" in found.seen


@pytest.mark.parametrize(
    ("changes", "advice"),
    [
        ({"selfplay.gumbel_scale": 0.0}, "selfplay.gumbel_scale=1 and"),
        (PUCT_OFF, "selfplay.noise_fraction=0.25 and"),
        (PUCT_OFF | {"selfplay.temperature": 1.0, "selfplay.temperature_plies": 0}, "selfplay.noise_fraction=0.25 and"),
    ],
)
def test_no_noise_at_all_is_wrong(changes, advice):
    found = noise({**changes, "selfplay.opening_plies": 0})
    assert (found.verdict, found.conclusion) == (WRONG, "noise is off in self-play, so that every game is the same")
    assert found.advice.startswith(advice)


def test_openings_alone_are_doubtful():
    found = noise({"selfplay.gumbel_scale": 0.0, "selfplay.opening_plies": 2})
    assert (found.verdict, found.conclusion) == (DOUBTFUL, "the search of self-play has no noise")


@pytest.mark.parametrize(("copies", "verdict"), [(20, DOUBTFUL), (500, WRONG)])
def test_games_that_repeat_are_found_whatever_the_config_says(copies, verdict):
    found = noise({}, [*DIFFERENT[:15], *([play_line([0])] * copies)])
    assert found.verdict == verdict
    assert f"16 of the newest {15 + copies} games are different" in found.seen


def test_noise_in_matches_is_wrong(monkeypatch):
    monkeypatch.setattr(play, "match_method", self_play_method)
    assert noise({}).conclusion == "noise is on in matches"


def outcomes(generation=5, **measured):
    case = nim_case()
    case.newest = type("Newest", (), {"number": generation})
    usual = {"games": 100, "draws": 0.1, "first_seat_payoff": 0.1, "mean_length": 30.0, "cut_off": 0}
    case.reports = [{"generation": generation, "selfplay": usual | measured}]
    return check_outcomes(case)


@pytest.mark.parametrize(
    ("measured", "verdict", "says"),
    [
        ({}, WELL, "both sides win"),
        ({"cut_off": 10}, DOUBTFUL, "games end at the ply limit without a winner"),
        ({"cut_off": 60}, WRONG, "games end at the ply limit without a winner"),
        ({"draws": 1.0}, DOUBTFUL, "nearly all games are draws"),
        ({"draws": 1.0, "generation": 1}, WRONG, "nearly all games are draws"),
        ({"first_seat_payoff": 0.97}, DOUBTFUL, "the first seat always wins"),
        ({"first_seat_payoff": -1.0}, WRONG, "the second seat always wins"),
        ({"first_seat_payoff": -1.0, "games": 8}, WELL, "games come to an end"),
    ],
)
def test_games_must_come_to_different_ends(measured, verdict, says):
    found = outcomes(**measured)
    assert found.verdict == verdict
    assert found.conclusion.startswith(says)


def test_shares_are_weighed_by_games():
    case = nim_case()
    usual = {"draws": 0.0, "first_seat_payoff": 0.0, "mean_length": 10.0, "cut_off": 0}
    case.reports = [{"selfplay": usual | {"games": 300}}, {"selfplay": usual | {"games": 100, "draws": 1.0}}]
    assert "400 games of 10 plies, 25 % draws" in check_outcomes(case).seen


def test_without_games_there_are_no_outcomes():
    assert check_outcomes(nim_case()).verdict == SKIPPED
