"""Value sign: learnt anew through the library's own path, and in a network that is there."""

import numpy as np
import pytest
import torch

from anyzero.doctor.finding import DOUBTFUL, SKIPPED, WELL, WRONG
from anyzero.doctor.values import check_network, check_pipeline, compare_scores, compare_sides, learn
from anyzero.learning import replay
from anyzero.learning.block import Block
from anyzero.learning.replay import build_replay
from tests.doctor.runs import case_of, nim_case

pytestmark = pytest.mark.xdist_group("doctor")


def test_a_sound_game_is_learnt_with_its_sign():
    found = check_pipeline(nim_case())
    assert (found.verdict, found.conclusion) == (WELL, "a new network learns who has won")


def test_targets_with_the_wrong_sign_are_found(monkeypatch):
    right = replay.value_targets
    monkeypatch.setattr(replay, "value_targets", lambda samples, config: -right(samples, config))
    found = check_pipeline(nim_case())
    assert (found.verdict, found.conclusion) == (WRONG, "values are learnt with the wrong sign")


def test_results_for_the_wrong_seat_are_found(monkeypatch):
    right = Block.samples

    def wrong(block):
        samples = right(block)
        samples.payoffs[:] *= -1.0
        return samples

    monkeypatch.setattr(Block, "samples", wrong)
    assert check_pipeline(nim_case()).conclusion == "values are learnt with the wrong sign"


def test_an_input_that_shows_nothing_cannot_be_learnt():
    found = check_pipeline(nim_case("blind"))
    assert (found.verdict, found.conclusion) == (WRONG, "a new network cannot learn who has won")
    assert "encode" in found.advice


def test_a_game_without_winners_has_no_sign():
    assert check_pipeline(nim_case("draws")).verdict == SKIPPED


@pytest.fixture(scope="module")
def learnt():
    """A case of nim with a network that knows who wins."""
    case = nim_case()
    network, _, _ = learn(case, build_replay(case.game, case.random.samples, case.config.replay, 0))
    return case, network


def judged(case, network, monkeypatch):
    monkeypatch.setattr(type(case), "generation", 3)
    case.network = network
    return check_network(case)


def test_a_network_that_knows_who_wins_is_well(learnt, monkeypatch):
    assert judged(*learnt, monkeypatch).verdict == WELL


def test_a_network_with_wins_and_losses_swapped_is_found(learnt, monkeypatch):
    case, network = learnt
    swapped = type(network)(case.game, network.config)
    swapped.load_state_dict(network.state_dict())
    with torch.no_grad():
        for weight in (swapped.value.payoff.weight, swapped.value.payoff.bias):
            weight.copy_(weight.flip(0))  # win, draw, loss
    found = judged(case, swapped, monkeypatch)
    assert (found.verdict, found.conclusion) == (WRONG, "the network takes won positions for lost ones")


def test_a_network_with_random_weights_hardly_tells(learnt, monkeypatch):
    case, _ = learnt
    assert judged(case, case.fresh, monkeypatch).verdict == DOUBTFUL


def test_before_training_there_is_no_network_to_look_at():
    assert check_network(nim_case()).verdict == SKIPPED


def test_the_runs_own_games_are_where_decided_positions_come_from(healthy):
    assert "decided positions of its own games" in check_network(case_of(healthy)).seen


def test_one_opinion_for_all_positions_counts_nothing():
    exact = np.array([1.0, 1.0, -1.0, -1.0])
    assert compare_sides(np.full(4, 0.9), exact).share == 0.0
    assert compare_sides(exact * 0.5, exact).share == pytest.approx(0.5)
    assert compare_sides(-exact, exact).share == pytest.approx(-1.0)
    assert compare_scores(np.full(4, 0.9), exact).share == 0.0
    assert compare_scores(-exact, exact).share == pytest.approx(-1.0)
