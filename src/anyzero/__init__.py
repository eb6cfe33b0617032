"""anyzero: Monte Carlo tree search and self-play learning for board games, from zero knowledge.

Everything below is a function of the library; the command of the same name is a thin wrapper. Names
are imported when they are first used, so that `anyzero --help` answers at once.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anyzero.core.base.errors import AnyzeroError, BadPositionError, IllegalMoveError
    from anyzero.core.game.contract import CHANCE, OVER
    from anyzero.core.game.facts import Facts, Recipe
    from anyzero.core.game.game import Game, Symmetry
    from anyzero.core.game.load import load
    from anyzero.core.search.search import search_many
    from anyzero.tools.arena.arena import match, tournament
    from anyzero.tools.arena.cards import nets
    from anyzero.tools.arena.ladder import rate
    from anyzero.tools.doctor.examine import examine
    from anyzero.tools.doctor.verify import verify
    from anyzero.tools.lab.comparison import runs
    from anyzero.tools.lab.estimate import estimate
    from anyzero.tools.lab.run import experiment
    from anyzero.tools.lab.score_plots import plot
    from anyzero.tools.lab.table import read_rows as results
    from anyzero.tools.lab.train import sweep, train
    from anyzero.tools.laws.check import check_game
    from anyzero.tools.laws.explain import rules
    from anyzero.tools.players import parse_player as player
    from anyzero.tools.proofs.perft import count_lines as perft
    from anyzero.tools.proofs.solve import solve
    from anyzero.tools.search import search

__all__ = [
    "CHANCE",
    "OVER",
    "AnyzeroError",
    "BadPositionError",
    "Facts",
    "Game",
    "IllegalMoveError",
    "Recipe",
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
    "perft",
    "player",
    "plot",
    "rate",
    "results",
    "rules",
    "runs",
    "search",
]
__all__ += ["search_many", "solve", "sweep", "tournament", "train", "verify"]
__version__ = "0.1.0"

MODULES = {
    "core.base.errors": ("AnyzeroError", "BadPositionError", "IllegalMoveError"),
    "core.game.contract": ("CHANCE", "OVER"),
    "core.game.facts": ("Facts", "Recipe"),
    "core.game.game": ("Game", "Symmetry"),
    "core.game.load": ("load",),
    "core.search.search": ("search_many",),
    "tools.arena.arena": ("match", "tournament"),
    "tools.arena.cards": ("nets",),
    "tools.arena.ladder": ("rate",),
    "tools.doctor.examine": ("examine",),
    "tools.doctor.verify": ("verify",),
    "tools.lab.estimate": ("estimate",),
    "tools.lab.run": ("experiment",),
    "tools.lab.score_plots": ("plot",),
    "tools.lab.comparison": ("runs",),
    "tools.lab.train": ("sweep", "train"),
    "tools.laws.check": ("check_game",),
    "tools.laws.explain": ("rules",),
    "tools.proofs.solve": ("solve",),
    "tools.search": ("search",),
}
HOMES = {
    "perft": "tools.proofs.perft:count_lines",
    "player": "tools.players:parse_player",
    "results": "tools.lab.table:read_rows",
    **{name: module for module, names in MODULES.items() for name in names},
}
"""The module of each name; after a colon, its name there."""


def find(name: str) -> Any:
    module, _, attribute = HOMES[name].partition(":")
    return getattr(importlib.import_module(f"anyzero.{module}"), attribute or name)


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module 'anyzero' has no attribute {name!r}")
    globals()[name] = find(name)  # from now on it is a name like any other
    return globals()[name]


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
