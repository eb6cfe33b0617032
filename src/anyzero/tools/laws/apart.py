"""The laws of a game, checked in a separate process.

Separate, because compiled code that writes out of range can kill the process that runs it.
"""

import json
import signal
from collections.abc import Sequence
from dataclasses import asdict

from anyzero.core.base.errors import BadGameError
from anyzero.core.base.nouns import Values
from anyzero.core.game.game import Game
from anyzero.core.game.guard import CHECKED, remember
from anyzero.core.game.load import load_trusted, loading_again
from anyzero.tools.child import Child, LateChildError, listen, python_command, take_output
from anyzero.tools.laws.check import FIRST_LAW, LawResult, LawResults, judge_all, seen_of
from anyzero.tools.laws.evidence import Evidence
from anyzero.tools.laws.laws import FATAL, LAWS
from anyzero.tools.laws.random_play import Seen

LAW_CPU_S = 10.0  # processor time for the Python code of a law
TRIAL: Values = {
    "target": "interpreted",
    "simulate": False,
    "num_games": 6,
    "most_s": 1.0,
    "law_s": 3.0,
}
"""Settings of a trial, which starts new games for a second."""
SILENT_S = 600.0  # a process silent for this long is killed: compiled code that never returns


def check_apart(game: Game) -> LawResults:
    """`check_game` in a separate process; if it dies or hangs, the law being checked is broken."""
    results = judge_apart(game, [*LAWS, "the end"])
    if game.unchecked and results.ok:
        remember(game.unchecked, CHECKED)
    return results


def try_out(game: Game) -> None:
    """BadGameError with the words of `check`, if a few games in plain Python show that a game
    cannot be used.
    """
    for result in judge_apart(game, FATAL, "brief"):
        if not result.ok:
            says = f"{game.source} breaks a law of the contract, {result.law!r}: {result.detail}"
            raise BadGameError(f"{says}; anyzero check {game.text} has details")


def judge_apart(game: Game, laws: Sequence[str], *brief: str) -> LawResults:
    """A process's results for these laws; if it dies or is late, the next law is broken."""
    child = Child(python_command(__name__, "_tell_laws", game.text, *brief))
    results = LawResults(game.text)
    try:
        for line in child.lines(SILENT_S):
            said = json.loads(line)
            if isinstance(said, dict):
                results.seen = Seen(**said)
            else:
                results.append(LawResult(*said))
        code = child.wait(None)
        out_of_range = "the game probably reads or writes out of range"
        cause = (
            f"exit code {code}" if code >= 0 else f"{signal.Signals(-code).name}: {out_of_range}"
        )
        fault = f"the compiled game's process died of {cause}" if code else ""
    except LateChildError:
        fault = f"compiled code did not return within {SILENT_S:g} seconds"
    if fault:
        law = [FIRST_LAW, *laws][
            min(len(results), len(laws))
        ]  # an index out of range may show only there
        results.append(LawResult(law, False, fault))
    return results


def _tell_laws(text: str, brief: str = "") -> None:
    send = take_output()
    listen()
    with loading_again():
        game = load_trusted(text)
    evidence = Evidence(game, **TRIAL) if brief else Evidence(game, law_s=LAW_CPU_S)
    runs = False
    for result in judge_all(evidence, *(FATAL if brief else ())):
        runs = runs or result.ok
        send(json.dumps(result))
    statistics = seen_of(evidence) if runs and not brief else None
    if statistics is not None:
        send(json.dumps(asdict(statistics)))
