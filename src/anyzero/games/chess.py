"""Chess by the rules of FIDE; draws by repetition and by the fifty-move rule need no claim.

The position is always seen from the side to move: for black the ranks are mirrored (`square ^ 56`).
An action is a source square and one of 73 planes, number `source * 73 + plane`: 8 directions times
7 distances of queen-like moves (clockwise from straight ahead, including promotions to a queen), 8
knight moves, and 9 underpromotions (capturing to the left, straight, capturing to the right; to a
knight, a bishop, a rook).
"""

from collections.abc import Sequence

import numpy as np

from anyzero.core.base.nouns import Drawing, Integer, Numbers, Planes, Word
from anyzero.core.compile.random import U
from anyzero.core.game.contract import OVER, GameBoard
from anyzero.core.game.facts import Facts, Recipe, Uci
from anyzero.core.game.game import Game, State
from anyzero.games import chess_text
from anyzero.games.chess_board import (
    CHECKMATE,
    FIRST_UNDERPROMOTION,
    MAX_CLOCK,
    MAX_LEGAL,
    NUM_ACTIONS,
    NUM_PLANES,
    RUNNING,
    STATE,
    Chess,
    make_rules,
    squares_of_kind,
)
from anyzero.games.chess_moves import legal_actions, play, settle
from anyzero.games.chess_rollout import rollout
from anyzero.games.chess_uci import play_on, read_fen
from anyzero.games.grid import draw_cells, write_cells

NUM_INPUT_PLANES = 19
MAX_IRREVERSIBLE = 118
"""Pawns can step 96 times and 30 pieces can be captured, less one for each of the 8 files: where
two pawns face each
other, one must capture (which is also a step) or be captured (and lose its steps)."""
CAPTIONS = (
    *("white to move", "black to move", "white to move, in check", "black to move, in check"),
    *(
        "white wins by checkmate",
        "black wins by checkmate",
        "draw by stalemate",
        "draw by insufficient material",
    ),
    *("draw by the fifty-move rule", "draw by threefold repetition"),
)


