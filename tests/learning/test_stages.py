"""Stages that find what a process before them left: samples that are gone, damaged or longer than
the window.
"""

from dataclasses import replace
from unittest.mock import MagicMock

import numpy as np
import pytest

from anyzero.core.base.errors import BadOptionError
from anyzero.core.game.load import load
from anyzero.core.learning.folder import RunFolder
from anyzero.core.learning.generation import Progress, Stages
from anyzero.core.learning.manifest import Generation
from anyzero.core.learning.once import Timer
from anyzero.core.learning.orders import last_score_against_previous, opponents, start_states
from anyzero.core.learning.run import Training
from anyzero.core.learning.samples import Samples, load_shard, save_shard
from anyzero.core.learning.selfplay import Engine, play_random
from anyzero.core.learning.trainer import Trainer
from anyzero.tools.lab.opening import fill_in, make_config
from tests.learning.rows import random_samples

TTT = load("tic_tac_toe")
TINY = {
    "network": {"kind": "mlp", "layers": 1, "width": 16},
    "selfplay": {"games": 4, "at_once": 4, "simulations": 2},
    "trainer": {"batch_size": 16},
    "gate": {"games": 0},
    "league": {"every": 0},
    "threads": 1,
}


def new_folder(path, **changes):
    return RunFolder.create(
        path / "run", fill_in(make_config("tic_tac_toe", changes={**TINY, **changes}))
    )


@pytest.mark.parametrize("keep_samples", [True, False])
def test_games_whose_samples_went_with_their_process_are_played_again(
    tmp_path, monkeypatch, keep_samples
):
    folder, calls = new_folder(tmp_path), []

    def play(_engine, _order, _first, num, _watch):
        calls.append(num)
        return play_random(TTT, num, seed=1)

    folder.config = folder.config.change(device="cuda", keep_samples=keep_samples)
    monkeypatch.setattr(Engine, "play", play)
    with folder.locked():
        before = Stages(folder).begin()
        part, stages = folder.part(1), Stages(folder, Progress())
        for _ in range(2):
            assert stages.self_play(part, before)["games"] == 4
        assert calls == [4]
        later = Stages(folder, Progress())
        found = later.self_play(part, before)
        assert calls == ([4] if keep_samples else [4, 4])
        assert later.window.newest(1).num == found["samples"]


def test_a_process_on_a_gpu_does_not_play_the_games_of_the_one_before(tmp_path, monkeypatch):
    """Not even where a gate has kept the champion."""
    folder, seeds = new_folder(tmp_path), []
    folder.config = folder.config.change(device="cuda")
    monkeypatch.setattr(
        Engine, "__init__", lambda _engine, *_rest, seed, **_more: seeds.append(seed)
    )
    monkeypatch.setattr(
        Engine, "play", lambda _engine, _order, _first, num, _watch: play_random(TTT, num, seed=1)
    )
    with folder.locked():
        first = Stages(folder).begin()
        for before in (first, replace(first, number=1)):
            Stages(folder, Progress()).self_play(folder.part(before.number + 1), before)
    assert len(set(seeds)) == 2


def test_a_run_that_writes_samples_only_when_it_stops_goes_on_with_all_of_them(tmp_path):
    folder = new_folder(tmp_path, **{"replay.window": 25})
    folder.config = folder.config.change(device="cuda", keep_samples=False)
    first = Stages(folder, Progress())
    for generation in (1, 2, 3):
        first.keep_block(generation, 0, play_random(TTT, 4, seed=generation))
        generations = first.window.samples.generations
        generations[generations == 0] = generation
    window = first.window.newest(3)
    assert not folder.blocks()
    first.window.save()
    later = Stages(folder, Progress())
    assert later.window.has(3)
    for one, other in zip(window, later.window.newest(3), strict=True):
        assert one.tobytes() == other.tobytes()
    for stages in (
        first,
        Stages(folder, Progress()),
    ):  # a process that never stopped, and a new one
        result = play_random(TTT, 2, seed=4)
        result.samples.generations[:] = 4
        stages.keep_block(4, 0, result)
        found = stages.window.newest(4)
        assert (found.num, np.unique(found.generations).tolist()) == (25, [3, 4])


def test_games_that_are_played_again_leave_no_samples_of_those_before(tmp_path):
    folder = new_folder(tmp_path)
    folder.config = folder.config.change(device="cuda", keep_samples=False)
    for seed in (1, 2):  # the second process plays for a generation that was damaged
        stages, again = Stages(folder, Progress()), play_random(TTT, 4, seed=seed)
        again.samples.generations[:] = 1
        stages.keep_block(1, 0, again)
        stages.window.save()
    assert np.array_equal(load_shard(folder.samples_path(1, 0), TTT).states, again.samples.states)


