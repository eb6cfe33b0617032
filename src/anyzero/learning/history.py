"""What was measured, as files for people and programs: one row and one line a generation.

Both files are made from the reports of the generations, whole, so that a kill while they are written costs nothing.
"""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from anyzero.files import write_whole
from anyzero.learning.events import EVENTS, update_events
from anyzero.learning.folder import RunFolder

HISTORY, METRICS = "training_history.csv", "metrics.jsonl"
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
    "promoted": "promoted",
    "learning_rate": "training.learning_rate",
    "simulations_per_second": "selfplay.simulations_per_second",
    "samples_per_second": "training.samples_per_second",
}
"""Where a report has what a column shows."""
COLUMNS = ("generation", "seconds", "total_seconds", *SOURCES)

Row = dict[str, Any]
"""The columns of one generation; None where nothing was measured."""


def make_rows(reports: Sequence[Mapping[str, Any]]) -> list[Row]:
    """The history that the reports of a run tell, in their order."""
    rows, total = [], 0.0
    for report in reports:
        seconds = sum(filter(None, (report.get("seconds") or {}).values()))
        total += seconds
        row: Row = {"generation": report["generation"], "seconds": seconds, "total_seconds": total}
        told = {**report, "promoted": was_promoted(report)}
        rows.append(row | {column: look_up(told, place) for column, place in SOURCES.items()})
    return rows


def was_promoted(report: Mapping[str, Any]) -> bool | None:
    """Without a gate, whether it became the champion."""
    gate = report.get("gate") or {}
    champion = report.get("champion")
    return gate.get("promoted", None if champion is None else champion == report["generation"])


def look_up(values: Mapping[str, Any], place: str) -> Any:
    """The value at `part.name`; None where the part or the name is missing."""
    part, _, name = place.rpartition(".")
    return (values.get(part) or {} if part else values).get(name)


def read_rows(folder: RunFolder) -> list[Row]:
    """The history of a run, from its generations."""
    return make_rows(folder.reports())


# --- files


def rebuild(folder: RunFolder, copy: Path | None = None) -> None:
    """Write both files, a copy of the table if one is wanted, and what TensorBoard reads if the config says so."""
    timed = folder.timed_reports()
    reports = [report for report, _ in timed]
    table = format_table(make_rows(reports))
    lines = "".join(json.dumps(report) + "\n" for report in reports).encode()
    write_changed(folder.path / METRICS, lines)
    write_changed(folder.path / HISTORY, table)
    if copy is not None:
        write_changed(copy, table)
    if folder.config.tensorboard:
        update_events(folder.path / EVENTS, timed)


def write_changed(path: Path, content: bytes) -> None:
    """One that is the same is left alone."""
    if not path.is_file() or path.read_bytes() != content:
        write_whole(path, content)


def format_table(rows: Sequence[Row]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([[format_value(row[column]) for column in COLUMNS] for row in rows])
    return text.getvalue().encode()


def format_value(value: Any) -> str:
    """Six digits of a measured number, 1 or 0 for yes or no, nothing for None."""
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(int(value))
