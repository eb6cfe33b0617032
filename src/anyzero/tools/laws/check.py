"""Check whether a game keeps the laws: results, and statistics of random play, here or in a
separate process.

Separate, because compiled code that writes out of range can kill the process that runs it.
"""

import json
import signal
import traceback
from collections.abc import Iterable, Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import asdict, dataclass, replace
from io import StringIO
from numbers import Number
from typing import Any, NamedTuple

import numpy as np

from anyzero.core.base.child import Child, LateChildError, listen, python_command, take_output
from anyzero.core.base.errors import BadGameError, BadOptionError, check_name
from anyzero.core.base.nouns import Values
from anyzero.core.base.report import Part, Sheet, Shown, count, percent
from anyzero.core.game.contract import OVER
from anyzero.core.game.faults import EndlessError, cpu_limit, tell
from anyzero.core.game.game import Game
from anyzero.core.game.guard import CHECKED, remember
from anyzero.core.game.load import as_game, load_trusted
from anyzero.tools.laws.laws import (
    ACTIONS_LAW,
    FATAL,
    LAWS,
    Law,
    actions_are_legal_numbers,
    the_game_runs,
)
from anyzero.tools.laws.observe import Evidence, Observations, Skip, observe_game, observe_position

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


def check_game(game: Game | str, *laws: str, apart: bool = False, **options: Any) -> LawResults:
    """Check a game against these laws of the contract, or all of them, on random play.

    Options: num_games, plies, simulate, browser, seed (see `Evidence`). All laws may be checked
    `apart`, in another process: if it dies or hangs, the law being checked is broken.

    >>> anyzero.check_game("hex:size=5")
    """
    game = as_game(game)
    for law in laws:
        check_name("law", law, LAWS)
    for option in options:
        check_name("option", option, [*Evidence.__dataclass_fields__][1:])
    if apart and (laws or options):
        raise BadOptionError("a check in another process is of all laws and takes no options")
    if apart:
        return check_apart(game)
    evidence = Evidence(replace(game, unchecked=""), **options)
    results = LawResults(game.text, judge_all(evidence, *laws))
    results.seen = seen_of(evidence) if results[0].ok and not laws else None
    if game.unchecked and results.ok and not laws and LESS.isdisjoint(options):
        remember(game.unchecked, CHECKED)
    return results


def seen_of(evidence: Evidence) -> "Seen | None":
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
    return LawResult(name, fault is None, fault or (law.check.__doc__ or "").strip())


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


# --- statistics of random play, so that a person sees at a glance what no law can detect


# decided games, and moves on cells, needed for any suspicion
ENOUGH_GAMES = 8
ENOUGH_MOVES = 30
MOST_EXTRAS = 4  # maximum actions besides those of the cells, in a game that places stones


@dataclass(frozen=True)
class Seen:
    """Statistics of random games; moves are those of seats, plies include chance outcomes."""

    games: int
    plies: int
    shortest: int
    longest: int
    wins: list[int]  # by seat: games in which no other seat has as much
    draws: int
    mean_payoffs: list[float]
    unfinished: int
    last_mover_wins: int  # decided games won by the seat that moved last
    moves: int
    passes: int  # moves with a text like `pass`
    forced: int  # moves that were the only legal one
    seats: list[str]
    warnings: list[str]

    def report(self) -> Iterator[str]:
        mean = self.plies / max(1, self.games)
        yield (
            f"{self.games} random games of {mean:.1f} plies on average, {self.shortest} "
            f"to {self.longest}"
        )
        if len(self.wins) == 1:
            yield f"mean payoff {self.mean_payoffs[0]:+.3f}"
        else:
            results = [f"{name} won {won}" for name, won in zip(self.seats, self.wins, strict=True)]
            results += [count(self.draws, "draw")] + (
                [f"{self.unfinished} unfinished"] if self.unfinished else []
            )
            decided = sum(self.wins)
            last = f"; the last mover won {self.last_mover_wins} of {decided}" if decided else ""
            yield f"{', '.join(results)}{last}"
        shares = [percent(part / max(1, self.moves)) for part in (self.passes, self.forced)]
        yield f"of {self.moves} moves {shares[0]} were passes, {shares[1]} the only legal one"
        yield from (f"warning: {warning}" for warning in self.warnings)


