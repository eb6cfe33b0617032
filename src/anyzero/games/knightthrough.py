"""Knightthrough: Breakthrough with knights. They jump forward only, two rows and one column or one row and two columns.

The board, the text and the encoding are Breakthrough's. An action is a source cell and a direction as the mover sees
it, number `source * 4 + direction`: far left, far right (two rows ahead), near left, near right (one row ahead).
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from anyzero.compile.bits import count_bits, nth_bit, trailing_zeros
from anyzero.compile.random import U, random_below
from anyzero.errors import BadOptionError
from anyzero.games.breakthrough import (
    STATE,
    Breakthrough,
    encode,
    format_state,
    goal_of,
    initial_state,
    longest_race,
    make_rules,
    mirror,
    names_of,
    parse_state,
    payoffs,
    race_scene,
)
from anyzero.games.contract import OVER
from anyzero.games.game import Game, State, Symmetry
from anyzero.views import Scene


def make(rows: int = 8, columns: int = 8) -> Game:
    """Knightthrough on any board of up to 64 cells."""
    if not (rows >= 4 and columns >= 2 and rows * columns <= 64):
        raise BadOptionError(
            f"knightthrough: needs 4 rows or more, 2 columns or more and at most 64 cells, not {rows}x{columns}"
        )
    num_cells = rows * columns
    return Game(
        name="knightthrough",
        rules=make_rules(rows, columns),
        state=STATE,
        functions=(
            *(initial_state, seat_to_move, legal_actions, play, payoffs, encode, amaf_key, rollout),
            *(symmetries, format_action, format_state, parse_state, scene),
        ),
        num_actions=num_cells * 4,
        max_legal=2 * columns * 4,
        max_plies=longest_race(rows, columns),
        planes_shape=(2, rows, columns),
        num_amaf_keys=num_cells * 8,
    )


# --- rules


def seat_to_move(rules: Breakthrough, state: State) -> int:
    """On two or three columns a side may have knights and still no jump: it has lost as well."""
    other = 1 - state.mover
    if state.pawns[other] & goal_of(rules, other):
        return OVER
    mine = state.pawns[state.mover]
    jumps = jumps_up(rules, mine) if state.mover == 0 else jumps_down(rules, mine)
    if (jumps[0] | jumps[1] | jumps[2] | jumps[3]) == U(0):
        return OVER
    return state.mover  # type: ignore[no-any-return]


def jumps_up(rules: Breakthrough, mine: Any) -> tuple[Any, Any, Any, Any]:
    """The targets of the first seat's knights: far left, far right, near left, near right."""
    columns, one, two = U(rules.columns), U(1), U(2)
    free = (rules.not_left | rules.not_right) & ~mine
    far_left = ((mine & rules.not_left) << (columns + columns - one)) & free
    far_right = ((mine & rules.not_right) << (columns + columns + one)) & free
    near_left = ((mine & two_from_left(rules)) << (columns - two)) & free
    near_right = ((mine & two_from_right(rules)) << (columns + two)) & free
    return far_left, far_right, near_left, near_right


def jumps_down(rules: Breakthrough, mine: Any) -> tuple[Any, Any, Any, Any]:
    """The targets of the second seat's knights; its left is the board's right."""
    columns, one, two = U(rules.columns), U(1), U(2)
    far_left = ((mine & rules.not_right) >> (columns + columns - one)) & ~mine
    far_right = ((mine & rules.not_left) >> (columns + columns + one)) & ~mine
    near_left = ((mine & two_from_right(rules)) >> (columns - two)) & ~mine
    near_right = ((mine & two_from_left(rules)) >> (columns + two)) & ~mine
    return far_left, far_right, near_left, near_right


def two_from_left(rules: Breakthrough) -> Any:
    """Every cell but those of the two leftmost columns."""
    return rules.not_left & (rules.not_left << U(1))


def two_from_right(rules: Breakthrough) -> Any:
    return rules.not_right & (rules.not_right >> U(1))


