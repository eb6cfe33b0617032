"""What is measured and said when training stops."""

import shlex
from dataclasses import replace
from pathlib import Path
from unittest.mock import MagicMock

import pytest

from anyzero.core.game.load import load
from anyzero.core.learning.config import RunConfig
from anyzero.core.learning.folder import END_FILE, NOW, RunFolder
from anyzero.tools.doctor.verify import verify
from anyzero.tools.lab.comparison import runs
from anyzero.tools.lab.train import final_match, sweep, train

TINY = {
    "network": {"blocks": 1, "channels": 8},
    "selfplay": {"games": 8, "at_once": 8, "simulations": 4},
    "league": {"every": 100, "games": 2, "anchors": ("random", "uct:20")},
    "gate": {"games": 0},
    "threads": 1,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("ended") / "runs" / "toe"
    train("tic_tac_toe", run=str(path), generations=2, match=4, changes=TINY)
    return path


def test_the_last_generation_is_rated_though_it_was_not_its_turn(folder):
    (run,) = runs(str(folder)).runs
    assert [row["generation"] for row in run.history if row["elo"] is not None] == [0, 2]


def test_runs_shows_the_match_at_the_end(folder):
    assert "end match" in repr(runs(root=folder.parent))
    (run,) = runs(root=folder.parent).runs
    assert run.match["games"] == 4
    assert run.match_text == run.match["brief"]
    assert run.match_text.endswith("against uct:20")
    assert run.to_json()["match"] == run.match


def test_a_finished_command_that_is_repeated_plays_no_match_again(folder, monkeypatch):
    monkeypatch.setattr("anyzero.tools.lab.train.contest", None)
    assert (
        train("tic_tac_toe", run=str(folder), generations=2, match=4, changes=TINY).match["games"]
        == 4
    )


def test_once_the_match_at_the_end_is_played_nothing_is_in_progress(folder, monkeypatch):
    told = []
    monkeypatch.setattr("anyzero.tools.lab.train.NOTE_EVERY_S", -1.0)
    monkeypatch.setattr(
        "anyzero.tools.lab.train.rebuild_history",
        lambda run: told.append((run.path / NOW).read_text()),
    )
    train("tic_tac_toe", run=str(folder), generations=2, match=2, changes=TINY)
    assert told[0].startswith("generation 2: match ")
    assert runs(str(folder)).runs[0].now == ""
    train("tic_tac_toe", run=str(folder), generations=2, match=4, changes=TINY)


def test_the_end_of_a_run_says_what_can_be_done_with_it(folder, capsys):
    found = train("tic_tac_toe", run=str(folder), generations=2)
    _, match, *commands = found.ending()
    assert match == found.match["text"]
    words = [line.partition(":")[0] for line in commands]
    assert words == ["play against it", "in the browser", "measure it", "use it elsewhere"]
    assert "resuming after generation 2" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("game", "anchors", "against"),
    [
        ("tic_tac_toe", ("random", "rave:20,bias=0.1"), "rave:20,bias=0.1"),
        ("tic_tac_toe", (), None),
        ("take_it_easy", (), "random"),
    ],
)
def test_the_last_anchor_plays_the_match_whatever_its_options_and_random_play_for_one_seat(
    monkeypatch, game, anchors, against
):
    stages = MagicMock(game=load(game), config=RunConfig(league={"anchors": anchors, "every": 0}))
    monkeypatch.setattr("anyzero.tools.lab.train.contest", played := MagicMock())
    played.return_value.shares, played.return_value.means = {}, (2.0, 1.0)
    found = final_match(stages, 3, 4)
    assert (found and found["against"]) == against


def test_the_picture_of_a_sweep_lies_beside_its_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for setting, name in (("seed=1", "seed-1"), ("selfplay.starts=3/3/3 x", "starts-3-3-3 x")):
        found = sweep(
            setting, "tic_tac_toe", run="out/toe", generations=0, progress=False, changes=TINY
        )
        assert found.runs[0].path == Path(f"out/toe-{name}")
        assert found.picture.samefile(tmp_path / "out" / f"toe-{name.partition('-')[0]}.png")


def test_what_can_be_done_with_a_run_is_said_in_commands_that_a_shell_can_read(folder):
    run = replace(
        runs(str(folder)).runs[0],
        name="toe 2",
        path=Path("runs/toe 2"),
        ended="generation 2 is done",
    )
    commands = [shlex.split(line) for line in run.ending() if "@" in line]
    assert [words[-1] for words in commands] == ["gumbel:64@toe 2", "uct:10000"]
    assert "gumbel:64@toe 2" in commands[1]


def test_a_run_without_a_generation_offers_nothing_to_play(tmp_path):
    for wanted, ended in (
        ({"minutes": 0.0}, "the time is up"),
        ({"generations": 0}, "generation 0 is done"),
    ):
        found = train(
            "tic_tac_toe", run=str(tmp_path / "toe"), **wanted, changes=TINY, progress=False
        )
        rest = (
            ", and nothing was learnt yet: the same command with more minutes or "
            "generations resumes"
        )
        assert list(found.ending()) == [ended + rest]


def test_what_was_measured_at_an_earlier_stop_is_kept(tmp_path):
    path = tmp_path / "toe"
    for generations, match in ((1, 2), (2, 4), (3, 0)):
        train(
            "tic_tac_toe",
            run=str(path),
            generations=generations,
            match=match,
            changes=TINY,
            progress=False,
        )
    (run,) = runs(str(path)).runs
    assert [row["elo"] is None for row in run.history] == [False] * 4
    stops = RunFolder.open(path).stops()
    matches = [stop["match"] and stop["match"]["games"] for stop in stops]
    assert ([stop["generation"] for stop in stops], matches) == ([1, 2, 3], [2, 4, None])


def test_an_edited_end_breaks_its_seal_and_is_measured_again(folder):
    end = folder / END_FILE
    end.write_text(end.read_text().replace('"generation": 2', '"generation": 1'))
    assert not verify(str(folder)).ok
    assert train("tic_tac_toe", run=str(folder), generations=2, match=4).match["games"] == 4
    assert verify(str(folder)).ok
