"""Samples on disk: what is written comes back bit for bit, and everything else is refused with one
sentence.
"""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from anyzero.core.base.sealed import HEADER_KEY, write_arrays
from anyzero.core.game.load import load
from anyzero.core.learning.samples import (
    COLUMNS,
    SHARD,
    BadShardError,
    Rows,
    Samples,
    load_shard,
    new_samples,
    save_shard,
    take,
    to_columns,
)
from anyzero.core.nets.config import parse_network
from anyzero.core.nets.models import new_network
from anyzero.core.nets.weights import save_network
from tests.learning.rows import random_samples

HEX = load("hex:size=5")


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "000.safetensors"
    save_shard(path, HEX, random_samples(HEX, 30))
    return path


def header_of(path):
    content = path.read_bytes()
    size = int.from_bytes(content[:8], "little")
    return json.loads(json.loads(content[8 : 8 + size])["__metadata__"][HEADER_KEY])


def rewrite(path, columns, header):
    save_file(
        columns, path, {HEADER_KEY: header if isinstance(header, str) else json.dumps(header)}
    )


@pytest.mark.parametrize("text", ["hex:size=5", "oware", "take_it_easy", "chess"])
def test_samples_come_back_bit_for_bit(text, tmp_path):
    game = load(text)
    samples, path = random_samples(game, 40), tmp_path / "shard"
    save_shard(path, game, samples)
    again = load_shard(path, game)
    for name, column in samples._asdict().items():
        found = getattr(again, name)
        assert found.dtype == column.dtype, name
        assert found.shape == column.shape, name
        assert found.tobytes() == column.tobytes(), name
        assert found.flags.writeable, name
    first = path.read_bytes()
    save_shard(path, game, again)
    assert path.read_bytes() == first
    assert [item.name for item in tmp_path.iterdir()] == ["shard"]


def test_some_rows_of_a_column_are_saved_as_such(tmp_path):
    samples = random_samples(HEX, 30)
    save_shard(tmp_path / "shard", HEX, take(samples, slice(20, None, 2)))
    assert (load_shard(tmp_path / "shard", HEX).keys == samples.keys[20::2]).all()


def test_no_samples_are_a_shard_too(tmp_path):
    save_shard(tmp_path / "none", HEX, new_samples(HEX, 0))
    assert load_shard(tmp_path / "none", HEX).num == 0


def test_only_as_many_actions_are_written_as_the_widest_row_has(tmp_path):
    chess = load("chess")
    samples = new_samples(chess, 3)
    samples.actions[1, :4] = [7, 8, 9, 10]
    samples.policies[1, :4] = 0.25
    save_shard(tmp_path / "shard", chess, samples)
    assert header_of(tmp_path / "shard")["packed"]["policies"] == ["<f2", [3, 4]]
    assert load_shard(tmp_path / "shard", chess).policies.shape == (3, 218)


def test_a_file_from_before_columns_were_compressed_and_had_ages_is_read_too(saved):
    samples, header = load_shard(saved, HEX), header_of(saved)
    columns = to_columns(samples)
    del header["packed"], header["sha256"], columns["ages"]
    write_arrays(saved, SHARD, header, columns)
    for one, other in zip(samples, load_shard(saved, HEX), strict=True):
        assert one.tobytes() == other.tobytes()


def test_a_part_of_a_file_is_refused_whatever_its_length(saved):
    content = saved.read_bytes()
    for kept in [0, 1, 7, 8, 9, *range(10, len(content), 97), len(content) - 1]:
        saved.write_bytes(content[:kept])
        with pytest.raises(BadShardError, match="not a file of samples, or only a part of one"):
            load_shard(saved, HEX)


def test_one_changed_bit_of_a_shard_breaks_its_checksum(saved):
    content = bytearray(saved.read_bytes())
    begin = 8 + int.from_bytes(content[:8], "little")
    for place in range(begin, len(content), 211):
        content[place] ^= 4
        saved.write_bytes(content)
        with pytest.raises(BadShardError, match="is damaged: its checksum"):
            load_shard(saved, HEX)
        content[place] ^= 4


