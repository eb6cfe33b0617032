"""Breakthrough: reach the far row, or take every pawn. One step forward, diagonally also to take.

The second seat sees the board after a half turn, so that an action has one meaning for both: a source cell and a
direction, number `source * 3 + direction`, with directions straight, left, right as the mover sees them.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from anyzero.compile.bits import count_bits, nth_bit, trailing_zeros
from anyzero.compile.random import U, random_below
from anyzero.errors import BadOptionError
from anyzero.games.chess_pieces import piece_shapes
from anyzero.games.contract import OVER
from anyzero.games.game import Game, State, Symmetry
from anyzero.games.grid import format_grid, parse_choice, parse_grid, split_fields
from anyzero.views import Piece, Scene
from anyzero.views.boards import cell_name, square_cells, square_frame, square_labels

STATE = [("pawns", np.uint64, 2), ("mover", np.int64)]
LETTERS = "wb"
SEAT_NAMES = ("white", "black")
DRAWN_AS = {"pawn": "Pp", "knight": "Nn"}


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
            *(initial_state, seat_to_move, legal_actions, play, payoffs, encode, amaf_key, rollout),
            *(symmetries, format_action, format_state, parse_state, scene),
        ),
        num_actions=num_cells * 3,
        max_legal=2 * columns * 3,
        max_plies=longest_race(rows, columns),
        planes_shape=(2, rows, columns),
        num_amaf_keys=num_cells * 6,
    )


def make_rules(rows: int, columns: int) -> Breakthrough:
    bits = [[1 << (row * columns + column) for column in range(columns)] for row in range(rows)]
    every = sum(map(sum, bits))
    left, right = (sum(row[column] for row in bits) for column in (0, columns - 1))
    return Breakthrough(rows, columns, U(every ^ left), U(every ^ right), U(sum(bits[-1])), U(sum(bits[0])))


def longest_race(rows: int, columns: int) -> int:
    """Every move goes forward, and a pawn that stops short of the far row has made rows - 2 or rows - 3 steps."""
    return 2 * columns * (2 * rows - 5) + 1


# --- rules


def initial_state(rules: Breakthrough, state: State) -> None:
    two_rows = (U(1) << U(2 * rules.columns)) - U(1)
    state.pawns[0] = two_rows
    state.pawns[1] = two_rows << U((rules.rows - 2) * rules.columns)
    state.mover = 0


def goal_of(rules: Breakthrough, seat: int) -> Any:
    return rules.top if seat == 0 else rules.bottom


def seat_to_move(rules: Breakthrough, state: State) -> int:
    """A side with a pawn always has a move: its foremost pawn has a diagonal step, and nothing of its own ahead."""
    other = 1 - state.mover
    if state.pawns[other] & goal_of(rules, other) or state.pawns[state.mover] == U(0):
        return OVER
    return state.mover  # type: ignore[no-any-return]


def steps_up(rules: Breakthrough, mine: Any, theirs: Any) -> tuple[Any, Any, Any]:
    """The targets of the first seat's pawns: straight, left, right."""
    columns, one = U(rules.columns), U(1)
    straight = (mine << columns) & ~(mine | theirs)
    left = ((mine & rules.not_left) << (columns - one)) & ~mine
    right = ((mine & rules.not_right) << (columns + one)) & ~mine
    return straight, left, right


def steps_down(rules: Breakthrough, mine: Any, theirs: Any) -> tuple[Any, Any, Any]:
    """The targets of the second seat's pawns; its left is the board's right."""
    columns, one = U(rules.columns), U(1)
    straight = (mine >> columns) & ~(mine | theirs)
    left = ((mine & rules.not_right) >> (columns - one)) & ~mine
    right = ((mine & rules.not_left) >> (columns + one)) & ~mine
    return straight, left, right


def legal_actions(rules: Breakthrough, state: State, actions: Any) -> int:
    mine, theirs = state.pawns[state.mover], state.pawns[1 - state.mover]
    if state.mover == 0:
        straight, left, right = steps_up(rules, mine, theirs)
        origin, sign = 0, 1
    else:
        straight, left, right = steps_down(rules, mine, theirs)
        origin, sign = rules.rows * rules.columns - 1, -1
    count = 0
    for direction in range(3):
        targets = straight if direction == 0 else (left if direction == 1 else right)
        distance = rules.columns + aside(direction)
        while targets:
            target = origin + sign * trailing_zeros(targets)
            targets &= targets - U(1)
            actions[count] = (target - distance) * 3 + direction
            count += 1
    return count


def aside(direction: int) -> int:
    """How far to the right a step goes, as the mover sees it."""
    return 0 if direction == 0 else 2 * direction - 3


def play(rules: Breakthrough, state: State, action: int) -> None:
    source, target = cells_of(rules, state.mover, action)
    seat, bit = state.mover, U(1) << U(target)
    state.pawns[seat] = (state.pawns[seat] ^ (U(1) << U(source))) | bit
    state.pawns[1 - seat] &= ~bit
    state.mover = 1 - seat


def cells_of(rules: Breakthrough, seat: int, action: int) -> tuple[int, int]:
    """The source and target cells of an action, on the board as it is."""
    source, direction = action // 3, action % 3
    target = source + rules.columns + aside(direction)
    if seat == 0:
        return source, target
    last = rules.rows * rules.columns - 1
    return last - source, last - target


def payoffs(rules: Breakthrough, state: State, out: Any) -> None:
    out[state.mover] = -1.0  # only the side that has just moved can have won
    out[1 - state.mover] = 1.0


