"""History: rows from reports, files that can be made again at any time, and events read back by another reader."""

import csv
import json
import struct

import pytest

from anyzero.files import write_whole
from anyzero.learning.config import RunConfig, change
from anyzero.learning.folder import RunFolder
from anyzero.learning.history import COLUMNS, EVENTS, crc32c, make_rows, rebuild
from tests.learning.reports import make_report

WHOLE = make_report(7, champion=7)
BARE = {"generation": 8, "seconds": {"selfplay": 1.5, "training": None}, "selfplay": None, "champion": 7}


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
    rebuild(run)
    whole, bare, last = read_table(run.path / "training_history.csv")
    assert tuple(whole) == COLUMNS
    assert {column for column, text in bare.items() if text} == {"generation", "seconds", "total_seconds", "promoted"}
    assert (bare["promoted"], whole["promoted"], bare["seconds"], bare["total_seconds"]) == ("0", "1", "1.5", "41.5")
    assert (last["generation"], last["total_seconds"], last["elo"]) == ("9", "81.5", "900")


def test_the_gate_decides_what_was_promoted():
    reports = [{"generation": 1, "gate": {"promoted": False}, "champion": 1}, {"generation": 2, "champion": 2}]
    assert [row["promoted"] for row in make_rows([*reports, {"generation": 3}])] == [False, True, None]


def test_both_files_can_be_made_again_after_pruning(run):
    rebuild(run)
    before = {name: (run.path / name).read_bytes() for name in ("training_history.csv", "metrics.jsonl")}
    assert not (run.generation_path(8) / "network.safetensors").exists()  # pruned
    for name in before:
        (run.path / name).write_bytes(b"half of")
    rebuild(run)
    assert before == {name: (run.path / name).read_bytes() for name in before}
    lines = (run.path / "metrics.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == [WHOLE, BARE, make_report(9, champion=7)]


def test_a_damaged_report_costs_its_row_alone(run):
    (run.generation_path(8) / "report.json").write_text('{"generation":')
    rebuild(run)
    assert [row["generation"] for row in read_table(run.path / "training_history.csv")] == ["7", "9"]


# --- TensorBoard


def read_events(content):
    """The records of an event file: (step, tag to value); checksums are left to the test of their own."""
    found = []
    while content:
        (length,) = struct.unpack_from("<Q", content)
        fields = read_fields(content[12 : 12 + length])
        content = content[12 + length + 4 :]
        values = [read_fields(value) for _, value in read_fields(fields.get(5, b""), every=True)]
        tags = {value[1].decode(): struct.unpack("<f", value[2])[0] for value in values}
        found.append((fields.get(2, 0), tags))
    return found


def read_fields(content, every=False):
    """The fields of a protocol buffer message by number, or all of them as pairs."""
    found = []
    while content:
        key, content = read_varint(content)
        if key % 8 == 0:
            value, content = read_varint(content)
        else:
            length, content = {1: (8, content), 5: (4, content)}.get(key % 8) or read_varint(content)
            value, content = content[:length], content[length:]
        found.append((key // 8, value))
    return found if every else dict(found)


def read_varint(content):
    value = shift = 0
    for number, byte in enumerate(content):
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, content[number + 1 :]
    raise AssertionError("a number without an end")


def test_the_checksum_is_that_of_rfc_3720():
    """Its appendix B.4, and the check value of the catalogue of CRC algorithms."""
    assert crc32c(bytes(32)) == 0x8A9136AA
    assert crc32c(b"\xff" * 32) == 0x62A8AB43
    assert crc32c(bytes(range(32))) == 0x46DD794E
    assert crc32c(b"123456789") == 0xE3069283


def test_tensorboard_is_told_every_number_that_was_measured(run):
    run.write_config(change(run.config, {"tensorboard": True}))
    rebuild(run)
    (_, none), (step, tags), *rest = read_events((run.path / EVENTS).read_bytes())
    assert (none, step, [step for step, _ in rest]) == ({}, 7, [8, 9])
    assert tags["training/policy_loss"] == 1.5
    assert tags["league/anchors/random"] == 1.0
    assert tags["gate/promoted"] == 1
    assert rest[0][1] == {"seconds/selfplay": 1.5, "champion": 7.0}


def test_events_begin_with_the_bytes_that_tensorboard_knows(run):
    """By hand: length 24; the key of field 1 and 8 bytes of time; field 3 with the 13 letters of the version."""
    run.write_config(change(run.config, {"tensorboard": True}))
    rebuild(run)
    content = (run.path / EVENTS).read_bytes()
    assert content[:8] == bytes([24, 0, 0, 0, 0, 0, 0, 0])
    assert content[12] == 0x09
    assert content[21:36] == b"\x1a\x0dbrain.Event:2"


def test_events_are_added_to_the_file_that_tensorboard_has_open(run):
    run.write_config(change(run.config, {"tensorboard": True}))
    rebuild(run)
    path = run.path / EVENTS
    whole, place = path.read_bytes(), path.stat().st_ino
    path.write_bytes(whole[:-100])  # a kill in the middle of a record
    with run.locked():
        add(run, make_report(10, champion=10))
    rebuild(run)
    assert path.read_bytes().startswith(whole)
    assert path.stat().st_ino == place
    assert [step for step, _ in read_events(path.read_bytes())] == [0, 7, 8, 9, 10]
    path.write_bytes(b"something else")
    rebuild(run)
    assert path.read_bytes().startswith(whole)


def test_nothing_is_written_for_tensorboard_unless_it_is_wanted(run):
    rebuild(run)
    assert not (run.path / EVENTS).exists()
