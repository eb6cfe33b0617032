"""A table as the page sees it: the picture, the moves so far, and what can be played by which clicks."""

from functools import lru_cache
from typing import Any

import numpy as np

from anyzero.games.contract import CHANCE
from anyzero.games.game import Game, State
from anyzero.records import GameInProgress
from anyzero.records.in_progress import Ply
from anyzero.views import Scene
from anyzero.web.scene_form import scene_values

MOST_SCENES = 256


def table_values(table: GameInProgress) -> dict[str, Any]:
    """Everything but who sits there."""
    return {
        "ply": table.num_plies,
        "plies": len(table.line),
        "moves": [ply_values(ply) for ply in table.plies],
        "can_undo": table.can_undo,
        "can_redo": table.can_redo,
        "seat": table.seat_to_move,
        "over": table.is_over,
        "termination": table.termination,
        "payoffs": table.payoffs,
        **position_values(table.game, table.state),
        "last": last_cells(table, table.num_plies),
        "legal": [] if table.is_over else legal_values(table.game, table.state),
    }


def look_values(game: Game, state: State, last: list[str]) -> dict[str, Any]:
    """A position by itself; at a chance node the outcomes stand in for the moves."""
    return {
        "seat": game.seat_to_move(state),
        **position_values(game, state),
        "last": last,
        "legal": legal_values(game, state),
    }


def position_values(game: Game, state: State) -> dict[str, Any]:
    return {
        "scene": scene_values(scene_of(game, state)) if game.has("scene") else None,
        "position": game.format_state(state) if game.has("format_state") else None,
        "scores": scores(game, state),
    }


def ply_values(ply: Ply) -> dict[str, Any]:
    value = None if ply.evaluation is None else ply.evaluation.value
    simulations = None if ply.evaluation is None else ply.evaluation.simulations
    about = {"value": value, "simulations": simulations, "seconds": ply.seconds}
    return {"seat": ply.seat, "move": ply.move or ply.termination, "played": ply.action >= 0, **about}


def legal_values(game: Game, state: State) -> list[dict[str, Any]]:
    """The legal moves, each with the cells to click."""
    clicks = scene_of(game, state).clicks if game.has("scene") else {}
    return [
        {"action": action, "move": game.format_action(state, action), "cells": clicks.get(action, ())}
        for action in game.legal_actions(state)
    ]


def last_cells(table: GameInProgress, num_plies: int) -> list[str]:
    """The cells that the last move named; chance and declared ends name none."""
    index = next((index for index in reversed(range(num_plies)) if table.line[index].seat != CHANCE), -1)
    return [] if index < 0 else cells_of(table.game, table.state_after(index), table.line[index].action)


def cells_of(game: Game, state: State, action: int) -> list[str]:
    """The cells that an action names; none for an end that was declared."""
    return list(scene_of(game, state).clicks.get(action, ())) if game.has("scene") and action >= 0 else []


def scene_of(game: Game, state: State) -> Scene:
    """The picture of a position; those of the last positions are remembered."""
    return remembered_scene(game, state.tobytes())


@lru_cache(MOST_SCENES)
def remembered_scene(game: Game, content: bytes) -> Scene:
    return game.scene(np.frombuffer(content, game.state_dtype).copy().view(np.recarray)[0])


def scores(game: Game, state: State) -> list[float] | None:
    return [game.score(state, seat) for seat in range(game.num_seats)] if game.has("score") else None
