"""A game in numba-cuda's simulator, in a process of its own: the choice is made when numba is first imported."""

import importlib.util
import json
import os
from typing import NamedTuple

import numpy as np

from anyzero.child import Child, listen, python_command, take_output
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
    arguments = game.text, str(seed), str(rows), str(streams)
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}
    child = Child(python_command("anyzero.games.simulate", "main", *arguments), keeps_words=True, env=environment)
    said = child.read_all()
    if child.wait(None) != 0 or not said:
        raise AnyzeroError(child.last_word or "the simulator ended without a word")
    found = json.loads(said[-1])
    return Simulated(np.array(found["payoffs"]), np.array(found["moves"]), np.array(found["keys"], np.uint64))


def main(text: str, seed: str, rows: str, streams: str) -> None:
    """The process: one line of JSON."""
    send = take_output()  # a game may print
    listen()
    game = load(text)
    sums = rollouts(game, game.initial_state(), int(streams), seed=int(seed), target="cuda")
    record = observe(game, seed=int(seed), rows=int(rows), target="cuda")
    found = {"payoffs": sums.payoffs.tolist(), "moves": sums.moves.tolist(), "keys": record.keys.tolist()}
    send(json.dumps(found))
