"""Random games without lists of moves: count each piece's moves, draw a number, and look up that one."""

from typing import Any

from anyzero.compile.bits import count_bits, nth_bit, trailing_zeros
from anyzero.compile.random import U, random_below
from anyzero.games.chess_board import KNIGHT, RANK_8, RUNNING, Chess
from anyzero.games.chess_moves import (
    allowed_targets,
    diagonal_targets,
    en_passant_takers,
    king_targets,
    pawn_targets,
    straight_targets,
)
from anyzero.games.chess_play import advance, verdict
from anyzero.games.game import State


def rollout(rules: Chess, state: State, actions: Any, rng: Any) -> int:
    """Draws the same moves as the default would, without listing them."""
    moves = 0
    while state.ended == RUNNING:
        king = trailing_zeros(state.kings & state.mine)
        allowed, steps = allowed_targets(rules, state, king), king_targets(rules, state, king)
        pawns, takers = pawn_targets(rules, state, king, allowed), en_passant_takers(rules, state, king)
        by_pieces = count_piece_moves(rules, state, king, allowed, actions)
        by_pawns = count_pawn_moves(pawns) + count_bits(takers)
        count = by_pieces + by_pawns + count_bits(steps)
        state.ended = verdict(state, count > 0)
        if state.ended != RUNNING:
            break
        index, promotion = random_below(rng, count), 0
        if index < by_pieces:
            source, target = find_piece_move(rules, state, king, allowed, actions, index)
        elif index < by_pieces + by_pawns:
            source, target, promotion = find_pawn_move(state, pawns, takers, index - by_pieces)
        else:
            source, target = king, trailing_zeros(nth_bit(steps, index - by_pieces - by_pawns))
        advance(rules, state, source, target, promotion)
        moves += 1
    return moves


def count_piece_moves(rules: Chess, state: State, king: int, allowed: Any, counts: Any) -> int:
    """How many moves knights, bishops, rooks and queens have; `counts` takes up those of each, in the usual order."""
    total, index = 0, 0
    knights = state.knights & state.mine & ~state.pinned
    while knights:
        counts[index] = count_bits(rules.squares[trailing_zeros(knights), KNIGHT] & allowed)
        total += counts[index]
        index += 1
        knights &= knights - U(1)
    diagonals = state.diagonals & state.mine
    while diagonals:
        counts[index] = count_bits(diagonal_targets(rules, state, king, trailing_zeros(diagonals)) & allowed)
        total += counts[index]
        index += 1
        diagonals &= diagonals - U(1)
    straights = state.straights & state.mine
    while straights:
        counts[index] = count_bits(straight_targets(rules, state, king, trailing_zeros(straights)) & allowed)
        total += counts[index]
        index += 1
        straights &= straights - U(1)
    return total


def count_pawn_moves(pawns: tuple[Any, Any, Any, Any]) -> int:
    left, pushed, right, twice = pawns
    count = count_bits(left) + count_bits(pushed) + count_bits(right) + count_bits(twice)
    if (left | pushed | right) & RANK_8:
        count += 3 * (count_bits(left & RANK_8) + count_bits(pushed & RANK_8) + count_bits(right & RANK_8))
    return count


def find_piece_move(rules: Chess, state: State, king: int, allowed: Any, counts: Any, index: int) -> tuple[int, int]:
    """Source and target of the move with this number, in the order of `legal_actions`."""
    piece = 0
    while index >= counts[piece]:
        index -= counts[piece]
        piece += 1
    knights, diagonals = state.knights & state.mine & ~state.pinned, state.diagonals & state.mine
    first_diagonal = count_bits(knights)
    first_straight = first_diagonal + count_bits(diagonals)
    if piece < first_diagonal:
        source = trailing_zeros(nth_bit(knights, piece))
        targets = rules.squares[source, KNIGHT]
    elif piece < first_straight:
        source = trailing_zeros(nth_bit(diagonals, piece - first_diagonal))
        targets = diagonal_targets(rules, state, king, source)
    else:
        source = trailing_zeros(nth_bit(state.straights & state.mine, piece - first_straight))
        targets = straight_targets(rules, state, king, source)
    return source, trailing_zeros(nth_bit(targets & allowed, index))


def find_pawn_move(state: State, pawns: tuple[Any, Any, Any, Any], takers: Any, index: int) -> tuple[int, int, int]:
    """Source, target and promotion of the move with this number."""
    left, pushed, right, twice = pawns
    for direction in range(4):
        targets = left if direction == 0 else (pushed if direction == 1 else (right if direction == 2 else twice))
        step = 16 if direction == 3 else 7 + direction
        plain, promoting = count_bits(targets & ~RANK_8), 4 * count_bits(targets & RANK_8)
        if index < plain:
            target = trailing_zeros(nth_bit(targets, index))
            return target - step, target, 0
        if index < plain + promoting:
            target = trailing_zeros(nth_bit(targets & RANK_8, (index - plain) // 4))
            return target - step, target, (index - plain) % 4
        index -= plain + promoting
    return trailing_zeros(nth_bit(takers, index)), trailing_zeros(state.en_passant), 0
