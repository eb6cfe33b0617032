"""Connect Four: drop a stone into a column, and win with four in a row, horizontally, vertically or
diagonally.

A column takes `rows + 1` bits of a word, row 1 lowest. Its top bit is never set, so that no line of
four runs from one column into the next, and adding 1 to a column's stones sets the bit of its
lowest free cell.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from anyzero.core.base.cells import LETTERS, cell_name
from anyzero.core.base.errors import BadOptionError
from anyzero.core.base.nouns import Actions, Drawing, Numbers, Planes, Stream, Word
from anyzero.core.compile.bits import count_bits, nth_bit
from anyzero.core.compile.random import U, random_below
from anyzero.core.game.contract import OVER, GameBoard
from anyzero.core.game.facts import Facts, Recipe
from anyzero.core.game.game import Game, State, Symmetry
from anyzero.games import grid
from anyzero.games.grid import caption_number, initial_state, write_cells

STATE = [("stones", np.uint64, 2), ("mover", np.int64)]
MARKS = "xo"
SEAT_NAMES = ("blue (x)", "orange (o)")


class ConnectFour(NamedTuple):
    rows: int
    columns: int
    bottom: np.uint64  # the lowest cell of each column
    board: np.uint64  # every cell


def make(rows: int = 6, columns: int = 7) -> Game:
    """The players take turns dropping stones into the columns; a stone falls to the lowest free
    cell of its column.

    Four stones of your colour in a row, horizontally, vertically or diagonally, win. A full board
    without four is a draw. A move is the letter of its column: d is the middle one.
    """
    if not (rows >= 4 and columns >= 4 and (rows + 1) * columns <= 64):
        needs = "4 rows and 4 columns or more, and (rows + 1) * columns <= 64"
        raise BadOptionError(f"connect_four: needs {needs}, not {rows}x{columns}")
    bottom = sum(1 << (column * (rows + 1)) for column in range(columns))
    return Game(
        name="connect_four",
        rules=ConnectFour(rows, columns, U(bottom), U(bottom * (2**rows - 1))),
        state=STATE,
        functions=(
            *(initial_state, seat_to_move, legal_actions, play, payoffs, encode, rollout),
            *(symmetries, format_state, parse_state, moves, board, draw),
        ),
        num_actions=columns,
        max_plies=rows * columns,
        planes_shape=(2, rows, columns),
        seat_names=SEAT_NAMES,
        example="d e d e e d d e b g b a a b a g d f g e b d f e b g b g g a a f c c f",
        facts=FACTS,
    )


# --- rules


def seat_to_move(rules: ConnectFour, state: State) -> int:
    if has_four(rules, state.stones[1 - state.mover]) or free_cells(
        rules, state.stones[0] | state.stones[1]
    ) == U(0):
        return OVER
    return state.mover  # type: ignore[no-any-return]


def has_four(rules: ConnectFour, stones: Word) -> bool:
    far = U(rules.rows)
    fours = (
        first_of_four(stones, U(1)) | first_of_four(stones, far) | first_of_four(stones, far + U(1))
    )
    return fours | first_of_four(stones, far + U(2)) != U(0)  # type: ignore[no-any-return]


def first_of_four(stones: Word, far: Word) -> Word:
    """The first stone of each four whose stones are `far` bits apart: two in a row, twice, two
    apart.
    """
    twos = stones & (stones >> far)
    return twos & (twos >> (far + far))


def free_cells(rules: ConnectFour, taken: Word) -> Word:
    """Where a stone would land: the lowest free cell of each column that is not full."""
    return (taken + rules.bottom) & rules.board


def legal_actions(rules: ConnectFour, state: State, actions: Actions) -> int:
    cells = free_cells(rules, state.stones[0] | state.stones[1])
    count = 0
    for column in range(rules.columns):
        if cells & column_cells(rules, column):
            actions[count] = column
            count += 1
    return count


def column_cells(rules: ConnectFour, column: int) -> Word:
    return ((U(1) << U(rules.rows)) - U(1)) << U(column * (rules.rows + 1))


def play(rules: ConnectFour, state: State, action: int) -> None:
    free = free_cells(rules, state.stones[0] | state.stones[1])
    state.stones[state.mover] |= free & column_cells(rules, action)
    state.mover = 1 - state.mover


def payoffs(rules: ConnectFour, state: State, out: Numbers) -> None:
    won = 1.0 if has_four(rules, state.stones[1 - state.mover]) else 0.0
    out[1 - state.mover] = won  # only the side that has just moved can have won
    out[state.mover] = -won


def encode(rules: ConnectFour, state: State, planes: Planes) -> None:
    """Two planes: the mover's stones, the opponent's."""
    write_cells(
        planes[0].T, state.stones[state.mover], rules.rows + 1
    )  # the bits of a column are adjacent
    write_cells(planes[1].T, state.stones[1 - state.mover], rules.rows + 1)


def rollout(rules: ConnectFour, state: State, actions: Actions, rng: Stream) -> int:
    """Samples the same moves as the default, without listing them."""
    stones = state.stones[state.mover]
    enemy_stones = state.stones[1 - state.mover]
    moves = 0
    free = free_cells(rules, stones | enemy_stones)
    while free and not has_four(rules, enemy_stones):
        if count_bits(free) == rules.columns:  # one in each column
            cell = free & column_cells(rules, random_below(rng, rules.columns))
        else:
            cell = nth_bit(free, random_below(rng, count_bits(free)))
        stones, enemy_stones = enemy_stones, stones | cell
        free = free_cells(rules, stones | enemy_stones)
        moves += 1
    state.mover ^= moves & 1
    state.stones[state.mover] = stones
    state.stones[1 - state.mover] = enemy_stones
    return moves


def symmetries(rules: ConnectFour) -> Iterable[Symmetry]:
    """The reflection that exchanges left and right."""
    cells = np.arange(rules.rows * rules.columns).reshape(rules.rows, rules.columns)
    return [grid.symmetry(cells[:, ::-1].ravel(), 2, np.arange(rules.columns)[::-1])]


# --- text and picture


def bits_of(rules: ConnectFour) -> list[int]:
    return [
        column * (rules.rows + 1) + row
        for row in range(rules.rows)
        for column in range(rules.columns)
    ]


def format_state(rules: ConnectFour, state: State) -> str:
    marks = grid.letters_of(state.stones, MARKS, bits_of(rules))
    return grid.format_position(marks, rules.columns, MARKS[state.mover])


def parse_state(rules: ConnectFour, state: State, text: str) -> None:
    cells, state.mover = grid.parse_position(text, rules.rows, rules.columns, MARKS)
    for cell in range(rules.columns, len(cells)):
        if cells[cell] != grid.EMPTY and cells[cell - rules.columns] == grid.EMPTY:
            raise ValueError(
                f"the stone on {cell_name(*divmod(cell, rules.columns))} has nothing below it"
            )
    grid.check_turn(cells, MARKS, state.mover)
    state.stones[:] = [grid.set_of(cells, mark, bits_of(rules)) for mark in MARKS]
    if has_four(rules, state.stones[state.mover]):
        raise ValueError("the side to move has already won")
    last = state.stones[
        1 - state.mover
    ]  # a four must have come with the last stone, on top of its column
    tops = last & (free_cells(rules, state.stones[0] | state.stones[1]) >> U(1))
    full = last & (rules.bottom << U(rules.rows - 1))
    lasts = [U(1 << bit) for bit in range(64) if int(tops | full) >> bit & 1]
    if has_four(rules, last) and all(has_four(rules, last ^ stone) for stone in lasts):
        raise ValueError("the game ended before the last stone")


def moves(rules: ConnectFour) -> Sequence[str]:
    """The columns."""
    return tuple(LETTERS[: rules.columns])


def board(rules: ConnectFour) -> GameBoard:
    """A click on any cell of a column drops a stone there; stones in a four have a dot."""
    from anyzero.views import Board
    from anyzero.views.boards import DOT, round_cells, square_frame, square_labels, stones

    rows, columns = rules.rows, rules.columns
    return Board(
        cells=round_cells(rows, columns),
        kinds=stones("XO", SEAT_NAMES),
        marks=(DOT,),
        captions=grid.captions(SEAT_NAMES),
        clicks={column: (cell_name(0, column),) for column in range(columns)},
        under=(square_frame(rows, columns, "board-dark"),),
        over=square_labels(rows, columns),
        title="Connect Four",
    )


def draw(rules: ConnectFour, state: State, shown: Drawing) -> None:
    """A click on any cell of a column means the one where a stone would land."""
    free = free_cells(rules, state.stones[0] | state.stones[1])
    fours = fours_of(rules, state.stones[1 - state.mover])
    for cell in range(rules.rows * rules.columns):
        row, column = cell // rules.columns, cell % rules.columns
        bit = U(1) << U(column * (rules.rows + 1) + row)
        shown.pieces[cell] = 1 if state.stones[0] & bit else (2 if state.stones[1] & bit else 0)
        shown.marks[cell] = 1 if fours & bit else 0
        if free & bit:
            for other in range(column, rules.rows * rules.columns, rules.columns):
                shown.stands_for[other] = cell + 1
    won = fours != U(0)
    shown.caption = caption_number(state.mover, won or free == U(0), won)


def fours_of(rules: ConnectFour, stones: Word) -> Word:
    cells = U(0)
    for far in (U(1), U(rules.rows), U(rules.rows + 1), U(rules.rows + 2)):
        pairs = first_of_four(stones, far)
        pairs |= pairs << far
        cells |= pairs | (pairs << (far + far))
    return cells


# --- facts for levels, ladders, training, files and the page


FACTS = Facts(
    levels=("uct:10", "uct:50", "uct:300", "uct:3000", "uct:5s"),
    max_simulations=1200,
    problems=Path(__file__).parent / "problems" / "connect_four.txt",
    recipes={
        "connect-four": Recipe(
            "Gumbel search, up to ten random plies, no gate",
            changes={
                "selfplay": {"opening_plies": 10, "temperature_plies": 12},
                "replay.payoff_share": 0.7,
                "trainer": {"learning_rate": 0.002, "schedule": "cosine", "hold": 0.7},
                "gate.games": 0,
                "league": {"every": 20, "anchors": ["random", "uct:100", "uct:1000"]},
            },
            laptop={
                "network": "5x48",
                "selfplay": {
                    "search": "gumbel:24,value_scale=0.25,gumbel_scale=1",
                    "games": 512,
                    "at_once": 256,
                    "surprise": 0.5,
                },
                "replay.window": 150_000,
                "trainer": {"batches": 120, "horizon": 72, "optimizer": "muon"},
            },
        )
    },
)
