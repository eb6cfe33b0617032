"""`doctor` through the real entry point, on a game, on a run, and on what is neither."""

import json
from functools import partial

import pytest

from anyzero.core.learning.selfplay import play_random
from anyzero.tools.doctor.examine import CHECKS
from tests.doctor.runs import NIM, fingerprint, make_run

pytestmark = pytest.mark.xdist_group("doctor")


def test_a_game_that_is_fit_to_be_learnt(run, monkeypatch):
    """By one check out of many: all of them are asked in tests/doctor."""
    monkeypatch.setattr("anyzero.tools.doctor.examine.CHECKS", {"input": CHECKS["input"]})
    monkeypatch.setattr(
        "anyzero.tools.doctor.case.play_random", partial(play_random, target="interpreted")
    )
    code, out, err = run("doctor", NIM)
    assert (code, err) == (0, "")
    head, columns, row, diagnosis = out.splitlines()
    assert head.endswith(": a game to be learnt")
    assert columns.split() == ["verdict", "check", "what", "was", "seen", "what", "to", "try"]
    assert row.split()[:2] == ["well", "input"]
    assert diagnosis == "Diagnosis: nothing is wrong."


def test_a_game_that_is_not_fit_for_programs(run):
    assert (
        run("doctor", f"{NIM}:fault=no encode")[1].splitlines()[2].startswith("WRONG")
    )  # what is wrong comes first
    code, out, _ = run("doctor", f"{NIM}:fault=no encode", "--json")
    found = json.loads(out)
    assert (code, found["ok"]) == (1, False)
    assert found["game"].endswith("nim.py:fault=no encode")
    assert found["diagnosis"].startswith("no network can learn this game")
    assert [check["name"] for check in found["checks"]] == ["laws", "input"]
    assert set(found["checks"][1]) == {"name", "verdict", "conclusion", "seen", "advice"}
    assert found["checks"][1]["verdict"] == "wrong"


@pytest.mark.slow
def test_a_run_without_noise_is_diagnosed_and_left_alone(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    small = {"network.blocks": 1, "network.channels": 8, "selfplay.games": 32, "gate.games": 8}
    folder = make_run(
        "runs/still", {**small, "selfplay.gumbel_scale": 0.0, "selfplay.opening_plies": 0}, 1
    )
    before = fingerprint(folder.path)
    code, out, err = run("doctor", "still")
    assert (code, err) == (1, "")
    lines = out.splitlines()
    assert lines[0] == "runs/still: a run of tic_tac_toe with 1 generation"
    assert lines[2].startswith("WRONG")  # what is wrong comes first
    assert lines[-1].startswith(
        "Diagnosis: noise is off in self-play, so every game is the same. Try: "
    )
    assert fingerprint(folder.path) == before


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["hec"], "there is no game 'hec'; did you mean hex?"),
        (["hex:sise=5"], "hex has no option 'sise'; did you mean size?"),
        (["hec", "--root", "nowhere"], "runs in nowhere: none"),
        (["./nothing.py"], "cannot read the game file nothing.py: No such file or directory\n"),
        ([], "Missing argument"),
    ],
)
def test_wrong_input_is_one_sentence_and_exit_code_2(run, tmp_path, monkeypatch, words, says):
    monkeypatch.chdir(tmp_path)
    code, out, err = run("doctor", *words)
    assert (code, out) == (2, "")
    assert says in err
    assert "Traceback" not in err


def test_a_run_whose_config_cannot_be_read_is_one_sentence(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs/odd").mkdir(parents=True)
    (tmp_path / "runs/odd/config.toml").write_text("sed = 3\n")
    code, out, err = run("doctor", "odd")
    assert (code, out) == (2, "")
    assert "a run has no setting 'sed'; did you mean seed?" in err
