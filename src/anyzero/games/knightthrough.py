"""Knightthrough: Breakthrough with knights, which jump forward only."""

from anyzero.core.game.facts import GRAVE_LEVELS, Facts
from anyzero.core.game.game import Game
from anyzero.games.breakthrough import make_race

EXAMPLE = (
    "b2a4 e7f5 a4b6 a8b6 f2h3 b6c4 c2d4 h7g5 d4c6 b8c6 d2c4 f5e3 d1e3 g5e4 c4b6 c8b6 h3g5 "
    "a7b5 g5f7 d8f7 e3d5 c7d5 "
    "e1f3 e4d2 b1d2 d5c3 a2c3 c6b4 e2d4 b5c3 h1f2 c3d1"
)
JUMPS = ((2, -1), (2, 1), (1, -2), (1, 2))  # (rows, columns)


def make(rows: int = 8, columns: int = 8) -> Game:
    """The first knight to reach the far row wins, and so does a side that captures every enemy
    knight.

    White begins. A knight jumps as in chess, but only forward: two rows ahead and one column to the
    side, or one row ahead and two columns to the side. It captures the piece it lands on. A side
    that cannot move loses. A move is the knight's cell and its target: b2c4.
    """
    return make_race("knightthrough", rows, columns, JUMPS, EXAMPLE, FACTS)


# --- facts for levels, ladders, training, files and the page


FACTS = Facts(levels=GRAVE_LEVELS, max_simulations=1200, best_method="grave")
