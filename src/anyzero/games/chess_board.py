"""The chess position: sets of squares, always seen from the side to move, the tables of the rules,
and attacks.

Square 0 is a1, square 63 is h8 as the mover sees them: for black the ranks are mirrored (`square ^
56`), so that every pawn moves up and one function serves both sides. A queen is in both `diagonals`
and `straights`.
"""

from typing import NamedTuple

import numpy as np

from anyzero.core.base.nouns import State, Word
from anyzero.core.compile.bits import leading_bit, trailing_zeros
from anyzero.core.compile.random import U, scramble

MAX_CLOCK = 100  # half-moves without a capture or a pawn move that make a draw

MAX_MOVE_NUMBER = 99_999  # where the move counter stops, so that its text can always be read

STATE = [
    ("mine", np.uint64),
    ("theirs", np.uint64),
    ("pawns", np.uint64),
    ("knights", np.uint64),
    ("diagonals", np.uint64),  # bishops and queens
    ("straights", np.uint64),  # rooks and queens
    ("kings", np.uint64),
    ("castling", np.uint64),  # the rooks that may still castle
    (
        "en_passant",
        np.uint64,
    ),  # where a pawn can be captured en passant; empty unless that is legal
    ("checkers", np.uint64),  # their pieces that give check
    ("pinned", np.uint64),  # my pieces that shield my king
    ("key", np.uint64),  # of the position, without its history
    # Earlier positions that can recur, oldest first: the upper 52 bits of the key, and below them
    # the move made there (source * 64 + target, as its mover saw it).
    ("history", np.uint64, MAX_CLOCK),
    ("recorded", np.int16),  # number of entries in the history
    ("clock", np.int16),  # half-moves since the last capture or pawn move
    ("move_number", np.int32),
    ("mover", np.int16),
    ("repeats", np.int16),  # how often this position has occurred before
    ("ended", np.int32),  # RUNNING, CHECKMATE, ...
]

RUNNING, CHECKMATE, STALEMATE, INSUFFICIENT, FIFTY_MOVES, REPETITION = range(6)

MOVE_BITS = U(0xFFF)  # the bits of a history entry that hold the move

FILE_A = U(0x0101010101010101)
FILE_H = U(0x8080808080808080)
RANK_1 = U(0xFF)
RANK_3 = U(0xFF << 16)
RANK_6 = U(0xFF << 40)
RANK_8 = U(0xFF << 56)
DARK = U(0xAA55AA55AA55AA55)

KNIGHT_STEPS = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
"""(files, ranks), clockwise from the top."""
QUEEN_STEPS = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
NUM_PLANES = 73
FIRST_UNDERPROMOTION = 64
NUM_ACTIONS = 64 * NUM_PLANES
# maximum legal moves in a reachable position (found by Petrovic in 1964, proved by Kunz in 2024)
MAX_LEGAL = 218

DIAGONAL, ANTIDIAGONAL, FILE, RANK, KNIGHT, KING = range(6)
"""Columns of `Chess.squares`; a slider is identified by the first of its two lines, DIAGONAL or
FILE.
"""


class Chess(NamedTuple):
    squares: np.ndarray
    """[64, 8] words: for each square the lines through it (without itself), knight and king
    targets, two spare.
    """
    actions: (
        np.ndarray
    )  # [64, 64]: the action from one square to another that is not an underpromotion
    steps: np.ndarray  # [73]: target minus source for each plane


