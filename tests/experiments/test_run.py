"""Experiments are played: rows by hand and against the arena, journals, stops, and real processes
that are killed.
"""

import csv
import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from anyzero.core.base.errors import AnyzeroError
from anyzero.core.base.statistics import wilson_interval
from anyzero.core.game.play import BY_THE_RULES
from anyzero.tools.arena import Match, make_plan, match
from anyzero.tools.arena.elo import elo_difference
from anyzero.tools.arena.match import MatchResult
from anyzero.tools.lab import load_experiment, run_experiment
from anyzero.tools.lab.run import ExperimentResult, guess_cost
from anyzero.tools.lab.table import GRID_COLUMNS, describe_cell, describe_victories, elo_of

pytestmark = pytest.mark.usefixtures("games_here")

FAULTY = str(Path(__file__).parent.parent / "arena" / "faulty.py")
QUICK = f"""
games = ["tic_tac_toe"]
pairs = [["random", "{FAULTY}"], ["{FAULTY}", "random"]]
first_seat = ["first", "both"]
games_per_cell = 4
openings = 0
"""
"""Players and openings without a search: such workers start in no time."""


def write_config(tmp_path, text=QUICK):
    path = tmp_path / "grid.toml"
    path.write_text(text)
    return path


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """The config above, its table and its journal, all played; the rows and what was reached on the
    way.
    """
    folder, reached = tmp_path_factory.mktemp("played"), []
    experiment = load_experiment(write_config(folder))
    return (
        folder,
        run_experiment(experiment, folder / "out.csv", workers=1, watch=reached.append),
        reached,
    )


@pytest.fixture
def finished(played, tmp_path):
    """A copy to be changed."""
    return Path(shutil.copytree(played[0], tmp_path / "finished"))


def read_csv(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def without_time(rows):
    return [{**row, "seconds": None} for row in rows]


# --- rows by hand


def result(pair, leg, payoffs, seconds=(0.5, 0.25)):
    match = Match(0, 1, pair, leg)
    return MatchResult(match, ["a", "b"], 0, [], payoffs, None, BY_THE_RULES, "", list(seconds))


WON, LOST, DRAWN = [1.0, -1.0], [-1.0, 1.0], [0.0, 0.0]


def test_a_row_counts_for_the_first_player_whatever_its_seat():
    plan = make_plan("tic_tac_toe", ("random", "random"), games=4)
    row = describe_cell(
        plan, [result(0, 0, WON), result(0, 1, LOST), result(1, 0, DRAWN), result(1, 1, WON)]
    )
    assert tuple(row) == GRID_COLUMNS[8:]
    assert [row[name] for name in ("wins", "draws", "losses", "score", "seconds")] == [
        2,
        1,
        1,
        0.625,
        3.0,
    ]
    low, high = wilson_interval(0.625, 4)[1:]
    assert (row["score_low"], row["score_high"]) == (round(low, 6), round(high, 6))
    assert row["elo"] == pytest.approx(elo_difference(0.625), abs=0.01)


def test_a_fixed_first_seat_has_elo_from_single_games():
    plan = make_plan("tic_tac_toe", ("random", "random"), games=3, legs=(1,))
    games = [result(0, 1, LOST), result(1, 1, LOST), result(2, 1, WON)]
    row = describe_cell(plan, games)
    assert (row["wins"], row["losses"]) == (2, 1)
    # Wilson for 2 of 3: (2/3 + z²/6 ± z sqrt(2/27 + z²/36)) / (1 + z²/3), z = 1.96.
    score, elo = (
        [row[f"{name}{end}"] for end in ("", "_low", "_high")] for name in ("score", "elo")
    )
    assert score == pytest.approx((2 / 3, 0.207660, 0.938508), abs=1e-6)
    assert elo == pytest.approx(
        [elo_difference(limit) for limit in score[:2]] + [elo_difference(0.875)], abs=0.01
    )
    assert describe_victories(plan, games) == {
        "VictoiresJ1": 2,
        "VictoiresJ2": 1,
        "PourcentageJ1": 66.67,
        "PourcentageJ2": 33.33,
        "IntervalleBasJ1": 20.77,
        "IntervalleHautJ1": 93.85,
    }


def test_elo_stays_finite_when_everything_was_won():
    found = elo_of(wilson_interval(1.0, 20), 20)
    assert found.value == found.high == pytest.approx(elo_difference(1 - 0.5 / 21))
    assert found.low == pytest.approx(
        elo_difference(0.838875), abs=0.01
    )  # Wilson's lower limit for 20 of 20


def test_larger_budgets_and_boards_are_expected_to_take_longer():
    costs = [
        guess_cost(make_plan(f"hex:size={size}", players), size * size)
        for size, players in (
            (3, ("uct:100", "random")),
            (3, ("uct:100", "uct:100")),
            (3, ("uct:0.1s", "uct:0.1s")),
        )
    ]
    assert costs[0] < costs[1] < costs[2]
    assert costs[2] == pytest.approx(9 * 0.1, rel=0.01)


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (-381.7, 381.7, "+338.0 (anywhere)"),
        (-20.5, 381.7, "+338.0 (above -20.5)"),
        (-20.5, 350.0, "+338.0 (between -20.5 and +350.0)"),
    ],
)
def test_an_elo_that_the_games_do_not_bound_is_shown_as_open(low, high, words):
    """Four games bound Elo at 1 - 0.5 / 5 of the points, which is 381.70 in the table."""
    row = {"games": 4, "elo": 338.04, "elo_low": low, "elo_high": high}
    (table, _) = ExperimentResult(Path("grid.toml"), Path("grid.csv"), [row], 4).report()
    assert table.rows == [["4", words]]


