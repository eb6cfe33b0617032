"""anyzero: Monte Carlo tree search and self-play learning on board games, from zero knowledge.

Everything below is a function of the library, and the command of the same name is a thin door to it. Names are imported
when they are first used, so that `anyzero --help` answers at once.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anyzero.arena import match, tournament
    from anyzero.arena.ladder import rate
    from anyzero.doctor.examine import examine
    from anyzero.errors import AnyzeroError, BadPositionError, IllegalMoveError
    from anyzero.experiments import experiment
    from anyzero.experiments.estimate import estimate
    from anyzero.games.check import check_game
    from anyzero.games.contract import CHANCE, OVER
    from anyzero.games.explain import rules
    from anyzero.games.game import Game, Symmetry
    from anyzero.games.load import load
    from anyzero.learning.summary import runs
    from anyzero.learning.train import sweep, train
    from anyzero.networks.find import nets
    from anyzero.players import parse_player as player
    from anyzero.players.player import search
    from anyzero.search import search_many, solve

__all__ = [
    "CHANCE",
    "OVER",
    "AnyzeroError",
    "BadPositionError",
    "Game",
    "IllegalMoveError",
    "Symmetry",
    "check_game",
    "estimate",
    "examine",
    "experiment",
    "load",
    "match",
    "nets",
    "player",
    "rate",
    "rules",
    "runs",
    "search",
    "search_many",
    "solve",
    "sweep",
    "tournament",
    "train",
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
    "check_game": "anyzero.games.check",
    "estimate": "anyzero.experiments.estimate",
    "examine": "anyzero.doctor.examine",
    "experiment": "anyzero.experiments.run",
    "load": "anyzero.games.load",
    "match": "anyzero.arena.arena",
    "nets": "anyzero.networks.find",
    "player": "anyzero.players:parse_player",
    "rules": "anyzero.games.explain",
    "rate": "anyzero.arena.ladder",
    "runs": "anyzero.learning.summary",
    "search": "anyzero.players.player",
    "search_many": "anyzero.search",
    "solve": "anyzero.search.solve",
    "sweep": "anyzero.learning.train",
    "tournament": "anyzero.arena.arena",
    "train": "anyzero.learning.train",
}
"""Where each name lives; behind a colon, what it is called there."""


def find(name: str) -> Any:
    """What a public name stands for."""
    module, _, own = HOMES[name].partition(":")
    return getattr(importlib.import_module(module), own or name)


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module 'anyzero' has no attribute {name!r}")
    return find(name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
