"""Does a game keep the contract: its laws, checked on random play, and its rules in words."""