def legal_actions(rules: Breakthrough, state: State, actions: Any) -> int:
    mine = state.pawns[state.mover]
    if state.mover == 0:
        far_left, far_right, near_left, near_right = jumps_up(rules, mine)
        origin, sign = 0, 1
    else:
        far_left, far_right, near_left, near_right = jumps_down(rules, mine)
        origin, sign = rules.rows * rules.columns - 1, -1
    count = 0
    for direction in range(4):
        left, right = (far_left, far_right) if direction < 2 else (near_left, near_right)
        targets = left if direction % 2 == 0 else right
        distance = distance_of(rules, direction)
        while targets:
            target = origin + sign * trailing_zeros(targets)
            targets &= targets - U(1)
            actions[count] = (target - distance) * 4 + direction
            count += 1
    return count


def distance_of(rules: Breakthrough, direction: int) -> int:
    """How many cells ahead a jump ends, counted along the rows."""
    sideways = 2 * (direction & 1) - 1  # left or right
    return 2 * rules.columns + sideways if direction < 2 else rules.columns + 2 * sideways


def play(rules: Breakthrough, state: State, action: int) -> None:
    source, target = cells_of(rules, state.mover, action)
    seat, bit = state.mover, U(1) << U(target)
    state.pawns[seat] = (state.pawns[seat] ^ (U(1) << U(source))) | bit
    state.pawns[1 - seat] &= ~bit
    state.mover = 1 - seat


def cells_of(rules: Breakthrough, seat: int, action: int) -> tuple[int, int]:
    """The source and target cells of an action, on the board as it is."""
    source, direction = action // 4, action % 4
    target = source + distance_of(rules, direction)
    if seat == 0:
        return source, target
    last = rules.rows * rules.columns - 1
    return last - source, last - target


def amaf_key(rules: Breakthrough, state: State, action: int) -> int:
    """Source, direction and whether the move takes, as in Breakthrough."""
    _, target = cells_of(rules, state.mover, action)
    takes = state.pawns[1 - state.mover] & (U(1) << U(target)) != U(0)
    return action * 2 + (1 if takes else 0)


def rollout(rules: Breakthrough, state: State, actions: Any, rng: Any) -> int:
    """Draws the same moves as the default would, without listing them."""
    white, black, seat, moves = state.pawns[0], state.pawns[1], state.mover, 0
    while True:
        if seat == 0:
            if black & rules.bottom:
                break
            target, distance = random_jump(rules, jumps_up(rules, white), rng)
            if target == U(0):
                break
            white ^= target | (target >> distance)
            black &= ~target
        else:
            if white & rules.top:
                break
            target, distance = random_jump(rules, jumps_down(rules, black), rng)
            if target == U(0):
                break
            black ^= target | (target << distance)
            white &= ~target
        seat = 1 - seat
        moves += 1
    state.pawns[0], state.pawns[1], state.mover = white, black, seat
    return moves


def random_jump(rules: Breakthrough, jumps: Any, rng: Any) -> tuple[Any, Any]:
    """The target of a random jump, as a bit (none: zero), and how many cells it goes."""
    far_left, far_right, near_left, near_right = jumps
    second = count_bits(far_left)
    third = second + count_bits(far_right)
    fourth = third + count_bits(near_left)
    count = fourth + count_bits(near_right)
    if count == 0:
        return U(0), U(0)
    index = random_below(rng, count)
    targets, first, distance = far_left, 0, U(2 * rules.columns - 1)
    if index >= second:
        targets, first, distance = far_right, second, U(2 * rules.columns + 1)
    if index >= third:
        targets, first, distance = near_left, third, U(rules.columns - 2)
    if index >= fourth:
        targets, first, distance = near_right, fourth, U(rules.columns + 2)
    return nth_bit(targets, index - first), distance


def symmetries(rules: Breakthrough) -> Iterable[Symmetry]:
    """The mirror of left and right."""
    return [mirror(rules, np.array([1, 0, 3, 2]))]


# --- text and picture


def format_action(rules: Breakthrough, state: State, action: int) -> str:
    return "".join(names_of(rules, cells_of(rules, int(state.mover), action)))


def scene(rules: Breakthrough, state: State) -> Scene:
    return race_scene(rules, state, moves=moves_of(rules, state), title="Knightthrough", kind="knight")


def moves_of(rules: Breakthrough, state: State) -> dict[int, tuple[int, int]]:
    """The source and target of each legal action; nothing once the game is over."""
    if seat_to_move(rules, state) == OVER:
        return {}
    actions = np.zeros(2 * rules.columns * 4, np.int32)
    count = legal_actions(rules, state, actions)
    return {int(action): cells_of(rules, int(state.mover), int(action)) for action in actions[:count]}
