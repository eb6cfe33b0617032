"""Making moves: what changes on the board, in the rights, the clocks and the history, and whether it ends the game."""

from typing import Any

from anyzero.compile.bits import trailing_zeros
from anyzero.compile.random import U
from anyzero.games.chess_attacks import find_checks
from anyzero.games.chess_board import (
    CHECKMATE,
    FIFTY_MOVES,
    FIRST_UNDERPROMOTION,
    INSUFFICIENT,
    MAX_CLOCK,
    MAX_MOVE_NUMBER,
    MOVE_BITS,
    NUM_PLANES,
    RANK_1,
    REPETITION,
    RUNNING,
    STALEMATE,
    Chess,
    is_insufficient,
    mirrored,
    position_key,
)
from anyzero.games.chess_moves import en_passant_takers, has_move
from anyzero.games.game import State


def play(rules: Chess, state: State, action: int) -> None:
    source = action // NUM_PLANES
    plane = action - source * NUM_PLANES
    promotion = 0 if plane < FIRST_UNDERPROMOTION else 1 + (plane - FIRST_UNDERPROMOTION) % 3
    advance(rules, state, source, source + rules.steps[plane], promotion)
    state.ended = verdict(state, has_move(rules, state))


def advance(rules: Chess, state: State, source: int, target: int, promotion: int) -> None:
    """Make a move and turn the board; `promotion` is 0 for the queen, then knight, bishop, rook."""
    source_bit, target_bit = U(1) << U(source), U(1) << U(target)
    castling, en_passant = state.castling, state.en_passant
    is_pawn, takes = state.pawns & source_bit != U(0), state.theirs & target_bit != U(0)
    is_king = state.kings & source_bit != U(0)
    move_piece(state, source, target)
    opened = U(0)
    if is_pawn:
        opened = move_pawn(state, source_bit, target_bit, promotion)
    elif is_king:
        state.castling &= ~RANK_1
        if target - source == 2:
            move_rook(state, U(0xA0))
        elif source - target == 2:
            move_rook(state, U(0x09))
    state.castling &= ~(source_bit | target_bit)
    irreversible = is_pawn or takes
    state.clock = 0 if irreversible else state.clock + 1
    if irreversible or state.castling != castling or en_passant != U(0):
        forget(state)
    else:
        state.history[state.recorded] = state.key & ~MOVE_BITS | U(source * 64 + target)
        state.recorded += 1
    turn(state)
    settle(rules, state, mirrored(opened))


def move_piece(state: State, source: int, target: int) -> None:
    """Move whatever stands on the source and take whatever stands on the target."""
    from_bit, to_bit = U(source), U(target)
    keep = ~((U(1) << from_bit) | (U(1) << to_bit))
    state.pawns = state.pawns & keep | (((state.pawns >> from_bit) & U(1)) << to_bit)
    state.knights = state.knights & keep | (((state.knights >> from_bit) & U(1)) << to_bit)
    state.diagonals = state.diagonals & keep | (((state.diagonals >> from_bit) & U(1)) << to_bit)
    state.straights = state.straights & keep | (((state.straights >> from_bit) & U(1)) << to_bit)
    state.kings = state.kings & keep | (((state.kings >> from_bit) & U(1)) << to_bit)
    state.mine = state.mine & keep | (U(1) << to_bit)
    state.theirs &= keep


def move_pawn(state: State, source: Any, target: Any, promotion: int) -> Any:
    """What a pawn's move does beyond moving it; returns the square that it passed over, or none."""
    if target & state.en_passant:
        state.pawns ^= target >> U(8)
        state.theirs ^= target >> U(8)
    elif target >> U(56):
        state.pawns ^= target
        if promotion == 1:
            state.knights |= target
        if promotion == 0 or promotion == 2:
            state.diagonals |= target
        if promotion == 0 or promotion == 3:
            state.straights |= target
    elif target == source << U(16):
        return source << U(8)
    return U(0)


def move_rook(state: State, squares: Any) -> None:
    state.mine ^= squares
    state.straights ^= squares


def forget(state: State) -> None:
    """Drop the earlier positions: none of them can come again."""
    for index in range(state.recorded):
        state.history[index] = U(0)
    state.recorded = 0


def turn(state: State) -> None:
    """See the board from the other side."""
    mine = mirrored(state.mine)
    state.mine = mirrored(state.theirs)
    state.theirs = mine
    state.pawns = mirrored(state.pawns)
    state.knights = mirrored(state.knights)
    state.diagonals = mirrored(state.diagonals)
    state.straights = mirrored(state.straights)
    state.kings = mirrored(state.kings)
    state.castling = mirrored(state.castling)
    state.move_number = min(state.move_number + state.mover, MAX_MOVE_NUMBER)
    state.mover = 1 - state.mover


def settle(rules: Chess, state: State, passed: Any) -> None:
    """Fill in what follows from the position; `passed` is the square a pawn has just passed over, or none."""
    find_checks(rules, state)
    state.en_passant = passed
    if passed and en_passant_takers(rules, state, trailing_zeros(state.kings & state.mine)) == U(0):
        state.en_passant = U(0)
    state.key = position_key(state)
    state.repeats = count_repeats(state)


def count_repeats(state: State) -> int:
    """How often the position has been there before; it takes four half moves to come back."""
    repeats, index = 0, state.recorded - 4
    while index >= 0:
        if state.history[index] ^ state.key <= MOVE_BITS:
            repeats += 1
        index -= 2
    return repeats


def verdict(state: State, can_move: bool) -> int:
    """How the game has ended, if it has; checkmate comes before every draw."""
    if not can_move:
        return CHECKMATE if state.checkers else STALEMATE
    if is_insufficient(state):
        return INSUFFICIENT
    if state.clock >= MAX_CLOCK:
        return FIFTY_MOVES
    return REPETITION if state.repeats >= 2 else RUNNING
