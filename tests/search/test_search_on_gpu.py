"""The search's kernels as a GPU launches them, here in numba-cuda's simulator: it must run in a process of its own."""

import json
import os
import subprocess
import sys

import pytest

CODE = """
import json, sys, warnings
import numpy as np
from anyzero import load, search_many

game = load("tic_tac_toe")
states = game.new_states(3)
states[:] = game.initial_state()
states[1] = game.play(states[0], "b2")
found = []
for target in ("interpreted", "cuda"):
    result = search_many(game, states, sys.argv[1], simulations=12, evaluator=sys.argv[2], seed=5, target=target)
    found.append([result.actions.tolist(), result.values.tolist(), result.policies.tolist(), result.simulations])
print(json.dumps(found))
"""


@pytest.mark.parametrize(
    ("method", "evaluator"), [("puct", "uniform"), ("gumbel", "rollout"), ("rave", "rollout"), ("grave", "rollout")]
)
def test_trees_on_the_gpu_are_the_trees_of_the_cpu(method, evaluator):
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}
    done = subprocess.run(
        [sys.executable, "-c", CODE, method, evaluator], capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr
    on_cpu, on_gpu = json.loads(done.stdout)
    assert on_gpu == on_cpu
    assert on_cpu[3] == 36
