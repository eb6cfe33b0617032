"""What a client can say. Each kind of message is a schema: whatever is wrong with one is answered with a sentence."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from anyzero.errors import AnyzeroError, UnknownNameError, list_some, nearest_hint
from anyzero.schema import Schema, show

Seats = tuple[str, ...]
Moves = Annotated[tuple[str, ...], Field(max_length=5_000)]
Ply = Annotated[int, Field(ge=0, lt=100_000)]
PaceSeconds = Annotated[float, Field(ge=0.0, le=60.0)]


class Message(Schema):
    noun: ClassVar[str] = "the message"
    type: str
    request: int | None = None
    """Comes back with the answer."""


class AtTable(Message):
    table: str


class NewGame(Message):
    game: str
    seats: Seats
    seed: Annotated[int, Field(ge=0, lt=2**64)] | None = None
    position: str | None = None
    moves: Moves = ()
    paused: bool = False
    pace: PaceSeconds = 0.0


class LoadGame(Message):
    text: str
    form: Literal["json", "pgn", "sgf"]
    seats: Seats | None = None


class MakeMove(AtTable):
    move: str | None = None
    action: int | None = None
    ply: Ply | None = None
    """Where the client saw the game."""
    seconds: Annotated[float, Field(ge=0.0, le=1e6)] | None = None

    @model_validator(mode="after")
    def check_move(self) -> Self:
        if (self.move is None) == (self.action is None):
            raise AnyzeroError("name a move either by its text or by its action")
        return self


class TakeSeats(AtTable):
    seats: Seats


class SetPace(AtTable):
    paused: bool
    pace: PaceSeconds = 0.0


class Look(Message):
    """A position: of a table after some plies, or of a game after some moves."""

    table: str | None = None
    ply: Ply | None = None
    game: str | None = None
    position: str | None = None
    moves: Moves = ()

    @model_validator(mode="after")
    def check_place(self) -> Self:
        if (self.table is None) == (self.game is None):
            raise AnyzeroError("name a position either by its table or by its game and moves")
        return self


class StartSearch(Look):
    player: str = "level:hard"
    lane: str = "a"
    """A client's searches have names; a new one replaces the old one of its name."""
    seed: Annotated[int, Field(ge=0, lt=2**32)] = 0


class StopSearch(Message):
    lane: str = "a"


MESSAGES: dict[str, type[Message]] = dict.fromkeys(("join", "leave", "undo", "redo", "resign"), AtTable)
MESSAGES |= {"new": NewGame, "load": LoadGame, "move": MakeMove, "sit": TakeSeats, "pace": SetPace}
MESSAGES |= {"look": Look, "analyse": StartSearch, "hint": StartSearch, "stop": StopSearch}
"""What each value of `type` is checked by."""


def read_message(values: Mapping[str, Any] | None) -> Message:
    if values is None:
        raise AnyzeroError("the message is not a JSON object")
    kind = values.get("type")
    if not isinstance(kind, str) or kind not in MESSAGES:
        hint = nearest_hint(kind, MESSAGES) if isinstance(kind, str) else ""
        raise UnknownNameError(f"type cannot be {show(kind)}; {hint}known: {list_some(MESSAGES)}")
    return MESSAGES[kind].parse(values)
