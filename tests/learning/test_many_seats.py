"""Games of three and more seats train: each seat has a value, counted from the seat to move."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from anyzero.core.base.errors import BadOptionError
from anyzero.core.game.load import load
from anyzero.core.learning.config import ReplayConfig, TrainerConfig
from anyzero.core.learning.replay import build_replay, value_targets
from anyzero.core.learning.samples import load_shard, save_shard
from anyzero.core.learning.selfplay import play_random
from anyzero.core.learning.trainer import Trainer
from anyzero.core.nets.config import parse_network
from anyzero.core.nets.evaluator import NetworkEvaluator, check_fit
from anyzero.core.nets.models import new_network
from anyzero.tools.lab.train import train
from tests import race

TRIO = Path(__file__).parents[2] / "examples" / "trio.py"
GOAL = 8


def play(rules, state, action):
    state.total += action
    state.mover = (state.mover + 1) % 3


def payoffs(rules, state, out):
    for seat in range(3):
        out[seat] = 1.0 if seat == (state.mover + 2) % 3 else -0.5


def encode(rules, state, planes):
    planes[state.total] = 1.0


@pytest.fixture(scope="module")
def three_race():
    kept = [
        function
        for function in race.make().functions
        if function.__name__ not in ("play", "payoffs")
    ]
    sizes = {"num_seats": 3, "planes_shape": (GOAL,)}
    return replace(
        race.make(GOAL), name="three_race", functions=[*kept, play, payoffs, encode], **sizes
    )


@pytest.fixture(scope="module")
def samples(three_race):
    return play_random(three_race, 64, seed=3, target="interpreted").samples


def test_a_sample_has_the_payoffs_of_the_seats_after_the_one_to_move(three_race, samples):
    last = np.flatnonzero(samples.plies == samples.lengths - 1)
    assert samples.payoffs[last].tolist() == [1.0] * len(last)  # who moves last has won
    assert samples.others[last].tolist() == [[-0.5, -0.5]] * len(last)
    before = last[samples.plies[last] > 0] - 1
    assert samples.others[before].tolist() == [[1.0, -0.5]] * len(before)  # the next one has


def test_only_the_seat_to_move_learns_from_the_search_too(samples):
    targets = value_targets(
        samples._replace(values=np.full_like(samples.values, 0.25)), ReplayConfig(payoff_share=0.0)
    )
    assert set(targets[:, 0].tolist()) == {0.25}
    assert np.array_equal(targets[:, 1:], samples.others)


def test_files_keep_the_other_seats_payoffs(three_race, samples, tmp_path):
    save_shard(tmp_path / "shard", three_race, samples)
    assert np.array_equal(load_shard(tmp_path / "shard", three_race).others, samples.others)


@pytest.mark.parametrize("size", ["2x32", pytest.param("1x64", marks=pytest.mark.slow)])
def test_a_network_learns_what_each_seat_gets_and_says_it_by_seat(three_race, samples, size):
    trainer = Trainer(
        three_race,
        new_network(three_race, parse_network(size)),
        TrainerConfig(batches=150, batch_size=64, learning_rate=0.01, schedule="one-cycle"),
        threads=1,
    )
    trainer.train(build_replay(three_race, samples, ReplayConfig(), 0), 1, np.random.default_rng(0))
    states = three_race.new_states(3)
    states["total"], states["mover"] = GOAL - 1, [0, 1, 2]
    _, values = NetworkEvaluator(three_race, trainer.network_to_play(), threads=1)(
        three_race, states
    )
    assert (
        np.abs(values - (1.5 * np.eye(3) - 0.5)).max() < 0.2
    )  # any step wins for whoever is to move


def test_our_kernels_turn_values_to_their_seats():
    game = load(str(TRIO))
    network = new_network(game, parse_network("1x8"), 5)
    states = game.new_states(3)
    for state, cells in zip(
        states, (0, 1, 2), strict=True
    ):  # three positions, one for each seat to move
        for cell in range(cells):
            state["cells"][cell] = cell + 1
        state["mover"] = state["plies"] = cells
    _, values = NetworkEvaluator(game, network, threads=1)(game, states)
    answer = network.expected(network(as_tensor(game, states)).value).detach().numpy()
    assert np.allclose(values, [np.roll(row, seat) for seat, row in enumerate(answer)], atol=1e-5)


def as_tensor(game, states):
    import torch

    return torch.from_numpy(np.stack([game.encode(state) for state in states]))


@pytest.mark.parametrize(
    "league", [0, pytest.param(1, marks=pytest.mark.slow)]
)  # which is compiled for itself
def test_a_run_of_three_seats_plays_trains_and_is_rated(tmp_path, league):
    small = {
        "selfplay.games": 8,
        "selfplay.simulations": 4,
        "league.games": 2,
        "league.anchors": ("random",),
    }
    sizes = {
        "network": {"kind": "mlp", "layers": 1, "width": 16},
        "league.every": league,
        "threads": 1,
    }
    run = train(
        str(TRIO), run=str(tmp_path / "trio"), generations=1, changes={**small, **sizes}, match=0
    )
    assert run.generations == 1
    assert (run.last("elo") is not None) == bool(league)


def test_a_gpu_is_refused_in_a_sentence(three_race, monkeypatch):
    monkeypatch.setattr("anyzero.core.nets.evaluator.check_device", lambda device: None)
    with pytest.raises(
        BadOptionError, match="a value for each seat, which trains and plays on the CPU only"
    ):
        check_fit(three_race, new_network(three_race, parse_network("1x32")), "cuda")
