"""Who chooses a move: random play, every search method, and players of the user's own."""

from anyzero.players.player import Player
from anyzero.players.text import parse_player

__all__ = ["Player", "parse_player"]