def make() -> Game:
    """Chess by the laws of FIDE: white begins, and checkmate wins: an attack on the king that
    cannot be parried.

    A rook moves any distance along rows and columns, a bishop along diagonals, a queen either way,
    the king one step in any direction, and a knight jumps two steps one way and one to the side. A
    pawn moves one step forward, or two from its first row, captures one step diagonally forward,
    and is promoted on the last row. The king may castle: two steps towards a rook that has not
    moved either, which jumps over it. A piece captures by moving onto an enemy piece.

    A draw needs no claim: stalemate, too few pieces to mate, the same position for the third time,
    or fifty moves each without a capture or a pawn move. A move is written as Nf3, exd5, O-O or
    e8=Q, or by its squares as g1f3 or e7e8q.
    """
    return Game(
        name="chess",
        rules=make_rules(),
        state=STATE,
        functions=(
            *(
                initial_state,
                seat_to_move,
                legal_actions,
                play,
                payoffs,
                encode,
                state_key,
                rollout,
            ),
            *(
                chess_text.notation,
                chess_text.parse_action,
                chess_text.format_state,
                chess_text.parse_state,
            ),
            *(moves, board, draw, move_number),
        ),
        num_actions=NUM_ACTIONS,
        max_legal=MAX_LEGAL,
        max_plies=(MAX_IRREVERSIBLE + 1) * MAX_CLOCK,
        planes_shape=(NUM_INPUT_PLANES, 8, 8),
        seat_names=chess_text.SEAT_NAMES,
        example="e2e4 e7e5 g1f3 d7d6 d2d4 c8g4 d4e5 g4f3 d1f3 d6e5 f1c4 "
        "g8f6 f3b3 d8e7 b1c3 c7c6 c1g5 b7b5 c3b5 c6b5 c4b5 "
        "b8d7 e1c1 a8d8 d1d7 d8d7 h1d1 e7e6 b5d7 f6d7 b3b8 d7b8 d1d8",
        facts=FACTS,
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


def payoffs(rules: Chess, state: State, out: Numbers) -> None:
    loss = 1.0 if state.ended == CHECKMATE else 0.0
    out[state.mover] = -loss
    out[1 - state.mover] = loss


def state_key(rules: Chess, state: State) -> Word:
    """The position without its history and clocks."""
    return state.key


# --- the network's input


def encode(rules: Chess, state: State, planes: Planes) -> None:
    """My pawns, knights, bishops, rooks, queens, king, then theirs; castling rights, en passant,
    clock, repetition.
    """
    for side in range(2):
        for kind in range(6):
            pieces = state.mine if side == 0 else state.theirs
            write_cells(planes[6 * side + kind], squares_of_kind(state, kind) & pieces, 8)
    for right in range(4):  # mine and theirs, short and long
        rook = U((0 if right < 2 else 56) + (7 if right % 2 == 0 else 0))
        fill_plane(planes[12 + right], 1.0 if state.castling & (U(1) << rook) else 0.0)
    write_cells(planes[16], state.en_passant, 8)
    fill_plane(planes[17], state.clock / MAX_CLOCK)
    fill_plane(planes[18], 1.0 if state.repeats > 0 else 0.0)


def fill_plane(plane: Planes, value: float) -> None:
    if value != 0.0:
        for square in range(64):
            plane[square // 8, square % 8] = value


# --- picture


def moves(rules: Chess) -> Sequence[str]:
    """From each square to each, then promotions: to n, b, r, q, for white and black, from each file
    to each.
    """
    names = chess_text.NAMES
    promotions = [
        f"{{}}{ranks[0]}{{}}{ranks[1]}{kind}" for kind in "nbrq" for ranks in ("78", "21")
    ]
    texts = [source + target for source in names for target in names]
    texts += [
        text.format(source, target)
        for text in promotions
        for source in "abcdefgh"
        for target in "abcdefgh"
    ]
    return texts


def board(rules: Chess) -> GameBoard:
    """A chequered board; moves are clicked from square to square, promotions are chosen by text."""
    from anyzero.views.boards import chess_piece, square_board

    kinds = map(chess_piece, "PNBRQKpnbrqk")
    return square_board(8, 8, kinds, chequered=True, captions=CAPTIONS, title="Chess")


def draw(rules: Chess, state: State, shown: Drawing) -> None:
    for side in range(2):
        for kind in range(6):
            pieces = state.mine if side == 0 else state.theirs
            first = 1 if side == state.mover else 7
            draw_cells(
                shown.pieces, squares_of_kind(state, kind) & pieces, first + kind, 56 * state.mover
            )
    if state.ended == RUNNING:
        shown.caption = state.mover + (2 if state.checkers else 0)
    else:
        shown.caption = 5 - state.mover if state.ended == CHECKMATE else 4 + state.ended


def move_number(rules: Chess, state: State, action: int) -> int:
    source = action // NUM_PLANES
    plane = action % NUM_PLANES
    flip = 56 * state.mover
    target: Integer = source + rules.steps[plane]
    under = plane >= FIRST_UNDERPROMOTION
    if under or (target >= 56 and state.pawns & (U(1) << U(source))):
        kind = (plane - FIRST_UNDERPROMOTION) % 3 if under else 3
        number: Integer = 64 * 64 + 128 * kind + 64 * state.mover + 8 * (source % 8) + target % 8
    else:
        number = (source ^ flip) * 64 + (target ^ flip)
    return number  # type: ignore[no-any-return]


# --- facts for levels, ladders, training, files and the page


FACTS = Facts(
    max_simulations=200,
    engines=(
        tuple(f"uci:stockfish,level={level},nodes=1000" for level in (0, 3, 5, 10)),
        tuple(f"uci:stockfish,elo={elo}" for elo in (1350, 1500, 1700, 1850, 2000)),
    ),
    uci=Uci(read_fen, play_on),
    pgn=("standard", "chess", "normal", "from position", ""),
    recipes={
        "chess": Recipe(
            "PUCT with 50 simulations, exploration 1.5, a gate and resigning",
            default_on=("cpu",),
            changes={
                "selfplay": {
                    "search": "puct:50,exploration=1.5,noise_fraction=0.25",
                    "max_plies": 200,
                    "resign_below": -0.95,
                },
                "replay.payoff_share": 0.7,
                "gate.games": 20,
                "league": {"every": 10, "games": 10, "anchors": ["random", "uct:20"]},
            },
            laptop={
                "network": "6x64",
                "selfplay": {"games": 64, "at_once": 64},
                "replay.window": 50_000,
                "trainer": {"batches": 100, "batch_size": 64},
            },
        ),
        "chess-gumbel": Recipe(
            "Gumbel search with 32 simulations, values that count fully, noise all game, up to 20 "
            "random plies, no gate",
            default_on=("cuda",),  # where a gate would take most of the time
            changes={
                "network": "10x128",
                "selfplay": {
                    "search": "gumbel:32,value_scale=1,gumbel_scale=1",
                    "max_plies": 200,
                    "opening_plies": 20,
                    "temperature_plies": 200,
                },
                "replay.payoff_share": 0.5,
                "trainer": {"learning_rate": 0.001, "schedule": "cosine"},
                "gate.games": 0,
                "league": {"every": 20, "games": 40, "anchors": ["random", "uct:100"]},
            },
            laptop={
                "network": "6x64",
                "selfplay": {"games": 64, "at_once": 64},
                "trainer": {"batches": 100, "batch_size": 64},
            },
        ),
    },
)
