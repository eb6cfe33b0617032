"""The text of a player and its parts: `rave:2000,bias=1e-5`, `gumbel:64@hex7`, `level:easy`, `uci:stockfish`."""

from collections.abc import Collection
from typing import NamedTuple

from anyzero.errors import BadOptionError, UnknownNameError, list_some, nearest_hint
from anyzero.games.game import Game
from anyzero.games.load import split_text
from anyzero.players.levels import LEVELS, level_text
from anyzero.search.methods import METHODS, SearchText, parse_search

RANDOM, SEARCH, LEVEL, FILE, ENGINE = "random", "search", "level", "file", "engine"
"""The kinds of players. Those of the last two run somebody else's code."""
OWN_KINDS = (RANDOM, SEARCH, LEVEL)
KIND_OF = {RANDOM: RANDOM, **dict.fromkeys(METHODS, SEARCH), LEVEL: LEVEL, "uci": ENGINE, "gtp": ENGINE}
"""By the word that a text begins with; a path to a .py file is a player too."""


class PlayerText(NamedTuple):
    """What a text says; nothing has been looked for on the disk."""

    text: str
    kind: str
    name: str
    """What it begins with: a method, a path, `level`, `uci`, ..."""
    rest: str
    """What follows the colon: a budget, a level, options, a command."""
    search: SearchText | None = None
    """The method, its budget and its options, of a search."""
    network: str = ""
    """What follows the @ of a search."""

    def in_game(self, game: Game) -> "PlayerText":
        """The same player; for a level, the search that it is in this game."""
        return split_player(level_text(game, self.rest)) if self.kind == LEVEL else self


def split_player(text: str, kinds: Collection[str] = (*OWN_KINDS, FILE, ENGINE)) -> PlayerText:
    """The parts of a text that names a player of one of these kinds; an error says what is wrong with it."""
    text = text.strip()
    name, _, rest = text.partition(":")
    if KIND_OF.get(name) != ENGINE:  # the command of an engine may hold anything
        name, rest = split_text(text)
    kind = FILE if name.endswith(".py") else KIND_OF.get(name, "")
    if kind not in kinds:
        known = [known for known, its_kind in KIND_OF.items() if its_kind in kinds]
        files = ", or a path to a .py file with make()" if FILE in kinds else ""
        hint = nearest_hint(name, known)
        raise UnknownNameError(f"there is no player {name!r}; {hint}known: {list_some(known)}{files}")
    if kind == RANDOM and text != name:
        raise BadOptionError(f"{text!r}: random play has neither a budget nor options")
    if kind == LEVEL and rest not in LEVELS:
        raise UnknownNameError(f"there is no level {rest!r}; {nearest_hint(rest, LEVELS)}known: {list_some(LEVELS)}")
    if kind != SEARCH:
        return PlayerText(text, kind, name, rest)
    search, at, network = text.partition("@")
    if at and not network.strip():
        raise BadOptionError(f"{text!r}: there is no network after the @")
    return PlayerText(text, kind, name, rest, parse_search(search), network.strip())