# --- playing


def test_all_cells_are_played_and_written_in_order(played):
    folder, rows, reached = played
    assert [(row["first"], row["first_seat"]) for row in rows] == [
        *(("random", "first"), ("random", "both")),
        *((FAULTY, "first"), (FAULTY, "both")),
    ]
    assert [row["wins"] + row["draws"] + row["losses"] for row in rows] == [4, 4, 4, 4]
    written = read_csv(folder / "out.csv")
    assert tuple(written[0]) == GRID_COLUMNS
    assert written == [
        {key: "" if value is None else str(value) for key, value in row.items()} for row in rows
    ]
    assert [now.games for now in reached] == list(range(17))
    assert (reached[0].cells, reached[0].share) == (0, 0.0)
    assert (reached[-1].cells, reached[-1].share) == (4, pytest.approx(1.0))


def test_a_cell_is_the_match_of_the_same_players_and_seed(tmp_path):
    text = (
        'games = ["tic_tac_toe"]\npairs = [["uct", "random"]]\nbudgets = [5, '
        "9]\ngames_per_cell = 6\nseed = 5\n"
    )
    rows = run_experiment(
        load_experiment(write_config(tmp_path, text)), tmp_path / "out.csv", workers=2
    )
    alone = match("tic_tac_toe", "uct:5", "random", games=6, seed=5, workers=1).to_json()
    counted = ("wins", "draws", "losses")
    assert [rows[0][name] for name in counted] == [alone[name] for name in counted]
    assert rows[0]["elo_low"] == pytest.approx(alone["elo_low"], abs=0.01)


def test_games_of_one_seat_and_of_two_are_played_by_the_same_workers(tmp_path):
    text = QUICK.replace('["tic_tac_toe"]', '["take_it_easy", "tic_tac_toe"]').replace(
        '["first", "both"]', '"both"'
    )
    rows = run_experiment(
        load_experiment(write_config(tmp_path, text)), tmp_path / "out.csv", workers=1
    )
    assert [row["wins"] + row["draws"] + row["losses"] for row in rows] == [
        2,
        2,
        4,
        4,
    ]  # two deals are four games
    assert [row["elo"] is None for row in rows] == [True, True, False, False]
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()[1:]]
    assert [len(line["seconds"]) for line in lines] == [1] * 8 + [2] * 8


def test_cells_that_differ_in_name_only_share_their_games(tmp_path):
    path = tmp_path / "students.json"
    sizes = {
        "grid_sizes": [3],
        "budget_j1": [1],
        "budget_j2": [5, 9],
        "starting_players": [2],
        "openings": 0,
    }
    path.write_text(json.dumps({**sizes, "strategie": [["random", "random"]], "nb_games": 4}))
    rows = run_experiment(load_experiment(path), tmp_path / "out.csv", workers=1)
    assert [row["BudgetJ2"] for row in rows] == [5, 9]
    assert rows[0] == {**rows[1], "BudgetJ2": 5}
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()[1:]]
    assert [line["match"] for line in lines] == [
        [0, 1, game, 1] for game in range(4)
    ]  # J2 has the first seat
    assert rows[0]["VictoiresJ2"] == sum(line["payoffs"][0] == 1.0 for line in lines)


def test_a_finished_experiment_starts_no_process_and_changes_no_file(finished, monkeypatch):
    experiment, table = load_experiment(finished / "grid.toml"), finished / "out.csv"
    before = {
        path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in finished.iterdir()
    }
    monkeypatch.setattr("anyzero.tools.arena.workers.Worker", None)
    rows = run_experiment(experiment, table)
    assert len(rows) == 4
    assert {
        path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in finished.iterdir()
    } == before
    table.unlink()
    assert run_experiment(experiment, table) == rows
    assert table.read_bytes() == before["out.csv"][0]


