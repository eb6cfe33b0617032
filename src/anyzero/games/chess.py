"""Chess by the rules of FIDE; draws by repetition and by the fifty-move rule need no claim.

The position is always seen from the side to move: for black the ranks are mirrored (`square ^ 56`). An action is a
source square and one of 73 planes, number `source * 73 + plane`: 8 directions times 7 distances of queen-like moves
(clockwise from straight ahead, promotions to a queen among them), 8 knight's moves, and 9 underpromotions (taking to
the left, straight, taking to the right; to a knight, a bishop, a rook).
"""

from typing import Any

import numpy as np

from anyzero.compile.bits import trailing_zeros
from anyzero.compile.random import U
from anyzero.games.chess_board import CHECKMATE, MAX_CLOCK, MAX_LEGAL, NUM_ACTIONS, RUNNING, STATE, Chess, make_rules
from anyzero.games.chess_fen import SEAT_NAMES, format_state, letters_of, parse_state
from anyzero.games.chess_moves import legal_actions
from anyzero.games.chess_play import play, settle
from anyzero.games.chess_rollout import rollout
from anyzero.games.chess_text import format_action, legal_moves, outcome_text, parse_action
from anyzero.games.contract import OVER
from anyzero.games.game import Game, State
from anyzero.views import Piece, Scene
from anyzero.views.boards import cell_name, square_cells, square_frame, square_labels
from anyzero.views.chess_pieces import piece_shapes

NUM_INPUT_PLANES = 19
MAX_IRREVERSIBLE = 118
"""Pawns can step 96 times and 30 pieces can be taken, less one for each of the 8 files: where two pawns face each
other, one must take (which is a step, too) or be taken (and lose its steps)."""
PIECE_NAMES = {"p": "pawn", "n": "knight", "b": "bishop", "r": "rook", "q": "queen", "k": "king"}


def make() -> Game:
    """Chess."""
    return Game(
        name="chess",
        rules=make_rules(),
        state=STATE,
        functions=(
            *(initial_state, seat_to_move, legal_actions, play, payoffs, encode, state_key, rollout),
            *(format_action, parse_action, format_state, parse_state, scene),
        ),
        num_actions=NUM_ACTIONS,
        max_legal=MAX_LEGAL,
        max_plies=(MAX_IRREVERSIBLE + 1) * MAX_CLOCK,
        planes_shape=(NUM_INPUT_PLANES, 8, 8),
    )


def initial_state(rules: Chess, state: State) -> None:
    state.mine = U(0x000000000000FFFF)
    state.theirs = U(0xFFFF000000000000)
    state.pawns = U(0x00FF00000000FF00)
    state.knights = U(0x4200000000000042)
    state.diagonals = U(0x2C0000000000002C)
    state.straights = U(0x8900000000000089)
    state.kings = U(0x1000000000000010)
    state.castling = U(0x8100000000000081)
    state.move_number = 1
    settle(rules, state, U(0))


def seat_to_move(rules: Chess, state: State) -> int:
    return OVER if state.ended != RUNNING else np.int64(state.mover)  # type: ignore[return-value]


def payoffs(rules: Chess, state: State, out: Any) -> None:
    loss = 1.0 if state.ended == CHECKMATE else 0.0
    out[state.mover] = -loss
    out[1 - state.mover] = loss


def state_key(rules: Chess, state: State) -> Any:
    """The position without its history and clocks."""
    return state.key


# --- the network's input


def encode(rules: Chess, state: State, planes: Any) -> None:
    """My pawns, knights, bishops, rooks, queens, king, then theirs; castling rights, en passant, clock, repetition."""
    queens = state.diagonals & state.straights
    for side in range(2):
        own = state.mine if side == 0 else state.theirs
        write_squares(planes[6 * side], state.pawns & own)
        write_squares(planes[6 * side + 1], state.knights & own)
        write_squares(planes[6 * side + 2], state.diagonals & own & ~queens)
        write_squares(planes[6 * side + 3], state.straights & own & ~queens)
        write_squares(planes[6 * side + 4], queens & own)
        write_squares(planes[6 * side + 5], state.kings & own)
    for right in range(4):  # mine and theirs, short and long
        rook = U((0 if right < 2 else 56) + (7 if right % 2 == 0 else 0))
        fill_plane(planes[12 + right], 1.0 if state.castling & (U(1) << rook) else 0.0)
    write_squares(planes[16], state.en_passant)
    fill_plane(planes[17], state.clock / MAX_CLOCK)
    fill_plane(planes[18], 1.0 if state.repeats > 0 else 0.0)


def write_squares(plane: Any, squares: Any) -> None:
    while squares:
        square = trailing_zeros(squares)
        squares &= squares - U(1)
        plane[square // 8, square % 8] = 1.0


def fill_plane(plane: Any, value: float) -> None:
    if value != 0.0:
        for square in range(64):
            plane[square // 8, square % 8] = value


# --- picture


def scene(rules: Chess, state: State) -> Scene:
    pieces = []
    for square, letter in enumerate(letters_of(state)):
        if letter != ".":
            seat = 0 if letter.isupper() else 1
            name = f"{SEAT_NAMES[seat]} {PIECE_NAMES[letter.lower()]}"
            pieces.append(Piece(cell_name(*divmod(square, 8)), letter, name, piece_shapes(letter), seat))
    return Scene(
        cells=square_cells(8, 8, chequered=True),
        pieces=tuple(pieces),
        under=(square_frame(8, 8),),
        over=square_labels(8, 8),
        caption=caption(rules, state),
        clicks={action: (move.source, move.target) for action, move in legal_moves(rules, state).items()},
        title="Chess",
    )


def caption(rules: Chess, state: State) -> str:
    check = ", in check" if state.checkers else ""
    return outcome_text(rules, state) or f"{SEAT_NAMES[state.mover]} to move{check}"
