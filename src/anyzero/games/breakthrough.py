"""Breakthrough: reach the far row, or take every pawn. One step forward, diagonally also to take.

The second seat sees the board after a half turn, so that an action has one meaning for both: a source cell and a
direction, number `source * 3 + direction`, with directions straight, left, right as the mover sees them.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from anyzero.compile.bits import count_bits, trailing_zeros
from anyzero.compile.random import U
from anyzero.games.contract import OVER
from anyzero.games.errors import BadOptionError
from anyzero.games.game import Game, State, Symmetry
from anyzero.games.grid import format_grid, parse_choice, parse_grid, split_fields
from anyzero.views import Piece, Polygon, Scene
from anyzero.views.boards import cell_name, square_cells, square_labels

STATE = [("pawns", np.uint64, 2), ("mover", np.int64)]
LETTERS = "wb"
SEAT_NAMES = ("white", "black")


class Breakthrough(NamedTuple):
    rows: int
    columns: int
    not_left: np.uint64
    """Every cell but those of column a."""
    not_right: np.uint64
    top: np.uint64
    """The first seat's goal."""
    bottom: np.uint64


def make(rows: int = 8, columns: int = 8) -> Game:
    """Breakthrough on any board of up to 64 cells."""
    if not (rows >= 4 and columns >= 2 and rows * columns <= 64):
        raise BadOptionError(
            f"breakthrough: needs 4 rows or more, 2 columns or more and at most 64 cells, not {rows}x{columns}"
        )
    num_cells = rows * columns
    return Game(
        name="breakthrough",
        rules=make_rules(rows, columns),
        state=STATE,
        functions=(
            *(initial_state, seat_to_move, legal_actions, play, payoffs, encode, amaf_key, symmetries),
            *(format_action, format_state, parse_state, scene),
        ),
        num_actions=num_cells * 3,
        max_legal=num_cells * 3 // 2,
        max_plies=2 * columns * (2 * rows - 3) + 1,
        planes_shape=(2, rows, columns),
        num_amaf_keys=num_cells * 6,
    )


def make_rules(rows: int, columns: int) -> Breakthrough:
    bits = [[1 << (row * columns + column) for column in range(columns)] for row in range(rows)]
    every = sum(map(sum, bits))
    left, right = (sum(row[column] for row in bits) for column in (0, columns - 1))
    return Breakthrough(rows, columns, U(every ^ left), U(every ^ right), U(sum(bits[-1])), U(sum(bits[0])))


# --- rules


def initial_state(rules: Breakthrough, state: State) -> None:
    two_rows = (U(1) << U(2 * rules.columns)) - U(1)
    state.pawns[0] = two_rows
    state.pawns[1] = two_rows << U((rules.rows - 2) * rules.columns)
    state.mover = 0


def seat_to_move(rules: Breakthrough, state: State) -> int:
    """A side with a pawn always has a move: its foremost pawn has a diagonal step, and nothing of its own ahead."""
    goal = rules.bottom if state.mover == 0 else rules.top  # of the side that has just moved
    if state.pawns[1 - state.mover] & goal or state.pawns[state.mover] == U(0):
        return OVER
    return state.mover  # type: ignore[no-any-return]


def legal_actions(rules: Breakthrough, state: State, actions: Any) -> int:
    mine, theirs = state.pawns[state.mover], state.pawns[1 - state.mover]
    empty, columns, one = ~(mine | theirs), U(rules.columns), U(1)
    if state.mover == 0:
        straight = (mine << columns) & empty
        left = ((mine & rules.not_left) << (columns - one)) & ~mine
        right = ((mine & rules.not_right) << (columns + one)) & ~mine
        offset, sign = 0, 1
    else:
        straight = (mine >> columns) & empty
        left = ((mine & rules.not_right) >> (columns - one)) & ~mine
        right = ((mine & rules.not_left) >> (columns + one)) & ~mine
        offset, sign = rules.rows * rules.columns - 1, -1
    count = 0
    for direction in range(3):
        targets = straight if direction == 0 else (left if direction == 1 else right)
        to_source = -rules.columns + (0 if direction == 0 else (1 if direction == 1 else -1))
        while targets:
            target = offset + sign * trailing_zeros(targets)
            targets &= targets - one
            actions[count] = (target + to_source) * 3 + direction
            count += 1
    return count


def play(rules: Breakthrough, state: State, action: int) -> None:
    source, target = cells_of(rules, state.mover, action)
    seat, bit = state.mover, U(1) << U(target)
    state.pawns[seat] = (state.pawns[seat] ^ (U(1) << U(source))) | bit
    state.pawns[1 - seat] &= ~bit
    state.mover = 1 - seat


def cells_of(rules: Breakthrough, seat: int, action: int) -> tuple[int, int]:
    """The source and target cells of an action, on the board as it is."""
    source, direction = action // 3, action % 3
    target = source + rules.columns + (0 if direction == 0 else (-1 if direction == 1 else 1))
    if seat == 0:
        return source, target
    last = rules.rows * rules.columns - 1
    return last - source, last - target


