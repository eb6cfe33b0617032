"""The chess position: sets of squares, always seen from the side to move, and the tables of the rules.

Square 0 is a1, square 63 is h8 as the mover sees them: for black the ranks are mirrored (`square ^ 56`), so that every
pawn moves up and one function serves both sides. A queen stands in `diagonal` and in `straight`; a piece that is in no
set but the occupied ones does not exist.
"""

from typing import Any, NamedTuple

import numpy as np

from anyzero.compile.random import U, scramble

MAX_CLOCK = 100
"""Half moves without a capture or a pawn's move that make a draw."""

STATE = [
    ("mine", np.uint64),
    ("theirs", np.uint64),
    ("pawns", np.uint64),
    ("knights", np.uint64),
    ("diagonal", np.uint64),  # bishops and queens
    ("straight", np.uint64),  # rooks and queens
    ("kings", np.uint64),
    ("castling", np.uint64),  # the rooks that may still castle
    ("en_passant", np.uint64),  # where a pawn can be taken in passing; empty unless that is legal
    ("checkers", np.uint64),  # their pieces that give check
    ("pinned", np.uint64),  # my pieces that shield my king
    ("key", np.uint64),  # of the position, without its history
    # The earlier positions that can come again, oldest first: the upper 52 bits of the key, and below them the move
    # that was made there (source * 64 + target, as its mover saw it).
    ("history", np.uint64, MAX_CLOCK),
    ("recorded", np.int16),  # how many those are
    ("clock", np.int16),  # half moves since the last capture or pawn's move
    ("move_number", np.int32),
    ("mover", np.int8),
    ("repeats", np.int8),  # how often this position has been there before
    ("ended", np.int8),
]

RUNNING, CHECKMATE, STALEMATE, INSUFFICIENT, FIFTY_MOVES, REPETITION = range(6)

MOVE_BITS = U(0xFFF)
"""The part of a history entry that is not the key."""

FILE_A, FILE_H = U(0x0101010101010101), U(0x8080808080808080)
RANK_1, RANK_3, RANK_8 = U(0xFF), U(0xFF0000), U(0xFF << 56)
DARK = U(0xAA55AA55AA55AA55)
CORNERS = U(0x8100000000000081)

KNIGHT_STEPS = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
"""(files, ranks), clockwise from the top."""
QUEEN_STEPS = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
NUM_PLANES = 73
FIRST_KNIGHT_PLANE, FIRST_UNDERPROMOTION = 56, 64
NUM_ACTIONS = 64 * NUM_PLANES


class Chess(NamedTuple):
    knight: np.ndarray
    """[64] words: where a knight attacks."""
    king: np.ndarray
    lines: np.ndarray
    """[64, 4] words: file, rank and the two diagonals through a square, without the square."""
    line: np.ndarray
    """[64, 64] words: the whole line through two squares; empty if there is none."""
    actions: np.ndarray
    """[64, 64] the action of a move that is no underpromotion."""
    steps: np.ndarray
    """[73] target minus source of a plane's moves."""


def make_rules() -> Chess:
    square = np.arange(64)
    files, ranks = square % 8, square // 8
    across, up = files[None] - files[:, None], ranks[None] - ranks[:, None]  # from the first square to the second
    apart = square[None] != square[:, None]
    lines = np.stack([(side == 0) & apart for side in (across, up, across - up, across + up)], axis=1)
    both = (lines[:, None] & lines[None]) & np.diagonal_free(lines) if False else None
    return both  # type: ignore
