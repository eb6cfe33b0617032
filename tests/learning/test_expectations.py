"""Expected values before draws: the trace on numbers worked out by hand, the expectations against
brute force.
"""

import numpy as np
import pytest

from anyzero.core.base.seeds import draw_seed
from anyzero.core.game.load import load
from anyzero.core.learning import generation as generations
from anyzero.core.learning.config import SelfPlayConfig
from anyzero.core.learning.expectations import expect, goes_on, trace_back
from anyzero.core.learning.folder import RunFolder
from anyzero.core.learning.generation import Stages
from anyzero.core.learning.manifest import Generation
from anyzero.core.learning.run import Training
from anyzero.core.learning.samples import new_samples, take
from anyzero.core.learning.selfplay import play_random
from anyzero.tools.lab.opening import fill_in, make_config
from tests import dice_race
from tests.learning.test_loop import StopAt, weights
from tests.search.test_expectimax import brute_force, leaf_of
from tests.search.weighing import Weighing

DRAW, FIRST, SECOND = -1, 0, 1
RACE = dice_race.make(goal=9)


def traced(seats, values, own, ahead, trace=0.5, plies=None, lengths=60):
    found, rows = np.array(values, float), new_samples(RACE, len(seats))
    rows.plies[:], rows.lengths[:] = np.arange(len(seats)) if plies is None else plies, lengths
    trace_back(
        np.array(seats), goes_on(rows), found, np.array(own, float), np.array(ahead, float), trace
    )
    return found.tolist()


def test_half_of_each_td_error_goes_back():
    """Last draw: 0.5 is expected, the network said 0.3, a surprise of 0.2.

    The one before: 0.35 is expected, half of 0.2 comes on top: 0.45, where the network said 0.4: a
    surprise of 0.05. The first: 0.4 + 0.025.
    """
    seats = [DRAW, FIRST, DRAW, FIRST, DRAW, FIRST]
    best = [0.0, 0.4, 0.0, 0.3, 0.0, 0.9]
    own, ahead = [0.0, 0.0, 0.4, 0.0, 0.3, 0.0], [0.4, 0.0, 0.35, 0.0, 0.5, 0.0]
    assert traced(seats, best, own, ahead) == pytest.approx([0.425, 0.4, 0.45, 0.3, 0.5, 0.9])
    assert traced(seats, best, own, ahead, trace=0.0) == pytest.approx(
        [0.4, 0.4, 0.35, 0.3, 0.5, 0.9]
    )


def test_nothing_goes_back_through_a_move_that_was_not_the_best():
    """The best move was worth 0.6, the one played 0.3."""
    assert traced([DRAW, FIRST, DRAW], [0, 0.6, 0], [0, 0, 0.3], [0.5, 0, 0.8])[0] == pytest.approx(
        0.5
    )
    assert traced([DRAW, FIRST, DRAW], [0, 0.3, 0], [0, 0, 0.3], [0.5, 0, 0.8])[0] == pytest.approx(
        0.75
    )


def test_values_before_a_draw_are_the_first_seats_whoever_moved():
    """For the second seat a position worth -0.3 to the first is worth 0.3."""
    assert traced([DRAW, SECOND, DRAW], [0, 0.3, 0], [0, 0, -0.3], [-0.4, 0, -0.5])[
        0
    ] == pytest.approx(-0.5)
    assert traced([DRAW, SECOND, DRAW], [0, 0.4, 0], [0, 0, -0.3], [-0.4, 0, -0.5])[
        0
    ] == pytest.approx(-0.4)


@pytest.mark.parametrize(
    ("plies", "lengths"),
    [([36, 37, 0, 1], 38), ([2, 3, 6, 7], [4, 4, 8, 8]), ([2, 3, 4, 5], [4, 4, 6, 6])],
)
def test_nothing_goes_back_from_one_game_to_another(plies, lengths):
    """The second one may begin behind an opening that is longer than the first."""
    seats, own, ahead = [DRAW, FIRST, DRAW, FIRST], [0, 0, 0.3, 0], [0.5, 0, 0.8, 0]
    assert traced(seats, [0, 0.3, 0, 0.8], own, ahead, plies=plies, lengths=lengths)[
        0
    ] == pytest.approx(0.5)


