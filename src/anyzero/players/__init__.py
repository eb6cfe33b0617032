"""Who chooses a move: random play, every search method, engines of others, and players of the user's own.

Reading order: `text` (what a player's text says), `player` (what a player is, and how it is asked), `search_player`,
`levels`, `engine` with `engine_uci` and `engine_gtp`.
"""

from anyzero.players.engine import engine_player
from anyzero.players.player import Player, choose_at_random, load_player
from anyzero.players.search_player import search_player
from anyzero.players.text import ENGINE, FILE, RANDOM, split_player

__all__ = ["Player", "parse_player"]


def parse_player(text: str) -> Player:
    """The player that a text names; an error says what is wrong with it."""
    wanted = split_player(text)
    if wanted.kind == RANDOM:
        return Player(wanted.text, choose_at_random)
    if wanted.kind == FILE:
        return load_player(wanted.text, wanted.name, wanted.rest)
    return engine_player(wanted) if wanted.kind == ENGINE else search_player(wanted)
