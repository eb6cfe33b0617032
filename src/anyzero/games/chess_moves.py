"""The legal moves, generated as such: checks and pins are masks on the targets, and no move is made to be tested."""

from typing import Any

from anyzero.compile.bits import trailing_zeros
from anyzero.compile.random import U
from anyzero.games.chess_attacks import (
    between,
    diagonal_attacks,
    find_danger,
    is_seen_by_slider,
    knight_attacks,
    line_through,
    straight_attacks,
)
from anyzero.games.chess_board import (
    ANTIDIAGONAL,
    DIAGONAL,
    FILE,
    FILE_A,
    FILE_H,
    FIRST_UNDERPROMOTION,
    KING,
    KNIGHT,
    NUM_PLANES,
    RANK_1,
    RANK_3,
    Chess,
)
from anyzero.games.game import State


def legal_actions(rules: Chess, state: State, actions: Any) -> int:
    king, count = trailing_zeros(state.kings & state.mine), 0
    allowed = allowed_targets(rules, state, king)
    if allowed != U(0):
        count = write_piece_moves(rules, state, king, allowed, actions)
        count = write_pawn_moves(rules, state, king, allowed, actions, count)
    return write_targets(rules, king, king_targets(rules, state, king), actions, count)


def king_targets(rules: Chess, state: State, king: int) -> Any:
    """Where my king may go, castling included."""
    steps = rules.squares[king, KING] & ~state.mine
    castling = U(0)
    if state.castling & RANK_1 and state.checkers == U(0):
        free = ~(state.mine | state.theirs)
        if state.castling & U(0x80) and free & U(0x60) == U(0x60):
            castling |= U(0x40)
        if state.castling & U(0x01) and free & U(0x0E) == U(0x0E):
            castling |= U(0x04)
    if steps | castling == U(0):
        return steps
    safe = ~find_danger(rules, state)
    # The king castles over f1 or d1, which must be safe too; those are among its steps.
    return (steps | castling & (safe << U(1) & U(0x40) | safe >> U(1) & U(0x04))) & safe


def allowed_targets(rules: Chess, state: State, king: int) -> Any:
    """Where a piece other than the king may go: in check, only where that ends the check."""
    checkers = state.checkers
    if checkers == U(0):
        return ~state.mine
    if checkers & (checkers - U(1)):
        return U(0)
    return checkers | between(rules, king, trailing_zeros(checkers))


def write_piece_moves(rules: Chess, state: State, king: int, allowed: Any, actions: Any) -> int:
    """Knights, then all that moves diagonally, then all that moves straight: a queen comes up twice."""
    count, knights = 0, state.knights & state.mine & ~state.pinned
    while knights:
        source = trailing_zeros(knights)
        knights &= knights - U(1)
        count = write_targets(rules, source, rules.squares[source, KNIGHT] & allowed, actions, count)
    diagonals = state.diagonals & state.mine
    while diagonals:
        source = trailing_zeros(diagonals)
        diagonals &= diagonals - U(1)
        count = write_targets(rules, source, diagonal_targets(rules, state, king, source) & allowed, actions, count)
    straights = state.straights & state.mine
    while straights:
        source = trailing_zeros(straights)
        straights &= straights - U(1)
        count = write_targets(rules, source, straight_targets(rules, state, king, source) & allowed, actions, count)
    return count


def diagonal_targets(rules: Chess, state: State, king: int, source: int) -> Any:
    """Where a bishop or queen attacks on the diagonals without leaving its pin."""
    targets = diagonal_attacks(rules, source, state.mine | state.theirs)
    if state.pinned & (U(1) << U(source)):
        targets &= line_through(rules, king, source)
    return targets


def straight_targets(rules: Chess, state: State, king: int, source: int) -> Any:
    """Where a rook or queen attacks on rank and file without leaving its pin."""
    targets = straight_attacks(rules, source, state.mine | state.theirs)
    if state.pinned & (U(1) << U(source)):
        targets &= line_through(rules, king, source)
    return targets


