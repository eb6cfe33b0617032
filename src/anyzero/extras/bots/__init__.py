"""A player as one file of Python."""

from anyzero.extras.bots.bot import make_bot

__all__ = ["make_bot"]
