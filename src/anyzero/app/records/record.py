"""The record of a game: one form of plain values for every game, and its checks."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from typing import Annotated, Literal, TypeVar

import numpy as np
from pydantic import Field, StringConstraints, model_validator

from anyzero.core.base.errors import AnyzeroError
from anyzero.core.base.nouns import Values
from anyzero.core.base.schema import Schema, show_value
from anyzero.core.game.definition import split_text
from anyzero.core.game.game import Game, State
from anyzero.core.game.load import load
from anyzero.core.game.play import UNFINISHED, End, Reason

T = TypeVar("T")

FORMAT = 1
LARGEST_SEED = 2**64 - 1
Termination = Literal["rules", "resign", "forfeit", "agreement", "unfinished"]
REASON_WORDS: dict[Reason, Termination] = {
    Reason.RULES: "rules",
    Reason.RESIGNATION: "resign",
    Reason.ILLEGAL_MOVE: "forfeit",
    Reason.CRASH: "forfeit",
    Reason.LATE: "forfeit",
    Reason.FORFEIT: "forfeit",
    Reason.AGREEMENT: "agreement",
    Reason.UNFINISHED: "unfinished",
    Reason.CUT_OFF: "unfinished",
}
"""The terminations of a record; only the last has no payoffs."""
REASONS = {
    "rules": Reason.RULES,
    "resign": Reason.RESIGNATION,
    "forfeit": Reason.FORFEIT,
    "agreement": Reason.AGREEMENT,
    "unfinished": Reason.UNFINISHED,
}

Text = Annotated[
    str, StringConstraints(max_length=100_000, pattern="^[^\x00-\x1f\x7f-\x9f\u2028\u2029]*$")
]
"""One line without control characters."""
Count = Annotated[int, Field(ge=0, le=LARGEST_SEED)]
Payoff = Annotated[float, Field(ge=-1.0, le=1.0)]
Seconds = Annotated[float, Field(ge=0.0, le=1e9)]


class BadRecordError(AnyzeroError):
    """A file or object that is not a valid game record."""


@contextmanager
def within(place: str) -> Iterator[None]:
    """Errors raised in this block name the place of the fault."""
    try:
        yield
    except AnyzeroError as error:
        raise BadRecordError(f"{place}: {error}") from None


# --- the form: the value of each key of the JSON object


class RulesOfRecord(Schema):
    name: Text
    options: dict[str, bool | int | float | str] = Field(
        default_factory=dict
    )  # all of them, including defaults


class Evaluation(Schema):
    """The evaluation of a position by the seat that moved."""

    value: Payoff  # expected payoff for that seat
    simulations: Count


class Result(Schema):
    payoffs: tuple[Payoff, ...] | None = None  # per seat; None while the game is unfinished
    termination: Termination


class GameRecord(Schema):
    """One game. It is checked by replaying it: see `files.checked_record`."""

    noun = "the record"

    format: int
    game: Text  # the text from which the game is loaded
    rules: RulesOfRecord
    players: tuple[Text, ...]  # a text per seat: the player's, `human`, or a person's name
    date: Text = ""  # like 2026-01-31, or empty
    seed: Count | None = None
    """The random seed of chance and the players, so that a resumed game continues as it would have.
    """
    start: Text | None = None  # the position before the first move; None: the initial one
    moves: tuple[Text, ...]  # texts, including chance outcomes
    clocks: tuple[Seconds | None, ...] | None = None  # seconds per move, if known
    evaluations: tuple[Evaluation | None, ...] | None = (
        None  # the mover's evaluation before each move, if known
    )
    result: Result
    tags: dict[Text, Text] = Field(default_factory=dict)
    """More facts by name, as in PGN and SGF: Event, Round, ..."""

    @model_validator(mode="after")
    def check(self) -> "GameRecord":
        if self.format != FORMAT:
            raise BadRecordError(f"the record has the format {self.format}, not {FORMAT}")
        if read_day(self.date) != self.date:
            raise BadRecordError(f"date: {show_value(self.date)} is not a day like 2026-01-31")
        return self

    @property
    def payoffs(self) -> tuple[float, ...] | None:
        return self.result.payoffs

    @property
    def termination(self) -> Termination:
        return self.result.termination

    def to_json(self) -> Values:
        return self.model_dump(mode="json")


def column_or_none(values: Sequence[T | None]) -> tuple[T | None, ...] | None:
    """The values as a column of a record; None if all are unknown."""
    return tuple(values) if any(value is not None for value in values) else None


def read_day(text: str) -> str:
    """The date, as 2026-01-31; empty if the text is not a single day."""
    try:
        return text if date.fromisoformat(text).isoformat() == text else ""
    except ValueError:
        return ""


# --- its game, its start and its result


def find_game(record: GameRecord, game: Game | None) -> Game:
    game = load_named(record.game) if game is None else game
    if (game.name, dict(game.options)) != (record.rules.name, record.rules.options):
        options = "".join(f", {key}={value}" for key, value in record.rules.options.items())
        raise BadRecordError(
            f"the record is of {record.rules.name}{options}, which is not {game.text}"
        )
    return game


def load_named(text: str) -> Game:
    """The game that a record names. A record must not cause a file's code to be run: such a game
    must be passed in.
    """
    if split_text(text)[0].endswith(".py"):
        raise BadRecordError(
            f"the record is of the game file {text}: name the game as well to run its code"
        )
    return load(text)


def end_of(record: GameRecord, game: Game, last: State) -> End:
    """How the game ended, if its payoffs and this last position agree with that."""
    payoffs = record.payoffs
    word = record.termination
    reason = REASONS[word]
    if game.is_over(last) != (reason is Reason.RULES):
        over = "over" if game.is_over(last) else "not over"
        raise BadRecordError(
            f"by the rules the game is {over} after its last move, but its termination is {word!r}"
        )
    if reason is Reason.UNFINISHED:
        if payoffs is not None:
            raise BadRecordError("an unfinished game has no payoffs")
        return UNFINISHED
    has_loser = reason not in (Reason.RULES, Reason.AGREEMENT)
    ends = [End(reason, loser) for loser in (range(game.num_seats) if has_loser else (None,))]
    possible = [final_payoffs(end, game, last) or () for end in ends]
    for end, expected in zip(ends, possible, strict=True):
        if (
            payoffs is not None
            and len(payoffs) == len(expected)
            and np.allclose(payoffs, expected, rtol=0.0, atol=1e-9)
        ):
            return end
    stated = "no payoffs" if payoffs is None else f"the payoffs {list(payoffs)}"
    alternatives = " or ".join(str(list(expected)) for expected in possible)
    raise BadRecordError(f"the record has {stated}; the end by {word} has {alternatives}")


def final_payoffs(end: End, game: Game, last: State) -> tuple[float, ...] | None:
    """The payoffs of a game that ended so, without negative zeros; None while it is unfinished."""
    payoffs = end.payoffs(game, last)
    return None if payoffs is None else tuple(payoff + 0.0 for payoff in payoffs)
