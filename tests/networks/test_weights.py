"""Networks on disk: what is written comes back bit for bit, and everything else is refused with one
sentence.
"""

import json
import os

import pytest
import torch
from safetensors.torch import save_file

from anyzero.core.base.errors import AnyzeroError
from anyzero.core.base.sealed import HEADER_KEY
from anyzero.core.game.load import load
from anyzero.core.nets.config import BadNetworkError, parse_network
from anyzero.core.nets.models import load_network, new_network
from anyzero.core.nets.weights import read_header, save_network

TINY = parse_network("tiny")
HEX = load("hex:size=7")


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "hex7.safetensors"
    save_network(path, new_network(HEX, TINY, 3), HEX)
    return path


def header_of(path):
    return json.loads(json.dumps(read_header(path)))


def write(path, network, header):
    text = header if isinstance(header, str) else json.dumps(header)
    save_file(
        {name: weight.contiguous() for name, weight in network.items()}, path, {HEADER_KEY: text}
    )


@pytest.mark.parametrize("text", ["hex:size=7", "connect_four", "oware"])
def test_a_network_comes_back_from_safetensors_bit_for_bit(text, tmp_path):
    game = load(text)
    network, path = new_network(game, TINY, 5), tmp_path / "network.safetensors"
    save_network(path, network, game)
    again = load_network(path, game)
    assert again.config == network.config
    for name, weight in network.state_dict().items():
        assert torch.equal(again.state_dict()[name], weight)
    first = path.read_bytes()
    save_network(path, again, game)
    assert path.read_bytes() == first
    assert [found.name for found in tmp_path.iterdir()] == [path.name]


def test_the_header_says_what_the_network_plays(saved):
    header = read_header(saved)
    assert (header["game"], header["options"]) == ("hex", {"size": 7, "swap": False})
    assert header["network"]["kind"] == "residual"
    assert header["network"]["value"] == "wdl"


def test_weights_for_one_board_work_on_another(saved):
    larger = load("hex:size=9")
    network = load_network(saved, larger)
    assert network(torch.from_numpy(larger.encode(larger.initial_state()))[None]).logits.shape == (
        1,
        81,
    )
    save_network(saved, network, larger)
    assert load_network(saved, HEX).planes_shape == (2, 7, 7)


def test_columns_work_on_a_wider_board(tmp_path):
    narrow, wide = load("connect_four"), load("connect_four:rows=7,columns=8")
    save_network(tmp_path / "four", new_network(narrow, TINY), narrow)
    network = load_network(tmp_path / "four", wide)
    assert network(torch.from_numpy(wide.encode(wide.initial_state()))[None]).logits.shape == (1, 8)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("atarigo:size=7", "plays hex, not atarigo"),
        (
            "hex:size=7,swap=true",
            r"made for hex:size=7,swap=false: its input \(2, 7, 7\) and 49 actions do not fit",
        ),
    ],
)
def test_another_game_is_refused(saved, text, words):
    with pytest.raises(BadNetworkError, match=words):
        load_network(saved, load(text))


def test_a_flat_head_is_for_one_size(tmp_path):
    path = tmp_path / "flat"
    save_network(path, new_network(HEX, parse_network("2x8").change(policy="flat")), HEX)
    assert load_network(path, HEX).config.policy == "flat"
    with pytest.raises(BadNetworkError, match="do not fit hex:size=9"):
        load_network(path, load("hex:size=9"))


@pytest.mark.parametrize("kept", [0, 8, 2000, -1])
def test_a_part_of_a_file_is_refused(saved, kept):
    saved.write_bytes(saved.read_bytes()[:kept])
    with pytest.raises(BadNetworkError, match="not a network file, or only a part of one"):
        load_network(saved, HEX)


@pytest.mark.parametrize(
    "content", [b"\x80\x04\x95 a pickle", b"x" * 1000, b"\xff" * 64, b'{"a": 1}']
)
def test_a_file_of_something_else_is_refused(tmp_path, content):
    path = tmp_path / "other"
    path.write_bytes(content)
    for read in (lambda: load_network(path, HEX), lambda: read_header(path)):
        with pytest.raises(BadNetworkError, match="not a network file"):
            read()


def test_weights_of_another_program_are_refused(tmp_path):
    save_file({"a": torch.zeros(2)}, tmp_path / "foreign")
    with pytest.raises(BadNetworkError, match="was not written by anyzero"):
        load_network(tmp_path / "foreign", HEX)


def test_a_file_that_is_not_there_or_a_folder_is_refused(tmp_path):
    for path in (tmp_path / "missing", tmp_path):
        with pytest.raises(BadNetworkError, match="there is no network file"):
            load_network(path, HEX)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda header: header.update(format=2),
            "has format 2; this version of anyzero reads format 1",
        ),
        (lambda header: header.update(format="1"), "a header that cannot be read"),
        (lambda header: header.pop("game"), "without a valid 'game'"),
        (lambda header: header.update(planes_shape=[2, "7", 7]), "without a valid 'planes_shape'"),
        (
            lambda header: header["network"].update(depth=3),
            "without a valid network: a network has no setting 'depth'",
        ),
        (lambda header: header["network"].update(blocks=3), "lacks the weights 'trunk.blocks.2"),
        (lambda header: header["network"].update(blocks=1), "unknown to its network"),
        (lambda header: header["network"].update(channels=8), "are float32 .* not float32"),
    ],
)
def test_a_wrong_header_is_refused(saved, change, words):
    network, header = load_network(saved, HEX).state_dict(), header_of(saved)
    change(header)
    write(saved, network, header)
    with pytest.raises(BadNetworkError, match=words):
        load_network(saved, HEX)


@pytest.mark.parametrize("text", ["", "[]", "null", "[" * 100000, '{"format": 1'])
def test_a_header_that_is_no_object_is_refused(saved, text):
    write(saved, load_network(saved, HEX).state_dict(), text)
    with pytest.raises(BadNetworkError, match="a header that cannot be read"):
        load_network(saved, HEX)


@pytest.mark.parametrize(
    ("weight", "words"),
    [
        (lambda old: old.double(), "are float64"),
        (lambda old: old[:1].clone(), "not float32"),
        (lambda old: old * float("nan"), "not finite"),
    ],
)
def test_wrong_weights_are_refused(saved, weight, words):
    network, header = load_network(saved, HEX).state_dict(), header_of(saved)
    write(saved, {**network, "trunk.stem.bias": weight(network["trunk.stem.bias"])}, header)
    with pytest.raises(BadNetworkError, match=words):
        load_network(saved, HEX)


def test_a_write_that_fails_leaves_the_old_file(saved, monkeypatch):
    before = saved.read_bytes()

    def fail(_number):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(AnyzeroError, match=r"cannot write .* No space left"):
        save_network(saved, new_network(HEX, TINY, 9), HEX)
    assert saved.read_bytes() == before
    assert len(list(saved.parent.iterdir())) == 1


def test_a_folder_that_is_not_there_is_said_in_a_sentence(tmp_path):
    with pytest.raises(AnyzeroError, match="cannot write"):
        save_network(tmp_path / "none" / "network", new_network(HEX, TINY), HEX)
