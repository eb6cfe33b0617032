"""History: rows from reports, files that can be made again at any time."""

import csv
import json

import pytest

from anyzero.core.base.files import write_whole
from anyzero.core.learning.config import RunConfig
from anyzero.core.learning.folder import RunFolder
from anyzero.tools.lab.history import COLUMNS, make_rows, rebuild_history
from tests.learning.reports import make_report

WHOLE = make_report(7, champion=7)
BARE = {
    "generation": 8,
    "seconds": {"selfplay": 1.5, "training": None},
    "selfplay": None,
    "champion": 7,
}


def add(folder, report):
    part = folder.part(report["generation"])
    write_whole(part / "network.safetensors", b"network")
    write_whole(part / "report.json", json.dumps(report).encode())
    champion = report["champion"]
    facts = {"champion": champion, "previous": None, "promoted": champion == report["generation"]}
    folder.commit(report["generation"], facts)


@pytest.fixture
def run(tmp_path):
    folder = RunFolder.create(tmp_path / "run", RunConfig(keep=1))
    with folder.locked():
        for report in (WHOLE, BARE, make_report(9, champion=7)):
            add(folder, report)
    return folder


def read_table(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


# --- rows and tables


def test_a_row_has_what_the_report_says():
    row = make_rows([WHOLE])[0]
    assert tuple(row) == COLUMNS
    assert row["seconds"] == row["total_seconds"] == 20 + 10 + 5 + 4 + 1
    assert (row["games"], row["samples"], row["unique_share"]) == (256, 8000, 0.75)
    assert (row["policy_loss"], row["kl"], row["value_loss"]) == (1.5, 0.5, 0.25)
    assert (row["elo"], row["elo_low"], row["elo_high"]) == (700.0, 660.0, 740.0)
    assert (row["benchmark_score_mean"], row["gate_score"], row["promoted"]) == (140.0, 0.6, True)


def test_what_was_not_measured_is_empty(run):
    rebuild_history(run)
    whole, bare, last = read_table(run.path / "training_history.csv")
    assert tuple(whole) == COLUMNS
    assert {column for column, text in bare.items() if text} == {
        "generation",
        "seconds",
        "total_seconds",
        "promoted",
    }
    assert (bare["promoted"], whole["promoted"], bare["seconds"], bare["total_seconds"]) == (
        "0",
        "1",
        "1.5",
        "41.5",
    )
    assert (last["generation"], last["total_seconds"], last["elo"]) == ("9", "81.5", "900")


def test_the_gate_decides_which_candidate_was_promoted():
    reports = [
        {"generation": 1, "gate": {"promoted": False}, "champion": 1},
        {"generation": 2, "champion": 2},
    ]
    assert [row["promoted"] for row in make_rows([*reports, {"generation": 3}])] == [
        False,
        True,
        None,
    ]


def test_both_files_can_be_made_again_after_pruning(run):
    rebuild_history(run)
    before = {
        name: (run.path / name).read_bytes() for name in ("training_history.csv", "metrics.jsonl")
    }
    assert not (run.generation_path(8) / "network.safetensors").exists()  # pruned
    for name in before:
        (run.path / name).write_bytes(b"half of")
    rebuild_history(run)
    assert before == {name: (run.path / name).read_bytes() for name in before}
    lines = (run.path / "metrics.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == [WHOLE, BARE, make_report(9, champion=7)]


def test_a_damaged_report_costs_its_row_alone(run):
    (run.generation_path(8) / "report.json").write_text('{"generation":')
    rebuild_history(run)
    assert [row["generation"] for row in read_table(run.path / "training_history.csv")] == [
        "7",
        "9",
    ]
