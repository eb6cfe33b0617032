"""anyzero: Monte Carlo tree search and self-play learning for board games, from zero knowledge.

Everything below is a function of the library; the command of the same name is a thin wrapper. Names
are imported when they are first used, so that `anyzero --help` answers at once.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anyzero.arena.arena import match, tournament
    from anyzero.arena.ladder import rate
    from anyzero.doctor.examine import examine
    from anyzero.errors import AnyzeroError, BadPositionError, IllegalMoveError
    from anyzero.experiments.estimate import estimate
    from anyzero.experiments.run import experiment
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
    from anyzero.search.search import search_many
    from anyzero.search.solve import solve

__all__ = [
    "CHANCE",
    "OVER",
    "AnyzeroError",
    "BadPositionError",
    "Game",
    "IllegalMoveError",
    "Symmetry",
    "check_game",
]
__all__ += [
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
]
__all__ += ["search_many", "solve", "sweep", "tournament", "train"]
__version__ = "0.1.0"

MODULES = {
    "arena.arena": ("match", "tournament"),
    "arena.ladder": ("rate",),
    "doctor.examine": ("examine",),
    "errors": ("AnyzeroError", "BadPositionError", "IllegalMoveError"),
    "experiments.estimate": ("estimate",),
    "experiments.run": ("experiment",),
    "games.check": ("check_game",),
    "games.contract": ("CHANCE", "OVER"),
    "games.explain": ("rules",),
    "games.game": ("Game", "Symmetry"),
    "games.load": ("load",),
    "learning.summary": ("runs",),
    "learning.train": ("sweep", "train"),
    "networks.find": ("nets",),
    "players.player": ("search",),
    "search": ("search_many", "solve"),
}
HOMES = {"player": "players:parse_player"} | {
    name: module for module, names in MODULES.items() for name in names
}
"""The module of each name; after a colon, its name there."""


def find(name: str) -> Any:
    module, _, own = HOMES[name].partition(":")
    return getattr(importlib.import_module(f"anyzero.{module}"), own or name)


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module 'anyzero' has no attribute {name!r}")
    return find(name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