def encode(rules: Breakthrough, state: State, planes: Any) -> None:
    """Two planes: the mover's pawns, the opponent's."""
    rows, columns, turned = rules.rows, rules.columns, state.mover == 1
    for plane in range(2):
        pawns = state.pawns[state.mover if plane == 0 else 1 - state.mover]
        for row in range(rows):
            line = (pawns >> U(row * columns)) & rules.bottom
            while line:
                column = trailing_zeros(line)
                line &= line - U(1)
                if turned:
                    planes[plane, rows - 1 - row, columns - 1 - column] = 1.0
                else:
                    planes[plane, row, column] = 1.0


def amaf_key(rules: Breakthrough, state: State, action: int) -> int:
    """Source, direction and whether the move takes, as in the classic teaching code."""
    _, target = cells_of(rules, state.mover, action)
    takes = state.pawns[1 - state.mover] & (U(1) << U(target)) != U(0)
    return action * 2 + (1 if takes else 0)


def rollout(rules: Breakthrough, state: State, actions: Any, rng: Any) -> int:
    """Draws the same moves as the default would, without listing them."""
    white, black, seat, moves = state.pawns[0], state.pawns[1], state.mover, 0
    while True:
        if seat == 0:
            if black & rules.bottom or white == U(0):
                break
            target, distance = random_step(rules, steps_up(rules, white, black), rng)
            white ^= target | (target >> distance)
            black &= ~target
        else:
            if white & rules.top or black == U(0):
                break
            target, distance = random_step(rules, steps_down(rules, black, white), rng)
            black ^= target | (target << distance)
            white &= ~target
        seat = 1 - seat
        moves += 1
    state.pawns[0], state.pawns[1], state.mover = white, black, seat
    return moves


def random_step(rules: Breakthrough, steps: Any, rng: Any) -> tuple[Any, Any]:
    """The target of a random step, as a bit, and how many cells it goes."""
    straight, left, right = steps
    first_left = count_bits(straight)
    first_right = first_left + count_bits(left)
    index = random_below(rng, first_right + count_bits(right))
    targets, first, distance = straight, 0, U(rules.columns)
    if index >= first_left:
        targets, first, distance = left, first_left, U(rules.columns - 1)
    if index >= first_right:
        targets, first, distance = right, first_right, U(rules.columns + 1)
    return nth_bit(targets, index - first), distance


def symmetries(rules: Breakthrough) -> Iterable[Symmetry]:
    """The mirror of left and right."""
    return [mirror(rules, np.array([0, 2, 1]))]


def mirror(rules: Breakthrough, directions: np.ndarray) -> Symmetry:
    """Left and right exchanged; `directions` says what becomes of each direction of a move."""
    cells = np.arange(rules.rows * rules.columns).reshape(rules.rows, rules.columns)
    mirrored = cells[:, ::-1].ravel()
    planes = np.concatenate([mirrored, mirrored + cells.size])
    return Symmetry(planes, (mirrored[:, None] * len(directions) + directions).ravel())


# --- text and picture


def format_action(rules: Breakthrough, state: State, action: int) -> str:
    return "".join(names_of(rules, cells_of(rules, int(state.mover), action)))


def names_of(rules: Breakthrough, cells: Iterable[int]) -> tuple[str, ...]:
    return tuple(cell_name(*divmod(cell, rules.columns)) for cell in cells)


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
        if count_bits(state.pawns[seat]) > 2 * rules.columns:
            raise ValueError(f"there are more {letter} than the {2 * rules.columns} that a game starts with")
    state.mover = parse_choice(mover, LETTERS, "the side to move")
    seat, other = int(state.mover), 1 - int(state.mover)
    if state.pawns[seat] & goal_of(rules, seat) or not state.pawns[other]:
        raise ValueError("the side to move has already won")
    if count_bits(state.pawns[other] & goal_of(rules, other)) > 1:
        raise ValueError("the game ended when the first of these reached the far row")


def scene(rules: Breakthrough, state: State) -> Scene:
    return race_scene(rules, state, moves=moves_of(rules, state), title="Breakthrough", kind="pawn")


def moves_of(rules: Breakthrough, state: State) -> dict[int, tuple[int, int]]:
    """The source and target of each legal action; nothing once the game is over."""
    if seat_to_move(rules, state) == OVER:
        return {}
    actions = np.zeros(2 * rules.columns * 3, np.int32)
    count = legal_actions(rules, state, actions)
    return {int(action): cells_of(rules, int(state.mover), int(action)) for action in actions[:count]}


def race_scene(rules: Breakthrough, state: State, *, moves: dict[int, tuple[int, int]], title: str, kind: str) -> Scene:
    """A chequered board of one kind of chess piece."""
    pieces = []
    for cell, letter in enumerate(letters_of(rules, state)):
        if letter != ".":
            seat = LETTERS.index(letter)
            name = cell_name(*divmod(cell, rules.columns))
            pieces.append(
                Piece(name, letter.upper(), f"{SEAT_NAMES[seat]} {kind}", piece_shapes(DRAWN_AS[kind][seat]), seat)
            )
    return Scene(
        cells=square_cells(rules.rows, rules.columns, chequered=True),
        pieces=tuple(pieces),
        under=(square_frame(rules.rows, rules.columns),),
        over=square_labels(rules.rows, rules.columns),
        caption=f"{SEAT_NAMES[state.mover]} to move" if moves else f"{SEAT_NAMES[1 - state.mover]} has won",
        clicks={action: names_of(rules, cells) for action, cells in moves.items()},
        title=title,
    )
