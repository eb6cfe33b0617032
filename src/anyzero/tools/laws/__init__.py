"""Does a game keep the contract: its laws, checked on random play, and its rules in words; and
templates for new games.
"""

from anyzero.tools.laws.apart import check_apart, try_out
from anyzero.tools.laws.new import start_game

__all__ = ["check_apart", "start_game", "try_out"]
