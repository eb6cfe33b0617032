"""Messages from a page, and tables, positions and pictures as plain values, from which alone it
draws every game.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from anyzero.app.records.in_progress import GameInProgress, Ply, scene_of
from anyzero.app.records.record import REASON_WORDS
from anyzero.core.base.errors import BadOptionError
from anyzero.core.base.nouns import Values
from anyzero.core.base.schema import Schema
from anyzero.core.game.game import Game, State
from anyzero.views.board import Scene, shape_values
from anyzero.views.svg import DARK, LIGHT, bounds, check_roles, roles_of

# --- tables and positions


def table_values(table: GameInProgress) -> Values:
    """Everything except who sits there."""
    shown = position_values(table)
    return {
        **shown,
        "start": table.start_text,
        "ply": table.num_plies,
        "plies": len(table.line),
        "moves": [
            ply_values(table.game, before, ply)
            for before, ply in zip(table.states, table.plies, strict=False)
        ],
        "seat": table.seat_to_move,
        "over": table.is_over,
        **{
            name: getattr(table, name)
            for name in ("can_undo", "can_redo", "termination", "payoffs")
        },
        "legal": [] if table.is_over else shown["legal"],
    }


def ply_values(game: Game, before: State, ply: Ply) -> Values:
    """A move: its text for programs, and in the notation of move lists."""
    thought = (
        {"value": None, "simulations": None} if ply.evaluation is None else ply.evaluation.to_dict()
    )
    about = {**thought, "seconds": ply.seconds}
    move = ply.move or REASON_WORDS[ply.end.reason]
    played = ply.action >= 0
    text = ply.notation(game, before) if played else move
    return {"seat": ply.seat, "move": move, "text": text, "played": played, **about}


def position_values(table: GameInProgress) -> Values:
    """The current position; at a chance node the outcomes take the place of the moves."""
    game = table.game
    state = table.state
    drawn = table.game.has("board")
    clicks = scene_of(game, state).clicks if drawn else {}
    return {
        "seat": game.seat_to_move(state),
        "scene": {**scene_values(scene_of(game, state)), "colours": game.board.colours}
        if drawn
        else None,
        "fields": None if drawn else game.fields(state),
        "position": game.format_state(state) if game.has("format_state") else None,
        "scores": [game.score(state, seat) for seat in range(game.num_seats)]
        if game.has("score")
        else None,
        "last": table.cells(table.last_decision),  # chance has none
        "legal": [
            {
                "action": action,
                "move": game.format_action(state, action),
                "cells": clicks.get(action, ()),
            }
            for action in game.legal_actions(state)
        ],
    }


def twin_actions(game: Game, state: State) -> dict[int, int]:
    """Actions that a symmetry of this position makes equivalent to a lower one, with that one."""
    twins: dict[int, int] = {}
    if not game.symmetries or not game.has("encode") or game.seat_to_move(state) < 0:
        return twins
    planes = game.encode(state).ravel()
    legal = game.legal_actions(state)
    for turn in game.symmetries:
        if len(turn.planes) and (planes[turn.planes] == planes).all():
            pairs = ((action, int(turn.actions[action])) for action in legal)
            twins |= {
                action: min(other, twins.get(action, other))
                for action, other in pairs
                if other < action
            }
    return twins


# --- pictures


def scene_values(scene: Scene) -> Values:
    """Everything drawn, in board units, with its bounding box; clicks are sent with the moves."""
    check_roles(roles_of(scene))
    left, top, right, bottom = bounds(replace(scene, caption=""))
    return {
        "box": [left, top, right - left, bottom - top],
        "cells": [vars(cell) for cell in scene.cells],
        "pieces": [{**vars(piece), "shapes": shape_values(piece.shapes)} for piece in scene.pieces],
        "under": shape_values(scene.under),
        "over": shape_values(scene.over),
        "aliases": dict(scene.aliases),
        "caption": scene.caption,
        "title": scene.title,
    }


def palette_sheet() -> str:
    """The roles as CSS variables, for light and dark, and the classes that use them."""
    rules = [
        f":root{{{variables(LIGHT)}}}",
        f"@media(prefers-color-scheme:dark){{:root:not([data-theme=light]){{{variables(DARK)}}}}}",
        f":root[data-theme=dark]{{{variables(DARK)}}}",
        *(
            f".f-{role}{{fill:var(--role-{role})}}.s-{role}{{stroke:var(--role-{role})}}"
            for role in LIGHT
        ),
    ]
    return "\n".join(rules) + "\n"


def variables(palette: Mapping[str, str]) -> str:
    return "".join(f"--role-{role}:{colour};" for role, colour in palette.items())


# --- messages


AtTable = Literal["join", "leave", "move", "undo", "redo", "resign", "sit", "pace"]
Elsewhere = Literal["new", "load", "look", "hint", "analyse", "stop"]
NEEDED: dict[str, tuple[str, ...]] = {
    "new": ("game", "seats"),
    "load": ("text", "form"),
    "sit": ("table", "seats"),
    "pace": ("table", "paused"),
    **dict.fromkeys(("look", "hint", "analyse", "stop"), ()),
}
"""The required fields of a message, by its type; the other types need a table."""


SEEDS = range(2**53)
"""Above these a browser rounds integers, and another game would be played."""


class Message(Schema):
    noun: ClassVar[str] = "the message"
    type: Literal[AtTable, Elsewhere]
    request: int | None = None
    """Returned with the answer."""
    table: str = ""
    game: str = ""
    seats: tuple[str, ...] = ()
    seed: Annotated[int, Field(ge=0, le=SEEDS[-1])] | None = None
    position: str | None = None
    moves: Annotated[tuple[str, ...], Field(max_length=5_000)] = ()
    paused: bool = False
    pace: Annotated[float, Field(ge=0.0, le=60.0)] = 0.0
    text: str = ""
    """The text of a file in this format."""
    form: Literal["json", "pgn", "sgf"] = "json"
    move: str = ""
    action: int | None = None
    ply: Annotated[int, Field(ge=0, lt=100_000)] | None = None
    """The ply at which the client saw the game, or the position it means."""
    seconds: Annotated[float, Field(ge=0.0, le=1e6)] | None = None
    player: str = "level:hard"
    lane: str = "a"
    """A client's searches have names; a new one replaces the old one of the same name."""

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