def look(game: Game, records: Sequence[Observations]) -> Seen:
    lengths = [len(record.seats) - 1 for record in records]
    ends = [record for record in records if record.seats[-1] == OVER]
    best = [np.flatnonzero(record.payoffs == record.payoffs.max()) for record in ends]
    winners = [int(seats[0]) if len(seats) == 1 else None for seats in best]
    last = [next((int(seat) for seat in record.seats[::-1] if seat >= 0), -1) for record in ends]
    moves = [
        (record, row, int(record.chosen[row]))
        for record in records
        for row in np.flatnonzero((record.seats >= 0) & (record.chosen >= 0)).tolist()
    ]
    texts: dict[int, str] = {}  # of each action when first chosen
    for record, row, action in moves:
        if action not in texts:
            texts[action] = game.format_action(record.states[row].copy(), action)
    return Seen(
        games=len(records),
        plies=sum(lengths),
        shortest=min(lengths),
        longest=max(lengths),
        wins=[winners.count(seat) for seat in range(game.num_seats)],
        draws=winners.count(None),
        mean_payoffs=np.mean(
            [record.payoffs for record in ends] or [np.zeros(game.num_seats)], axis=0
        ).tolist(),
        unfinished=len(records) - len(ends),
        last_mover_wins=sum(seat == winner for seat, winner in zip(last, winners, strict=True)),
        moves=len(moves),
        passes=sum("pass" in texts[action].lower() for _, _, action in moves),
        forced=sum(int(record.counts[row] == 1) for record, row, _ in moves),
        seats=[game.seat_name(seat) for seat in range(game.num_seats)],
        warnings=[
            *doubtful_seats(game, records, last, winners),
            *taken_cells(game, moves, texts),
            *doubtful_keys(game, [(record, row) for record, row, _ in moves]),
        ],
    )


# --- what may be intended, but is more often a mistake


def doubtful_seats(
    game: Game, records: Sequence[Observations], last: Sequence[int], winners: Sequence[int | None]
) -> Iterator[str]:
    moved = {int(seat) for record in records for seat in np.unique(record.seats)}
    for seat in range(game.num_seats):
        if seat not in moved:
            yield f"{game.seat_name(seat)} never moves: does play change whose turn it is?"
    lost = [
        winner != seat for seat, winner in zip(last, winners, strict=True) if winner is not None
    ]
    if game.num_seats > 1 and len(lost) >= ENOUGH_GAMES and all(lost):
        yield (
            f"the last mover lost all {len(lost)} decided games: does payoffs have the right sign?"
        )


def taken_cells(
    game: Game, moves: Sequence[tuple[Observations, int, int]], texts: dict[int, str]
) -> Iterator[str]:
    """A game places stones if every action marks its own entry of some field, which was mostly
    empty before.
    """
    for name, form in game.state_dtype.fields.items() if game.state_dtype.fields else ():
        size = form[0].shape[0] if len(form[0].shape) == 1 else 0
        if not game.num_actions - MOST_EXTRAS <= size <= game.num_actions:
            continue
        marks = [
            (
                record.states[row][name][action] != 0,
                record.states[row + 1][name][action] != 0,
                action,
            )
            for record, row, action in moves
            if action < size
        ]
        taken = [action for before, _, action in marks if before]
        if (
            len(marks) >= ENOUGH_MOVES
            and all(after for _, after, _ in marks)
            and 0 < len(taken) < len(marks) / 2
        ):
            cell = texts[taken[0]]
            yield (
                f"{cell} is played although {name} marks it as occupied: does "
                "legal_actions skip occupied cells?"
            )


def doubtful_keys(game: Game, places: Iterable[tuple[Observations, int]]) -> Iterator[str]:
    """A state_key that differs where nothing else does may count moves."""
    known: dict[Any, Any] = {}
    if game.has("state_key") and game.has("encode"):
        for at in (record.at(row) for record, row in places):
            looks = int(at.seats), at.actions.tobytes(), at.scores.tobytes(), at.planes.tobytes()
            if known.setdefault(looks, at.keys) != at.keys:
                yield (
                    "state_key gives positions that look the same different keys: does it "
                    "count moves?"
                )
                return


# --- a game in a separate process


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
    with redirect_stdout(StringIO()):  # a file that prints already did so when first loaded
        game = load_trusted(text)
    evidence = Evidence(game, **TRIAL) if brief else Evidence(game, law_s=LAW_CPU_S)
    runs = False
    for result in judge_all(evidence, *(FATAL if brief else ())):
        runs = runs or result.ok
        send(json.dumps(result))
    seen = seen_of(evidence) if runs and not brief else None
    if seen is not None:
        send(json.dumps(asdict(seen)))
