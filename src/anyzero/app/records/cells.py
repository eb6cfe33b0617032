"""Which cells of the board a move names, for whoever marks them."""

from functools import lru_cache

import numpy as np

from anyzero.app.records.in_progress import GameInProgress
from anyzero.core.game.game import Game, State
from anyzero.views.board import Scene

MOST_SCENES = 1024


def ply_cells(table: GameInProgress, index: int) -> list[str]:
    """The cells of a ply of a game; none for -1."""
    if index < 0:
        return []
    return action_cells(table.game, table.states[index], table.plies[index].action)


def action_cells(game: Game, state: State, action: int) -> list[str]:
    """The cells that an action names; none for a declared end."""
    if action < 0 or not game.has("board"):
        return []
    return list(scene_of(game, state).clicks.get(action, ()))


def scene_of(game: Game, state: State) -> Scene:
    return _remembered_scene(game, state.tobytes())


@lru_cache(MOST_SCENES)
def _remembered_scene(game: Game, content: bytes) -> Scene:
    scene: Scene = game.scene(state_from_bytes(game, content))
    return scene


def state_from_bytes(game: Game, content: bytes) -> State:
    return np.frombuffer(content, game.state_dtype).copy()[0]
