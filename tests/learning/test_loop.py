"""A tiny real run: it learns, resumes, survives kill -9, and says what is wrong with what it is
asked.
"""

import hashlib
import json
import multiprocessing
import shutil
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest

from anyzero.core.base.errors import AnyzeroError, BadOptionError
from anyzero.core.game.load import load
from anyzero.core.learning.config import RunConfig, change
from anyzero.core.learning.folder import RunFolder
from anyzero.core.learning.generation import Progress
from anyzero.core.learning.once import OutOfTimeError
from anyzero.core.learning.run import Training
from anyzero.core.nets.config import resolve
from anyzero.tools.lab.opening import fill_in, make_config, open_run
from anyzero.tools.lab.train import train
from anyzero.tools.presets import preset_config, recipes

TINY = {
    "network": {"blocks": 1, "channels": 16, "pool_every": 1},
    "selfplay": {"games": 12, "at_once": 6, "simulations": 4, "opening_plies": 2},
    "trainer": {"batch_size": 32, "epochs": 2.0},
    "gate": {"games": 4, "threshold": 0.3},
    "league": {"every": 2, "games": 4, "anchors": ("random", "uct:20")},
    "threads": 1,
}
GENERATIONS = 2
NIM = Path(__file__).parent.parent / "doctor" / "nim.py"


def tiny(**changes):
    return make_config("tic_tac_toe", changes={**TINY, **changes})


def run_to_the_end(path, config=None, generations=GENERATIONS):
    folder = RunFolder.create(path, fill_in(config or tiny()))
    with folder.locked():
        Training(folder).run(generations)
    return folder


def weights(path):
    """The networks, trainers and samples of a run, by their hashes."""
    files = sorted(
        [
            *path.glob("generations/*/*.safetensors"),
            *path.glob("samples/*"),
            path / "champion.safetensors",
        ]
    )
    return {
        str(file.relative_to(path)): hashlib.sha256(file.read_bytes()).hexdigest() for file in files
    }


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return run_to_the_end(tmp_path_factory.mktemp("whole") / "run")


def test_a_run_leaves_its_history(whole):
    newest = whole.newest()
    assert newest.number == GENERATIONS
    reports = whole.reports()
    assert [report["generation"] for report in reports] == [0, 1, 2]
    assert [report["league"] is not None for report in reports] == [True, False, True]
    last = reports[-1]
    assert last["selfplay"]["games"] == 12
    assert last["selfplay"]["samples"] > 12
    assert {"policy_loss", "kl", "value_loss"} <= set(last["training"])
    assert last["gate"]["against"][0]["name"] == str(reports[-2]["champion"])
    lines = [
        json.loads(line)
        for file in sorted(whole.path.glob("games/*"))
        for line in file.read_text().splitlines()
    ]
    assert len(lines) == 12 * GENERATIONS


def test_another_seed_gives_another_network(whole, tmp_path):
    other = run_to_the_end(tmp_path / "other", tiny(seed=5), generations=0)
    first = "generations/0000/network.safetensors"
    assert weights(other.path)[first] != weights(whole.path)[first]


class StopAt(Progress):
    """Ends the training at its nth look, as a full clock does, or a kill."""

    def __init__(self, looks):
        self.left = looks

    def stage(self, generation, name, total):
        class Looking:
            def __enter__(inner):  # noqa: N805
                return self.look

            def __exit__(inner, *_):  # noqa: N805
                return None

        return Looking()

    def look(self, _done):
        self.left -= 1
        if self.left == 0:
            raise OutOfTimeError


def test_a_run_that_is_stopped_again_and_again_ends_with_the_same_bytes(whole, tmp_path):
    folder, stops = RunFolder.create(tmp_path / "run", fill_in(tiny())), 0
    while (newest := folder.newest()) is None or newest.number < GENERATIONS:
        with folder.locked():
            Training(folder, StopAt(7 + 9 * (stops % 4))).run(GENERATIONS, minutes=1000.0)
        stops += 1
        folder = RunFolder.open(tmp_path / "run")
    assert stops > 5
    assert weights(folder.path) == weights(whole.path)


def go_on(path):
    folder = RunFolder.open(path)
    with folder.locked():
        Training(folder).run(GENERATIONS)


