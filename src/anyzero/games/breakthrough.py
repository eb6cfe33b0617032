"""Breakthrough: the first to reach the far row, or to capture every piece, wins. Knightthrough has
the same rules with other pieces.

Pawns step one row forward, straight or diagonally, and capture only diagonally. Knights jump
forward, two rows and one column or one row and two columns. The second seat sees the board rotated
by a half turn, so that an action means the same for both: a source cell and a direction as the
mover sees it, number `source * num_directions + direction`.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from anyzero.core.base.errors import BadOptionError
from anyzero.core.base.nouns import Actions, Drawing, Integer, Numbers, Planes, Stream, Word
from anyzero.core.compile.bits import count_bits, nth_bit, trailing_zeros
from anyzero.core.compile.random import U, random_below
from anyzero.core.game.contract import OVER, GameBoard
from anyzero.core.game.facts import Facts, Recipe
from anyzero.core.game.game import Game, State, Symmetry
from anyzero.games import grid
from anyzero.games.grid import caption_number, draw_cells

STATE = [("pawns", np.uint64, 2), ("mover", np.int64)]  # or knights
LETTERS = "wb"
SEAT_NAMES = ("white", "black")
PAWN_GAME = (
    "e2e3 c7d6 f1e2 f7e6 e3f4 f8f7 f4g5 d8c7 g5f6 e7f6 g2f3 f6f5 d2c3 a7b6 a2a3 f5f4 e2e3 "
    "f4e3 f2e3 e6d5 h1g2 d5d4 "
    "e3d4 h7g6 d4e5 d6e5 c3d4 e5d4 c1d2 d4c3 b2c3 b6c5 f3e4 c7c6 e4e5 c5c4 e5d6 c4b3 d6e7 g7f6 e7d8"
)
PAWN_STEPS = (
    (1, 0),
    (1, -1),
    (1, 1),
)  # (rows, columns) of each direction; only a pawn's first cannot capture


class Race(NamedTuple):
    """The length of the last three fields, one entry per direction, tells pawns from knights, also
    to the compiler.
    """

    rows: int
    columns: int
    top: np.uint64  # the first seat's goal
    bottom: np.uint64
    far: tuple[np.uint64, ...]  # how many cells ahead a direction leads, counted along the rows
    up: tuple[np.uint64, ...]  # the cells from which the first seat stays on the board
    down: tuple[np.uint64, ...]  # the same for the second seat


def make(rows: int = 8, columns: int = 8) -> Game:
    """The first pawn to reach the far row wins, and so does a side that captures every enemy pawn.
    White begins.

    A pawn moves one step forward, straight or diagonally. It captures diagonally, never straight
    ahead, and capturing is not compulsory. There is always a move and there are no draws. A move is
    the pawn's cell and its target: e2e3.
    """
    return make_race("breakthrough", rows, columns, PAWN_STEPS, PAWN_GAME, FACTS)


def make_race(
    name: str,
    rows: int,
    columns: int,
    steps: tuple[tuple[int, int], ...],
    example: str,
    facts: Facts,
) -> Game:
    if not (rows >= 4 and columns >= 2 and rows * columns <= 64):
        needs = "4 rows or more, 2 columns or more and at most 64 cells"
        raise BadOptionError(f"{name}: needs {needs}, not {rows}x{columns}")
    num_actions = rows * columns * len(steps)
    return Game(
        name=name,
        rules=make_rules(rows, columns, steps),
        state=STATE,
        functions=(
            *(initial_state, seat_to_move, legal_actions, play, payoffs, encode, amaf_key, rollout),
            *(symmetries, format_state, parse_state, moves, board, draw, move_number),
        ),
        num_actions=num_actions,
        max_legal=2 * columns * len(steps),
        # Every move goes forward, and a piece that stops short of the far row has made rows - 2 or
        # rows - 3 steps.
        max_plies=2 * columns * (2 * rows - 5) + 1,
        planes_shape=(2, rows, columns),
        num_amaf_keys=2 * num_actions,
        seat_names=SEAT_NAMES,
        example=example,
        facts=facts,
    )


def make_rules(rows: int, columns: int, steps: tuple[tuple[int, int], ...]) -> Race:
    row = (1 << columns) - 1
    last = rows * columns - 1
    far = []
    up = []
    down = []
    for ahead, aside in steps:
        cells = [divmod(cell, columns) for cell in range(last + 1)]
        inside = [
            cell
            for cell, (y, x) in enumerate(cells)
            if y + ahead < rows and 0 <= x + aside < columns
        ]
        far.append(U(ahead * columns + aside))
        up.append(U(sum(1 << cell for cell in inside)))
        down.append(U(sum(1 << (last - cell) for cell in inside)))
    return Race(
        rows, columns, U(row << (rows - 1) * columns), U(row), tuple(far), tuple(up), tuple(down)
    )


# --- rules


def initial_state(rules: Race, state: State) -> None:
    two_rows = (U(1) << U(2 * rules.columns)) - U(1)
    state.pawns[0] = two_rows
    state.pawns[1] = two_rows << U((rules.rows - 2) * rules.columns)


def goal_of(rules: Race, seat: int) -> Word:
    return rules.top if seat == 0 else rules.bottom


def targets_of(rules: Race, seat: int, direction: int, pieces: Word, enemies: Word) -> Word:
    """The cells that the seat's pieces can reach in this direction."""
    closed = pieces | enemies if len(rules.far) == 3 and direction == 0 else pieces
    if seat == 0:
        return ((pieces & rules.up[direction]) << rules.far[direction]) & ~closed
    return ((pieces & rules.down[direction]) >> rules.far[direction]) & ~closed


