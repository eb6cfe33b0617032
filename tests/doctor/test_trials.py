"""One batch must be learnt by heart, and the learning rate must let it."""

import pytest
import torch

from anyzero.doctor.finding import DOUBTFUL, SKIPPED, WELL, WRONG
from anyzero.doctor.trials import Trial, check_overfit, check_rate, newest_rows
from anyzero.learning.config import change
from tests.doctor.runs import case_of, nim_case

pytestmark = pytest.mark.xdist_group("doctor")


@pytest.mark.parametrize(
    ("rate", "verdict", "conclusion"),
    [
        (3e-3, WELL, "the loss of one batch falls"),
        (3.0, DOUBTFUL, "the learning rate is rather high"),
        (1e-7, WRONG, "the learning rate is too low"),
    ],
)
def test_the_learning_rate_is_tried_on_one_batch(rate, verdict, conclusion):
    found = check_rate(nim_case(changes={"trainer.learning_rate": rate}))
    assert (found.verdict, found.conclusion) == (verdict, conclusion)


def test_a_rate_that_is_too_high_is_told_what_to_take_instead(healthy):
    case = case_of(healthy)
    case.config = change(case.config, {"trainer.learning_rate": 0.3})
    found = check_rate(case)
    assert (found.verdict, found.conclusion) == (WRONG, "the learning rate is too high")
    assert found.advice.startswith("trainer.learning_rate=0.003")


def test_a_dead_network_learns_at_no_rate():
    case = nim_case()
    kill(case.fresh)
    found = check_rate(case)
    assert (found.verdict, found.conclusion) == (DOUBTFUL, "no rate makes the loss of one batch fall")
    assert check_overfit(case).verdict == WRONG


def kill(network):
    """No unit of the trunk is ever above zero, and the heads only have their biases."""
    with torch.no_grad():
        for weight in network.trunk.parameters():
            weight.zero_()
        network.trunk.stem.bias.fill_(-1.0)


def test_a_fresh_network_learns_one_batch_by_heart():
    found = check_overfit(nim_case())
    assert (found.verdict, found.conclusion) == (WELL, "one batch is learnt by heart")


def test_a_spoilt_network_beside_a_sound_one_is_told_to_begin_again(healthy):
    case = case_of(healthy)
    with torch.no_grad():
        for weight in case.network.parameters():
            weight.zero_()
    found = check_overfit(case)
    assert (found.verdict, found.conclusion) == (WRONG, "not even one batch is learnt")
    assert "begin a new run" in found.advice


def test_an_input_that_shows_nothing_is_not_learnt_by_heart():
    case = nim_case("blind", {"replay.payoff_share": 1.0})
    samples = case.random.samples
    samples.keys[:] = range(samples.num)  # as if the input told them apart
    assert check_overfit(case).verdict in (DOUBTFUL, WRONG)


def test_targets_that_are_not_finite_show_as_a_rate_that_is_too_high_or_worse():
    case = nim_case()
    case.random.samples.payoffs[:] = float("nan")
    assert check_rate(case).verdict == DOUBTFUL
    assert check_overfit(case).verdict == WRONG


def test_samples_without_keys_are_not_merged():
    case = nim_case()
    case.random.samples.keys[:] = 0
    assert newest_rows(case).num == case.random.samples.num


def test_samples_with_keys_are_merged():
    case = nim_case()
    assert newest_rows(case).num == len(set(case.random.samples.keys.tolist()))


@pytest.mark.parametrize("check", [check_rate, check_overfit])
def test_a_trial_that_is_too_short_proves_nothing(check, monkeypatch):
    monkeypatch.setattr("anyzero.doctor.trials.STEPS", 3)
    found = check(nim_case())
    assert found.verdict == SKIPPED
    assert "3 steps" in found.conclusion


def test_a_loss_that_is_not_finite_is_an_infinite_share():
    assert Trial(0.1, 1.0, float("nan"), 3).share(1.0) == float("inf")
    assert Trial(0.1, 1.0, 0.25, 3).share(0.5) == 0.5
    assert "not finite" in Trial(0.1, 1.0, float("nan"), 3).text