def test_the_samples_of_a_whole_block_are_weighed_by_policy_surprise(tmp_path):
    folder = new_folder(tmp_path, selfplay={**TINY["selfplay"], "surprise": 0.5})
    result = play_random(TTT, 4, seed=1)
    result.surprises[:] = np.arange(result.samples.num)
    with folder.locked():
        stages = Stages(folder)
        stages.finish_block(1, stages.begin(), 0, result)
    weights = load_shard(folder.samples_path(1, 0), TTT).weights
    assert weights.min() == 0.5
    assert weights.mean() == pytest.approx(1.0)


def test_the_share_of_the_minutes_is_of_the_time_spent_on_training(tmp_path, monkeypatch):
    folder = new_folder(tmp_path, minutes=2.0)
    monkeypatch.setattr(Timer, "seconds_so_far", lambda self: 90.0)
    with folder.locked():
        training = Training(folder)
        training.run(0)
    assert 0.75 <= training.stages.timer.passed() < 1.0
    folder.config = folder.config.change(minutes=0.0)
    assert Stages(folder, Progress()).timer.passed() is None


@pytest.mark.parametrize(("minutes", "rated"), [(2.0, [10]), (0.0, [0, 10]), (60.0, [0, 10])])
def test_a_run_of_a_few_minutes_leaves_out_the_rating_of_a_network_that_knows_nothing(
    tmp_path, monkeypatch, minutes, rated
):
    monkeypatch.setattr(Stages, "rate", lambda stages, number: {"elo": float(number)})
    folder = new_folder(tmp_path, minutes=minutes, league={"every": 10})
    with folder.locked():
        stages = Stages(folder, Progress())
        found = [number for number in (0, 1, 10) if stages.measure(folder.part(number), number)]
    assert found == rated


def test_without_deals_there_is_no_benchmark(tmp_path):
    config = make_config("take_it_easy", changes={"benchmark.deals": 0})
    folder = RunFolder.create(tmp_path / "run", fill_in(config))
    with folder.locked():
        assert Stages(folder).measure(folder.part(0), 0) == {}


def test_a_benchmark_at_a_stop_does_not_end_a_run_that_goes_on(tmp_path, monkeypatch):
    """Ten benchmarks without a gain end a run; the tenth here was made because training had
    stopped.
    """
    folder = new_folder(tmp_path, benchmark={"every": 2, "convergence_threshold": 1.0})
    numbers = [*range(0, 18, 2), 17]
    reports = [
        {"generation": number, "benchmark": {"mean": 100.0}, "seconds": {}} for number in numbers
    ]
    monkeypatch.setattr(RunFolder, "reports", lambda self: reports)
    monkeypatch.setattr(
        RunFolder, "newest", lambda self: Generation(tmp_path, {}, 17, 17, 16, True, "")
    )
    monkeypatch.setattr(
        Stages, "next_generation", lambda self, before, **_: replace(before, number=18)
    )
    assert Training(folder).run(18) == "generation 18 is done"


@pytest.mark.parametrize(
    ("settings", "previous", "wanted"),
    [
        ({}, 1, [2]),
        ({"two_champions": True}, None, [2, 2]),
        ({"two_champions": True}, 1, [2, 1]),
        ({"recent_share": 0.5, "recent": 1}, 1, [2, 2, 3]),
    ],
)
def test_the_champion_stands_in_for_opponents_that_are_not_there(
    tmp_path, monkeypatch, settings, previous, wanted
):
    folder = new_folder(tmp_path, selfplay={**TINY["selfplay"], **settings})
    monkeypatch.setattr(RunFolder, "numbers", lambda self: [1, 2, 3])
    before = Generation(tmp_path / "0003", {}, 3, 2, previous, False, "")
    assert opponents(folder, before) == wanted


def samples_of(generation: int, num: int) -> Samples:
    samples = random_samples(TTT, num, seed=generation)
    samples.generations[:] = generation
    return samples


def test_a_window_that_begins_within_a_shard_is_the_same_in_a_run_that_goes_on(tmp_path):
    folder = new_folder(tmp_path, **{"replay.window": 65})
    whole, windows = Stages(folder, Progress()), []
    for generation, num in ((1, 100), (2, 10), (3, 10)):
        save_shard(folder.samples_path(generation, 0), TTT, samples_of(generation, num))
        windows.append(whole.window.newest(generation))
    assert [window.num for window in windows] == [65, 65, 65]
    later = Stages(folder, Progress()).window.newest(3)
    for one, other in zip(windows[-1], later, strict=True):
        assert one.tobytes() == other.tobytes()


