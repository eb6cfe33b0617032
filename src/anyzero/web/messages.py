"""What a client can say, checked before anything is done; anything else is answered with one sentence."""

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from anyzero.errors import AnyzeroError

Text = Annotated[str, Field(max_length=2_000)]
Name = Annotated[str, Field(max_length=300)]
Seats = Annotated[list[Name], Field(max_length=16)]
Moves = Annotated[list[Annotated[str, Field(max_length=60)]], Field(max_length=10_000)]
Seed = Annotated[int, Field(ge=0, lt=2**64)]
Ply = Annotated[int, Field(ge=0, lt=100_000)]
PaceSeconds = Annotated[float, Field(ge=0.0, le=60.0)]


class Message(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    request: int | None = None
    """Comes back with the answer."""


class New(Message):
    type: Literal["new"]
    game: Name
    seats: Seats
    seed: Seed | None = None
    position: Text | None = None
    moves: Moves = []
    paused: bool = False
    pace: PaceSeconds = 0.0


class Load(Message):
    type: Literal["load"]
    text: str
    form: Literal["json", "pgn", "sgf"]
    seats: Seats | None = None


class Join(Message):
    type: Literal["join"]
    table: Name


class Leave(Message):
    type: Literal["leave"]
    table: Name


class Move(Message):
    type: Literal["move"]
    table: Name
    move: Name | None = None
    action: int | None = None
    ply: Ply | None = None
    seconds: Annotated[float, Field(ge=0.0, le=1e6)] | None = None


class Undo(Message):
    type: Literal["undo"]
    table: Name


class Redo(Message):
    type: Literal["redo"]
    table: Name


class Resign(Message):
    type: Literal["resign"]
    table: Name


class Sit(Message):
    type: Literal["sit"]
    table: Name
    seats: Seats


class Pace(Message):
    type: Literal["pace"]
    table: Name
    paused: bool
    pace: PaceSeconds = 0.0


class Look(Message):
    type: Literal["look"]
    table: Name | None = None
    ply: Ply | None = None
    game: Name | None = None
    position: Text | None = None
    moves: Moves = []


class Hint(Message):
    type: Literal["hint"]
    table: Name
    player: Name = "level:hard"


class Analyse(Message):
    type: Literal["analyse"]
    lane: Annotated[str, Field(max_length=40)] = "a"
    """A client's searches have names; a new one takes the place of the old one of its name."""
    player: Name
    table: Name | None = None
    ply: Ply | None = None
    game: Name | None = None
    position: Text | None = None
    moves: Moves = []


class Stop(Message):
    type: Literal["stop"]
    lane: Annotated[str, Field(max_length=40)] = "a"


Any_ = New | Load | Join | Leave | Move | Undo | Redo | Resign | Sit | Pace | Look | Hint | Analyse | Stop
READER: TypeAdapter[Any_] = TypeAdapter(Annotated[Any_, Field(discriminator="type")])


class BadMessageError(AnyzeroError):
    """A message that is not one."""

    def __init__(self, text: str, request: int | None = None) -> None:
        super().__init__(text)
        self.request = request


def read_message(text: str) -> Any_:
    """The message in a text; one sentence for anything else."""
    try:
        return READER.validate_json(text)
    except ValidationError as error:
        words = error_words(error.errors(include_input=False, include_url=False)[0])
        raise BadMessageError(words, find_request(text)) from None


def find_request(text: str) -> int | None:
    """The number of a message that is wrong otherwise, so that its sender knows which one it was."""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return None
    request = values.get("request") if isinstance(values, dict) else None
    return request if type(request) is int else None


def error_words(error: Any) -> str:
    """Pydantic's first finding as a sentence."""
    place = ".".join(str(part) for part in error["loc"])
    where = f"{place}: " if place else "the message: "
    return f"{where}{error['msg']}"[:300]
