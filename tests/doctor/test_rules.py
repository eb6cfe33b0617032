"""A game before it is learnt: nim whole, and with one fault at a time."""

import numpy as np
import pytest

from anyzero.doctor.examine import ON_GAMES, examine, examine_game
from anyzero.doctor.finding import DOUBTFUL, WELL, WRONG
from anyzero.doctor.rules import check_input, check_laws, check_random, check_samples, check_symmetries, confused_share
from anyzero.errors import UnknownNameError
from anyzero.games.load import load
from tests.doctor.runs import NIM, nim_case

pytestmark = pytest.mark.xdist_group("doctor")


def test_a_sound_game_is_fit_to_be_learnt():
    found = examine_game(NIM)
    assert found.is_well
    assert [finding.name for finding in found.findings] == list(ON_GAMES)
    assert found.diagnosis == "nothing is wrong."


def test_a_game_without_an_input_cannot_be_learnt():
    found = examine_game(f"{NIM}:fault=no encode")
    assert not found.is_well
    assert found.diagnosis.startswith("no network can learn this game. Try: write encode(rules, state, planes)")


def test_a_broken_law_is_named():
    found = check_laws(nim_case("overpaid"))
    assert (found.verdict, found.conclusion) == (WRONG, "1 of 16 laws are broken")
    assert "payoffs are fair" in found.seen
    assert "anyzero check" in found.advice
    assert check_laws(nim_case()).verdict == WELL


def test_positions_with_one_input_and_different_moves_are_found():
    found = check_input(nim_case("blind"))
    assert (found.verdict, found.conclusion) == (WRONG, "positions with different moves have the same input")
    assert check_input(nim_case()).verdict == WELL


def test_equal_positions_are_not_confused():
    samples = nim_case().random.samples
    assert len(np.unique(samples.keys)) < samples.num
    assert confused_share(samples) == 0.0


def test_symmetries_are_counted():
    assert check_symmetries(nim_case()).conclusion == "none"
    case = nim_case()
    case.game = load("tic_tac_toe")
    assert check_symmetries(case).conclusion == "7 besides the identity"


@pytest.mark.parametrize(
    ("fault", "verdict", "says"),
    [
        ("none", WELL, "both sides win"),
        ("draws", WRONG, "random games are never won"),
        ("first", DOUBTFUL, "nearly all random games end alike"),
    ],
)
def test_random_games_must_end_in_different_ways(fault, verdict, says):
    found = check_random(nim_case(fault))
    assert (found.verdict, found.conclusion) == (verdict, says)


def test_random_games_that_are_cut_off_are_doubtful():
    found = check_random(nim_case(changes={"selfplay.max_plies": 3}))
    assert (found.verdict, found.conclusion) == (DOUBTFUL, "random games do not come to an end")


def test_one_seat_must_be_paid_differently_for_different_games():
    case = nim_case()
    case.random.payoffs[:] = case.random.payoffs[:, :1]
    object.__setattr__(case.game, "num_seats", 1)
    assert check_random(case).verdict == WELL
    case.random.payoffs[:] = 0.25
    assert check_random(case).conclusion == "all games have the same payoff"


def test_a_generation_must_be_large_enough_and_fit_the_replay():
    assert check_samples(nim_case()).verdict == WELL
    assert check_samples(nim_case(changes={"selfplay.games": 10})).conclusion == "a generation is small"
    small = check_samples(nim_case(changes={"replay.window": 100}))
    assert (small.verdict, small.conclusion) == (DOUBTFUL, "a generation does not fit the replay")


def test_neither_a_run_nor_a_game_is_one_sentence(tmp_path):
    with pytest.raises(UnknownNameError, match=r"there is no game 'hec'; did you mean hex\? .*; runs in .*: none"):
        examine("hec", tmp_path)