# --- journals


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("games_per_cell = 4", "games_per_cell = 6"), "games_per_cell 4, not 6"),
        (("tic_tac_toe", "connect_four"), "games"),
        (("openings = 0", "openings = 1"), "openings 0, not 1"),
        (("openings = 0", "openings = 0\nseed = 1"), "seed 0, not 1"),
        (('["first", "both"]', '"both"'), "first_seat"),
    ],
)
def test_results_of_another_config_are_refused_and_left_alone(finished, change, says):
    before = {path.name: path.read_bytes() for path in finished.glob("out*")}
    changed = load_experiment(write_config(finished, QUICK.replace(*change)))
    with pytest.raises(AnyzeroError, match="the record of another run") as error:
        run_experiment(changed, finished / "out.csv")
    assert says in str(error.value)
    assert {path.name: path.read_bytes() for path in finished.glob("out*")} == before


def test_a_file_that_cannot_be_the_results_is_refused(tmp_path):
    experiment = load_experiment(write_config(tmp_path))
    (tmp_path / "mine.csv").write_text("a,b\n")
    with pytest.raises(AnyzeroError, match="nothing was changed"):
        run_experiment(experiment, tmp_path / "mine.csv")
    assert (tmp_path / "mine.csv").read_text() == "a,b\n"
    assert not (tmp_path / "mine.jsonl").exists()
    (tmp_path / "other.jsonl").write_text("my diary\n")
    with pytest.raises(AnyzeroError, match="is not a record of games"):
        run_experiment(experiment, tmp_path / "other.csv")
    assert (tmp_path / "other.jsonl").read_text() == "my diary\n"
    with pytest.raises(AnyzeroError, match=r"go to a \.csv file"):
        run_experiment(experiment, tmp_path / "grid.toml")
    with pytest.raises(AnyzeroError, match="cannot write"):
        run_experiment(experiment, tmp_path / "no" / "where.csv")


@pytest.mark.parametrize(
    "change", [{"plan": 9}, {"plan": -1}, {"match": [0, 1, 77, 0]}, {"players": ["random"] * 2}]
)
def test_a_game_that_is_not_of_the_grid_is_refused(finished, change):
    journal = finished / "out.jsonl"
    lines = journal.read_text().splitlines(keepends=True)
    lines[1] = json.dumps({**json.loads(lines[1]), **change}) + "\n"
    journal.write_text("".join(lines))
    with pytest.raises(AnyzeroError, match="line 2 is not a finished game"):
        run_experiment(load_experiment(finished / "grid.toml"), finished / "out.csv")


# --- the real thing, stopped in the middle

SLOW = """
games = ["tic_tac_toe"]
pairs = [["uct:{budget},solve=0", "uct:50"]]
budgets = [20000, 20001]
first_seat = ["first", "second"]
games_per_cell = 5
"""


def command(tmp_path):
    table = str(tmp_path / "out.csv")
    return [
        sys.executable,
        "-m",
        "anyzero",
        "experiment",
        str(tmp_path / "grid.toml"),
        "--results",
        table,
        "--json",
    ]


def start_and_wait(tmp_path, num_games):
    process = subprocess.Popen(
        command(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    journal, deadline = tmp_path / "out.jsonl", time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        if journal.exists() and journal.read_bytes().count(b"\n") > num_games:
            return process
        time.sleep(0.01)
    raise AssertionError(process.communicate())


def test_killed_in_the_middle_and_resumed_is_as_if_nothing_had_happened(tmp_path):
    config = write_config(tmp_path, SLOW)
    process = start_and_wait(tmp_path, 4)
    process.kill()
    process.communicate()
    kept = (tmp_path / "out.jsonl").read_bytes()
    assert 4 <= kept.count(b"\n") - 1 < 20
    again = run_experiment(load_experiment(config), tmp_path / "out.csv", workers=1)
    lines = (tmp_path / "out.jsonl").read_bytes()
    assert lines.startswith(kept[: kept.rindex(b"\n") + 1])
    games = [(line["plan"], *line["match"]) for line in map(json.loads, lines.splitlines()[1:])]
    assert len(games) == len(set(games)) == 20
    whole = run_experiment(load_experiment(config), tmp_path / "whole.csv", workers=1)
    assert without_time(again) == without_time(whole)
    assert without_time(read_csv(tmp_path / "out.csv")) == without_time(
        read_csv(tmp_path / "whole.csv")
    )
