"""A game in numba-cuda's simulator, in a process of its own: the choice is made when numba is first imported."""

import importlib.util
import json
import os
import subprocess
import sys
from contextlib import redirect_stdout
from typing import NamedTuple

import numpy as np

from anyzero.errors import AnyzeroError
from anyzero.games.game import Game
from anyzero.games.load import load
from anyzero.games.observe import observe
from anyzero.games.rollouts import rollouts


class Simulated(NamedTuple):
    """What the simulator saw: rollouts from the start, and the keys of the positions of one random game."""

    payoffs: np.ndarray
    moves: np.ndarray
    keys: np.ndarray


def simulate_game(game: Game, *, seed: int, rows: int, streams: int) -> Simulated | None:
    """Run the game's kernels in the simulator; None where numba-cuda is missing or the game has no text to load."""
    if importlib.util.find_spec("numba_cuda") is None or not game.source:
        return None
    command = [sys.executable, "-P", "-m", "anyzero.games.simulate", game.text, str(seed), str(rows), str(streams)]
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode != 0:
        raise AnyzeroError(done.stderr.strip().rpartition("\n")[2] or "the simulator ended without a word")
    found = json.loads(done.stdout)
    return Simulated(np.array(found["payoffs"]), np.array(found["moves"]), np.array(found["keys"], np.uint64))


def main(text: str, seed: str, rows: str, streams: str) -> None:
    with redirect_stdout(sys.stderr):  # a game may print
        game = load(text)
        sums = rollouts(game, game.initial_state(), int(streams), seed=int(seed), target="cuda")
        record = observe(game, seed=int(seed), rows=int(rows), target="cuda")
    found = {"payoffs": sums.payoffs.tolist(), "moves": sums.moves.tolist(), "keys": record.keys.tolist()}
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
