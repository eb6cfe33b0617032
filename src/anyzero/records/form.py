"""The JSON form of a record: what may stand under each key."""

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from anyzero.errors import AnyzeroError
from anyzero.records.notes import read_day
from anyzero.records.record import FORMAT, LARGEST_SEED, BadRecordError, Evaluation, GameRecord
from anyzero.schema import Schema, show

Text = Annotated[str, StringConstraints(max_length=100_000, pattern="^[^\x00-\x1f\x7f-\x9f\u2028\u2029]*$")]
"""One line without control characters."""
Count = Annotated[int, Field(ge=0, le=LARGEST_SEED)]
Payoff = Annotated[float, Field(ge=-1.0, le=1.0)]
Seconds = Annotated[float, Field(ge=0.0, le=1e9)]


class RulesForm(Schema):
    name: Text
    options: dict[str, bool | int | float | str] = Field(default_factory=dict)


class EvaluationForm(Schema):
    value: Payoff
    simulations: Count


class ResultForm(Schema):
    payoffs: tuple[Payoff, ...] | None = None
    termination: Literal["rules", "resign", "forfeit", "agreement", "unfinished"]


class RecordForm(Schema):
    """The keys of `GameRecord.to_json`; the fields of a `GameRecord` say what they mean."""

    noun = "the record"

    format: int
    game: Text
    rules: RulesForm
    players: tuple[Text, ...]
    moves: tuple[Text, ...]
    result: ResultForm
    start: Text | None = None
    clocks: tuple[Seconds | None, ...] | None = None
    evaluations: tuple[EvaluationForm | None, ...] | None = None
    date: Text = ""
    seed: Count | None = None
    tags: dict[Text, Text] = Field(default_factory=dict)


def parse_record(values: Any) -> GameRecord:
    """The record of a JSON object; one sentence for the first thing that is wrong."""
    try:
        form = RecordForm.parse(values)
    except AnyzeroError as error:
        raise BadRecordError(str(error)) from None
    if form.format != FORMAT:
        raise BadRecordError(f"the record has the format {form.format}, not {FORMAT}")
    if read_day(form.date) != form.date:
        raise BadRecordError(f"date: {show(form.date)} is not a day like 2026-01-31")
    thoughts = [None if one is None else Evaluation(one.value, one.simulations) for one in form.evaluations or ()]
    return GameRecord(
        game=form.game,
        rules=form.rules.name,
        options=form.rules.options,
        players=form.players,
        moves=form.moves,
        start=form.start,
        clocks=form.clocks,
        evaluations=None if form.evaluations is None else tuple(thoughts),
        payoffs=form.result.payoffs,
        termination=form.result.termination,
        date=form.date,
        seed=form.seed,
        tags=form.tags,
    )
