"""The record of a game: one form of plain values for every game, and its checks."""

from datetime import date
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, StringConstraints, model_validator

from anyzero.app.records.ends import (
    AGREEMENT,
    RULES,
    UNFINISHED,
    BadRecordError,
    loss_payoffs,
    rule_payoffs,
)
from anyzero.core.base.nouns import Numbers, Values
from anyzero.core.base.schema import Schema, show_value
from anyzero.core.game.game import Game, State
from anyzero.core.game.load import load, split_text

FORMAT = 1
MATCH_FORM = "anyzero games 1"  # of a file with the games of a match, one per line
LARGEST_SEED = 2**64 - 1

Text = Annotated[
    str, StringConstraints(max_length=100_000, pattern="^[^\x00-\x1f\x7f-\x9f\u2028\u2029]*$")
]
"""One line without control characters."""
Count = Annotated[int, Field(ge=0, le=LARGEST_SEED)]
Payoff = Annotated[float, Field(ge=-1.0, le=1.0)]
Seconds = Annotated[float, Field(ge=0.0, le=1e9)]


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
    termination: Literal["rules", "resign", "forfeit", "agreement", "unfinished"]


class GameRecord(Schema):
    """One game. `from_json(record.to_json()) == record` for every record whose moves are legal."""

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
    def termination(self) -> str:
        return self.result.termination

    def to_json(self) -> Values:
        return self.model_dump(mode="json")

    @staticmethod
    def from_json(values: Numbers, game: Game | None = None) -> "GameRecord":
        """The record made of these plain values, checked by replaying it; `game` is required if it
        is from a file.
        """
        from anyzero.app.records.in_progress import replay  # a module that imports this one

        return replay(GameRecord.parse(values), game).to_record()


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


def check_result(record: GameRecord, game: Game, last: State) -> tuple[float, ...] | None:
    """The payoffs, by the rules if the game ended by the rules."""
    payoffs = record.payoffs
    how = record.termination
    if game.is_over(last) != (how == RULES):
        end = "over" if game.is_over(last) else "not over"
        raise BadRecordError(
            f"by the rules the game is {end} after its last move, but its termination is {how!r}"
        )
    if how == UNFINISHED:
        if payoffs is not None:
            raise BadRecordError("an unfinished game has no payoffs")
        return None
    possible = [loss_payoffs(game.num_seats, loser) for loser in range(game.num_seats)]
    if how in (RULES, AGREEMENT):
        possible = [rule_payoffs(game, last) if how == RULES else (0.0,) * game.num_seats]
    for wanted in possible:
        if (
            payoffs is not None
            and len(payoffs) == len(wanted)
            and np.allclose(payoffs, wanted, rtol=0.0, atol=1e-9)
        ):
            return wanted
    found = "no payoffs" if payoffs is None else f"the payoffs {list(payoffs)}"
    ends = " or ".join(str(list(one)) for one in possible)
    raise BadRecordError(f"the record has {found}; the end by {how} has {ends}")
