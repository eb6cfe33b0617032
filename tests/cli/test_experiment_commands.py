"""`experiment` and `plot` through the real entry point."""

import csv
import json
from pathlib import Path

import pytest

from anyzero.core.base import stopping
from anyzero.core.base.statistics import Interval
from anyzero.tools.arena.standings import elo_words
from anyzero.tools.lab.table import STUDENT_COLUMNS

pytestmark = pytest.mark.usefixtures("games_here")

FAULTY = str(Path(__file__).parent.parent / "arena" / "faulty.py")
STUDENTS = {
    "grid_sizes": [5],
    "budget_j1": [2, 10],
    "budget_j2": [2],
    "starting_players": [1, 2],
    "strategie": [["mcts", "random"], ["mcts", "mcts"]],
    "nb_games": 4,
}


@pytest.fixture
def quick(tmp_path):
    path = tmp_path / "grid.toml"
    pairs = f'pairs = [["random", "{FAULTY}"]]'
    path.write_text(
        f'games = ["tic_tac_toe"]\n{pairs}\nopenings = 0\ngames_per_cell = 4\nfirst_seat = '
        '["first", "both"]'
    )
    return path


def test_the_students_file_runs_end_to_end(run, tmp_path):
    config, table = tmp_path / "students.json", tmp_path / "out.csv"
    config.write_text(json.dumps(STUDENTS))
    code, out, err = run("experiment", str(config), "--results", str(table), "--json")
    found = json.loads(out)
    assert (code, err, found["cells"]) == (0, "", 8)
    lines = table.read_text().splitlines()
    assert lines[0] == (
        "GridSize,BudgetJ1,BudgetJ2,StrategieJ1,StrategieJ2,NbGames,StartPlayer,"
        "VictoiresJ1,VictoiresJ2,PourcentageJ1,PourcentageJ2,IntervalleBasJ1,IntervalleHautJ1"
    )
    assert len(lines) == 9
    for row in found["rows"]:
        assert tuple(row) == STUDENT_COLUMNS
        assert row["VictoiresJ1"] + row["VictoiresJ2"] == row["NbGames"] == 4
        assert row["PourcentageJ1"] == 25 * row["VictoiresJ1"] == 100 - row["PourcentageJ2"]
        assert row["IntervalleBasJ1"] <= row["PourcentageJ1"] <= row["IntervalleHautJ1"]
    code, out, _ = run("plot", str(table), "--format", "svg", "--json")
    drawn = json.loads(out)
    assert (code, drawn["folder"]) == (0, str(tmp_path / "out_plots"))
    assert "heat_map_hex_mcts-J1_random-J2.svg" in drawn["files"]
    assert all((tmp_path / "out_plots" / name).stat().st_size > 1000 for name in drawn["files"])


def test_experiment_prints_a_table_for_people_and_reports_when_it_is_finished(
    run, quick, monkeypatch
):
    monkeypatch.chdir(quick.parent)
    code, out, err = run("experiment", "grid.toml", "--workers", "1")
    assert (code, err) == (0, "")
    assert "first_seat" in out
    rows = list(csv.DictReader(Path("grid.csv").read_text().splitlines()))
    for row, line in zip(rows, out.splitlines()[1:3], strict=True):
        elo = Interval(*(float(row[name]) for name in ("elo", "elo_low", "elo_high")))
        assert line.rstrip().endswith(f" {elo.value:+.1f} ({elo_words(elo, 2)})")
    assert "2 cells, 8 games, in grid.csv; plot them with anyzero plot grid.csv" in out
    monkeypatch.setattr("anyzero.tools.arena.workers.Worker", None)
    assert run("experiment", "grid.toml") == (0, out, "")


class Pressed:
    """Ctrl-C as loops see it: pressed before their sixth look."""

    looks = 0

    def is_set(self):
        self.looks += 1
        return self.looks >= 6


def test_ctrl_c_keeps_what_is_finished_and_says_how_to_go_on(run, quick, monkeypatch):
    table = quick.with_suffix(".csv")
    with monkeypatch.context() as patch:
        patch.setattr(stopping, "_asked", Pressed())
        code, out, err = run("experiment", str(quick), "--results", str(table))
    games = table.with_suffix(".jsonl").read_bytes().count(b"\n") - 1
    assert (code, out, 0 < games < 8) == (130, "", True)
    assert f"{games} of 8 games, " in err
    assert err.endswith("the same command resumes from there\n")
    assert table.read_text().startswith("game,options,first,second,")
    assert run("experiment", str(quick), "--results", str(table))[0] == 0
    assert table.with_suffix(".jsonl").read_bytes().count(b"\n") == 1 + 8


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["experiment", "GRID", "--workers", "0"], "--workers"),
        (["experiment", "WRONG"], "did you mean games_per_cell?"),
        (["plot", "nowhere.csv"], "cannot read nowhere.csv"),
        (["plot", __file__], "not the table of an experiment"),
        (["plot", "GRID", "--format", "gif"], "there is no format 'gif'"),
    ],
)
def test_wrong_input_is_one_sentence_and_exit_code_2(run, quick, words, says):
    wrong = quick.with_name("wrong.toml")
    wrong.write_text("games_per_cel = 4\n" + quick.read_text())
    code, out, err = run(
        *({"GRID": str(quick), "WRONG": str(wrong)}.get(word, word) for word in words)
    )
    assert (code, out) == (2, "")
    assert says in err
    assert "Traceback" not in err
