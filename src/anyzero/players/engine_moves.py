"""Moves and colours as GTP writes them, both for our engine and for those of others.

The first seat is black. Go's boards have no column `i`, Hex's have; Hex calls its swap `swap-pieces`.
"""

from string import ascii_lowercase

from anyzero.games.game import Game

COLOURS = ("black", "white")
GO_GAMES = ("atarigo",)
"""Games on Go's boards, whose columns leave out the letter i."""
GO_LETTERS = ascii_lowercase.replace("i", "")
SWAP = "swap-pieces"
RESIGN = "resign"

TO_GO = str.maketrans(ascii_lowercase[:-1], GO_LETTERS)
FROM_GO = str.maketrans(GO_LETTERS, ascii_lowercase[:-1])


def to_gtp(game: Game, move: str) -> str:
    """The text of a move as GTP has it."""
    if move == "swap":
        return SWAP
    return move.translate(TO_GO).upper() if game.name in GO_GAMES else move


def from_gtp(game: Game, text: str) -> str:
    """The game's own text of a move."""
    move = text.strip().lower()
    if move == SWAP:
        return "swap"
    if game.name in GO_GAMES:
        return "" if move.startswith("i") else move.translate(FROM_GO)
    return move


def seat_of(colour: str) -> int | None:
    """The seat of a colour, or None."""
    return {"b": 0, "black": 0, "w": 1, "white": 1}.get(colour.lower())