def test_games_without_a_draw_behind_their_opening_have_nothing_to_expect():
    samples = play_random(RACE, 1, seed=1, target="interpreted").samples
    last = take(samples, slice(samples.num - 1, None))
    assert expect(RACE, last, Weighing(RACE), SelfPlayConfig(method="expectimax")).num == 1


def test_without_a_td_trace_values_are_expectations_by_brute_force():
    game = dice_race.make(goal=9)
    evaluator, samples = Weighing(game), play_random(game, 2, seed=1, target="interpreted").samples
    found = expect(game, samples, evaluator, SelfPlayConfig(method="expectimax"))
    assert found.num == len({*range(samples.num)} - set(np.flatnonzero(samples.policy_weights > 0)))
    for state, value in zip(found.states, found.values, strict=True):
        assert value == pytest.approx(
            brute_force(game, state, 1, leaf_of(game, evaluator))[0], abs=1e-5
        )


def tiny_config():
    return make_config(
        preset="take-it-easy-expectimax",
        changes={
            "network": {"layers": 1, "width": 16, "bins": 31},
            "selfplay": {"games": 4, "at_once": 2, "draws": 2},
            "trainer": {"batch_size": 16},
            "benchmark": {"every": 0},
            "threads": 1,
        },
    )


@pytest.mark.slow
def test_a_run_that_is_stopped_learns_the_same_expectations(tmp_path):
    whole, folder = (
        RunFolder.create(tmp_path / name, fill_in(tiny_config())) for name in ("whole", "stopped")
    )
    with whole.locked():
        Training(whole).run(2)
    stops = 0
    while (newest := folder.newest()) is None or newest.number < 2:
        with folder.locked():
            Training(folder, StopAt(40)).run(2, minutes=1000.0)
        folder, stops = RunFolder.open(folder.path), stops + 1
    assert stops > 1
    assert weights(folder.path) == weights(whole.path)
    assert whole.reports()[-1]["selfplay"]["samples"] == 4 * 19


@pytest.mark.parametrize("lag", [0, 1])
def test_a_champion_that_stays_sees_other_draws_in_every_generation(tmp_path, monkeypatch, lag):
    stages, seeds = Stages(RunFolder.create(tmp_path / "run", fill_in(tiny_config()))), []
    stages.evaluator, stages.evaluated = Weighing(stages.game), 0
    monkeypatch.setattr(
        generations,
        "expect",
        lambda _game, samples, *_, seed, **more: seeds.append(seed) or samples,
    )
    monkeypatch.setattr(stages, "keep_block", lambda *_: {})
    for number in (1, 2, 3):
        before = Generation(
            tmp_path, {}, max(0, number - 1 - lag), 0, None, promoted=False, seal=""
        )
        stages.finish_block(number, before, 1, play_random(stages.game, 1, seed=1))
    assert seeds == [
        draw_seed("draws", stages.config.seed, generation, 1) for generation in (0, 1, 2)
    ]


def test_some_draws_have_the_mean_of_all():
    """16 of the draws before the last cell, from 100 positions: a mean within 6 deviations of the
    exact one.

    A false alarm is one in ten million.
    """
    game = load("take_it_easy")
    samples = play_random(game, 100, seed=2, target="interpreted").samples
    last = take(samples, samples.plies == 36)
    exact = expect(game, last, Weighing(game), SelfPlayConfig(method="expectimax")).values.copy()
    some = expect(
        game, last, Weighing(game), SelfPlayConfig(method="expectimax", draws=16), seed=3
    ).values
    errors = some - exact
    assert errors.std() > 0.0
    assert abs(errors.mean()) < 6 * errors.std() / np.sqrt(len(errors))
