"""Legal moves, generated directly, making them, and random play.

Checks and pins are masks on the targets: no move is made just to test it. Making a move updates the
board, the rights, the clocks and the history, flips the board, and checks whether the game has
ended.
"""

from anyzero.core.base.nouns import Actions, Word
from anyzero.core.compile.bits import trailing_zeros
from anyzero.core.compile.random import U
from anyzero.core.game.game import State
from anyzero.games.chess_board import (
    ANTIDIAGONAL,
    DIAGONAL,
    FILE,
    FILE_A,
    FILE_H,
    FIRST_UNDERPROMOTION,
    KING,
    KNIGHT,
    MAX_MOVE_NUMBER,
    MOVE_BITS,
    NUM_PLANES,
    RANK_1,
    RANK_3,
    Chess,
    between,
    find_checks,
    find_danger,
    is_seen_by_slider,
    knight_attacks,
    line_through,
    mirrored,
    position_key,
    slider_attacks,
    sliders_of,
    verdict,
)


def legal_actions(rules: Chess, state: State, actions: Actions) -> int:
    king = trailing_zeros(state.kings & state.mine)
    count = 0
    allowed = allowed_targets(rules, state, king)
    if allowed != U(0):
        count = write_piece_moves(rules, state, king, allowed, actions)
        count = write_pawn_moves(rules, state, king, allowed, actions, count)
    return write_targets(rules, king, king_targets(rules, state, king), actions, count)


def king_targets(rules: Chess, state: State, king: int) -> Word:
    """Where my king may go, including castling."""
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


def allowed_targets(rules: Chess, state: State, king: int) -> Word:
    """Where a piece other than the king may go: in check, only where that ends the check."""
    checkers = state.checkers
    if checkers == U(0):
        return ~state.mine
    if checkers & (checkers - U(1)):
        return U(0)
    return checkers | between(rules, king, trailing_zeros(checkers))


def write_piece_moves(
    rules: Chess, state: State, king: int, allowed: Word, actions: Actions
) -> int:
    """Knights, then all diagonal sliders, then all straight sliders: a queen comes up twice."""
    count = 0
    knights = state.knights & state.mine & ~state.pinned
    while knights:
        source = trailing_zeros(knights)
        knights &= knights - U(1)
        count = write_targets(
            rules, source, rules.squares[source, KNIGHT] & allowed, actions, count
        )
    for lines in range(DIAGONAL, KNIGHT, 2):
        sliders = sliders_of(state, lines) & state.mine
        while sliders:
            source = trailing_zeros(sliders)
            sliders &= sliders - U(1)
            targets = slider_targets(rules, state, king, source, lines) & allowed
            count = write_targets(rules, source, targets, actions, count)
    return count


def slider_targets(rules: Chess, state: State, king: int, source: int, lines: int) -> Word:
    """The squares a slider attacks without leaving its pin: a bishop or queen by DIAGONAL, a rook
    or queen by FILE.
    """
    targets = slider_attacks(rules, source, lines, state.mine | state.theirs)
    if state.pinned & (U(1) << U(source)):
        targets &= line_through(rules, king, source)
    return targets


def write_targets(rules: Chess, source: int, targets: Word, actions: Actions, count: int) -> int:
    while targets:
        actions[count] = rules.actions[source, trailing_zeros(targets)]
        targets &= targets - U(1)
        count += 1
    return count


def has_move(rules: Chess, state: State) -> bool:
    """Whether there is any legal move; most positions have one that is found at once."""
    king = trailing_zeros(state.kings & state.mine)
    free = state.mine & ~state.pinned
    empty = ~(state.mine | state.theirs)
    quick = ((state.pawns & free) << U(8)) & empty | knight_attacks(
        state.knights & free
    ) & ~state.mine
    if state.checkers == U(0) and quick:
        return True
    if state.en_passant or king_targets(rules, state, king):
        return True
    allowed = allowed_targets(rules, state, king)
    left, pushed, right, twice = pawn_targets(rules, state, king, allowed)
    if left | pushed | right | twice or knight_attacks(state.knights & free) & allowed:
        return True
    for lines in range(DIAGONAL, KNIGHT, 2):
        sliders = sliders_of(state, lines) & state.mine
        while sliders:
            if slider_targets(rules, state, king, trailing_zeros(sliders), lines) & allowed:
                return True
            sliders &= sliders - U(1)
    return False


# --- pawns


def pawn_targets(
    rules: Chess, state: State, king: int, allowed: Word
) -> tuple[Word, Word, Word, Word]:
    """Where my pawns may go: capturing to the left, one step, capturing to the right, two steps;
    without en passant.
    """
    pawns = state.pawns & state.mine
    empty = ~(state.mine | state.theirs)
    lines = rules.squares
    pushed = ((pawns & (~state.pinned | lines[king, FILE])) << U(8)) & empty
    twice = ((pushed & RANK_3) << U(8)) & empty
    left = ((pawns & ~FILE_A & (~state.pinned | lines[king, ANTIDIAGONAL])) << U(7)) & state.theirs
    right = ((pawns & ~FILE_H & (~state.pinned | lines[king, DIAGONAL])) << U(9)) & state.theirs
    return left & allowed, pushed & allowed, right & allowed, twice & allowed