def test_shards_that_no_window_will_reach_are_dropped_once_training_is_over(tmp_path, monkeypatch):
    """Those that were missing when it goes on after a stop would be called gone."""
    folder = new_folder(tmp_path, **{"replay.window": 5})
    with folder.locked():
        Training(folder).run(1)
        with monkeypatch.context() as patch:
            patch.setattr(Trainer, "train", MagicMock(side_effect=KeyboardInterrupt))
            with pytest.raises(KeyboardInterrupt):
                Training(folder).run(2)
        Training(folder).run(2)
    assert folder.notes == []
    assert [block.generation for block in folder.blocks()] == [2]


def test_whole_generations_stay_in_memory(tmp_path):
    folder = new_folder(tmp_path, **{"replay.window": 25})
    stages = Stages(folder, Progress())
    for generation in range(1, 5):
        save_shard(folder.samples_path(generation, 0), TTT, samples_of(generation, 10))
        window = stages.window.newest(generation)
    assert np.unique(window.generations).tolist() == [2, 3, 4]
    assert (stages.window.oldest, stages.window.samples.num) == (2, 30)


def test_a_damaged_shard_is_put_aside(tmp_path):
    folder = new_folder(tmp_path)
    for generation in (1, 2):
        save_shard(folder.samples_path(generation, 0), TTT, samples_of(generation, 10))
    folder.samples_path(1, 0).write_bytes(b"nonsense")
    stages = Stages(folder, Progress())
    assert np.unique(stages.window.newest(2).generations).tolist() == [2]
    assert not folder.samples_path(1, 0).exists()
    assert folder.samples_path(1, 0).with_name(folder.samples_path(1, 0).name + ".damaged").exists()
    assert len(folder.notes) == 1
    assert "set aside" in folder.notes[0]


def report(*, promoted: bool, gate: float | None, selfplay: float | None):
    met = {"games": 0 if selfplay is None else 8, "score": selfplay}
    return {
        "promoted": promoted,
        "gate": None if gate is None else {"score": gate},
        "selfplay": {"against_previous": met},
    }


@pytest.mark.parametrize(
    ("reports", "score"),
    [
        ([], None),
        ([report(promoted=True, gate=None, selfplay=None)], None),
        ([report(promoted=True, gate=0.9, selfplay=0.5)], 0.9),
        (
            [
                report(promoted=False, gate=None, selfplay=0.9),
                report(promoted=True, gate=None, selfplay=0.8),
            ],
            None,
        ),
        (
            [
                report(promoted=True, gate=0.9, selfplay=0.5),
                report(promoted=False, gate=0.4, selfplay=0.7),
            ],
            0.7,
        ),
        (
            [
                report(promoted=True, gate=0.9, selfplay=0.5),
                report(promoted=False, gate=0.4, selfplay=None),
            ],
            0.9,
        ),
    ],
)
def test_the_score_against_the_one_before_is_of_their_last_meeting(
    tmp_path, monkeypatch, reports, score
):
    assert last_score(tmp_path, monkeypatch, reports) == score


@pytest.mark.parametrize(("lag", "score"), [(0, 0.7), (1, 0.9)])
def test_with_a_lag_the_first_games_after_a_promotion_are_not_the_champions(
    tmp_path, monkeypatch, lag, score
):
    reports = [
        report(promoted=True, gate=0.9, selfplay=0.5),
        report(promoted=False, gate=0.4, selfplay=0.7),
    ]
    assert (
        last_score(tmp_path, monkeypatch, reports, selfplay={**TINY["selfplay"], "lag": lag})
        == score
    )


def last_score(path, monkeypatch, reports, **changes):
    """That of the newest champion of these reports; a newer one does not count yet."""
    folder, newer = (
        new_folder(path, **changes),
        report(promoted=True, gate=0.1, selfplay=0.1),
    )
    numbered = [{"generation": number, **one} for number, one in enumerate([*reports, newer])]
    monkeypatch.setattr(RunFolder, "reports", lambda self: numbered)
    champion = max((one["generation"] for one in numbered[:-1] if one["promoted"]), default=0)
    return last_score_against_previous(
        folder, Generation(path, {}, len(reports) - 1, champion, None, False, "")
    )


def test_a_start_where_the_game_is_over_is_refused():
    texts = [TTT.format_state(TTT.initial_state())]
    assert len(start_states(TTT, texts)) == 1
    over = TTT.initial_state()
    for action in (0, 3, 1, 4, 2):
        over = TTT.play(over, action)
    with pytest.raises(BadOptionError, match=r"selfplay\.starts: .* the game is over"):
        start_states(TTT, [*texts, TTT.format_state(over)])
