"""Opponents by strength: `level:easy` is, in each game, one of the plain players of the table below.

Budgets are simulations, so that a level plays the same on every machine; only `max` takes its time.
"""

from collections.abc import Mapping

from anyzero.games.game import Game

LEVELS = ("beginner", "easy", "medium", "hard", "max")
"""From the weakest."""

PLAIN = ("uct:10", "uct:100", "uct:1000", "uct:10000", "uct:5s")
"""For games that are not in the table, a user's own among them."""

BY_GAME: Mapping[str, tuple[str, ...]] = {
    "tic_tac_toe": ("flat:3", "flat:20", "uct:30", "uct:200", "uct:2000"),
    "connect_four": ("uct:10", "uct:50", "uct:300", "uct:3000", "uct:5s"),
    "breakthrough": ("uct:10", "uct:100", "uct:1000", "uct:10000", "uct:5s"),
    "knightthrough": ("uct:10", "rave:100", "grave:1000", "grave:10000", "grave:5s"),
    "domineering": ("uct:10", "rave:100", "grave:1000", "grave:10000", "grave:5s"),
    "atarigo": ("uct:10", "rave:100", "grave:1000", "grave:10000", "grave:5s"),
    "hex": ("uct:20", "rave:100", "rave:1000", "rave:10000", "rave:5s"),
    "take_it_easy": (
        "flat:20",
        "uct:100",
        "uct:100,evaluator=guided",
        "uct:1000,evaluator=guided",
        "uct:5s,evaluator=guided",
    ),
}
"""By the name that a game is loaded with."""


def level_text(game: Game, level: str) -> str:
    """The player that a level is in this game."""
    return BY_GAME.get(game.source or game.name, PLAIN)[LEVELS.index(level)]