def seat_to_move(rules: Race, state: State) -> int:
    """A side without a move has lost: one without pieces, or with blocked knights on two or three
    columns.
    """
    seat = state.mover
    other = 1 - state.mover
    if state.pawns[other] & goal_of(rules, other):
        return OVER
    pieces = state.pawns[seat]
    targets = U(0)
    if len(rules.far) == 3:
        targets = pieces
    else:
        for direction in range(len(rules.far)):
            targets |= targets_of(rules, seat, direction, pieces, state.pawns[other])
    return seat if targets else OVER


def legal_actions(rules: Race, state: State, actions: Actions) -> int:
    seat = state.mover
    last = rules.rows * rules.columns - 1
    count = 0
    for direction in range(len(rules.far)):
        targets = targets_of(rules, seat, direction, state.pawns[seat], state.pawns[1 - seat])
        while targets:
            target = trailing_zeros(targets)
            targets &= targets - U(1)
            source = (target if seat == 0 else last - target) - np.int64(rules.far[direction])
            actions[count] = source * len(rules.far) + direction
            count += 1
    return count


def play(rules: Race, state: State, action: int) -> None:
    source, target = cells_of(rules, state.mover, action)
    seat = state.mover
    bit = U(1) << U(target)
    state.pawns[seat] = (state.pawns[seat] ^ (U(1) << U(source))) | bit
    state.pawns[1 - seat] &= ~bit
    state.mover = 1 - seat


def cells_of(rules: Race, seat: int, action: int) -> tuple[int, int]:
    """The source and target cells of an action, in the board's own coordinates."""
    source = action // len(rules.far)
    direction = action % len(rules.far)
    target: Integer = source + np.int64(rules.far[direction])
    if seat == 0:
        return source, target
    last = rules.rows * rules.columns - 1
    return last - source, last - target


def payoffs(rules: Race, state: State, out: Numbers) -> None:
    out[state.mover] = -1.0  # only the side that has just moved can have won
    out[1 - state.mover] = 1.0