def make_rules() -> Chess:
    files = np.arange(64) % 8
    ranks = np.arange(64) // 8
    # from the first square to the second
    across = files - files[:, None]
    up = ranks - ranks[:, None]
    distance = across * across + up * up
    none = np.zeros((64, 64), bool)
    lines = [(side == 0) & (distance > 0) for side in (across - up, across + up, across, up)]
    queen_like = [(files * far, ranks * far) for files, ranks in QUEEN_STEPS for far in range(1, 8)]
    planes = np.array([*queen_like, *KNIGHT_STEPS])
    squares = np.stack(
        [*lines, distance == 5, (distance == 1) | (distance == 2), none, none], axis=1
    )
    actions = np.zeros((64, 64), np.int16)
    for source in range(64):
        files = source % 8 + planes[:, 0]
        ranks = source // 8 + planes[:, 1]
        on_board = np.flatnonzero((files >= 0) & (files < 8) & (ranks >= 0) & (ranks < 8))
        actions[source, (ranks * 8 + files)[on_board]] = source * NUM_PLANES + on_board
    return Chess(
        squares=np.packbits(squares, axis=-1, bitorder="little").view(np.uint64)[..., 0].copy(),
        actions=actions,
        steps=np.concatenate([planes @ (1, 8), np.repeat((7, 8, 9), 3)]),
    )


# --- parts of a position


def position_key(state: State) -> Word:
    """A 64-bit key of pieces, side to move, castling rights and en passant.

    Three words distinguish what can be on a square: the six kinds, a rook that may castle (the
    third word alone), and the square of an en passant capture (the same, but on the sixth rank).
    """
    first = state.pawns | state.kings | state.diagonals
    second = (state.knights | state.kings | state.straights) ^ state.castling
    third = state.diagonals | state.straights | state.en_passant
    key = scramble(first + U(0x9E3779B97F4A7C15)) ^ scramble(second + U(0x3C6EF372FE94F82A))
    key ^= scramble(third + U(0xDAA66D2C7DDF743F)) ^ scramble(state.mine + U(0x78DDE6E5FD29F054))
    return key ^ (U(state.mover) * U(0xD1342543DE82EF95))


def squares_of_kind(state: State, kind: int) -> Word:
    """The squares of both sides' pawns, knights, bishops, rooks, queens or kings, as the mover sees
    them.
    """
    queens = state.diagonals & state.straights
    if kind < 2:
        return state.pawns if kind == 0 else state.knights
    if kind < 4:
        return (state.diagonals if kind == 2 else state.straights) & ~queens
    return queens if kind == 4 else state.kings


def mirrored(word: Word) -> Word:
    """The set with its ranks in reverse order."""
    word = ((word >> U(8)) & U(0x00FF00FF00FF00FF)) | ((word & U(0x00FF00FF00FF00FF)) << U(8))
    word = ((word >> U(16)) & U(0x0000FFFF0000FFFF)) | ((word & U(0x0000FFFF0000FFFF)) << U(16))
    return (word >> U(32)) | (word << U(32))


def is_insufficient(state: State) -> bool:
    """Kings with one knight, or with bishops that are all on squares of one colour."""
    if (state.pawns | state.straights) != U(0):
        return False
    if state.knights == U(0):
        return (state.diagonals & DARK) == U(0) or (state.diagonals & ~DARK) == U(0)  # type: ignore[no-any-return]
    return state.diagonals == U(0) and (state.knights & (state.knights - U(1))) == U(0)  # type: ignore[no-any-return]


def verdict(state: State, can_move: bool) -> int:
    """How the game has ended, if it has; checkmate takes precedence over every draw."""
    if not can_move:
        return CHECKMATE if state.checkers else STALEMATE
    if is_insufficient(state):
        return INSUFFICIENT
    if state.clock >= MAX_CLOCK:
        return FIFTY_MOVES
    return REPETITION if state.repeats >= 2 else RUNNING


# --- attacks


def line_attacks(line: Word, square: int, occupied: Word) -> Word:
    """The squares of a line that a piece on `square` attacks, up to and including the first piece
    in each direction.

    Subtracting the nearest blocker below from the blockers above flips exactly the squares between
    the two.
    """
    lower = (U(1) << U(square)) - U(1)
    blockers = line & occupied
    above = blockers & ~lower
    nearest = U(1) << U(leading_bit((blockers & lower) | U(1)))
    return (above ^ (above - nearest)) & line


