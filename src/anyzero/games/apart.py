"""A game in a process of its own.

For its laws, because compiled code that writes out of range can end the process that runs it; and for numba-cuda's
simulator, because whether it stands in for a GPU is settled when numba is first imported.
"""

import importlib.util
import json
import os
import signal
from collections.abc import Sequence
from contextlib import redirect_stdout
from io import StringIO
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from anyzero.child import Child, LateChildError, listen, python_command, take_output
from anyzero.errors import AnyzeroError, BadGameError
from anyzero.games.game import Game
from anyzero.games.guard import CHECKED, remember
from anyzero.games.load import load_trusted
from anyzero.games.observe import observe
from anyzero.games.rollouts import rollouts

if TYPE_CHECKING:
    from anyzero.games.laws import LawResults


LAW_CPU_S, TRIAL_CPU_S, TRIAL_S = 10.0, 3.0, 1.0
"""Processor time for the Python code of a law, or of a trial, which begins new games for a second."""
SILENT_S = 600.0  # a process that says nothing for so long is ended: compiled code that never comes back


def check_apart(game: Game) -> "LawResults":
    """`check_game` in a process of its own; if that dies or hangs, the law that it was at is broken."""
    from anyzero.games.laws import LAWS

    results = judge_apart(game, "_tell_laws", [*LAWS, "the end"])
    if game.unchecked and results.ok:
        remember(game.unchecked, CHECKED)
    return results


def try_out(game: Game) -> None:
    """BadGameError with what `check` would say, if a few games in plain Python show that a game cannot be used."""
    from anyzero.games.laws import FATAL

    for result in judge_apart(game, "_tell_trial", FATAL):
        if not result.ok:
            says = f"{game.source} breaks a law of games, {result.law!r}: {result.detail}"
            raise BadGameError(f"{says}; anyzero check {game.text} says more")


def judge_apart(game: Game, function: str, laws: Sequence[str]) -> "LawResults":
    """What a process says of these laws; what it does not say in time, or before it dies, is the fault of the next."""
    from anyzero.games.laws import FIRST_LAW, LawResult, LawResults
    from anyzero.games.seen import Seen

    child, results = Child(python_command(__name__, function, game.text)), LawResults(game.text, ())
    try:
        for line in child.lines(SILENT_S):
            said = json.loads(line)
            if isinstance(said, dict):
                results.seen = Seen(**said)
            else:
                results.append(LawResult(*said))
        code = child.wait(None)
        out_of_range = "the game probably reads or writes out of range"
        cause = f"exit code {code}" if code >= 0 else f"{signal.Signals(-code).name}: {out_of_range}"
        fault = f"the process of the compiled game died of {cause}" if code else ""
    except LateChildError:
        fault = f"compiled code did not come back within {SILENT_S:g} seconds"
    if fault:
        law = [FIRST_LAW, *laws][min(len(results), len(laws))]  # what is out of range may show only there
        results.append(LawResult(law, False, fault))
    return results


def _tell_laws(text: str) -> None:
    tell_all(text, law_s=LAW_CPU_S)


def _tell_trial(text: str) -> None:
    from anyzero.games.laws import FATAL

    brief: Any = {"brief": True, "target": "interpreted", "simulate": False, "num_games": 6, "most_s": TRIAL_S}
    tell_all(text, *FATAL, law_s=TRIAL_CPU_S, **brief)


def tell_all(text: str, *laws: str, **options: Any) -> None:
    from anyzero.games.laws import Evidence, judge_all, seen_of

    send = take_output()
    listen()
    with redirect_stdout(StringIO()):  # a file that prints has done so where it was loaded first
        game = load_trusted(text)
    evidence, runs = Evidence(game, **options), False
    for result in judge_all(evidence, *laws):
        runs = runs or result.ok
        send(json.dumps(result))
    seen = seen_of(evidence) if runs and not laws else None
    if seen is not None:
        send(json.dumps(seen.to_json()))


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
    lines = list(child.lines())
    if child.wait(None) != 0:
        raise AnyzeroError(child.last_word or "the simulator ended without a word")
    payoffs, moves, keys = json.loads(lines[-1])
    return Simulated(np.array(payoffs), np.array(moves), np.array(keys, np.uint64))


def _tell_simulated(text: str, seed: str, rows: str, streams: str) -> None:
    send = take_output()
    listen()
    game = load_trusted(text)
    sums = rollouts(game, game.initial_state(), int(streams), seed=int(seed), target="cuda")
    record = observe(game, seed=int(seed), rows=int(rows), target="cuda")
    send(json.dumps([part.tolist() for part in (sums.payoffs, sums.moves, record.keys)]))