def encode(rules: Race, state: State, planes: Planes) -> None:
    """Two planes: the mover's pieces, the opponent's."""
    last = rules.rows * rules.columns - 1
    for plane in range(2):
        pieces = state.pawns[state.mover if plane == 0 else 1 - state.mover]
        while pieces:
            cell = trailing_zeros(pieces)
            pieces &= pieces - U(1)
            cell = cell if state.mover == 0 else last - cell
            planes[plane, cell // rules.columns, cell % rules.columns] = 1.0


def amaf_key(rules: Race, state: State, action: int) -> int:
    """Source, direction and whether the move captures, as in the classic teaching code."""
    _, target = cells_of(rules, state.mover, action)
    takes = state.pawns[1 - state.mover] & (U(1) << U(target)) != U(0)
    return action * 2 + (1 if takes else 0)


def rollout(rules: Race, state: State, actions: Actions, rng: Stream) -> int:
    """Samples the same moves as the default, without listing them."""
    white = state.pawns[0]
    black = state.pawns[1]
    seat = state.mover
    moves = 0
    while True:
        if seat == 0:
            target, distance = random_move(rules, 0, white, black, rng)
            if target == U(0):
                break
            white ^= target | (target >> distance)
            black &= ~target
        else:
            target, distance = random_move(rules, 1, black, white, rng)
            if target == U(0):
                break
            black ^= target | (target << distance)
            white &= ~target
        seat = 1 - seat
        moves += 1
    state.pawns[0] = white
    state.pawns[1] = black
    state.mover = seat
    return moves


def random_move(
    rules: Race, seat: int, pieces: Word, enemies: Word, rng: Stream
) -> tuple[Word, Word]:
    """The target of a random move, as a bit, and its distance in cells; zeros once the game is
    over.
    """
    if enemies & goal_of(rules, 1 - seat) or pieces == U(0):
        return U(0), U(0)
    count = 0
    for direction in range(len(rules.far)):
        count += count_bits(targets_of(rules, seat, direction, pieces, enemies))
    if len(rules.far) > 3 and count == 0:  # knights only: a pawn always has a move
        return U(0), U(0)
    index = random_below(rng, count)
    drawn = U(0)
    before = 0
    first = 0
    distance = U(0)
    for direction in range(len(rules.far)):
        targets = targets_of(rules, seat, direction, pieces, enemies)
        if index >= before:
            drawn = targets
            first = before
            distance = rules.far[direction]
        before += count_bits(targets)
    return nth_bit(drawn, index - first), distance


def symmetries(rules: Race) -> Iterable[Symmetry]:
    """The reflection that exchanges left and right."""
    cells = (
        np.arange(rules.rows * rules.columns).reshape(rules.rows, rules.columns)[:, ::-1].ravel()
    )
    directions = np.array([0, 2, 1] if len(rules.far) == 3 else [1, 0, 3, 2])
    return [grid.symmetry(cells, 2, (cells[:, None] * len(directions) + directions).ravel())]


# --- text and picture


def format_state(rules: Race, state: State) -> str:
    letters = grid.letters_of(state.pawns, LETTERS, range(rules.rows * rules.columns))
    return grid.format_position(letters, rules.columns, LETTERS[state.mover])


def parse_state(rules: Race, state: State, text: str) -> None:
    cells, seat = grid.parse_position(text, rules.rows, rules.columns, LETTERS)
    for letter in LETTERS:
        if cells.count(letter) > 2 * rules.columns:
            raise ValueError(
                f"there are more {letter} than the {2 * rules.columns} that a game starts with"
            )
    state.pawns[:] = [grid.set_of(cells, letter, range(len(cells))) for letter in LETTERS]
    state.mover = seat
    if state.pawns[seat] & goal_of(rules, seat) or not state.pawns[1 - seat]:
        raise ValueError("the side to move has already won")
    if count_bits(state.pawns[1 - seat] & goal_of(rules, 1 - seat)) > 1:
        raise ValueError("the game ended when the first of these reached the far row")


def moves(rules: Race) -> Sequence[str]:
    """From where to where, for white and then for black."""
    names = grid.cell_names(rules.rows, rules.columns)
    actions = range(len(names) * len(rules.far))
    pairs = [cells_of(rules, seat, action) for seat in range(2) for action in actions]
    # No legal action leaves the board.
    return ["".join(names[cell] for cell in pair if 0 <= cell < len(names)) for pair in pairs]


def board(rules: Race) -> GameBoard:
    """A chequered board of one kind of chess piece."""
    from anyzero.views.boards import chess_piece, square_board

    title, white, black = (
        ("Breakthrough", "P", "p") if len(rules.far) == 3 else ("Knightthrough", "N", "n")
    )
    kinds = (chess_piece(white, "W"), chess_piece(black, "B"))
    captions = grid.captions(SEAT_NAMES)
    return square_board(
        rules.rows, rules.columns, kinds, chequered=True, captions=captions, title=title
    )


def draw(rules: Race, state: State, shown: Drawing) -> None:
    for seat in range(2):
        draw_cells(shown.pieces, state.pawns[seat], seat + 1)
    shown.caption = caption_number(state.mover, seat_to_move(rules, state) == OVER, True)


def move_number(rules: Race, state: State, action: int) -> int:
    return state.mover * rules.rows * rules.columns * len(rules.far) + action  # type: ignore[no-any-return]


# --- facts for levels, ladders, training, files and the page


FACTS = Facts(
    max_simulations=700,
    has_larger_nets=True,
    recipes={
        "breakthrough": Recipe(
            "Gumbel search from random openings, no gate; on a laptop an MLP for small boards",
            board={"rows": 5, "columns": 5},
            changes={
                "selfplay": {"opening_plies": 4, "temperature_plies": 12},
                "replay.payoff_share": 0.6,
                "trainer": {"learning_rate": 0.002, "schedule": "cosine"},
                "gate.games": 0,
                "league": {"every": 10, "anchors": ["random", "uct:100", "uct:1000"]},
            },
            laptop={
                "network": {"kind": "mlp", "layers": 3, "width": 256},
                "selfplay": {"games": 1024, "at_once": 512},
                "replay.window": 200_000,
                "trainer.horizon": 80,
            },
        )
    },
)
