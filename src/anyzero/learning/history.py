"""What was measured, as files for people and programs: one row and one line a generation.

Both files are made from the reports of the generations, whole, so that a kill while they are written costs nothing.
"""

import csv
import io
import json
import struct
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from anyzero.files import write_whole, writing
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
    "promoted": "gate.promoted",
    "learning_rate": "training.learning_rate",
    "simulations_per_second": "selfplay.simulations_per_second",
    "samples_per_second": "training.samples_per_second",
}
"""Where a report has what a column shows."""
COLUMNS = ("generation", "seconds", "total_seconds", *SOURCES)

Row = dict[str, Any]  # the columns of one generation; None where nothing was measured


def make_rows(reports: Sequence[Mapping[str, Any]]) -> list[Row]:
    rows, total = [], 0.0
    for report in reports:
        seconds = sum(filter(None, (report.get("seconds") or {}).values()))
        total += seconds
        row: Row = {"generation": report["generation"], "seconds": seconds, "total_seconds": total}
        for column, place in SOURCES.items():
            part, name = place.split(".")
            row[column] = (report.get(part) or {}).get(name)
        champion = report.get("champion")
        if row["promoted"] is None and champion is not None:  # there was no gate
            row["promoted"] = champion == report["generation"]
        rows.append(row)
    return rows


def rebuild(folder: RunFolder) -> None:
    """Write both files, and what TensorBoard reads if the config says so; one that is the same is left alone."""
    timed = folder.timed_reports()
    reports = [report for report, _ in timed]
    table = io.StringIO(newline="")
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([[format_value(row[column]) for column in COLUMNS] for row in make_rows(reports)])
    lines = "".join(json.dumps(report) + "\n" for report in reports)
    for name, text in ((METRICS, lines), (HISTORY, table.getvalue())):
        path, content = folder.path / name, text.encode()
        if not path.is_file() or path.read_bytes() != content:
            write_whole(path, content)
    if folder.config.tensorboard:
        update_events(folder.path / EVENTS, timed)


def format_value(value: Any) -> str:
    """Six digits of a measured number, 1 or 0 for yes or no, nothing for None."""
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(int(value))


# --- TensorBoard


EVENTS = "events.out.tfevents.anyzero"
VERSION = b"brain.Event:2"

Timed = tuple[Mapping[str, Any], float]  # a report, and when it was written


def update_events(path: Path, timed: Sequence[Timed]) -> None:
    """Let the file hold these reports; where it holds the first of them it is added to, as TensorBoard may read it."""
    records = [field(1, timed[0][1] if timed else 0.0) + field(3, VERSION)]
    for report, time in timed:
        values = [field(1, field(1, tag.encode()) + field(2, value, "<f")) for tag, value in scalars(report)]
        records.append(field(1, time) + field(2, report["generation"]) + field(5, b"".join(values)))
    content = b"".join(map(record, records))
    old = path.read_bytes() if path.is_file() else b""
    if not old or not content.startswith(old):
        write_whole(path, content)
    elif len(content) > len(old):
        with writing(path), path.open("ab") as file:
            file.write(content[len(old) :])


def scalars(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, float]]:
    """Every number in a report, as `training/policy_loss`."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from scalars(value, f"{prefix}{name}/")
        elif isinstance(value, int | float) and f"{prefix}{name}" != "generation":
            yield f"{prefix}{name}", float(value)


# --- protocol buffers: a key (number * 8 + kind), then the value


def varint(value: int) -> bytes:
    """Seven bits a byte, the lowest first; not negative."""
    found = b""
    while value > 0x7F:
        found += bytes([value & 0x7F | 0x80])
        value >>= 7
    return found + bytes([value])


def field(number: int, value: int | float | bytes, form: str = "<d") -> bytes:
    """An integer, bytes with their length, or a float of this form."""
    if isinstance(value, bytes):
        return varint(number << 3 | 2) + varint(len(value)) + value
    if isinstance(value, int):
        return varint(number << 3 | 0) + varint(value)
    return varint(number << 3 | (1 if form == "<d" else 5)) + struct.pack(form, value)


def record(content: bytes) -> bytes:
    length = struct.pack("<Q", len(content))
    return length + masked(length) + content + masked(content)


def masked(content: bytes) -> bytes:
    """The checksum turned and moved, so that one of data with checksums in it is no accident."""
    found = crc32c(content)
    return struct.pack("<I", ((found >> 15 | found << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def crc32c(content: bytes) -> int:
    """Castagnoli's cyclic redundancy check (RFC 3720, appendix B.4)."""
    found = 0xFFFFFFFF
    for byte in content:
        found = found >> 8 ^ TABLE[(found ^ byte) & 0xFF]
    return found ^ 0xFFFFFFFF


def divide(value: int) -> int:
    """One byte of the division by the polynomial, bits reversed."""
    for _ in range(8):
        value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
    return value


TABLE = tuple(map(divide, range(256)))
