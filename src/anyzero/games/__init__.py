"""The game contract, its laws, and one file a game."""
