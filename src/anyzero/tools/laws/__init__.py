"""Does a game keep the contract: its laws, checked on random play, and its rules in words."""

from anyzero.tools.laws.apart import check_apart, try_out

__all__ = ["check_apart", "try_out"]