def write_targets(rules: Chess, source: int, targets: Any, actions: Any, count: int) -> int:
    while targets:
        actions[count] = rules.actions[source, trailing_zeros(targets)]
        targets &= targets - U(1)
        count += 1
    return count


def has_move(rules: Chess, state: State) -> bool:
    """Whether there is any legal move; most positions have one that is found at once."""
    king = trailing_zeros(state.kings & state.mine)
    free, empty = state.mine & ~state.pinned, ~(state.mine | state.theirs)
    quick = ((state.pawns & free) << U(8)) & empty | knight_attacks(state.knights & free) & ~state.mine
    if state.checkers == U(0) and quick:
        return True
    if state.en_passant or king_targets(rules, state, king):
        return True
    allowed = allowed_targets(rules, state, king)
    left, pushed, right, twice = pawn_targets(rules, state, king, allowed)
    if left | pushed | right | twice or knight_attacks(state.knights & free) & allowed:
        return True
    diagonals, straights = state.diagonals & state.mine, state.straights & state.mine
    while diagonals:
        if diagonal_targets(rules, state, king, trailing_zeros(diagonals)) & allowed:
            return True
        diagonals &= diagonals - U(1)
    while straights:
        if straight_targets(rules, state, king, trailing_zeros(straights)) & allowed:
            return True
        straights &= straights - U(1)
    return False


# --- pawns


def pawn_targets(rules: Chess, state: State, king: int, allowed: Any) -> tuple[Any, Any, Any, Any]:
    """Where my pawns may go: taking to the left, one step, taking to the right, two steps; en passant aside."""
    pawns, empty, lines = state.pawns & state.mine, ~(state.mine | state.theirs), rules.squares
    pushed = ((pawns & (~state.pinned | lines[king, FILE])) << U(8)) & empty
    twice = ((pushed & RANK_3) << U(8)) & empty
    left = ((pawns & ~FILE_A & (~state.pinned | lines[king, ANTIDIAGONAL])) << U(7)) & state.theirs
    right = ((pawns & ~FILE_H & (~state.pinned | lines[king, DIAGONAL])) << U(9)) & state.theirs
    return left & allowed, pushed & allowed, right & allowed, twice & allowed


def write_pawn_moves(rules: Chess, state: State, king: int, allowed: Any, actions: Any, count: int) -> int:
    left, pushed, right, twice = pawn_targets(rules, state, king, allowed)
    for direction in range(4):
        targets = left if direction == 0 else (pushed if direction == 1 else (right if direction == 2 else twice))
        step = 16 if direction == 3 else 7 + direction
        while targets:
            target = trailing_zeros(targets)
            targets &= targets - U(1)
            actions[count] = rules.actions[target - step, target]
            count += 1
            if target >= 56:
                count = write_underpromotions(target - step, direction, actions, count)
    takers = en_passant_takers(rules, state, king)
    while takers:
        actions[count] = rules.actions[trailing_zeros(takers), trailing_zeros(state.en_passant)]
        takers &= takers - U(1)
        count += 1
    return count


def write_underpromotions(source: int, direction: int, actions: Any, count: int) -> int:
    """Knight, bishop and rook; the queen is among the queen-like moves."""
    first = source * NUM_PLANES + FIRST_UNDERPROMOTION + direction * 3
    for piece in range(3):
        actions[count + piece] = first + piece
    return count + 3


def en_passant_takers(rules: Chess, state: State, king: int) -> Any:
    """My pawns that may take in passing: both pawns leave their squares at once, which can open a line to my king."""
    target, takers = state.en_passant, U(0)
    victim, occupied = target >> U(8), state.mine | state.theirs
    if target == U(0) or state.checkers & ~(victim | state.diagonals | state.straights):
        return takers
    candidates = (((target & ~FILE_A) >> U(9)) | ((target & ~FILE_H) >> U(7))) & state.pawns & state.mine
    while candidates:
        taker = candidates & ~(candidates - U(1))
        candidates ^= taker
        if not is_seen_by_slider(rules, state, king, occupied ^ taker ^ victim ^ target):
            takers |= taker
    return takers
