"""The whole examination on a healthy run, and on runs that are broken in one way each: the cause is
named first.
"""

import shutil

import pytest

from anyzero.core.base.errors import UnknownNameError
from anyzero.core.game.load import load
from anyzero.core.learning import window
from anyzero.core.learning.folder import RunFolder
from anyzero.tools.doctor.case import SKIPPED, WELL, WRONG
from anyzero.tools.doctor.examine import checks_for, examine, examine_game, examine_run, run_checks
from tests.doctor.runs import NIM, case_of, fingerprint, make_run, spoil_network


def wrong(examination):
    return [finding.name for finding in examination.findings if finding.verdict == WRONG]


def test_a_healthy_run_has_nothing_wrong_and_is_left_alone(healthy):
    before = fingerprint(healthy.path)
    found = examine_run(healthy.path)
    assert (wrong(found), found.is_well) == ([], True)
    assert found.diagnosis.startswith("nothing is wrong")
    assert [finding.name for finding in found.findings] == checks_for("run")
    assert not [finding.name for finding in found.findings if finding.verdict == SKIPPED]
    assert fingerprint(healthy.path) == before


@pytest.mark.slow
def test_results_with_the_wrong_sign_are_the_main_diagnosis(tmp_path, monkeypatch):
    right = window.save_shard
    monkeypatch.setattr(
        window, "save_shard", lambda path, game, rows: right(path, game, flipped(rows))
    )
    folder = make_run(tmp_path / "run")
    found = examine_run(folder.path)
    assert found.diagnosis.startswith("the results in the samples have the wrong sign. Try: ")
    assert "value sign in training" not in wrong(found)  # the library itself is sound
    assert not found.is_well


def flipped(samples):
    return samples._replace(payoffs=-samples.payoffs)


@pytest.mark.slow
def test_zeroed_residual_layers_are_the_main_diagnosis(healthy, tmp_path):
    shutil.copytree(healthy.path, tmp_path / "run")
    folder = RunFolder.open(tmp_path / "run")
    spoil_network(
        folder, lambda network: [weight.zero_() for weight in network.trunk.blocks.parameters()]
    )
    found = examine_run(folder.path)
    assert found.diagnosis.startswith("layers are dead")
    layers = next(finding for finding in found.findings if finding.name == "layers")
    assert "5 of 11 have weights that are all zero (trunk.blocks.0.first, " in layers.seen


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "diagnosis", "also"),
    [
        (
            {"selfplay.gumbel_scale": 0.0, "selfplay.opening_plies": 0},
            "noise is off in self-play, so every game is the same. Try: "
            "selfplay.gumbel_scale=1 and",
            "different positions",
        ),
        (
            {"selfplay.method": "puct", "selfplay.noise_fraction": 0.0, "selfplay.temperature": 0.0}
            | {"selfplay.late_temperature": 0.0, "selfplay.opening_plies": 0},
            "noise is off in self-play, so every game is the same. Try: "
            "selfplay.noise_fraction=0.25 and",
            "different positions",
        ),
        (
            {"gate.opening_plies": 0},
            "the gate keeps playing the same two games. Try: gate.opening_plies=4",
            "gate",
        ),
        (
            {"trainer.learning_rate": 0.3},
            "the learning rate is too high. Try: trainer.learning_rate=0.003",
            "losses",
        ),
    ],
    ids=[
        "gumbel without noise",
        "puct without noise",
        "gate without openings",
        "learning rate times 100",
    ],
)
def test_a_broken_setting_is_the_main_diagnosis(tmp_path, changes, diagnosis, also):
    found = examine_run(make_run(tmp_path / "run", changes).path)
    assert found.diagnosis.startswith(diagnosis)
    assert also in wrong(found)


QUICK = ("files", "results in the samples", "losses", "priors", "outcomes of games", "gate")


def quick_look(folder):
    return {finding.name: finding for finding in run_checks(QUICK, case_of(folder))}


def test_a_run_before_its_first_generation_is_no_error(tmp_path):
    found = quick_look(make_run(tmp_path / "run", generations=0))
    assert found.pop("files").verdict == WELL
    assert found.pop("gate").verdict == WELL
    assert {finding.verdict for finding in found.values()} == {SKIPPED}


def test_a_damaged_generation_is_named(healthy, tmp_path):
    shutil.copytree(healthy.path, tmp_path / "run")
    (tmp_path / "run/generations/0002/network.safetensors").write_bytes(b"nonsense")
    found = quick_look(RunFolder.open(tmp_path / "run"))["files"]
    assert (found.verdict, found.conclusion) == (WRONG, "a generation is damaged")
    assert "generation 2 of " in found.seen
    assert "sets damaged generations aside" in found.advice


def test_damaged_samples_are_named_and_what_needs_them_is_skipped(healthy, tmp_path):
    shutil.copytree(healthy.path, tmp_path / "run")
    (tmp_path / "run/samples/0002-000.safetensors").write_bytes(b"nonsense")
    found = quick_look(RunFolder.open(tmp_path / "run"))
    assert (found["files"].verdict, found["files"].conclusion) == (WRONG, "a file is damaged")
    assert "renames a damaged sample file, reports it, and continues" in found["files"].advice
    assert found["priors"].verdict == SKIPPED
    assert found["priors"].conclusion.startswith("it cannot be checked: ")
    assert found["outcomes of games"].verdict == WELL


@pytest.mark.parametrize("text", ["{nonsense", '{"start": 0}', "7"])
def test_games_that_cannot_be_read_are_named(healthy, tmp_path, text):
    shutil.copytree(healthy.path, tmp_path / "run")
    (tmp_path / "run/games/0002-000.jsonl").write_text(text)
    found = quick_look(RunFolder.open(tmp_path / "run"))["files"]
    assert (found.verdict, found.conclusion) == (WRONG, "a file is damaged")
    assert "0002-000.jsonl cannot be read" in found.seen


# --- games


def test_a_sound_game_is_fit_to_be_learnt():
    found = examine_game(NIM)
    assert found.is_well
    assert [finding.name for finding in found.findings] == checks_for("game")
    assert found.diagnosis == "nothing is wrong."


def test_a_game_without_an_input_cannot_be_learnt():
    found = examine_game(f"{NIM}:fault=no encode")
    assert not found.is_well
    assert found.diagnosis.startswith(
        "no network can learn this game. Try: write encode(rules, state, planes)"
    )


def test_a_game_itself_is_examined_like_its_text():
    text = f"{NIM}:fault=no encode"
    assert examine(load(text), progress=False).title == examine(text, progress=False).title


def test_neither_a_run_nor_a_game_is_one_sentence(tmp_path):
    with pytest.raises(
        UnknownNameError, match=r"there is no game 'hec'; did you mean hex\? .*; runs in .*: none"
    ):
        examine("hec", tmp_path)
