"""A run that begins with another network's weights."""

import shutil

import pytest
import torch

import anyzero
from anyzero.core.base.errors import BadOptionError, UnknownNameError
from anyzero.core.game.load import load
from anyzero.core.learning.folder import RunFolder
from anyzero.core.nets.config import BadNetworkError
from anyzero.core.nets.models import load_network
from anyzero.tools.lab.opening import open_run
from anyzero.tools.lab.train import train

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
    run = train(
        "hex:size=3", run=str(tmp_path_factory.mktemp("old") / "run"), generations=0, **SMALL
    )
    return RunFolder.open(run.path)


def weights(path, game):
    return load_network(path, load(game)).state_dict()


def test_the_weights_and_the_form_are_those_of_the_other_network_on_a_larger_board_too(
    old, tmp_path
):
    changes = {**LATER, "begin_with": str(old.path)}
    folder = RunFolder.open(
        train("hex:size=4", run=str(tmp_path / "new"), changes=changes, generations=0).path
    )
    assert folder.config.network == old.config.network
    theirs, ours = (
        weights(old.path / "champion.safetensors", "hex:size=4"),
        weights(folder.network(0), "hex:size=4"),
    )
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


def test_what_expectimax_trains_has_no_policy_until_another_method_goes_on_with_it(tmp_path):
    game, small = load("take_it_easy"), {**LATER, "benchmark": {"deals": 0}}
    drawn = game.play(game.initial_state(), 0)
    begun = {
        **small,
        "network": {"layers": 1, "width": 8},
        "selfplay": {"games": 4, "method": "expectimax"},
    }
    for _ in range(2):  # the second time it resumes
        path = train("take_it_easy", run=str(tmp_path / "old"), changes=begun, generations=0).path
    with pytest.raises(
        BadOptionError, match=f"{path} has no policy for .*; play expectimax:8000@{path}"
    ):
        anyzero.search(game, drawn, f"gumbel:2@{path}")
    changes = {**small, "selfplay.method": "puct", "begin_with": str(path)}
    later = train("take_it_easy", run=str(tmp_path / "new"), changes=changes, generations=0).path
    assert anyzero.search(game, drawn, f"gumbel:2@{later}").simulations == 2


def test_what_cannot_be_begun_with_is_one_sentence_and_leaves_nothing(old, tmp_path):
    path = tmp_path / "new"
    for game, changes, error, words in (
        (
            "hex:size=3",
            {**SMALL, "begin_with": str(old.path)},
            BadOptionError,
            r"do not set network\.blocks",
        ),
        (
            "tic_tac_toe",
            {**LATER, "begin_with": str(old.path)},
            BadNetworkError,
            "plays hex, not tic_tac_toe",
        ),
        (
            "hex:size=3",
            {**LATER, "begin_with": "nobody"},
            UnknownNameError,
            "there is no network 'nobody'",
        ),
    ):
        with pytest.raises(error, match=words):
            open_run(game, run=str(path), changes=changes)
        assert not path.exists()
