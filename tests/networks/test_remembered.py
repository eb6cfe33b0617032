"""Remembered answers: those that the network gave, on every thread, and never those of another
position.
"""

from typing import Any

import numpy as np
import pytest

from anyzero.core.game.load import load
from anyzero.core.nets.config import parse_network
from anyzero.core.nets.evaluator import NetworkEvaluator, Remembered, places_that_pay
from anyzero.core.nets.forward import empty_answers
from anyzero.core.nets.models import new_network
from anyzero.core.search import search_many

FOUR = load("connect_four")


class Counting:
    """A network of two actions that answers with its input, and counts what it is asked."""

    def __init__(self) -> None:
        self.asked: list[np.ndarray] = []

    def answer(self, planes: np.ndarray, logits: np.ndarray, values: np.ndarray) -> None:
        self.asked.append(planes.copy())
        logits[:] = planes[:, :2] * 10.0
        values[:, 0] = planes[:, 2]


def ask(network: Remembered, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    logits, values = empty_answers(len(planes), 2)
    network.answer(planes, logits, values)
    assert (logits == planes[:, :2] * 10.0).all()
    assert (values[:, 0] == planes[:, 2]).all()
    return logits, values


def inputs(*numbers: int) -> np.ndarray:
    return np.array([[number, number + 1, number + 2] for number in numbers], np.float32).reshape(
        -1, 3
    )


def test_the_evaluation_cache_asks_the_network_only_for_what_is_new() -> None:
    own = Counting()
    network = Remembered(own, 2, 1024)
    ask(network, inputs(3, 4, 3, 5, 4, 3))
    ask(network, inputs(5, 6, 3))
    ask(network, inputs(6, 5))
    assert [asked[:, 0].tolist() for asked in own.asked] == [[3, 4, 3, 5, 4, 3], [6]]


def test_a_full_evaluation_cache_forgets_and_still_answers_right() -> None:
    own, rng = Counting(), np.random.default_rng(1)
    network = Remembered(own, 2, 4)
    asked = 0
    for _ in range(200):
        numbers = rng.integers(0, 12, rng.integers(0, 9))
        asked += len(numbers)
        ask(network, inputs(*numbers))
    assert 12 < sum(len(planes) for planes in own.asked) < asked


def test_inputs_that_differ_in_one_bit_have_their_own_entry_in_the_evaluation_cache() -> None:
    planes = np.zeros((64, 40), np.float32)
    for row in range(64):
        planes.view(np.uint32)[row, row % 40] = 1 << row % 30
    own = Counting()
    network = Remembered(own, 2, 1024)
    ask(network, planes)
    assert [len(asked) for asked in own.asked] == [64]


def leaves(cache: int | None, threads: int) -> tuple[Any, Any, list[int]]:
    """What searches of the same positions find, twice, the second time from what the first left.

    And the network that answers, and how many positions it was asked for in each call.
    """
    network = new_network(FOUR, parse_network("1x20"))
    evaluator = NetworkEvaluator(FOUR, network, threads=threads, cache=cache)
    answering, asked = evaluator.forward.network, list[int]()
    own = answering.network if isinstance(answering, Remembered) else answering
    answer = own.answer
    own.answer = lambda planes, *answers: (asked.append(len(planes)), answer(planes, *answers))
    states = FOUR.new_states(40)
    for row in range(40):
        states[row] = FOUR.play(FOUR.initial_state(), row % 7)
    found = [
        search_many(
            FOUR, states, "gumbel", simulations=16, evaluator=evaluator, seed=seed, threads=threads
        ).policies
        for seed in (1, 1)
    ]
    return found, answering, asked


def test_searches_are_the_same_with_and_without_the_evaluation_cache_on_any_threads() -> None:
    wanted, without, all_asked = leaves(0, 1)
    assert not isinstance(without, Remembered)
    for cache, threads in ((None, 1), (None, 2), (50, 2)):
        found, network, asked = leaves(cache, threads)
        assert isinstance(network, Remembered)
        assert np.array_equal(found, wanted)
        assert 0 < sum(asked) < sum(all_asked)


@pytest.mark.parametrize(
    ("game", "remembers"), [("connect_four", True), ("hex:size=11", True), ("chess", False)]
)
def test_the_evaluation_cache_is_bounded_and_left_out_where_it_would_hold_too_little(
    game: str, remembers: bool
) -> None:
    assert (places_that_pay(load(game)) > 0) == remembers
