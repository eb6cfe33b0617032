"""Who attacks what: sliding pieces by the obstruction difference, checks, pins and the squares a king may not enter."""

from typing import Any

from anyzero.compile.bits import leading_bit, trailing_zeros
from anyzero.compile.random import U
from anyzero.games.chess_board import ANTIDIAGONAL, DIAGONAL, FILE, FILE_A, FILE_H, KING, KNIGHT, RANK, Chess
from anyzero.games.game import State


def line_attacks(line: Any, square: int, occupied: Any) -> Any:
    """The squares of a line that a piece on `square` sees, up to and with the first piece in each direction.

    Subtracting the nearest blocker below from the blockers above flips exactly the squares between the two.
    """
    lower = (U(1) << U(square)) - U(1)
    blockers = line & occupied
    above = blockers & ~lower
    nearest = U(1) << U(leading_bit((blockers & lower) | U(1)))
    return (above ^ (above - nearest)) & line


def straight_attacks(rules: Chess, square: int, occupied: Any) -> Any:
    """Where a rook goes, its own pieces included."""
    first = line_attacks(rules.squares[square, FILE], square, occupied)
    return first | line_attacks(rules.squares[square, RANK], square, occupied)


def diagonal_attacks(rules: Chess, square: int, occupied: Any) -> Any:
    """Where a bishop goes, its own pieces included."""
    first = line_attacks(rules.squares[square, DIAGONAL], square, occupied)
    return first | line_attacks(rules.squares[square, ANTIDIAGONAL], square, occupied)


def pawn_attacks(pawns: Any) -> Any:
    """The squares that my pawns attack."""
    return ((pawns & ~FILE_A) << U(7)) | ((pawns & ~FILE_H) << U(9))


def their_pawn_attacks(pawns: Any) -> Any:
    return ((pawns & ~FILE_A) >> U(9)) | ((pawns & ~FILE_H) >> U(7))


def knight_attacks(knights: Any) -> Any:
    """The squares that any of these knights attacks."""
    one = ((knights & ~FILE_A) >> U(1)) | ((knights & ~FILE_H) << U(1))
    two = ((knights & U(0xFCFCFCFCFCFCFCFC)) >> U(2)) | ((knights & U(0x3F3F3F3F3F3F3F3F)) << U(2))
    return (one << U(16)) | (one >> U(16)) | (two << U(8)) | (two >> U(8))


def line_through(rules: Chess, first: int, second: int) -> Any:
    """The file, rank or diagonal of two squares, without the first; empty if they share none."""
    bit, line = U(1) << U(second), U(0)
    for direction in range(4):
        candidate = rules.squares[first, direction]
        line |= candidate if candidate & bit else U(0)
    return line


def between(rules: Chess, first: int, second: int) -> Any:
    """The squares between two squares of one line."""
    ends = (U(1) << U(first)) | (U(1) << U(second))
    low = ends & ~(ends - U(1))
    return line_through(rules, first, second) & (ends - U(3) * low)  # from above the lower end to below the higher one


def is_seen_by_slider(rules: Chess, state: State, square: int, occupied: Any) -> bool:
    """Whether one of their bishops, rooks or queens attacks a square, over these occupied squares."""
    seen = straight_attacks(rules, square, occupied) & state.straights
    seen |= diagonal_attacks(rules, square, occupied) & state.diagonals
    return seen & state.theirs != U(0)  # type: ignore[no-any-return]


def find_checks(rules: Chess, state: State) -> None:
    """Fill in the checkers and the pinned pieces."""
    mine, theirs = state.mine, state.theirs
    king_bit = state.kings & mine
    king = trailing_zeros(king_bit)
    checkers = (pawn_attacks(king_bit) & state.pawns | rules.squares[king, KNIGHT] & state.knights) & theirs
    lines, pinned = rules.squares, U(0)
    snipers = (lines[king, FILE] | lines[king, RANK]) & state.straights
    snipers = (snipers | (lines[king, DIAGONAL] | lines[king, ANTIDIAGONAL]) & state.diagonals) & theirs
    while snipers:
        blockers = between(rules, king, trailing_zeros(snipers)) & (mine | theirs)
        if blockers == U(0):
            checkers |= snipers & ~(snipers - U(1))
        elif blockers & (blockers - U(1)) == U(0):
            pinned |= blockers & mine
        snipers &= snipers - U(1)
    state.checkers = checkers
    state.pinned = pinned


def find_danger(rules: Chess, state: State) -> Any:
    """The squares that they attack, looking through my king: where it may not go."""
    theirs, occupied = state.theirs, (state.mine | state.theirs) & ~(state.kings & state.mine)
    danger = their_pawn_attacks(state.pawns & theirs) | knight_attacks(state.knights & theirs)
    danger |= rules.squares[trailing_zeros(state.kings & theirs), KING]
    straights, diagonals = state.straights & theirs, state.diagonals & theirs
    while straights:
        danger |= straight_attacks(rules, trailing_zeros(straights), occupied)
        straights &= straights - U(1)
    while diagonals:
        danger |= diagonal_attacks(rules, trailing_zeros(diagonals), occupied)
        diagonals &= diagonals - U(1)
    return danger
