"""The gate: copies among its games, and what it can see. Chances are binomial sums written out beside them."""

from math import comb

import pytest

from anyzero.doctor.finding import DOUBTFUL, SKIPPED, WELL, WRONG
from anyzero.doctor.gates import check_copies, check_power, pass_chance
from tests.doctor.runs import nim_case

pytestmark = pytest.mark.xdist_group("doctor")


def binomial_tail(games, least, chance):
    return sum(comb(games, won) * chance**won * (1 - chance) ** (games - won) for won in range(least, games + 1))


def test_sixty_four_games_at_55_percent():
    assert pass_chance(64, 0.55, 0.5) == pytest.approx(binomial_tail(64, 36, 0.5))  # 35.2 points or more
    assert pass_chance(64, 0.55, 0.6) == pytest.approx(binomial_tail(64, 36, 0.6))
    assert pass_chance(64, 0.55, 0.5) == pytest.approx(0.19, abs=0.01)
    assert pass_chance(64, 0.55, 0.6) == pytest.approx(0.77, abs=0.01)


def test_the_threshold_itself_passes():
    assert pass_chance(20, 0.55, 0.5) == pytest.approx(binomial_tail(20, 11, 0.5))


def test_draws_are_half_points():
    # two games, half of them drawn, 1.1 points or more: 2 points 1/16, 1.5 points 2 * 1/4 * 1/2
    assert pass_chance(2, 0.55, 0.5, 0.5) == pytest.approx(1 / 16 + 1 / 4)
    assert pass_chance(10, 0.55, 0.5, 1.0) == 0.0
    assert pass_chance(10, 0.5, 0.5, 1.0) == 1.0


def gate_case(changes=None, gates=(), **entry):
    case = nim_case(changes={"gate.games": 64, "gate.opening_plies": 2, **(changes or {})})
    usual = {"wins": 30, "draws": 0, "losses": 34, "same_games": 0}
    case.reports = [{"gate": {"promoted": promoted, "against": [usual | entry]}} for promoted in gates]
    return case


def test_without_a_gate_there_is_nothing_to_say():
    case = gate_case({"gate.games": 0})
    assert (check_copies(case).verdict, check_power(case).verdict) == (SKIPPED, SKIPPED)


def test_no_openings_are_the_same_two_games_again():
    found = check_copies(gate_case({"gate.opening_plies": 0}))
    assert (found.verdict, found.conclusion) == (WRONG, "the gate plays the same two games again and again")
    assert found.advice.startswith("gate.opening_plies=4")


@pytest.mark.parametrize(("same", "verdict"), [(0, WELL), (32, WELL), (40, DOUBTFUL), (60, WRONG)])
def test_copies_are_counted(same, verdict):
    found = check_copies(gate_case(gates=[True], same_games=same))
    assert found.verdict == verdict
    assert "of 64 games in the newest gates are different" in found.seen


def test_chance_makes_games_different_without_openings():
    case = gate_case({"gate.opening_plies": 0})
    object.__setattr__(case.game, "num_outcomes", 6)
    assert check_copies(case).verdict == WELL


@pytest.mark.parametrize(
    ("changes", "verdict", "says"),
    [
        ({}, WELL, "the gate sees a difference"),
        ({"gate.games": 16}, DOUBTFUL, "luck passes the gate"),
        ({"gate.threshold": 0.5}, DOUBTFUL, "luck passes the gate"),
        ({"gate.threshold": 0.62}, DOUBTFUL, "the gate turns better candidates away"),
        ({"gate.threshold": 0.8}, WRONG, "next to nobody can pass the gate"),
    ],
)
def test_the_power_of_a_gate(changes, verdict, says):
    found = check_power(gate_case(changes))
    assert (found.verdict, found.conclusion) == (verdict, says)


def test_power_is_told_in_chances():
    assert "an equal candidate passes with 19 %, one that scores 60 % with 77 %" in check_power(gate_case()).seen
    assert check_power(gate_case({"gate.games": 16})).advice.startswith("gate.games=64")


def test_copies_take_power_away():
    found = check_power(gate_case(gates=[True], same_games=62))
    assert "4 different games" in found.seen
    assert found.verdict == DOUBTFUL


def test_a_gate_that_nobody_has_passed_for_long_is_doubtful():
    found = check_power(gate_case(gates=[True] + [False] * 10))
    assert (found.verdict, found.conclusion) == (DOUBTFUL, "nobody has passed the last 10 gates")
    assert check_power(gate_case(gates=[False] * 9)).verdict == WELL
