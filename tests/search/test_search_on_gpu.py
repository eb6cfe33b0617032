"""The search's kernels as a GPU launches them, here in numba-cuda's simulator: it must run in a
process of its own.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

CODE = """
import json
from anyzero import load, search_many

game = load("tic_tac_toe")
states = game.new_states(3)
states[:] = game.initial_state()
states[1] = game.play(states[0], "b2")
states[2] = game.play(game.play(game.play(game.play(states[0], "a1"), "b1"), "a2"), "b2")

def trees(method, evaluator, target):
    options = {"simulations": 12, "evaluator": evaluator, "seed": 5, "target": target}
    result = search_many(game, states, method, **options)
    arrays = result.actions, result.values, result.policies
    return [*(array.tolist() for array in arrays), result.simulations]

found = {}
evaluators = {"puct": "uniform", "gumbel": "rollout", "rave": "rollout", "grave": "rollout"}
for method, evaluator in evaluators.items():
    found[method] = [trees(method, evaluator, target) for target in ("interpreted", "cuda")]
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def found():
    """What each search found on the CPU and on the GPU."""
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1"},
        cwd=Path(__file__).parents[2],
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("method", ["puct", "gumbel", "rave", "grave"])
def test_trees_on_the_gpu_are_the_trees_of_the_cpu(found, method):
    on_cpu, on_gpu = found[method]
    assert on_gpu == on_cpu
    assert on_cpu[3] < 36  # the third position is won at once
