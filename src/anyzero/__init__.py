"""anyzero: Monte Carlo tree search and self-play learning on board games, from zero knowledge."""

from anyzero.games.contract import CHANCE, OVER
from anyzero.games.errors import AnyzeroError, BadPositionError, IllegalMoveError
from anyzero.games.game import Game, Symmetry
from anyzero.games.load import load

__all__ = ["CHANCE", "OVER", "AnyzeroError", "BadPositionError", "Game", "IllegalMoveError", "Symmetry", "load"]
__version__ = "0.1.0"
