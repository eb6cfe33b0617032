"""Priors that are all equal, and what a network has learnt of the policies."""

import math

import numpy as np
import pytest
import torch

from anyzero.doctor.finding import DOUBTFUL, SKIPPED, WELL, WRONG
from anyzero.doctor.priors import check_priors, measure
from tests.doctor.runs import case_of, nim_case

pytestmark = pytest.mark.xdist_group("doctor")

ALL = np.ones((1, 19), bool)


def test_equal_priors_over_nineteen_moves_are_2_944_nats():
    found = measure(np.zeros((1, 19)), ALL, np.full((1, 19), 1 / 19))
    assert found.equal == pytest.approx(2.944, abs=5e-4)  # ln 19
    assert found.priors == pytest.approx(0.0, abs=1e-12)
    assert found.policies == pytest.approx(0.0, abs=1e-12)


def test_divergences_are_those_of_their_definitions():
    legal = np.array([[True, True, False]])
    logits, policy = np.log([[3.0, 1.0, 100.0]]), np.array([[0.5, 0.5, 0.0]])
    found = measure(logits, legal, policy)
    assert found.equal == pytest.approx(math.log(2))
    entropy = -(0.75 * math.log(0.75) + 0.25 * math.log(0.25))
    assert found.priors == pytest.approx(math.log(2) - entropy)
    assert found.missing == pytest.approx(0.5 * math.log(0.5 / 0.75) + 0.5 * math.log(0.5 / 0.25))


def test_a_network_that_is_its_policies_has_learnt_everything():
    policy = np.array([[0.7, 0.2, 0.1]])
    found = measure(np.log(policy), np.ones((1, 3), bool), policy)
    assert found.learnt == pytest.approx(1.0)
    sure = measure(np.zeros((1, 3)), np.ones((1, 3), bool), np.array([[1.0, 0.0, 0.0]]))
    assert sure.learnt == pytest.approx(0.0)


def test_the_network_of_a_healthy_run_has_an_opinion(healthy):
    found = check_priors(case_of(healthy))
    assert found.verdict == WELL
    assert "policy loss" in found.seen


def test_a_dead_policy_head_makes_all_moves_equal(healthy):
    case = case_of(healthy)
    with torch.no_grad():
        case.network.policy.cells.weight.zero_()
    found = check_priors(case)
    assert (found.verdict, found.conclusion) == (WRONG, "all moves have the same prior")


def test_policies_without_a_preference_teach_nothing(healthy):
    case = case_of(healthy)
    legal = case.samples.actions >= 0
    case.samples.policies[:] = legal / np.maximum(1, legal.sum(axis=1, keepdims=True))
    found = check_priors(case)
    assert (found.verdict, found.conclusion) == (DOUBTFUL, "the policies to learn are flat")
    assert "more simulations" in found.advice


@pytest.mark.parametrize(("generation", "verdict"), [(1, DOUBTFUL), (5, WRONG)])
def test_priors_of_another_mind_are_excused_only_at_first(healthy, monkeypatch, generation, verdict):
    case = case_of(healthy)
    monkeypatch.setattr(type(case), "generation", generation)
    with torch.no_grad():
        case.network.policy.cells.weight.mul_(-1.0)  # likes what it should not
    assert check_priors(case).verdict == verdict


def test_before_training_there_are_no_priors_to_look_at():
    assert check_priors(nim_case()).verdict == SKIPPED
