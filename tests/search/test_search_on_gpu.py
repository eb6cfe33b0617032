"""The search's kernels as a GPU launches them, here in numba-cuda's simulator: it must run in a process of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

CODE = """
import json
from anyzero import load, search_many
from anyzero.search.methods import find_method
from anyzero.search.on_gpu import GpuRun
from anyzero.search.methods import adapt
from anyzero.search.search import room
from tests.search.weighing import Weighing

game = load("tic_tac_toe")
states = game.new_states(3)
states[:] = game.initial_state()
states[1] = game.play(states[0], "b2")
states[2] = game.play(game.play(game.play(game.play(states[0], "a1"), "b1"), "a2"), "b2")

def trees(method, evaluator, target, **options):
    result = search_many(
        game, states, method, simulations=12, evaluator=evaluator, seed=5, target=target, **options
    )
    return [result.actions.tolist(), result.values.tolist(), result.policies.tolist(), result.simulations]

def trees_beside(method, options):
    run = GpuRun(
        game, adapt(game, find_method(method, options), beside),
        room=room(game, 12, 10**6), simulations=12, num_trees=3, evaluator=beside,
    )
    for _ in range(2):
        run.seed(5)
        run.plant(states)
        simulations = run.simulate(12)
    return [part.tolist() for part in run.report()] + [simulations]

found, beside = {}, Weighing(game, rows=3)
for method, evaluator in (("puct", "uniform"), ("gumbel", "rollout"), ("rave", "rollout"), ("grave", "rollout")):
    found[method] = [trees(method, evaluator, target) for target in ("interpreted", "cuda")]
for method, options in (("gumbel", {"gumbel_scale": 1.0}), ("puct", {"noise_fraction": 0.25})):
    found[f"{method} beside"] = [trees(method, beside, "interpreted", **options), trees_beside(method, options)]
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


@pytest.mark.parametrize("method", ["puct", "gumbel", "rave", "grave", "puct beside", "gumbel beside"])
def test_trees_on_the_gpu_are_the_trees_of_the_cpu(found, method):
    """With a network inside the search, and beside it, where a tree that is done waits for the others."""
    on_cpu, on_gpu = found[method]
    assert on_gpu == on_cpu
    assert on_cpu[3] < 36  # the third position is won at once
