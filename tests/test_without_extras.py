"""Each part that may be missing is hidden in a process of its own: what does not need it goes on,
and what does is one sentence with the right command.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from anyzero.core.base.extras import PARTS, install_command, package_command

HIDE = """
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if any(name == hidden or name.startswith(hidden + ".") for hidden in HIDDEN):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

HIDDEN = sys.argv.pop(1).split(",")
sys.meta_path.insert(0, Hidden())
"""
SEARCH = """
import anyzero
game = anyzero.load("tic_tac_toe")
print(anyzero.search(game, game.initial_state(), "rave", simulations=50, seed=1).best_move)
"""
LIBRARY = (
    SEARCH
    + """
print(anyzero.search(game, method="gumbel:8@best").best_move)
print(anyzero.match(game, "uct:10", "random", games=4, workers=1, progress=False).plan.games)
"""
)
TRAINING = """
import anyzero
net = {"blocks": 1, "channels": 16}
games = {"games": 8, "simulations": 4}
league = {"games": 4, "anchors": ("random",)}
run = anyzero.train("tic_tac_toe", run="r", generations=1, threads=1, network=net, selfplay=games,
                    league=league, progress=False)
print(max(row["generation"] for row in run.history))
"""
COMMAND = """
from anyzero.app.cli import main
sys.argv[0] = "anyzero"
main()
"""


def run_hidden(hidden: str, code: str, *words: str, place: Path) -> tuple[int, str]:
    """The exit code and all output of a program that finds none of the modules `hidden`."""
    done = subprocess.run(
        [sys.executable, "-c", HIDE + code, hidden, *words],
        capture_output=True,
        text=True,
        cwd=place,
        env={**os.environ, "COLUMNS": "200"},
        stdin=subprocess.DEVNULL,
    )
    return done.returncode, done.stdout + done.stderr


PACKAGES = "torch,numba_cuda,wasmtime,onnx,onnxruntime,ray,fastapi,uvicorn,matplotlib,pandas"


@pytest.mark.parametrize("hidden", [*(part.module for part in PARTS.values()), PACKAGES])
def test_a_search_and_the_help_need_no_part_that_may_be_missing(hidden, tmp_path):
    code, output = run_hidden(hidden, SEARCH + COMMAND, "--help", place=tmp_path)
    assert code == 0, output
    assert "Examine a run, or a game before training." in output


@pytest.mark.parametrize("hidden", ["anyzero.extras", PACKAGES])
def test_a_net_and_a_match_need_no_part_that_may_be_missing(hidden, tmp_path):
    code, output = run_hidden(hidden, LIBRARY, place=tmp_path)
    assert code == 0, output
    assert len(output.split()) == 3


def test_the_core_searches_without_the_command_line(tmp_path):
    hidden = "typer,rich,fastapi,matplotlib,torch"
    code, output = run_hidden(hidden, SEARCH, place=tmp_path)
    assert code == 0, output
    code, output = run_hidden(hidden, COMMAND, "games", place=tmp_path)
    assert (code, output.strip()) == (1, f"anyzero: this needs typer: {package_command('typer')}")


def test_training_needs_no_extra_but_torch(tmp_path):
    pytest.importorskip("torch")
    code, output = run_hidden("anyzero.extras", TRAINING, place=tmp_path)
    assert (code, output.split()[-1:]) == (0, ["1"]), output


NETWORK_ANSWERS = """
import numpy as np
from anyzero.core.game.load import load
from anyzero.core.learning.find import best_network
from anyzero.core.nets.evaluator import NetworkEvaluator
from anyzero.core.nets.weights import read_network
for name in ("connect_four", "take_it_easy"):
    game = load(name)
    network = read_network(best_network(game), game)
    evaluator = NetworkEvaluator(game, network, threads=1, cache=0)
    states = game.new_states(3)
    states[:] = game.initial_state()
    logits, values = evaluator(game, states)
    print(type(evaluator.forward.network.network).__name__)
    print(*np.round(logits[0], 2) + 0.0, *np.round(values, 2))
"""


def test_torch_and_numpy_answer_as_the_fast_kernels_do(tmp_path):
    """Rounded to hundredths, of logits up to 14: what computes them differs in the sixth digit."""
    pytest.importorskip("torch")
    answers = []
    for hidden in ("none", "anyzero.extras.fastnets", "anyzero.extras.fastnets,torch"):
        code, output = run_hidden(hidden, NETWORK_ANSWERS, place=tmp_path)
        assert code == 0, output
        answers.append(output.splitlines())
    kinds = [lines[::2] for lines in answers]
    assert kinds[0] == ["CompiledResidual", "CompiledMlp"]
    assert kinds[1:] == [["TorchNetwork"] * 2, ["NumpyNetwork"] * 2]
    numbers = [[float(word) for line in lines[1::2] for word in line.split()] for lines in answers]
    assert numbers[1] == pytest.approx(numbers[0], abs=0.011)
    assert numbers[2] == pytest.approx(numbers[0], abs=0.011)


@pytest.mark.parametrize(
    ("command", "package", "extra"),
    [
        ("serve", "uvicorn", "app"),
        ("play tic_tac_toe --web", "uvicorn", "app"),
        ("plot results.csv", "matplotlib", "app"),
        ("estimate tic_tac_toe --plot a.svg", "matplotlib", "app"),
        ("train tic_tac_toe --generations 1", "torch", "train"),
        ("export tic_tac_toe --onnx net.onnx", "onnx", "onnx"),
        ("match tic_tac_toe uct:10 random --games 2 --cluster auto", "ray", "ray"),
        ("bench rollouts tic_tac_toe --target wasm", "wasmtime", "browser"),
    ],
)
def test_a_missing_package_is_one_sentence_with_the_command(
    command, package, extra, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)  # the command names the folder of the source unless it is here
    code, output = run_hidden(package, COMMAND, *command.split(), place=tmp_path)
    sentence = f"anyzero: this needs {package}: {install_command(extra)}"
    assert (code, output.strip().splitlines()[-1]) == (2, sentence)
    assert "Traceback" not in output


@pytest.mark.parametrize(
    ("command", "part"),
    [
        ("export tic_tac_toe --bot bot.py", "bots"),
        ("export tic_tac_toe --c in_c", "browser"),
        ("export tic_tac_toe --c in_c", "export"),
        ("match tic_tac_toe uct:10 random --games 2 --cluster auto", "cluster"),
    ],
)
def test_a_missing_part_is_one_sentence_with_the_command(command, part, tmp_path):
    module = PARTS[part].module
    code, output = run_hidden(module, COMMAND, *command.split(), place=tmp_path)
    start = f"anyzero: this needs {module}, which is not installed here: "
    assert code == 2, output
    assert output.strip().splitlines()[-1].startswith(start)
    assert "Traceback" not in output


def test_the_target_cuda_without_its_package_is_one_sentence(tmp_path):
    words = ["bench", "rollouts", "tic_tac_toe", "--target", "cuda"]
    code, output = run_hidden("numba_cuda", COMMAND, *words, place=tmp_path)
    assert code == 2
    assert "Traceback" not in output
    assert output.count("\n") == 1
