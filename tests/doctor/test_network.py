"""Checks that let networks learn: faults in the library's own path, in a network's weights, and in
a game's input.
"""

import math
from pathlib import Path

import numpy as np
import pytest
import torch

from anyzero.core.game.load import load
from anyzero.core.game.rollouts import encode_states
from anyzero.core.learning import replay
from anyzero.core.learning.config import change
from anyzero.core.nets.config import NetworkConfig
from anyzero.core.nets.models import new_network
from anyzero.tools.doctor.case import DOUBTFUL, SKIPPED, WELL, WRONG, Case
from anyzero.tools.doctor.network import (
    Trial,
    check_layers,
    check_learnt_sign,
    check_one_batch,
    check_priors,
    check_sign,
    judge_layers,
    probe,
    slope_of,
)
from tests.doctor.runs import case_of, nim_case


def says(finding):
    return finding.verdict, finding.conclusion


# --- one batch and the learning rate


@pytest.mark.parametrize(
    ("rate", "verdict", "conclusion"),
    [
        (3e-3, WELL, "the loss of one batch falls"),
        (3.0, DOUBTFUL, "the learning rate is rather high"),
        (1e-7, WRONG, "the learning rate is too low"),
    ],
)
def test_the_learning_rate_is_tried_on_one_batch(rate, verdict, conclusion):
    assert says(check_one_batch(nim_case(changes={"trainer.learning_rate": rate}))) == (
        verdict,
        conclusion,
    )


def test_a_rate_that_is_too_high_is_told_what_to_take_instead(healthy):
    case = case_of(healthy)
    case.config = change(case.config, {"trainer.learning_rate": 0.3})
    found = check_one_batch(case)
    assert says(found) == (WRONG, "the learning rate is too high")
    assert found.advice.startswith("trainer.learning_rate=0.003")


def kill(case):
    """No unit of the trunk is ever above zero, and the heads only have their biases."""
    with torch.no_grad():
        for weight in case.fresh.trunk.parameters():
            weight.zero_()
        case.fresh.trunk.stem.bias.fill_(-1.0)


def lose_targets(case):
    case.random.samples.payoffs[:] = float("nan")


@pytest.mark.parametrize("spoil", [kill, lose_targets])
def test_a_dead_network_and_targets_that_are_no_numbers_are_learnt_at_no_rate(spoil):
    case = nim_case()
    spoil(case)
    assert says(check_one_batch(case)) == (
        WRONG,
        "not even one batch is learnt at any learning rate",
    )


def test_equal_positions_are_one_where_they_have_keys():
    case = nim_case()
    assert case.rows.num == len(set(case.random.samples.keys.tolist()))
    case = nim_case()
    case.random.samples.keys[:] = 0
    assert case.rows.num == case.random.samples.num


def test_all_positions_are_examined_however_short_the_window():
    assert nim_case(changes={"replay.window": 1}).rows.num == nim_case().rows.num


def test_a_trial_that_is_too_short_proves_nothing(monkeypatch):
    monkeypatch.setattr("anyzero.tools.doctor.network.STEPS", 3)
    found = check_one_batch(nim_case())
    assert found.verdict == SKIPPED
    assert "3 steps" in found.conclusion


def test_a_loss_that_is_not_finite_is_an_infinite_share():
    assert (
        Trial(None, 0.1, 1.0, math.inf, 3).share
        == Trial(None, 0.1, math.nan, math.inf, 3).share
        == math.inf
    )
    assert not Trial(None, 0.1, 1.0, math.inf, 3).is_short
    assert Trial(None, 0.1, 1.0, 0.25, 3).share == 0.25


def test_a_trial_that_ends_because_all_is_learnt_is_not_too_short():
    assert not Trial(None, 0.1, 1.0, 0.01, 21).is_short
    assert Trial(None, 0.1, 1.0, 0.5, 21).is_short


# --- the sign of values


def test_a_sound_game_is_learnt_with_its_sign():
    assert says(check_learnt_sign(nim_case())) == (WELL, "a new network learns results")


def test_a_run_with_a_short_window_learns_all_last_positions_of_random_games():
    found = check_learnt_sign(nim_case(changes={"replay.window": 1}))
    assert says(found) == (WELL, "a new network learns results")


def test_targets_with_the_wrong_sign_are_found(monkeypatch):
    right = replay.value_targets
    monkeypatch.setattr(replay, "value_targets", lambda samples, config: -right(samples, config))
    assert says(check_learnt_sign(nim_case())) == (WRONG, "values are learnt with the wrong sign")


def test_an_input_that_shows_nothing_cannot_be_learnt():
    found = check_learnt_sign(nim_case("blind"))
    assert says(found) == (WRONG, "a new network cannot learn results")
    assert "encode" in found.advice


def test_a_game_without_winners_has_no_sign():
    assert says(check_learnt_sign(nim_case("draws"))) == (
        SKIPPED,
        "random games hardly ever have a winner",
    )


def test_last_moves_that_always_win_have_no_sign():
    """Between two moves there is a roll, so that the last two plies hold only the winner's move."""
    case = Case(load(str(Path(__file__).parent.parent / "dice_race.py")), nim_case().config)
    found = check_learnt_sign(case)
    assert (found.verdict, "all have the same result" in found.conclusion) == (SKIPPED, True)


def test_the_network_of_a_healthy_run_tells_won_from_lost(healthy):
    case = case_of(healthy)
    assert check_sign(case).verdict == WELL
    with torch.no_grad():
        for weight in (case.network.value.payoff.weight, case.network.value.payoff.bias):
            weight.copy_(weight.flip(0))  # win, draw, loss
    assert says(check_sign(case)) == (WRONG, "the network mistakes won positions for lost ones")
    case.network = case.fresh
    assert says(check_sign(case)) == (DOUBTFUL, "the network hardly tells won from lost")


