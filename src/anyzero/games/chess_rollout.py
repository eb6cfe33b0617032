"""Random play in chess: a move is drawn by its number, without listing all of them."""

from anyzero.core.base.nouns import Actions, Numbers, Stream, Word
from anyzero.core.compile.bits import count_bits, nth_bit, trailing_zeros
from anyzero.core.compile.random import U, random_below
from anyzero.core.game.game import State
from anyzero.games.chess_board import (
    DIAGONAL,
    FILE,
    KNIGHT,
    RANK_8,
    RUNNING,
    Chess,
    sliders_of,
    verdict,
)
from anyzero.games.chess_moves import (
    advance,
    allowed_targets,
    en_passant_takers,
    king_targets,
    pawn_targets,
    slider_targets,
)


def rollout(rules: Chess, state: State, actions: Actions, rng: Stream) -> int:
    """Samples the same moves as the default, without listing them: counts them, draws a number,
    finds that move.
    """
    moves = 0
    while state.ended == RUNNING:
        king = trailing_zeros(state.kings & state.mine)
        allowed = allowed_targets(rules, state, king)
        steps = king_targets(rules, state, king)
        pawns = pawn_targets(rules, state, king, allowed)
        takers = en_passant_takers(rules, state, king)
        by_pieces = count_piece_moves(rules, state, king, allowed, actions)
        by_pawns = count_pawn_moves(pawns) + count_bits(takers)
        count = by_pieces + by_pawns + count_bits(steps)
        state.ended = verdict(state, count > 0)
        if state.ended != RUNNING:
            break
        index = random_below(rng, count)
        promotion = 0
        if index < by_pieces:
            source, target = find_piece_move(rules, state, king, allowed, actions, index)
        elif index < by_pieces + by_pawns:
            source, target, promotion = find_pawn_move(state, pawns, takers, index - by_pieces)
        else:
            source = king
            target = trailing_zeros(nth_bit(steps, index - by_pieces - by_pawns))
        advance(rules, state, source, target, promotion)
        moves += 1
    return moves


def count_piece_moves(rules: Chess, state: State, king: int, allowed: Word, counts: Numbers) -> int:
    """The number of moves of knights, bishops, rooks and queens; `counts` gets those of each, in
    the usual order.
    """
    total = 0
    index = 0
    knights = state.knights & state.mine & ~state.pinned
    while knights:
        counts[index] = count_bits(rules.squares[trailing_zeros(knights), KNIGHT] & allowed)
        total += counts[index]
        index += 1
        knights &= knights - U(1)
    for lines in range(DIAGONAL, KNIGHT, 2):
        sliders = sliders_of(state, lines) & state.mine
        while sliders:
            targets = slider_targets(rules, state, king, trailing_zeros(sliders), lines)
            counts[index] = count_bits(targets & allowed)
            total += counts[index]
            index += 1
            sliders &= sliders - U(1)
    return total


def count_pawn_moves(pawns: tuple[Word, Word, Word, Word]) -> int:
    left, pushed, right, twice = pawns
    count = count_bits(left) + count_bits(pushed) + count_bits(right) + count_bits(twice)
    if (left | pushed | right) & RANK_8:
        count += 3 * (
            count_bits(left & RANK_8) + count_bits(pushed & RANK_8) + count_bits(right & RANK_8)
        )
    return count


def find_piece_move(
    rules: Chess, state: State, king: int, allowed: Word, counts: Numbers, index: int
) -> tuple[int, int]:
    """Source and target of the move with this number, in the order of `legal_actions`."""
    piece = 0
    while index >= counts[piece]:
        index -= counts[piece]
        piece += 1
    knights = state.knights & state.mine & ~state.pinned
    diagonals = state.diagonals & state.mine
    first_diagonal = count_bits(knights)
    first_straight = first_diagonal + count_bits(diagonals)
    if piece < first_diagonal:
        source = trailing_zeros(nth_bit(knights, piece))
        targets = rules.squares[source, KNIGHT]
    elif piece < first_straight:
        source = trailing_zeros(nth_bit(diagonals, piece - first_diagonal))
        targets = slider_targets(rules, state, king, source, DIAGONAL)
    else:
        source = trailing_zeros(nth_bit(state.straights & state.mine, piece - first_straight))
        targets = slider_targets(rules, state, king, source, FILE)
    return source, trailing_zeros(nth_bit(targets & allowed, index))


def find_pawn_move(
    state: State, pawns: tuple[Word, Word, Word, Word], takers: Word, index: int
) -> tuple[int, int, int]:
    """Source, target and promotion of the move with this number."""
    left, pushed, right, twice = pawns
    for direction in range(4):
        targets = (
            left
            if direction == 0
            else (pushed if direction == 1 else (right if direction == 2 else twice))
        )
        step = 16 if direction == 3 else 7 + direction
        plain = count_bits(targets & ~RANK_8)
        promoting = 4 * count_bits(targets & RANK_8)
        if index < plain:
            target = trailing_zeros(nth_bit(targets, index))
            return target - step, target, 0
        if index < plain + promoting:
            target = trailing_zeros(nth_bit(targets & RANK_8, (index - plain) // 4))
            return target - step, target, (index - plain) % 4
        index -= plain + promoting
    return trailing_zeros(nth_bit(takers, index)), trailing_zeros(state.en_passant), 0
