"""What a client can say: one schema, and whatever is wrong with a message is answered with a sentence."""

from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from anyzero.errors import BadOptionError
from anyzero.schema import Schema

AtTable = Literal["join", "leave", "move", "undo", "redo", "resign", "sit", "pace"]
Elsewhere = Literal["new", "load", "look", "hint", "analyse", "stop"]
NEEDED: dict[str, tuple[str, ...]] = {"new": ("game", "seats"), "load": ("text", "form"), "sit": ("table", "seats")}
NEEDED |= {"pace": ("table", "paused"), **dict.fromkeys(("look", "hint", "analyse", "stop"), ())}
"""What a message must say, by its type; the others need a table."""


class Message(Schema):
    noun: ClassVar[str] = "the message"
    type: Literal[AtTable, Elsewhere]
    request: int | None = None
    """Comes back with the answer."""
    table: str = ""
    game: str = ""
    seats: tuple[str, ...] = ()
    seed: Annotated[int, Field(ge=0, lt=2**64)] | None = None
    position: str | None = None
    moves: Annotated[tuple[str, ...], Field(max_length=5_000)] = ()
    paused: bool = False
    pace: Annotated[float, Field(ge=0.0, le=60.0)] = 0.0
    text: str = ""
    """Of a file, which has this form."""
    form: Literal["json", "pgn", "sgf"] = "json"
    move: str = ""
    action: int | None = None
    ply: Annotated[int, Field(ge=0, lt=100_000)] | None = None
    """Where the client saw the game, or the position that it means."""
    seconds: Annotated[float, Field(ge=0.0, le=1e6)] | None = None
    player: str = "level:hard"
    lane: str = "a"
    """A client's searches have names; a new one replaces the old one of its name."""

    @model_validator(mode="after")
    def check(self) -> Self:
        for name in NEEDED.get(self.type, ("table",)):
            if name not in self.model_fields_set:
                raise BadOptionError(f"{self.noun} has no {name}")
        if self.type == "move" and bool(self.move) == (self.action is not None):
            raise BadOptionError("name a move either by its text or by its action")
        if self.type in ("look", "hint", "analyse") and bool(self.table) == bool(self.game):
            raise BadOptionError("name a position either by its table or by its game and moves")
        return self