@pytest.mark.parametrize(
    ("values", "verdict"),
    [
        (lambda samples: -0.7 * samples.payoffs, WRONG),
        (lambda samples: 0.0 * samples.payoffs, DOUBTFUL),
    ],
)
def test_values_after_search_must_go_with_results(healthy, values, verdict):
    case = case_of(healthy)
    case.samples.values[:] = values(case.samples)
    found = check_sign(case)
    assert found.verdict == verdict
    assert "the search" in found.conclusion


def test_games_that_were_cut_off_say_nothing_of_the_sign(healthy):
    """They are taught what their searches said, so that values and results are the same."""
    case = case_of(healthy)
    case.samples.values[:] = case.samples.payoffs[:] = 0.5 * case.samples.payoffs
    assert check_sign(case).verdict == SKIPPED


def test_before_training_there_is_no_network_to_look_at():
    assert check_sign(nim_case()).verdict == check_priors(nim_case()).verdict == SKIPPED


def test_slopes_by_hand():
    results = np.array([1.0, 1.0, -1.0, -1.0])
    assert slope_of(np.full(4, 0.9), results) == (
        0.0,
        0.0,
    )  # one opinion for all positions counts nothing
    assert slope_of(0.3 + 0.5 * results, results) == (pytest.approx(0.5), pytest.approx(0.0))
    assert slope_of(-results, results)[0] == pytest.approx(-1.0)
    # values 1, 0, 0, 0: deviations 3/4 and -1/4 three times, slope (3/4 - 1/4 + 1/4 + 1/4) / 4;
    # what is left is 1/2, -1/2, 0, 0, with the mean square 1/8, over the sum of squares 4
    slope, error = slope_of(np.array([1.0, 0.0, 0.0, 0.0]), results)
    assert (slope, error) == (pytest.approx(0.25), pytest.approx(math.sqrt(1 / 32)))


# --- layers


@pytest.fixture(scope="module")
def board():
    """A residual network with pooling, and some positions."""
    game = load("tic_tac_toe")
    states = game.new_states(9)
    for action in range(9):
        states[action] = game.play(game.initial_state(), action)
    return game, torch.from_numpy(encode_states(game, states))


def look(board, spoil=None, **options):
    game, planes = board
    network = new_network(game, NetworkConfig(blocks=2, channels=16, **options), 1)
    before = {name: weight.clone() for name, weight in network.named_parameters()}
    with torch.no_grad():
        if spoil:
            spoil(network)
    found = judge_layers(probe(network, planes), "advice")
    assert spoil or all(
        torch.equal(weight, before[name]) for name, weight in network.named_parameters()
    )
    assert not any(weight.grad is not None for weight in network.parameters())
    return found


@pytest.mark.parametrize(
    "options", [{}, {"pool_every": 0}, {"policy": "flat", "value": "scalar"}, {"value": "scores"}]
)
def test_every_layer_of_a_new_network_is_alive_and_left_as_it_was(board, options):
    assert look(board, **options).verdict == WELL


def test_a_layer_of_zeros_is_dead(board):
    found = look(board, lambda network: network.layers["trunk.blocks.0.second"].weight.zero_())
    assert says(found) == (WRONG, "layers are dead")
    assert "1 of 11 have weights that are all zero (trunk.blocks.0.second)" in found.seen
    assert (
        "have no gradient (trunk.blocks.0.first" in found.seen
    )  # nothing comes back through the zeros


def test_a_layer_that_is_never_above_zero_has_no_gradient(board):
    found = look(board, lambda network: network.value.hidden.bias.fill_(-1e6))
    assert "2 of 11 have no gradient (value.hidden, value.payoff)" in found.seen


def test_a_layer_with_most_units_dead_is_doubtful(board):
    def mute(network):
        network.value.hidden.bias[:28] = -1e6  # of 32
        network.value.hidden.bias[28:] = 1.0

    found = look(board, mute)
    assert says(found) == (DOUBTFUL, "most units in a layer are dead")
    assert "of the units in value.hidden have none" in found.seen


def test_a_start_of_zeros_and_a_dead_head_of_a_run_are_found(healthy):
    for case, spoilt in ((nim_case(), "fresh"), (case_of(healthy), "network")):
        assert check_layers(case).verdict == WELL
        with torch.no_grad():
            for weight in getattr(case, spoilt).policy.parameters():
                weight.zero_()
        assert check_layers(case).verdict == WRONG


# --- priors


def test_a_dead_policy_head_makes_all_moves_equal(healthy):
    case = case_of(healthy)
    assert check_priors(case).verdict == WELL
    with torch.no_grad():
        case.network.policy.cells.weight.zero_()
    assert says(check_priors(case)) == (WRONG, "all moves have the same prior")


def test_policies_without_a_preference_teach_nothing(healthy):
    case = case_of(healthy)
    legal = case.samples.actions >= 0
    case.samples.policies[:] = legal / np.maximum(1, legal.sum(axis=1, keepdims=True))
    found = check_priors(case)
    assert says(found) == (DOUBTFUL, "the target policies are flat")
    assert "more simulations" in found.advice


@pytest.mark.parametrize(("generation", "verdict"), [(1, DOUBTFUL), (5, WRONG)])
def test_priors_of_another_mind_are_excused_only_at_first(
    healthy, monkeypatch, generation, verdict
):
    case = case_of(healthy)
    monkeypatch.setattr(type(case), "generation", generation)
    with torch.no_grad():
        case.network.policy.cells.weight.mul_(-1.0)  # likes what it should not
    assert check_priors(case).verdict == verdict