def payoffs(rules: Breakthrough, state: State, out: Any) -> None:
    out[state.mover] = -1.0  # only the side that has just moved can have won
    out[1 - state.mover] = 1.0


def encode(rules: Breakthrough, state: State, planes: Any) -> None:
    """Two planes: the mover's pawns, the opponent's."""
    last = rules.rows * rules.columns - 1
    for plane in range(2):
        pawns = state.pawns[state.mover if plane == 0 else 1 - state.mover]
        while pawns:
            cell = trailing_zeros(pawns)
            pawns &= pawns - U(1)
            seen = cell if state.mover == 0 else last - cell
            planes[plane, seen // rules.columns, seen % rules.columns] = 1.0


def amaf_key(rules: Breakthrough, state: State, action: int) -> int:
    """Source, direction and whether the move takes, as in the classic teaching code."""
    _, target = cells_of(rules, state.mover, action)
    takes = state.pawns[1 - state.mover] & (U(1) << U(target)) != U(0)
    return action * 2 + (1 if takes else 0)


def symmetries(rules: Breakthrough) -> Iterable[Symmetry]:
    """The mirror of left and right."""
    cells = np.arange(rules.rows * rules.columns).reshape(rules.rows, rules.columns)
    mirrored = cells[:, ::-1].ravel()
    planes = np.concatenate([mirrored, mirrored + cells.size])
    directions = np.array([0, 2, 1])
    return [Symmetry(planes, (mirrored[:, None] * 3 + directions).ravel())]


# --- text and picture


def format_action(rules: Breakthrough, state: State, action: int) -> str:
    return "".join(cell_name(*divmod(cell, rules.columns)) for cell in cells_of(rules, int(state.mover), action))


def letters_of(rules: Breakthrough, state: State) -> list[str]:
    white, black = (int(pawns) for pawns in state.pawns)
    return [
        "w" if white >> cell & 1 else "b" if black >> cell & 1 else "." for cell in range(rules.rows * rules.columns)
    ]


def format_state(rules: Breakthrough, state: State) -> str:
    return f"{format_grid(letters_of(rules, state), rules.columns)} {LETTERS[state.mover]}"


def parse_state(rules: Breakthrough, state: State, text: str) -> None:
    board, mover = split_fields(text, ("board", "side to move"))
    cells = parse_grid(board, rules.rows, rules.columns, LETTERS)
    for seat, letter in enumerate(LETTERS):
        state.pawns[seat] = U(sum(1 << cell for cell, found in enumerate(cells) if found == letter))
    state.mover = parse_choice(mover, LETTERS, "the side to move")
    home = rules.top if state.mover else rules.bottom
    if (
        state.pawns[state.mover] & (rules.bottom if state.mover else rules.top)
        or state.pawns[1 - state.mover] == U(0)
        or max(count_bits(pawns) for pawns in state.pawns) > 2 * rules.columns
        or count_bits(state.pawns[1 - state.mover] & home) > 1
    ):
        raise ValueError("the side to move has already won, or there are more pawns than a game can have")


def scene(rules: Breakthrough, state: State) -> Scene:
    return pawn_scene(rules.rows, rules.columns, letters_of(rules, state), caption(rules, state), clicks(rules, state))


def clicks(rules: Breakthrough, state: State) -> dict[int, tuple[str, ...]]:
    if seat_to_move(rules, state) == OVER:
        return {}
    actions = np.zeros(rules.rows * rules.columns * 3, np.int32)
    count = legal_actions(rules, state, actions)
    pairs = [(int(action), cells_of(rules, int(state.mover), int(action))) for action in actions[:count]]
    return {action: tuple(cell_name(*divmod(cell, rules.columns)) for cell in cells) for action, cells in pairs}


def caption(rules: Breakthrough, state: State) -> str:
    if seat_to_move(rules, state) == OVER:
        return f"{SEAT_NAMES[1 - state.mover]} has won"
    return f"{SEAT_NAMES[state.mover]} to move"


def pawn_scene(rows: int, columns: int, letters: list[str], text: str, clicks: dict[int, tuple[str, ...]]) -> Scene:
    """A chequered board of pawns."""
    pieces = []
    for cell, letter in enumerate(letters):
        if letter != ".":
            seat, name = LETTERS.index(letter), cell_name(*divmod(cell, columns))
            pieces.append(Piece(name, "WB"[seat], f"{SEAT_NAMES[seat]} pawn", pawn_shape(seat), seat))
    cells = square_cells(rows, columns, chequered=True)
    return Scene(cells, tuple(pieces), over=square_labels(rows, columns), caption=text, clicks=clicks)


def pawn_shape(seat: int) -> tuple[Polygon, ...]:
    """A triangle that points where the pawn goes."""
    up = -1 if seat == 0 else 1
    points = ((0.0, 0.34 * up), (0.3, -0.26 * up), (-0.3, -0.26 * up))
    return (Polygon(points, f"seat{seat}", f"seat{seat}-edge", 0.05),)
