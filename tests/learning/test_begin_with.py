"""A run that begins with another network's weights."""

import shutil
from pathlib import Path

import pytest
import torch

from anyzero.errors import BadOptionError, UnknownNameError
from anyzero.games.load import load
from anyzero.learning import stages
from anyzero.learning.config import GateConfig
from anyzero.learning.folder import RunFolder
from anyzero.learning.start import open_run
from anyzero.learning.train import train
from anyzero.networks.config import BadNetworkError
from anyzero.networks.weights import load_network

TRIO = Path(__file__).parents[2] / "examples" / "trio.py"
SMALL = {
    "network": {"blocks": 1, "channels": 8},
    "selfplay": {"games": 4, "at_once": 4, "simulations": 2},
    "trainer": {"batch_size": 16},
    "league": {"every": 0},
    "threads": 1,
}
LATER = {key: value for key, value in SMALL.items() if key != "network"}


@pytest.fixture(scope="module")
def old(tmp_path_factory):
    run = train("hex:size=3", run=str(tmp_path_factory.mktemp("old") / "run"), generations=0, **SMALL)
    return RunFolder.open(run.path)


def weights(path, game):
    return load_network(path, load(game)).state_dict()


def test_the_weights_and_the_form_are_those_of_the_other_network_on_a_larger_board_too(old, tmp_path):
    changes = {**LATER, "begin_with": str(old.path)}
    folder = RunFolder.open(train("hex:size=4", run=str(tmp_path / "new"), changes=changes, generations=0).path)
    assert folder.config.network == old.config.network
    theirs, ours = weights(old.path / "champion.safetensors", "hex:size=4"), weights(folder.network(0), "hex:size=4")
    assert all(torch.equal(weight, ours[name]) for name, weight in theirs.items())


def test_a_run_goes_on_when_the_network_it_began_with_is_gone(old, tmp_path):
    shutil.copy(old.path / "champion.safetensors", tmp_path / "first.safetensors")
    asked = {"run": str(tmp_path / "new"), "preset": "hex"}
    changes = {**LATER, "begin_with": str(tmp_path / "first.safetensors")}
    train("hex:size=3", **asked, changes=changes, generations=0)
    (tmp_path / "first.safetensors").unlink()
    assert train("hex:size=3", **asked, changes=changes, generations=0).generations == 0
    with pytest.raises(BadOptionError, match="was started with begin_with="):
        open_run("hex:size=3", run=asked["run"], changes={"begin_with": str(old.path)})


def test_a_taught_run_goes_on_with_the_weights_it_began_with_when_the_networks_it_named_are_gone(old, tmp_path):
    given = tmp_path / "given.safetensors"
    shutil.copy(old.path / "champion.safetensors", given)
    asked = {"run": str(tmp_path / "new"), "changes": {**LATER, "teacher": str(given), "begin_with": str(given)}}
    asked["changes"]["trainer.learning_rate"] = 0.0
    train("hex:size=3", **asked, generations=0)
    given.unlink()
    folder = RunFolder.open(train("hex:size=3", **asked, generations=1).path)
    theirs, ours = weights(old.path / "champion.safetensors", "hex:size=3"), weights(folder.network(1), "hex:size=3")
    assert all(torch.equal(weight, ours[name]) for name, weight in theirs.items())


def test_a_teacher_of_another_size_plays_until_the_network_that_learns_from_it_holds_its_own(
    old, tmp_path, monkeypatch
):
    out_of_reach, held = GateConfig.model_construct(games=4, threshold=2.0), GateConfig(games=4, threshold=0.0)
    monkeypatch.setattr(stages, "TEACHER_GATE", out_of_reach)
    changes = {**SMALL, "network": {"blocks": 2, "channels": 8}, "teacher": str(old.path)}
    run = {"run": str(tmp_path / "new"), "changes": changes}
    folder = RunFolder.open(train("hex:size=3", **run, generations=2).path)
    theirs, ours = weights(old.path / "champion.safetensors", "hex:size=3"), weights(folder.network(0), "hex:size=3")
    assert all(torch.equal(weight, ours[name]) for name, weight in theirs.items())
    assert [load_network(folder.network(number), load("hex:size=3")).config.blocks for number in range(3)] == [1, 2, 2]
    assert [folder.generation(number).champion for number in range(3)] == [0, 0, 0]
    assert (folder.path / "champion.safetensors").read_bytes() == folder.network(0).read_bytes()
    monkeypatch.setattr(stages, "TEACHER_GATE", held)
    reports = [*RunFolder.open(train("hex:size=3", **run, generations=4).path).reports()]
    assert [report["champion"] for report in reports] == [0, 0, 0, 3, 4]
    assert [report["gate"] is None for report in reports] == [True, False, False, False, True]


def test_what_cannot_be_begun_with_is_one_sentence_and_leaves_nothing(old, tmp_path):
    path = tmp_path / "new"
    for game, changes, error, words in (
        ("hex:size=3", {**SMALL, "begin_with": str(old.path)}, BadOptionError, r"do not set network\.blocks"),
        ("tic_tac_toe", {**LATER, "begin_with": str(old.path)}, BadNetworkError, "plays hex, not tic_tac_toe"),
        ("hex:size=3", {**LATER, "begin_with": "nobody"}, UnknownNameError, "there is no network 'nobody'"),
        ("hex:size=3", {**SMALL, "teacher": "nobody"}, UnknownNameError, "there is no network 'nobody'"),
        ("tic_tac_toe", {**SMALL, "teacher": str(old.path)}, BadNetworkError, "plays hex, not tic_tac_toe"),
        (str(TRIO), {**SMALL, "teacher": "best"}, BadOptionError, "games of 3 seats have none"),
    ):
        with pytest.raises(error, match=words):
            open_run(game, run=str(path), changes=changes)
        assert not path.exists()
