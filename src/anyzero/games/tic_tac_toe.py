"""Tic-tac-toe: three in a row on nine cells. Cell a1 is at the bottom left; action `row * 3 +
column`.

A row takes four bits of a word, the last of them never set, so that no line of three wraps around
the edge.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from anyzero.core.base.nouns import Actions, Drawing, Numbers, Planes, Stream, Word
from anyzero.core.compile.bits import count_bits, nth_bit, trailing_zeros
from anyzero.core.compile.random import U, random_below
from anyzero.core.game.contract import OVER, GameBoard
from anyzero.core.game.facts import Facts
from anyzero.core.game.game import Game, State, Symmetry
from anyzero.games import grid
from anyzero.games.grid import caption_number, initial_state, write_cells

STATE = [("marks", np.uint64, 2), ("mover", np.int64)]
MARKS = "xo"
BITS = [0, 1, 2, 4, 5, 6, 8, 9, 10]  # of each cell
STEPS = (1, 4, 5, 3)  # distance between bits horizontally, vertically, and on both diagonals


class TicTacToe(NamedTuple):
    board: np.uint64 = U(0b0111_0111_0111)  # every cell


def make() -> Game:
    """The players x and o take turns marking empty cells, and x begins. Three marks in a row,
    column or diagonal win.

    A full board without such a line is a draw. A move is the cell to mark: b2 is the centre.
    """
    return Game(
        name="tic_tac_toe",
        rules=TicTacToe(),
        state=STATE,
        functions=(
            *(initial_state, seat_to_move, legal_actions, play, payoffs, encode, rollout),
            *(symmetries, format_state, parse_state, moves, board, draw),
        ),
        num_actions=9,
        max_plies=9,
        planes_shape=(2, 3, 3),
        seat_names=tuple(MARKS),
        example="b2 b1 a1 c1 c3",
        facts=FACTS,
    )


# --- rules


def seat_to_move(rules: TicTacToe, state: State) -> int:
    if has_three(state.marks[1 - state.mover]) or (state.marks[0] | state.marks[1]) == rules.board:
        return OVER
    return state.mover  # type: ignore[no-any-return]


def has_three(marks: Word) -> bool:
    across = middles(marks, U(1))
    up = middles(marks, U(4))
    return across | up | middles(marks, U(5)) | middles(marks, U(3)) != U(0)  # type: ignore[no-any-return]


def middles(marks: Word, far: Word) -> Word:
    """The middle of each line whose marks are `far` bits apart."""
    return marks & (marks << far) & (marks >> far)


def legal_actions(rules: TicTacToe, state: State, actions: Actions) -> int:
    cells = rules.board & ~(state.marks[0] | state.marks[1])
    count = 0
    while cells:
        bit = trailing_zeros(cells)
        cells &= cells - U(1)
        actions[count] = bit - bit // 4
        count += 1
    return count


def play(rules: TicTacToe, state: State, action: int) -> None:
    state.marks[state.mover] |= U(1) << U(action + action // 3)
    state.mover = 1 - state.mover


def payoffs(rules: TicTacToe, state: State, out: Numbers) -> None:
    won = 1.0 if has_three(state.marks[1 - state.mover]) else 0.0
    out[1 - state.mover] = won  # only the side that has just moved can have won
    out[state.mover] = -won


def encode(rules: TicTacToe, state: State, planes: Planes) -> None:
    """Two planes: the mover's marks, the opponent's."""
    write_cells(planes[0], state.marks[state.mover], 4)
    write_cells(planes[1], state.marks[1 - state.mover], 4)


def rollout(rules: TicTacToe, state: State, actions: Actions, rng: Stream) -> int:
    """Samples the same moves as the default, without listing them."""
    marks = state.marks[state.mover]
    enemy_marks = state.marks[1 - state.mover]
    moves = 0
    free = rules.board & ~(marks | enemy_marks)
    while free and not has_three(enemy_marks):
        cell = nth_bit(free, random_below(rng, count_bits(free)))
        marks, enemy_marks = enemy_marks, marks | cell
        free ^= cell
        moves += 1
    state.mover ^= moves & 1
    state.marks[state.mover] = marks
    state.marks[1 - state.mover] = enemy_marks
    return moves


def symmetries(rules: TicTacToe) -> Iterable[Symmetry]:
    return grid.square_symmetries(3, 2)


# --- text and picture


def format_state(rules: TicTacToe, state: State) -> str:
    return grid.format_position(grid.letters_of(state.marks, MARKS, BITS), 3, MARKS[state.mover])


def parse_state(rules: TicTacToe, state: State, text: str) -> None:
    cells, state.mover = grid.parse_position(text, 3, 3, MARKS)
    grid.check_turn(cells, MARKS, state.mover)
    state.marks[:] = [grid.set_of(cells, mark, BITS) for mark in MARKS]
    if has_three(state.marks[state.mover]):
        raise ValueError("the side to move has already won")


def moves(rules: TicTacToe) -> Sequence[str]:
    """The cells."""
    return grid.cell_names(3, 3)


def board(rules: TicTacToe) -> GameBoard:
    """Each mark is the stroke through a line, drawn over its middle."""
    from anyzero.views import Circle, Kind, Path
    from anyzero.views.boards import segment, square_board

    cross = Path("M-.28-.28L.28.28M-.28.28L.28-.28", line="seat0", width=0.12)
    ring = Circle(0, 0, 0.3, line="seat1", width=0.12)
    kinds = Kind("X", "x", (cross,), 0), Kind("O", "o", (ring,), 1)
    strokes = tuple(
        (segment((-x, -y), (x, y), "accent", 0.08),) for x, y in ((1, 0), (0, 1), (1, -1), (1, 1))
    )
    return square_board(
        3, 3, kinds, marks=strokes, captions=grid.captions(MARKS), title="Tic-tac-toe"
    )


def draw(rules: TicTacToe, state: State, shown: Drawing) -> None:
    won = state.marks[1 - state.mover]
    for cell in range(9):
        bit = U(1) << U(cell + cell // 3)
        shown.pieces[cell] = 1 if state.marks[0] & bit else (2 if state.marks[1] & bit else 0)
        for way in range(4):
            if middles(won, U(STEPS[way])) & bit:
                shown.marks[cell] |= 1 << way
    shown.caption = caption_number(state.mover, seat_to_move(rules, state) == OVER, has_three(won))


# --- facts for levels, ladders, training, files and the page


FACTS = Facts(levels=("flat:3", "flat:20", "uct:30", "uct:200", "uct:2000"), max_simulations=500)
