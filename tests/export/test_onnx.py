"""ONNX files answer as our own networks do."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
import torch

from anyzero.core.base.errors import AnyzeroError
from anyzero.core.game.load import BUILT_IN, load
from anyzero.core.nets.config import NetworkConfig
from anyzero.core.nets.evaluator import NetworkEvaluator
from anyzero.core.nets.models import new_network
from anyzero.core.nets.weights import store
from anyzero.extras.browser.onnx import export_onnx
from anyzero.extras.export import export, network_for
from anyzero.tools.laws.evidence import observe

onnxruntime = pytest.importorskip("onnxruntime")
pytest.importorskip("onnx")
PAGE = Path(__file__).parents[2] / "docs" / "export.md"

KINDS = [
    ("tic_tac_toe", {"policy": "cells", "value": "scalar"}),
    ("tic_tac_toe", {"policy": "flat", "pool_every": 0}),
    ("hex:size=5,swap=true", {"policy": "cells"}),
    ("domineering", {"policy": "cells"}),
    ("connect_four", {"policy": "columns", "value": "scores", "bins": 5}),
    ("oware", {"kind": "mlp"}),
]
"""Policies with extra actions, without a last row, over columns, flat; values of all kinds; an MLP.
"""


def positions(game):
    states = observe(game, seed=1, rows=30, target="interpreted").states
    return states[[game.seat_to_move(state) >= 0 for state in states]]


def answer_by_torch(network, planes):
    with torch.inference_mode():
        output = network(torch.from_numpy(planes))
        return output.logits.numpy(), network.expected(output.value).numpy()


def difference(path, answer, game):
    """The largest, as a share of the largest answer: logits may reach 100, of which 32 bits keep
    seven digits.
    """
    states = positions(game)
    planes = np.stack([game.encode(state) for state in states])
    theirs = onnxruntime.InferenceSession(path).run(None, {"planes": planes})
    ours = answer(states, planes)
    assert [part.shape for part in theirs] == [part.shape for part in ours]
    pairs = zip(ours, theirs, strict=True)
    return max(
        float(np.abs(one - other).max() / max(1.0, np.abs(one).max())) for one, other in pairs
    )


@pytest.mark.parametrize(("text", "options"), KINDS)
def test_every_kind_of_network_answers_the_same(text, options, tmp_path):
    game = load(text)
    small = NetworkConfig(**{"blocks": 2, "channels": 8, "layers": 2, "width": 24, **options})
    network = new_network(game, small, seed=3)
    export_onnx(tmp_path / "net.onnx", store(network), game)
    assert (
        difference(tmp_path / "net.onnx", lambda _, planes: answer_by_torch(network, planes), game)
        < 1e-5
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", BUILT_IN)
def test_the_nets_in_the_package_answer_the_same(name, tmp_path):
    game = load(name)
    export(game, onnx=tmp_path / "net.onnx")
    evaluator = NetworkEvaluator(game, network_for(game, "@best"), threads=1, cache=0)
    assert difference(tmp_path / "net.onnx", lambda states, _: evaluator(game, states), game) < 1e-4


def test_a_file_says_what_it_is(tmp_path):
    (written,) = export("tic_tac_toe", onnx=tmp_path / "toe.onnx")
    assert written.size == written.file.stat().st_size
    said = onnxruntime.InferenceSession(written.file).get_modelmeta().custom_metadata_map
    assert said["game"] == "tic_tac_toe"
    assert json.loads(said["actions"])[:3] == ["a1", "b1", "c1"]
    assert "seat to move" in said["value"]


def test_the_example_of_the_page_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    export("connect_four", onnx="connect_four.onnx")
    (block,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    exec(block, {})
    move, value = capsys.readouterr().out.split()
    assert move in "abcdefg"
    assert -1 <= float(value) <= 1


def test_an_export_of_nothing_says_what_is_possible():
    with pytest.raises(AnyzeroError, match="--onnx"):
        export("tic_tac_toe")