def slider_attacks(rules: Chess, square: int, lines: int, occupied: Word) -> Word:
    """The targets of a bishop (DIAGONAL) or a rook (FILE), including its own pieces."""
    first = line_attacks(rules.squares[square, lines], square, occupied)
    return first | line_attacks(rules.squares[square, lines + 1], square, occupied)


def sliders_of(state: State, lines: int) -> Word:
    """Bishops (DIAGONAL) or rooks (FILE), queens included."""
    return state.diagonals if lines == DIAGONAL else state.straights


def knight_attacks(knights: Word) -> Word:
    near_files = ((knights & ~FILE_A) >> U(1)) | ((knights & ~FILE_H) << U(1))
    far_files = ((knights & U(0xFCFCFCFCFCFCFCFC)) >> U(2)) | (
        (knights & U(0x3F3F3F3F3F3F3F3F)) << U(2)
    )
    return (near_files << U(16)) | (near_files >> U(16)) | (far_files << U(8)) | (far_files >> U(8))


def line_through(rules: Chess, first: int, second: int) -> Word:
    """The file, rank or diagonal through two squares, without the first; empty if they share
    none.
    """
    bit = U(1) << U(second)
    line = U(0)
    for direction in range(4):
        candidate = rules.squares[first, direction]
        line |= candidate if candidate & bit else U(0)
    return line


def between(rules: Chess, first: int, second: int) -> Word:
    ends = (U(1) << U(first)) | (U(1) << U(second))
    low = ends & ~(ends - U(1))
    return line_through(rules, first, second) & (
        ends - U(3) * low
    )  # from above the lower end to below the higher one


def is_seen_by_slider(rules: Chess, state: State, square: int, occupied: Word) -> bool:
    """Whether one of their bishops, rooks or queens attacks a square, over these occupied
    squares.
    """
    attackers = slider_attacks(rules, square, FILE, occupied) & state.straights
    attackers |= slider_attacks(rules, square, DIAGONAL, occupied) & state.diagonals
    return attackers & state.theirs != U(0)  # type: ignore[no-any-return]


def find_checks(rules: Chess, state: State) -> None:
    """Fill in the checkers and the pinned pieces."""
    pieces = state.mine
    enemies = state.theirs
    king_bit = state.kings & pieces
    king = trailing_zeros(king_bit)
    pawn_attacks = ((king_bit & ~FILE_A) << U(7)) | ((king_bit & ~FILE_H) << U(9))
    checkers = (pawn_attacks & state.pawns | rules.squares[king, KNIGHT] & state.knights) & enemies
    lines = rules.squares
    pinned = U(0)
    snipers = (lines[king, FILE] | lines[king, RANK]) & state.straights
    snipers = (
        snipers | (lines[king, DIAGONAL] | lines[king, ANTIDIAGONAL]) & state.diagonals
    ) & enemies
    while snipers:
        blockers = between(rules, king, trailing_zeros(snipers)) & (pieces | enemies)
        if blockers == U(0):
            checkers |= snipers & ~(snipers - U(1))
        elif blockers & (blockers - U(1)) == U(0):
            pinned |= blockers & pieces
        snipers &= snipers - U(1)
    state.checkers = checkers
    state.pinned = pinned


def find_danger(rules: Chess, state: State) -> Word:
    """The squares they attack, looking through my king: where it may not go."""
    opponents = state.theirs
    occupied = (state.mine | state.theirs) & ~(state.kings & state.mine)
    pawns = state.pawns & opponents
    danger = (
        ((pawns & ~FILE_A) >> U(9))
        | ((pawns & ~FILE_H) >> U(7))
        | knight_attacks(state.knights & opponents)
    )
    danger |= rules.squares[trailing_zeros(state.kings & opponents), KING]
    for lines in range(DIAGONAL, KNIGHT, 2):
        sliders = sliders_of(state, lines) & opponents
        while sliders:
            danger |= slider_attacks(rules, trailing_zeros(sliders), lines, occupied)
            sliders &= sliders - U(1)
    return danger
