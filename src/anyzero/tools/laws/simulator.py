"""A game on the CPU and in the simulator of numba-cuda, which is a process of its own: whether the
simulator replaces a GPU is settled when numba is first imported.
"""

import json
import os

import numpy as np

from anyzero.core.base.errors import AnyzeroError
from anyzero.core.game.game import Game
from anyzero.core.game.load import load_trusted, loading_again
from anyzero.core.game.rollouts import rollouts
from anyzero.tools.child import Child, listen, python_command, take_output
from anyzero.tools.laws.evidence import observe
from anyzero.tools.laws.observe import first_difference


def ask_simulator(text: str, seed: int) -> str | None:
    """The answer of `compare_simulated`, in a process whose numba has the simulator."""
    command = python_command(__name__, "_tell_simulated", text, str(seed))
    child = Child(command, keeps_words=True, env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1"})
    lines = list(child.lines())
    if child.wait(None) != 0:
        raise AnyzeroError(child.last_word or "the simulator ended without a word")
    return json.loads(lines[-1])  # type: ignore[no-any-return]


def _tell_simulated(text: str, seed: str) -> None:
    send = take_output()
    listen()
    with loading_again():
        game = load_trusted(text)
    send(json.dumps(compare_simulated(game, int(seed))))


def compare_simulated(game: Game, seed: int) -> str | None:
    """How a game differs between the CPU and the simulator; None if it does not."""
    ours, theirs = (
        rollouts(game, game.initial_state(), 2, seed=seed, target=target)
        for target in ("cpu", "cuda")
    )
    if not all(map(np.array_equal, ours, theirs)):
        return "rollouts with the same seeds end differently"
    rows = min(game.max_plies + 2, 40)
    records = (observe(game, seed=seed, rows=rows, target=target) for target in ("cpu", "cuda"))
    part = first_difference(*records)
    return part and f"the same game differs in {part}"