def killed_again_and_again(path, kills, moments):
    """Train in processes that are killed when so many files have come or gone, and here what is
    left; how they ended.

    They are forked off a process that has imported everything and done nothing.
    """
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload([__name__])
    ends = []
    for number in range(kills):
        process, seen, changes = (
            processes.Process(target=go_on, args=(path,)),
            set(path.rglob("*")),
            0,
        )
        process.start()
        while process.is_alive() and changes < moments[number % len(moments)]:
            with suppress(FileNotFoundError):  # a folder that got its name while it was looked into
                before, seen = seen, set(path.rglob("*"))
                changes += len(before ^ seen)
            time.sleep(0.01)
        process.kill()
        process.join()
        ends.append(process.exitcode)
    go_on(path)
    return ends


@pytest.mark.parametrize("kills", [2, pytest.param(30, marks=pytest.mark.slow)])
def test_a_run_that_is_killed_ends_with_the_same_bytes(whole, tmp_path, kills):
    RunFolder.create(tmp_path / "run", fill_in(tiny()))
    ends = killed_again_and_again(tmp_path / "run", kills, [9, 25, 3, 1, 6, 14, 2])
    assert ends[:2] == [-signal.SIGKILL] * 2
    assert set(ends) <= {-signal.SIGKILL, 0}
    assert weights(tmp_path / "run") == weights(whole.path)


def test_threads_change_nothing_in_the_games(whole, tmp_path):
    folder = run_to_the_end(tmp_path / "run", tiny(threads=2), generations=1)
    games = "games/0001-000.jsonl"
    assert (folder.path / games).read_text() == (whole.path / games).read_text()


def test_the_clock_ends_a_run_and_more_time_goes_on(tmp_path):
    folder = RunFolder.create(tmp_path / "run", fill_in(tiny()))
    with folder.locked():
        assert Training(folder).run(minutes=0.0) == "the time is up"
        assert Training(folder).run(0, minutes=1000.0) == "generation 0 is done"


def test_a_damaged_generation_is_passed_over_and_made_again(whole, tmp_path):
    shutil.copytree(whole.path, tmp_path / "run")
    (tmp_path / "run/generations/0002/network.safetensors").write_bytes(b"nonsense")
    folder = RunFolder.open(tmp_path / "run")
    with folder.locked():
        Training(folder).run(GENERATIONS)
    assert any("generation 2" in note for note in folder.notes)
    assert weights(whole.path).items() <= weights(folder.path).items()


@pytest.mark.slow
def test_take_it_easy_trains_and_is_benchmarked(tmp_path):
    changes = {
        "network": {"layers": 1, "width": 16},
        "selfplay": {"games": 8, "at_once": 8, "simulations": 4},
        "trainer": {"batch_size": 64, "epochs": 1.0},
        "benchmark": {"deals": 10},
        "threads": 1,
    }
    run = train(preset="take-it-easy", run=str(tmp_path / "easy"), generations=1, **changes)
    assert run.ended == "generation 1 is done"
    report = RunFolder.open(run.path).reports()[-1]
    assert report["benchmark"]["deals"] == 10
    assert report["selfplay"]["samples"] == 8 * 38
    assert report["training"]["policy_loss"] > 0.0


def test_another_config_is_another_run(tmp_path):
    path = str(tmp_path / "run")
    open_run("tic_tac_toe", run=path, changes=TINY)
    assert open_run("tic_tac_toe", run=path).config.selfplay.games == 12
    assert open_run("tic_tac_toe", run=path, changes={"generations": 7}).config.generations == 7
    with pytest.raises(
        BadOptionError, match=r"was started with selfplay\.games=12; use another name"
    ):
        open_run("tic_tac_toe", run=path, changes={"selfplay.games": 13})
    with pytest.raises(AnyzeroError, match="is a run of tic_tac_toe, not of connect_four"):
        open_run("connect_four", run=path)


def test_a_game_without_an_encoding_cannot_be_learnt(tmp_path):
    with pytest.raises(AnyzeroError, match="has no function encode, which a network needs"):
        open_run(f"{NIM}:fault=no encode", run=str(tmp_path / "run"))
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("name", recipes())
def test_every_preset_is_a_config_that_its_game_can_have(name):
    config = preset_config(name, None)
    game = load(config.game)
    is_board = len(game.planes_shape) == 3
    assert resolve(config.network, game).kind == (
        "residual" if is_board and name != "breakthrough" else "mlp"
    )
    assert change(RunConfig(), config.to_dict()) == config


def test_a_missing_gpu_is_one_sentence(tmp_path):
    with pytest.raises(BadOptionError, match="the device cuda needs an NVIDIA GPU"):
        open_run("tic_tac_toe", run=str(tmp_path / "run"), changes={"device": "cuda"})
    assert not (tmp_path / "run").exists()
