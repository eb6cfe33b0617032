"""Check whether a game keeps the laws: results, and statistics of random play."""

import math
import signal
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from numbers import Number
from types import FrameType
from typing import Any, NamedTuple

from anyzero.core.base.errors import BadGameError, check_name
from anyzero.core.base.nouns import Values
from anyzero.core.base.report import Part, Sheet, Shown
from anyzero.core.game.faults import tell
from anyzero.core.game.game import Game
from anyzero.core.game.guard import CHECKED, remember
from anyzero.core.game.load import as_game
from anyzero.tools.laws.evidence import Evidence, Skip
from anyzero.tools.laws.laws import (
    ACTIONS_LAW,
    LAWS,
    Law,
    actions_are_legal_numbers,
    the_game_runs,
)
from anyzero.tools.laws.observe import observe_game, observe_position
from anyzero.tools.laws.random_play import Seen, look

FIRST_LAW = "the game runs"
NOT_CHECKED = "not checked: "


class LawResult(NamedTuple):
    law: str
    ok: bool
    detail: str

    @property
    def verdict(self) -> str:
        return "BROKEN" if not self.ok else "-" if self.detail.startswith(NOT_CHECKED) else "ok"


class LawResults(Shown, list[LawResult]):
    """The result for each law of a game, and statistics of its random games."""

    def __init__(self, game: str, results: Iterable[LawResult] = ()) -> None:
        super().__init__(results)
        self.game = game
        self.seen: Seen | None = None

    @property
    def ok(self) -> bool:
        return all(result.ok for result in self)

    def report(self) -> Iterator[Part]:
        yield Sheet(
            ("", "law", ""), [(result.verdict, result.law, result.detail) for result in self]
        )
        if self.seen is not None:
            yield from self.seen.report()
        broken, open_ = (
            sum(result.verdict == verdict for result in self) for verdict in ("BROKEN", "-")
        )
        words = f"{broken} of {len(self)} laws broken" if broken else "all laws hold"
        yield f"{self.game}: {words}" + (f", {open_} could not be checked" if open_ else "")

    def to_json(self) -> Values:
        laws = [{**result._asdict(), "checked": result.verdict != "-"} for result in self]
        return {
            "game": self.game,
            "ok": self.ok,
            "laws": laws,
            "seen": self.seen and asdict(self.seen),
        }


LESS = {"num_games", "plies", "target", "most_s"}
"""Options that make a check weaker than `anyzero check`: passing such a check does not remove the
guards.
"""


def check_game(game: Game | str, *laws: str, **options: Any) -> LawResults:
    """Check a game against these laws of the contract, or all of them, on random play.

    Options: num_games, plies, simulate, browser, seed (see `Evidence`).

    >>> anyzero.check_game("hex:size=5")
    """
    game = as_game(game)
    for law in laws:
        check_name("law", law, LAWS)
    for option in options:
        check_name("option", option, [*Evidence.__dataclass_fields__][1:])
    evidence = Evidence(replace(game, unchecked=""), **options)
    results = LawResults(game.text, judge_all(evidence, *laws))
    results.seen = seen_of(evidence) if results[0].ok and not laws else None
    if game.unchecked and results.ok and not laws and LESS.isdisjoint(options):
        remember(game.unchecked, CHECKED)
    return results


def seen_of(evidence: Evidence) -> Seen | None:
    """Statistics of the games; None if the game's own code for texts fails, which is reported
    elsewhere.
    """
    try:
        with cpu_limit(evidence.law_s):
            return look(evidence.game, evidence.records)
    except (Exception, SystemExit, EndlessError):
        return None


def judge_all(evidence: Evidence, *laws: str) -> Iterator[LawResult]:
    """The same, law by law; a game that does not run is not checked further."""
    first = judge(FIRST_LAW, Law(the_game_runs), evidence)
    yield first
    if first.ok:
        yield from (judge(name, LAWS[name], evidence) for name in laws or LAWS)


def judge(name: str, law: Law, evidence: Evidence) -> LawResult:
    """A law is also broken if it cannot be checked because the game's own code fails."""
    try:
        with cpu_limit(evidence.law_s):
            fault = law.find_fault(evidence)
    except Skip as skip:
        return LawResult(name, True, f"{NOT_CHECKED}{skip}")
    except (
        Exception,
        SystemExit,
        EndlessError,
    ) as error:  # anything that a user's code raises is the finding
        return blame(name, error, evidence.game)
    return LawResult(name, fault is None, fault or " ".join((law.check.__doc__ or "").split()))


def blame(name: str, error: BaseException, game: Game) -> LawResult:
    """The error's message, place and ply; the law on actions is to blame if one of them is
    wrong.
    """
    cause = error.__cause__ if isinstance(error, BadGameError) and error.__cause__ else error
    detail = wrong_answer(cause) or tell(cause, game.functions)
    for frame, _ in traceback.walk_tb(cause.__traceback__):
        if frame.f_code is observe_game.__code__:  # an interpreted game, at its current ply
            record = frame.f_locals["record"]
            ply = frame.f_locals.get("row", 0)
            # before it has chosen an action, a position may not have its actions yet
            wrong = (
                actions_are_legal_numbers(game, record.at(ply)) if record.chosen[ply] >= 0 else None
            )
            law, said = (
                (ACTIONS_LAW, f"{wrong} at ply {ply}; {detail}")
                if wrong
                else (name, f"{detail}, at ply {ply}")
            )
            return LawResult(law, False, said)
    return LawResult(name, False, detail)


ANSWERS = {"seat": "seat_to_move", "key": "state_key", "points": "score", "count": "legal_actions"}
ANSWERS |= {"weight": "chance_weight", "shared": "amaf_key"}
"""The variables of `observe_position` that hold a function's number."""


def wrong_answer(error: BaseException) -> str:
    """What a function returned instead of a number, such as None after a forgotten `return`."""
    asked = (
        frame
        for frame, _ in traceback.walk_tb(error.__traceback__)
        if frame.f_code is observe_position.__code__
    )
    answers = next((frame.f_locals for frame in asked), {})
    for name, function in ANSWERS.items():
        if not isinstance(answers.get(name, 0), Number):
            return f"{function} returns {answers[name]!r}, not a number"
    return ""


# --- rules that never return


class EndlessError(BaseException):
    """Code has used up its time; a game's own handlers do not catch it."""


@contextmanager
def cpu_limit(seconds: float) -> Iterator[None]:
    """EndlessError if Python code within takes more processor time than this, without compiling;
    for main threads.
    """
    if seconds == math.inf:
        yield
        return

    def interrupt(_number: int, frame: FrameType | None) -> None:
        places = [frame.f_globals.get("__name__", "") for frame, _ in traceback.walk_stack(frame)]
        if any(name.startswith("numba.") for name in places):
            signal.setitimer(signal.ITIMER_PROF, seconds)
        else:
            raise EndlessError(f"it did not return within {seconds:g} seconds of processor time")

    before = signal.signal(signal.SIGPROF, interrupt)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
