"""Opponents by strength: `level:easy` is, in each game, one of the players below, made from the net in the box.

On boards that have no net of their own, levels are plain searches. Budgets are simulations, so that a level plays the
same on every machine; only `max` without a net takes its time. `benchmarks/levels.py` measures strength and seconds.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

from anyzero.games.game import Game
from anyzero.networks.find import BEST, net_file

LEVELS = ("beginner", "easy", "medium", "hard", "max")
"""From the weakest."""

PLAIN = ("uct:10", "uct:100", "uct:1000", "uct:10000", "uct:5s")
"""For games that are not in the tables, a user's own among them."""

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
"""Without a net, by the name that a game is loaded with."""

TEMPERATURES = (10, 4, 2)
"""The three weaker levels do not search: they draw a move by the net's policy, made flatter by the temperature."""
HARD = 32
MOST: Mapping[str, int] = {
    "tic_tac_toe": 500,
    "connect_four": 1200,
    "breakthrough": 700,
    "knightthrough": 1200,
    "domineering": 1200,
    "atarigo": 1200,
    "hex": 500,
    "oware": 1000,
    "chess": 200,
    "take_it_easy": 200,
}
"""Simulations of `max` with the net in the box: about half a second a move on one core of a laptop."""
USUAL_MOST = 400
"""The same where nobody has measured it."""


def level_text(game: Game, level: str) -> str:
    """The player that a level is in this game."""
    name = game.source or game.name
    texts = net_levels(name) if has_own_net(game) else BY_GAME.get(name, PLAIN)
    return texts[LEVELS.index(level)]


def net_levels(name: str, net: str = BEST) -> tuple[str, ...]:
    """The levels of a game with a net, from the weakest."""
    weaker = (f"gumbel:1,temperature={temperature}@{net}" for temperature in TEMPERATURES)
    return *weaker, f"gumbel:{HARD}@{net}", f"gumbel:{MOST.get(name, USUAL_MOST)}@{net}"


def has_own_net(game: Game) -> bool:
    """Whether the box has a net that was trained, and its levels measured, on this very board."""
    name = game.source or game.name
    return name in MOST and net_board(name) == dict(game.options)


@cache
def net_board(name: str) -> dict[str, Any]:
    """The options of the game that the net in the box was trained on."""
    from anyzero.networks.weights import read_header

    return dict(read_header(net_file(name))["options"])
