"""Self-play on the GPU: its launches in numba-cuda's simulator, and what comes of them by the
rules.
"""

import json
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from anyzero.core.compile.random import make_streams
from anyzero.core.game.load import load
from anyzero.core.learning.block import Block
from anyzero.core.learning.config import SelfPlayConfig
from anyzero.core.learning.orders import manner_of
from anyzero.core.learning.samples import Samples, join
from anyzero.core.search import search_many
from anyzero.core.search.report import draw_index
from tests import dice_race
from tests.learning import simulated
from tests.search.weighing import Weighing

TTT = load("tic_tac_toe")
DICE = dice_race.make()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("simulated")
    done = subprocess.run(
        [sys.executable, "-m", "tests.learning.simulated", str(folder)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1"},
        cwd=Path(__file__).parents[2],
    )
    assert done.returncode == 0, done.stderr
    return folder


def samples_of(folder, name, game=TTT):
    parts = [np.load(folder / f"{name}{number}.npz") for number in range(2)]
    samples = join([Samples(*(part[field] for field in Samples._fields)) for part in parts])
    return samples._replace(states=samples.states.view(game.state_dtype))


def found(folder, name):
    return json.loads((folder / "found.json").read_text())[name]


def games_of(samples):
    """Ranges of rows: those of a game come together, from its first ply on."""
    begins = [
        row
        for row in range(samples.num)
        if row == 0 or samples.plies[row] <= samples.plies[row - 1]
    ]
    return list(pairwise([*begins, samples.num]))


@pytest.mark.parametrize("name", ["gumbel", "puct"])
def test_every_sample_follows_from_the_one_before_by_a_legal_move(folder, name):
    samples = samples_of(folder, name)
    for first, end in games_of(samples):
        assert samples.states[first].tobytes() == TTT.initial_state().tobytes()
        for row in range(first, end - 1):
            state = samples.states[row]
            after = [TTT.play(state, action).tobytes() for action in TTT.legal_actions(state)]
            assert samples.states[row + 1].tobytes() in after
            assert samples.plies[row + 1] == samples.plies[row] + 1


@pytest.mark.parametrize("name", ["gumbel", "puct"])
def test_payoffs_are_those_of_the_end_for_the_seat_to_move(folder, name):
    samples = samples_of(folder, name)
    for first, end in games_of(samples):
        state = samples.states[end - 1]
        seats = [TTT.seat_to_move(samples.states[row]) for row in range(first, end)]
        ends = [TTT.play(state, action) for action in TTT.legal_actions(state)]
        possible = [list(TTT.payoffs(after)) for after in ends if TTT.is_over(after)]
        payoffs = [float(samples.payoffs[first + seats.index(seat)]) for seat in (0, 1)]
        assert payoffs in possible
        assert samples.payoffs[first:end].tolist() == [payoffs[seat] for seat in seats]
        assert set(samples.lengths[first:end]) == {end - first}


@pytest.mark.parametrize("name", ["gumbel", "puct"])
def test_policies_and_values_are_those_of_a_search_on_the_cpu(folder, name):
    samples = samples_of(folder, name)
    options = {"puct": {}, "gumbel": {"value_scale": 0.25}}[name]
    wanted = search_many(
        TTT,
        samples.states,
        name,
        simulations=4,
        evaluator=Weighing(TTT),
        target="interpreted",
        **options,
    )
    assert samples.values == pytest.approx(wanted.values, abs=1e-6)
    for row, state in enumerate(samples.states):
        legal = sorted(TTT.legal_actions(state))
        assert samples.actions[row].tolist() == legal + [-1] * (9 - len(legal))
        assert samples.policies[row, : len(legal)] == pytest.approx(
            wanted.policies[row, legal], abs=1e-3
        )
    assert (samples.policy_weights == 1.0).all()


def test_simulations_are_counted(folder):
    samples, counts = samples_of(folder, "puct"), found(folder, "puct")
    assert counts["finished"] >= len(games_of(samples)) == len(counts["lines"])
    assert 3 * samples.num <= counts["simulations"] <= 4 * (samples.num + 3 * 9)


def scaled(number):
    """The network of this number, as the device has it, on the host."""
    weighing = Weighing(TTT)

    def evaluate(game, states):
        logits, values = weighing(game, states)
        return (number + 1) * logits, values

    return evaluate


@pytest.mark.parametrize("name", ["gumbel", "expectimax", "reuse", "three"])
def test_games_on_the_gpu_are_those_of_the_cpu(folder, name):
    """The first games of the same seed, whatever slots they are played in: two champions, a recent
    one, resigning.
    """
    lines = found(folder, name)["lines"]
    players = simulated.players(
        name, [scaled(number) for number in range(simulated.NETWORKS.get(name, 1))]
    )
    config = SelfPlayConfig(**simulated.SCENARIOS[name][1])
    block = Block(
        *(TTT, players, simulated.pairings(name), manner_of(config)),
        games=simulated.NUM_GAMES[name],
        seed=3,
        resign_below=simulated.BAR.get(name, -1.0),
        target="interpreted",
    )
    for wanted in block.play().games:
        assert wanted._asdict() in lines


def test_seats_resign_and_checked_games_go_on(folder):
    counts = found(folder, "three")
    assert {line["end"] for line in counts["lines"]} == {"rules", "resign"}
    assert len(counts["checks"]) > 0
    assert {name for line in counts["lines"] for name in line["names"]} == {"0", "1", "2"}


def test_openings_are_no_samples_and_games_end_at_the_ply_limit(folder):
    samples = samples_of(folder, "short")
    firsts = {int(samples.plies[first]) for first, _ in games_of(samples)}
    assert firsts <= {0, 1, 2}
    assert max(firsts) > 0
    assert samples.lengths.max() == 5
    for first, end in games_of(samples):
        last = samples.states[end - 1]
        after = [TTT.play(last, action) for action in TTT.legal_actions(last)]
        if not any(TTT.is_over(one) for one in after):
            assert samples.payoffs[first:end].tolist() == samples.values[first:end].tolist()
    assert "plies" in {line["end"] for line in found(folder, "short")["lines"]}


def test_before_a_draw_there_is_a_value_and_no_policy(folder):
    samples = samples_of(folder, "cut dice", DICE)
    seats = np.array([DICE.seat_to_move(state) for state in samples.states])
    assert {-1, 0, 1} == set(seats.tolist())
    assert samples.policy_weights.tolist() == (seats >= 0).astype(float).tolist()
    assert (samples.actions[seats == -1] == -1).all()


def test_a_value_before_a_draw_is_for_the_first_seat_whoever_moves_next(folder):
    samples, turned = samples_of(folder, "cut dice", DICE), 0
    for first, end in games_of(samples):
        for row in range(first, end - 1):
            if DICE.seat_to_move(samples.states[row]) < 0:
                sign = 1.0 if DICE.seat_to_move(samples.states[row + 1]) == 0 else -1.0
                assert samples.values[row] == sign * samples.values[row + 1]
                turned += sign < 0 and samples.values[row] != 0.0
    assert turned > 0


def test_games_that_are_cut_off_teach_what_searches_said_of_them(folder):
    samples = samples_of(folder, "cut dice", DICE)
    cut = samples.lengths == 5
    assert "plies" in {line["end"] for line in found(folder, "cut dice")["lines"]}
    assert samples.payoffs[cut].tolist() == samples.values[cut].tolist()
    assert samples.plies.max() == 3  # at ply 4 there is a draw, and nothing is known beyond it


def test_lines_are_the_games_of_the_samples(folder):
    samples, lines = samples_of(folder, "gumbel"), found(folder, "gumbel")["lines"]
    for line, (first, end) in zip(lines, games_of(samples), strict=True):
        assert len(line["actions"]) == samples.lengths[first] == end - first
        assert line["payoffs"][0] == samples.payoffs[first]
        state = TTT.initial_state()
        for row, action in enumerate(line["actions"], first):
            assert samples.states[row].tobytes() == state.tobytes()
            state = TTT.play(state, action)


def test_a_game_waits_until_its_samples_are_fetched(folder):
    counts = found(folder, "wait")
    assert counts["before"] == 2 * 3
    assert counts["fetched"] == counts["waiting"] > 0
    assert counts["after"] > counts["before"]


def test_pieces_of_an_actor_with_a_gpu_are_games_that_go_on(folder):
    pieces = found(folder, "pieces")
    lines = pieces["lines"]
    assert len(lines) >= 8
    assert pieces["samples"] == sum(len(line["actions"]) for line in lines)
    assert {name for line in lines for name in line["names"]} == {"7"}


def test_batches_of_the_replay_on_the_gpu_are_those_of_the_replay(folder):
    assert found(folder, "replay") == [True] * 12


def test_moves_are_drawn_by_temperature_from_their_shares():
    """Shares 2 : 1 : 1 : 0 at temperature 1/2 are chances of 4/6, 1/6, 1/6 and 0.

    Of 6000 draws the first is drawn 4000 +- 36.5 times: further off than 200 has a chance under
    1e-7.
    """
    shares, rng = np.array([0.5, 0.25, 0.25, 0.0], np.float32), make_streams(1, 1)[0]
    with np.errstate(over="ignore"):
        counts = np.bincount([draw_index(shares, 4, 0.5, rng) for _ in range(6000)], minlength=4)
    assert abs(counts[0] - 4000) < 200
    assert abs(counts[1] - 1000) < 200
    assert counts[3] == 0