def write_pawn_moves(
    rules: Chess, state: State, king: int, allowed: Word, actions: Actions, count: int
) -> int:
    left, pushed, right, twice = pawn_targets(rules, state, king, allowed)
    for direction in range(4):
        targets = (
            left
            if direction == 0
            else (pushed if direction == 1 else (right if direction == 2 else twice))
        )
        step = 16 if direction == 3 else 7 + direction
        while targets:
            target = trailing_zeros(targets)
            targets &= targets - U(1)
            actions[count] = rules.actions[target - step, target]
            count += 1
            if target >= 56:  # knight, bishop and rook; the queen is among the queen-like moves
                first = (target - step) * NUM_PLANES + FIRST_UNDERPROMOTION + direction * 3
                for piece in range(3):
                    actions[count + piece] = first + piece
                count += 3
    takers = en_passant_takers(rules, state, king)
    while takers:
        actions[count] = rules.actions[trailing_zeros(takers), trailing_zeros(state.en_passant)]
        takers &= takers - U(1)
        count += 1
    return count


def en_passant_takers(rules: Chess, state: State, king: int) -> Word:
    """My pawns that may capture en passant: both pawns leave their squares at once, which can
    expose my king.
    """
    target = state.en_passant
    takers = U(0)
    victim = target >> U(8)
    occupied = state.mine | state.theirs
    if target == U(0) or state.checkers & ~(victim | state.diagonals | state.straights):
        return takers
    candidates = (
        (((target & ~FILE_A) >> U(9)) | ((target & ~FILE_H) >> U(7))) & state.pawns & state.mine
    )
    while candidates:
        taker = candidates & ~(candidates - U(1))
        candidates ^= taker
        if not is_seen_by_slider(rules, state, king, occupied ^ taker ^ victim ^ target):
            takers |= taker
    return takers


# --- making moves


def play(rules: Chess, state: State, action: int) -> None:
    source = action // NUM_PLANES
    plane = action - source * NUM_PLANES
    promotion = 0 if plane < FIRST_UNDERPROMOTION else 1 + (plane - FIRST_UNDERPROMOTION) % 3
    advance(rules, state, source, source + rules.steps[plane], promotion)
    state.ended = verdict(state, has_move(rules, state))


def advance(rules: Chess, state: State, source: int, target: int, promotion: int) -> None:
    """Make a move and flip the board; `promotion` is 0 for the queen, then knight, bishop, rook."""
    source_bit = U(1) << U(source)
    target_bit = U(1) << U(target)
    castling = state.castling
    en_passant = state.en_passant
    is_pawn = state.pawns & source_bit != U(0)
    takes = state.theirs & target_bit != U(0)
    is_king = state.kings & source_bit != U(0)
    move_piece(state, source, target)
    opened = U(0)
    if is_pawn:
        opened = move_pawn(state, source_bit, target_bit, promotion)
    elif is_king:
        state.castling &= ~RANK_1
        rook = U(0xA0) if target - source == 2 else U(0x09) if source - target == 2 else U(0)
        state.mine ^= rook
        state.straights ^= rook
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
    """Move the piece on the source and capture any piece on the target."""
    from_bit = U(source)
    to_bit = U(target)
    keep = ~((U(1) << from_bit) | (U(1) << to_bit))
    state.pawns = state.pawns & keep | (((state.pawns >> from_bit) & U(1)) << to_bit)
    state.knights = state.knights & keep | (((state.knights >> from_bit) & U(1)) << to_bit)
    state.diagonals = state.diagonals & keep | (((state.diagonals >> from_bit) & U(1)) << to_bit)
    state.straights = state.straights & keep | (((state.straights >> from_bit) & U(1)) << to_bit)
    state.kings = state.kings & keep | (((state.kings >> from_bit) & U(1)) << to_bit)
    state.mine = state.mine & keep | (U(1) << to_bit)
    state.theirs &= keep


def move_pawn(state: State, source: Word, target: Word, promotion: int) -> Word:
    """The further effects of a pawn's move; returns the square that it passed over, or none."""
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


def forget(state: State) -> None:
    """Drop the earlier positions: none of them can recur."""
    for index in range(state.recorded):
        state.history[index] = U(0)
    state.recorded = 0


def turn(state: State) -> None:
    """See the board from the other side."""
    pieces = mirrored(state.mine)
    state.mine = mirrored(state.theirs)
    state.theirs = pieces
    state.pawns = mirrored(state.pawns)
    state.knights = mirrored(state.knights)
    state.diagonals = mirrored(state.diagonals)
    state.straights = mirrored(state.straights)
    state.kings = mirrored(state.kings)
    state.castling = mirrored(state.castling)
    state.move_number = min(state.move_number + state.mover, MAX_MOVE_NUMBER)
    state.mover = 1 - state.mover


def settle(rules: Chess, state: State, passed: Word) -> None:
    """Fill in what follows from the position; `passed` is the square a pawn has just passed over,
    or none.
    """
    find_checks(rules, state)
    state.en_passant = passed
    if passed and en_passant_takers(rules, state, trailing_zeros(state.kings & state.mine)) == U(0):
        state.en_passant = U(0)
    state.key = position_key(state)
    # a position recurs after four half-moves at the earliest
    repeats = 0
    index = state.recorded - 4
    while index >= 0:
        if state.history[index] ^ state.key <= MOVE_BITS:
            repeats += 1
        index -= 2
    state.repeats = repeats
