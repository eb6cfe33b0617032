"""Does a game keep the contract: its laws, checked on random play, and its rules in words."""

from anyzero.tools.laws.apart import try_out

__all__ = ["try_out"]
