"""The game contract, its laws, and one file per game."""
