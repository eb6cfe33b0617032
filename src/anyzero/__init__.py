"""anyzero: Monte Carlo tree search and self-play learning on board games, from zero knowledge.

Names are imported when they are first used, so that `anyzero --help` answers at once.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anyzero.errors import AnyzeroError, BadPositionError, IllegalMoveError
    from anyzero.games.contract import CHANCE, OVER
    from anyzero.games.game import Game, Symmetry
    from anyzero.games.laws import check_game
    from anyzero.games.load import load
    from anyzero.search import search, search_many  # type: ignore[no-redef]  # the folder has the same name

__all__ = [
    "CHANCE",
    "OVER",
    "AnyzeroError",
    "BadPositionError",
    "Game",
    "IllegalMoveError",
    "Symmetry",
    "check_game",
    "load",
    "search",
    "search_many",
]
__version__ = "0.1.0"

HOMES = {
    "CHANCE": "anyzero.games.contract",
    "OVER": "anyzero.games.contract",
    "AnyzeroError": "anyzero.errors",
    "BadPositionError": "anyzero.errors",
    "Game": "anyzero.games.game",
    "IllegalMoveError": "anyzero.errors",
    "Symmetry": "anyzero.games.game",
    "check_game": "anyzero.games.laws",
    "load": "anyzero.games.load",
    "search": "anyzero.search",
    "search_many": "anyzero.search",
}


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module 'anyzero' has no attribute {name!r}")
    return getattr(importlib.import_module(HOMES[name]), name)
