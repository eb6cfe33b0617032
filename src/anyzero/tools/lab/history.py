"""Measurements as files for people and programs: one row and one line per generation.

Both files are rebuilt whole from the generations' reports, so a kill during writing costs nothing.
"""

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

from anyzero.core.base.files import write_whole
from anyzero.core.base.nouns import NamedValues, Values
from anyzero.core.learning.folder import RunFolder

HISTORY = "training_history.csv"
METRICS = "metrics.jsonl"
SOURCES = {
    "games": "selfplay.games",
    "samples": "selfplay.samples",
    "unique_share": "replay.unique_share",
    "policy_loss": "training.policy_loss",
    "value_loss": "training.value_loss",
    "kl": "training.kl",
    "top1": "training.agreement",
    "value_error": "training.value_error",
    "prior_entropy": "training.prior_entropy",
    "gradient_norm": "training.gradient_norm",
    "benchmark_score_mean": "benchmark.mean",
    "benchmark_score_low": "benchmark.low",
    "benchmark_score_high": "benchmark.high",
    "elo": "league.elo",
    "elo_low": "league.low",
    "elo_high": "league.high",
    "gate_score": "gate.score",
    "promoted": "gate.promoted",
    "learning_rate": "training.learning_rate",
    "simulations_per_second": "selfplay.simulations_per_second",
    "samples_per_second": "training.samples_per_second",
}
"""The place of each column's value in a report."""
COLUMNS = ("generation", "seconds", "total_seconds", *SOURCES)

Row = Values  # the columns of one generation; None if not measured


def make_rows(reports: Sequence[NamedValues]) -> list[Row]:
    rows = []
    total = 0.0
    for report in reports:
        seconds = sum(filter(None, (report.get("seconds") or {}).values()))
        total += seconds
        row: Row = {"generation": report["generation"], "seconds": seconds, "total_seconds": total}
        for column, place in SOURCES.items():
            part, name = place.split(".")
            row[column] = (report.get(part) or {}).get(name)
        champion = report.get("champion")
        if row["promoted"] is None and champion is not None:  # no gate
            row["promoted"] = champion == report["generation"]
        rows.append(row)
    return rows


def rebuild_history(folder: RunFolder) -> None:
    """Write both files, unless unchanged."""
    reports = folder.reports()
    table = io.StringIO(newline="")
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(
        [[format_value(row[column]) for column in COLUMNS] for row in make_rows(reports)]
    )
    lines = "".join(json.dumps(report) + "\n" for report in reports)
    for name, text in ((METRICS, lines), (HISTORY, table.getvalue())):
        path = folder.path / name
        content = text.encode()
        if not path.is_file() or path.read_bytes() != content:
            write_whole(path, content)


def format_value(value: Any) -> str:
    """Six digits of a measured number, 1 or 0 for yes or no, empty for None."""
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(int(value))
