"""A game in a process of its own.

For its laws, because compiled code that writes out of range can end the process that runs it; and for numba-cuda's
simulator, because whether it stands in for a GPU is settled when numba is first imported.
"""

import importlib.util
import json
import os
import signal
from contextlib import redirect_stdout
from io import StringIO
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from anyzero.child import Child, listen, python_command, take_output
from anyzero.errors import AnyzeroError
from anyzero.games.game import Game
from anyzero.games.load import load
from anyzero.games.observe import observe
from anyzero.games.rollouts import rollouts

if TYPE_CHECKING:
    from anyzero.games.laws import LawResults


def check_apart(text: str) -> "LawResults":
    """`check_game` on the game that a text names; if its process dies, the law that it was at is broken."""
    from anyzero.games.laws import FIRST_LAW, LAWS, LawResult, LawResults

    child = Child(python_command(__name__, "_tell_laws", text))
    results = [LawResult(*json.loads(line)) for line in child.read_all()]
    code = child.wait(None)
    if code != 0:
        law = [FIRST_LAW, *LAWS, "the end"][len(results)]  # what is out of range may show only there
        out_of_range = "the game probably reads or writes out of range"
        cause = f"exit code {code}" if code > 0 else f"{signal.Signals(-code).name}: {out_of_range}"
        results.append(LawResult(law, False, f"the process of the compiled game died of {cause}"))
    return LawResults(text, results)


def _tell_laws(text: str) -> None:
    from anyzero.games.laws import judge_all

    send = take_output()
    listen()
    with redirect_stdout(StringIO()):  # a file that prints has done so where it was loaded first
        game = load(text)
    for result in judge_all(game):
        send(json.dumps(result))


class Simulated(NamedTuple):
    """What the simulator saw: rollouts from the start, and the keys of the positions of one random game."""

    payoffs: np.ndarray
    moves: np.ndarray
    keys: np.ndarray


def simulate_game(game: Game, *, seed: int, rows: int, streams: int) -> Simulated | None:
    """Run the game's kernels in the simulator; None where numba-cuda is missing or the game has no text to load."""
    if importlib.util.find_spec("numba_cuda") is None or not game.source:
        return None
    command = python_command(__name__, "_tell_simulated", game.text, str(seed), str(rows), str(streams))
    child = Child(command, keeps_words=True, env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1"})
    lines = child.read_all()
    if child.wait(None) != 0:
        raise AnyzeroError(child.last_word or "the simulator ended without a word")
    payoffs, moves, keys = json.loads(lines[-1])
    return Simulated(np.array(payoffs), np.array(moves), np.array(keys, np.uint64))


def _tell_simulated(text: str, seed: str, rows: str, streams: str) -> None:
    send = take_output()
    listen()
    game = load(text)
    sums = rollouts(game, game.initial_state(), int(streams), seed=int(seed), target="cuda")
    record = observe(game, seed=int(seed), rows=int(rows), target="cuda")
    send(json.dumps([part.tolist() for part in (sums.payoffs, sums.moves, record.keys)]))
