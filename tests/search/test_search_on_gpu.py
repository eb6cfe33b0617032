"""The search's kernels as a GPU launches them, here in numba-cuda's simulator: it must run in a process of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

COMMON = """
import json, sys, warnings
import numpy as np
from anyzero import load, search_many

game = load("tic_tac_toe")
states = game.new_states(3)
states[:] = game.initial_state()
states[1] = game.play(states[0], "b2")
states[2] = game.play(game.play(game.play(game.play(states[0], "a1"), "b1"), "a2"), "b2")
found = []
"""

COMPILED_IN = """
for target in ("interpreted", "cuda"):
    result = search_many(game, states, sys.argv[1], simulations=12, evaluator=sys.argv[2], seed=5, target=target)
    found.append([result.actions.tolist(), result.values.tolist(), result.policies.tolist(), result.simulations])
print(json.dumps(found))
"""

BESIDE = """
from anyzero.search.methods import find_method
from anyzero.search.on_gpu import GpuRun
from anyzero.search.search import adapt, room
from tests.search.weighing import Weighing

options = {"gumbel_scale": 1.0} if sys.argv[1] == "gumbel" else {"noise_fraction": 0.25}
beside = Weighing(game, rows=3)
result = search_many(
    game, states, sys.argv[1], simulations=12, evaluator=beside, seed=5, target="interpreted", **options
)
found.append([result.actions.tolist(), result.values.tolist(), result.policies.tolist(), result.simulations])
method = adapt(game, find_method(sys.argv[1], options), beside)
run = GpuRun(game, method, room=room(game, 12, 10**6), simulations=12, num_trees=3, evaluator=beside)
for _ in range(2):
    run.seed(5)
    run.plant(states)
    simulations = run.simulate(12)
found.append([part.tolist() for part in run.report()] + [simulations])
print(json.dumps(found))
"""


def simulate(code, *arguments):
    done = subprocess.run(
        [sys.executable, "-c", COMMON + code, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1"},
        cwd=Path(__file__).parents[2],
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("method", "evaluator"), [("puct", "uniform"), ("gumbel", "rollout"), ("rave", "rollout"), ("grave", "rollout")]
)
def test_trees_on_the_gpu_are_the_trees_of_the_cpu(method, evaluator):
    on_cpu, on_gpu = simulate(COMPILED_IN, method, evaluator)
    assert on_gpu == on_cpu


@pytest.mark.parametrize("method", ["puct", "gumbel"])
def test_with_a_network_beside_them_trees_on_the_gpu_are_the_trees_of_the_cpu(method):
    """The third position is won at once: its tree is done long before the others, and waits."""
    on_cpu, on_gpu = simulate(BESIDE, method, "")
    assert on_gpu == on_cpu
    assert on_cpu[3] < 36