def test_one_changed_byte_of_a_shards_header_breaks_its_checksum(saved):
    content = bytearray(saved.read_bytes())
    for place in range(8 + int.from_bytes(content[:8], "little")):
        content[place] ^= 1
        saved.write_bytes(content)
        with pytest.raises(BadShardError):
            load_shard(saved, HEX)
        content[place] ^= 1


@pytest.mark.parametrize(
    "content", [b"\x80\x04\x95 a pickle", b"x" * 1000, b"\xff" * 64, b'{"a": 1}']
)
def test_a_file_of_something_else_is_refused(tmp_path, content):
    (tmp_path / "other").write_bytes(content)
    with pytest.raises(BadShardError, match="not a file of samples"):
        load_shard(tmp_path / "other", HEX)


def test_files_of_other_programs_and_of_networks_are_refused(tmp_path):
    save_file({"a": np.zeros(2)}, tmp_path / "foreign")
    with pytest.raises(BadShardError, match="was not written by anyzero"):
        load_shard(tmp_path / "foreign", HEX)
    save_network(tmp_path / "network", new_network(HEX, parse_network("tiny")), HEX)
    with pytest.raises(BadShardError, match="without a valid 'state'"):
        load_shard(tmp_path / "network", HEX)


def test_a_file_that_is_not_there_or_a_folder_is_refused(tmp_path):
    for path in (tmp_path / "missing", tmp_path):
        with pytest.raises(BadShardError, match="there is no file of samples"):
            load_shard(path, HEX)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("tic_tac_toe", "holds samples of hex:size=5,swap=false, not of tic_tac_toe"),
        ("hex:size=4", "holds samples of hex:size=5,swap=false, not of hex:size=4,swap=false"),
    ],
)
def test_samples_of_another_game_are_refused(saved, text, words):
    with pytest.raises(BadShardError, match=words):
        load_shard(saved, load(text))


def test_positions_that_are_made_of_other_fields_are_refused(saved):
    changed = replace(HEX, state=[*HEX.state, ("clock", np.uint64)])
    with pytest.raises(
        BadShardError, match=r"holds positions of \d+ bytes.* but those of hex are now of \d+ bytes"
    ):
        load_shard(saved, changed)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda header: header.update(format=2),
            "has format 2; this version of anyzero reads format 1",
        ),
        (lambda header: header.update(format="1"), "a header that cannot be read"),
        (lambda header: header.pop("num"), "without a valid 'num'"),
        (lambda header: header.update(num=29), "is damaged"),
        (lambda header: header.update(sha256="0" * 64), "is damaged"),
    ],
)
def test_a_wrong_header_is_refused(saved, change, words):
    header, columns = header_of(saved), load_file(saved)
    change(header)
    rewrite(saved, columns, header)
    with pytest.raises(BadShardError, match=words):
        load_shard(saved, HEX)


@pytest.mark.parametrize("text", ["", "[]", "null", "[" * 100000, '{"format": 1'])
def test_a_header_that_is_no_object_is_refused(saved, text):
    rewrite(saved, load_file(saved), text)
    with pytest.raises(BadShardError, match="a header that cannot be read"):
        load_shard(saved, HEX)


def test_the_table_of_columns_in_the_documentation_is_that_of_rows_and_samples():
    text = (Path(__file__).parents[2] / "docs" / "training.md").read_text()
    table = text.partition("### What a sample holds")[2].partition("## ")[0]
    documented = [
        [cell.strip(" `").replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for line in table.splitlines()
        if line.startswith("| `")
    ]
    parts = {"rows": Rows._fields, "samples": Samples._fields}
    assert documented == [
        [
            name,
            " and ".join(part for part, fields in parts.items() if name in fields),
            column.since,
            column.meaning + (f" (one for each {column.width})" if column.width else ""),
        ]
        for name, column in COLUMNS.items()
    ]
    assert set(Rows._fields) | set(Samples._fields) == set(COLUMNS)
