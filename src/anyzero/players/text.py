"""From a text to a player: `random`, `uct:2000`, `uci:stockfish`, or a file of the user's: `./my_player.py:depth=3`."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from anyzero.errors import AnyzeroError, BadOptionError, UnknownNameError, list_some, nearest_hint
from anyzero.games.load import load_file, parse_options, split_text
from anyzero.players.engine import CLIENTS, engine_player
from anyzero.players.levels import level_player
from anyzero.players.player import Player, random_player, search_player
from anyzero.search.methods import METHODS

KINDS: dict[str, Callable[[str], Player]] = {
    "random": random_player,
    **dict.fromkeys(METHODS, search_player),
    "level": level_player,
    **dict.fromkeys(CLIENTS, engine_player),
}
"""What makes a player from its text, by the word that the text begins with."""


def parse_player(text: str) -> Player:
    """The player that a text names; an error says what is wrong with it."""
    text = text.strip()
    if text.partition(":")[0] in CLIENTS:  # a command may hold anything
        return engine_player(text)
    name, rest = split_text(text)
    if name.endswith(".py"):
        return load_player(text, name, rest)
    if name not in KINDS:
        hint = nearest_hint(name, KINDS)
        raise UnknownNameError(
            f"there is no player {name!r}; {hint}known: {list_some(KINDS)}, or a path to a .py file with make()"
        )
    if name == "random" and text != name:
        raise BadOptionError(f"{text!r}: random play has neither a budget nor options")
    return KINDS[name](text)


def load_player(text: str, name: str, options: str) -> Player:
    """The player that `make(**options)` in a file returns; options are typed by their defaults, as a game's are."""
    if not Path(name).expanduser().is_file():
        raise UnknownNameError(f"cannot read the player file {name}")
    make = getattr(load_file(Path(name)), "make", None)
    if not callable(make):
        raise AnyzeroError(f"{name} has no function make() that returns a Player")
    player = make(**parse_options(name, make, options))
    if not isinstance(player, Player):
        raise AnyzeroError(f"{name}: make() returned {type(player).__name__}, not a Player")
    return replace(player, text=text)
