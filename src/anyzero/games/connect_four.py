"""Connect Four: drop a stone into a column, and win with four in a row, across, up or diagonally.

A column takes `rows + 1` bits of a word, row 1 lowest. Its top bit is never set, so that no line of four runs from
one column into the next, and adding 1 to a column's stones sets the bit of its lowest free cell.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from anyzero.compile.bits import count_bits, nth_bit, trailing_zeros
from anyzero.compile.random import U, random_below
from anyzero.errors import BadOptionError
from anyzero.games.contract import OVER
from anyzero.games.game import Game, State, Symmetry
from anyzero.games.grid import format_grid, lines_of, parse_choice, parse_grid, split_fields
from anyzero.views import Scene
from anyzero.views.boards import LETTERS, cell_name, dots, round_cells, square_frame, square_labels, stone

STATE = [("stones", np.uint64, 2), ("mover", np.int64)]
MARKS = "xo"
SEAT_NAMES = ("blue (x)", "orange (o)")


class ConnectFour(NamedTuple):
    rows: int
    columns: int
    bottom: np.uint64
    """The lowest cell of each column."""
    board: np.uint64
    """Every cell."""


def make(rows: int = 6, columns: int = 7) -> Game:
    """Connect Four on any board that fits 64 bits with a spare row."""
    if not (rows >= 4 and columns >= 4 and (rows + 1) * columns <= 64):
        raise BadOptionError(
            f"connect_four: needs 4 rows and 4 columns or more, and (rows + 1) * columns <= 64, not {rows}x{columns}"
        )
    bottom = sum(1 << (column * (rows + 1)) for column in range(columns))
    return Game(
        name="connect_four",
        rules=ConnectFour(rows, columns, U(bottom), U(bottom * (2**rows - 1))),
        state=STATE,
        functions=(
            *(initial_state, seat_to_move, legal_actions, play, payoffs, encode, rollout),
            *(symmetries, format_action, format_state, parse_state, scene),
        ),
        num_actions=columns,
        max_plies=rows * columns,
        planes_shape=(2, rows, columns),
    )


# --- rules


def initial_state(rules: ConnectFour, state: State) -> None:
    """The empty board, first seat to move: all zero."""


def seat_to_move(rules: ConnectFour, state: State) -> int:
    if has_four(rules, state.stones[1 - state.mover]) or free_cells(rules, state.stones[0] | state.stones[1]) == U(0):
        return OVER
    return state.mover  # type: ignore[no-any-return]


def has_four(rules: ConnectFour, stones: Any) -> bool:
    """Two in a row, twice, two apart; in each of the four directions."""
    height = U(rules.rows)
    up = stones & (stones >> U(1))
    falling = stones & (stones >> height)
    across = stones & (stones >> (height + U(1)))
    rising = stones & (stones >> (height + U(2)))
    fours = up & (up >> U(2))
    fours |= falling & (falling >> (height + height))
    fours |= across & (across >> (height + height + U(2)))
    fours |= rising & (rising >> (height + height + U(4)))
    return fours != U(0)  # type: ignore[no-any-return]


def free_cells(rules: ConnectFour, taken: Any) -> Any:
    """Where a stone comes to lie: the lowest free cell of each column that is not full."""
    return (taken + rules.bottom) & rules.board


def legal_actions(rules: ConnectFour, state: State, actions: Any) -> int:
    cells, count = free_cells(rules, state.stones[0] | state.stones[1]), 0
    for column in range(rules.columns):
        if cells & column_cells(rules, column):
            actions[count] = column
            count += 1
    return count


def column_cells(rules: ConnectFour, column: int) -> Any:
    return ((U(1) << U(rules.rows)) - U(1)) << U(column * (rules.rows + 1))


def play(rules: ConnectFour, state: State, action: int) -> None:
    free = free_cells(rules, state.stones[0] | state.stones[1])
    state.stones[state.mover] |= free & column_cells(rules, action)
    state.mover = 1 - state.mover


def payoffs(rules: ConnectFour, state: State, out: Any) -> None:
    won = 1.0 if has_four(rules, state.stones[1 - state.mover]) else 0.0
    out[1 - state.mover] = won  # only the side that has just moved can have won
    out[state.mover] = -won


def encode(rules: ConnectFour, state: State, planes: Any) -> None:
    """Two planes: the mover's stones, the opponent's."""
    for plane in range(2):
        stones = state.stones[state.mover if plane == 0 else 1 - state.mover]
        while stones:
            cell = trailing_zeros(stones)
            stones &= stones - U(1)
            planes[plane, cell % (rules.rows + 1), cell // (rules.rows + 1)] = 1.0


def rollout(rules: ConnectFour, state: State, actions: Any, rng: Any) -> int:
    """Draws the same moves as the default would, without listing them."""
    mine, theirs, moves = state.stones[state.mover], state.stones[1 - state.mover], 0
    free = free_cells(rules, mine | theirs)
    while free and not has_four(rules, theirs):
        cell = nth_bit(free, random_below(rng, count_bits(free)))
        mine, theirs = theirs, mine | cell
        free = free_cells(rules, mine | theirs)
        moves += 1
    state.mover ^= moves & 1
    state.stones[state.mover], state.stones[1 - state.mover] = mine, theirs
    return moves


def symmetries(rules: ConnectFour) -> Iterable[Symmetry]:
    """The mirror of left and right."""
    planes = np.arange(2 * rules.rows * rules.columns).reshape(2, rules.rows, rules.columns)
    return [Symmetry(planes[:, :, ::-1].ravel(), np.arange(rules.columns)[::-1])]


# --- text and picture


def format_action(rules: ConnectFour, state: State, action: int) -> str:
    return LETTERS[action]


def marks_of(rules: ConnectFour, state: State) -> list[str]:
    """What stands on each cell, in the order row * columns + column."""
    first, second = (int(stones) for stones in state.stones)
    bits = [column * (rules.rows + 1) + row for row in range(rules.rows) for column in range(rules.columns)]
    return ["x" if first >> bit & 1 else "o" if second >> bit & 1 else "." for bit in bits]


def format_state(rules: ConnectFour, state: State) -> str:
    return f"{format_grid(marks_of(rules, state), rules.columns)} {MARKS[state.mover]}"


def parse_state(rules: ConnectFour, state: State, text: str) -> None:
    board, mover = split_fields(text, ("board", "side to move"))
    cells = parse_grid(board, rules.rows, rules.columns, MARKS)
    for cell, mark in enumerate(cells):
        row, column = divmod(cell, rules.columns)
        if mark != ".":
            if row > 0 and cells[cell - rules.columns] == ".":
                raise ValueError(f"the stone on {cell_name(row, column)} has nothing below it")
            state.stones[MARKS.index(mark)] |= U(1 << (column * (rules.rows + 1) + row))
    state.mover = parse_choice(mover, MARKS, "the side to move")
    if cells.count("x") - cells.count("o") != state.mover:
        raise ValueError("x begins and the sides take turns, so the stones do not add up")
    check_ended_once(rules, state)


def check_ended_once(rules: ConnectFour, state: State) -> None:
    """A four must have come with the last stone, which lies on top of its column."""
    if has_four(rules, state.stones[state.mover]):
        raise ValueError("the side to move has already won")
    last = state.stones[1 - state.mover]
    tops = last & (free_cells(rules, state.stones[0] | state.stones[1]) >> U(1))
    full = last & (rules.bottom << U(rules.rows - 1))
    lasts = [U(1 << bit) for bit in range(64) if int(tops | full) >> bit & 1]
    if has_four(rules, last) and all(has_four(rules, last ^ stone) for stone in lasts):
        raise ValueError("the game ended before the last stone")


def scene(rules: ConnectFour, state: State) -> Scene:
    names = [cell_name(row, column) for row in range(rules.rows) for column in range(rules.columns)]
    cells, letters = round_cells(rules.rows, rules.columns), marks_of(rules, state)
    winning = sorted({names[cell] for line in lines_of(letters, rules.columns, 4) for cell in line})
    return Scene(
        cells=cells,
        pieces=tuple(
            stone(name, MARKS.index(mark), text=mark.upper(), name=f"{SEAT_NAMES[MARKS.index(mark)]} stone")
            for name, mark in zip(names, letters, strict=True)
            if mark != "."
        ),
        under=(square_frame(rules.rows, rules.columns, "board-dark"),),
        over=(*square_labels(rules.rows, rules.columns), *dots(cells, winning)),
        caption=caption(rules, state),
        clicks=clicks(rules, state),
        title="Connect Four",
    )


def clicks(rules: ConnectFour, state: State) -> dict[int, tuple[str, ...]]:
    """The cell where the stone would come to lie."""
    if seat_to_move(rules, state) == OVER:
        return {}
    free = int(free_cells(rules, state.stones[0] | state.stones[1]))
    cells = [divmod(bit, rules.rows + 1) for bit in range(64) if free >> bit & 1]
    return {column: (cell_name(row, column),) for column, row in cells}


def caption(rules: ConnectFour, state: State) -> str:
    if has_four(rules, state.stones[1 - state.mover]):
        return f"{SEAT_NAMES[1 - state.mover]} has won"
    return "a draw" if seat_to_move(rules, state) == OVER else f"{SEAT_NAMES[state.mover]} to move"
