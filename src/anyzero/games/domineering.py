"""Domineering: the first seat places vertical dominoes, the second horizontal ones; a seat that
cannot move has lost.

The second seat sees the board transposed, so that both place vertical dominoes in their own view.
The view is a square of the board's longer side, with the board in its corner; an action is the
lower cell of the domino in that view, number `row * side + column`.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from anyzero.core.base.cells import LETTERS
from anyzero.core.base.errors import BadOptionError
from anyzero.core.base.nouns import Actions, Drawing, Numbers, Planes, Stream, Word
from anyzero.core.compile.bits import count_bits, nth_bit, trailing_zeros
from anyzero.core.compile.random import U, random_below
from anyzero.core.game.contract import OVER, GameBoard
from anyzero.core.game.facts import GRAVE_LEVELS, Facts
from anyzero.core.game.game import Game, State, Symmetry
from anyzero.games import grid
from anyzero.games.grid import caption_number, initial_state

STATE = [("covered", np.uint64, 2), ("mover", np.int64)]
MARKS = "vh"
SEAT_NAMES = ("vertical", "horizontal")
EXAMPLE = (
    "b5b6 g8h8 e7e8 e5f5 c7c8 e3f3 a7a8 g4h4 g2g3 g6h6 b1b2 c5d5 c3c4 a3b3 d1d2 e1f1 f6f7 "
    "d4e4 h1h2 g5h5 d6d7 a4b4 "
    "c1c2 e2f2 b7b8 g7h7 a1a2"
)


class Domineering(NamedTuple):
    rows: int
    columns: int
    board: np.uint64  # every cell
    not_right: np.uint64  # every cell except those of the last column
    cells: np.ndarray  # [seat, place in the view]: the cell on the board, or -1 beyond it
    views: np.ndarray  # [seat, cell]: its place in the view


def make(rows: int = 8, columns: int = 8) -> Game:
    """The players take turns covering two empty cells with a domino: the first places them
    vertically, the second flat.

    Whoever cannot place a domino loses, so there are no draws. A move is the two cells: b5b6.
    """
    if not (rows >= 2 and 2 <= columns <= len(LETTERS) and rows * columns <= 64):
        needs = "2 rows or more, 2 to 26 columns and at most 64 cells"
        raise BadOptionError(f"domineering: needs {needs}, not {rows}x{columns}")
    side = max(rows, columns)
    return Game(
        name="domineering",
        rules=make_rules(rows, columns),
        state=STATE,
        functions=(
            *(initial_state, seat_to_move, legal_actions, play, payoffs, encode, rollout),
            *(symmetries, format_state, parse_state, moves, board, draw, move_number),
        ),
        num_actions=(side - 1) * side,
        max_legal=max((rows - 1) * columns, rows * (columns - 1)),
        max_plies=rows * columns // 2,
        planes_shape=(3, side, side),
        seat_names=SEAT_NAMES,
        example=EXAMPLE,
        facts=FACTS,
    )


def make_rules(rows: int, columns: int) -> Domineering:
    side = max(rows, columns)
    board = np.arange(rows * columns).reshape(rows, columns)
    cells = np.full((2, side, side), -1, np.int32)
    cells[0, :rows, :columns] = board
    cells[1, :columns, :rows] = board.T
    views = np.argsort(cells.reshape(2, -1), axis=1)[:, side * side - rows * columns :].astype(
        np.int32
    )
    every = (1 << rows * columns) - 1
    last = sum(1 << int(cell) for cell in board[:, -1])
    return Domineering(
        rows, columns, U(every), U(every ^ last), cells.reshape(2, -1), np.ascontiguousarray(views)
    )


# --- rules


def seat_to_move(rules: Domineering, state: State) -> int:
    if places_of(rules, state.mover, empty_cells(rules, state)) == U(0):
        return OVER
    return state.mover  # type: ignore[no-any-return]


def empty_cells(rules: Domineering, state: State) -> Word:
    return rules.board & ~(state.covered[0] | state.covered[1])


def places_of(rules: Domineering, seat: int, empty: Word) -> Word:
    """The lower or left cells of the dominoes that this seat could place."""
    if seat == 0:
        return empty & (empty >> U(rules.columns))
    return empty & (empty >> U(1)) & rules.not_right


def legal_actions(rules: Domineering, state: State, actions: Actions) -> int:
    seat = state.mover
    count = 0
    places = places_of(rules, seat, empty_cells(rules, state))
    while places:
        actions[count] = rules.views[seat, trailing_zeros(places)]
        places &= places - U(1)
        count += 1
    return count


def play(rules: Domineering, state: State, action: int) -> None:
    seat = state.mover
    place = U(1) << U(rules.cells[seat, action])
    state.covered[seat] |= place | (place << U(rules.columns if seat == 0 else 1))
    state.mover = 1 - seat


def payoffs(rules: Domineering, state: State, out: Numbers) -> None:
    out[state.mover] = -1.0
    out[1 - state.mover] = 1.0


def encode(rules: Domineering, state: State, planes: Planes) -> None:
    """Three planes: the empty cells, those the mover could still cover, those the opponent
    could.
    """
    empty = empty_cells(rules, state)
    upright = places_of(rules, 0, empty)
    flat = places_of(rules, 1, empty)
    upright |= upright << U(rules.columns)
    flat |= flat << U(1)
    for plane in range(3):
        cells = empty if plane == 0 else (upright if plane - 1 == state.mover else flat)
        while cells:
            place = rules.views[state.mover, trailing_zeros(cells)]
            cells &= cells - U(1)
            planes[plane, place // planes.shape[2], place % planes.shape[2]] = 1.0


def rollout(rules: Domineering, state: State, actions: Actions, rng: Stream) -> int:
    """Samples the same moves as the default, without listing them."""
    upright = state.covered[0]
    flat = state.covered[1]
    seat = state.mover
    moves = 0
    empty = empty_cells(rules, state)
    while True:
        if seat == 0:
            places = empty & (empty >> U(rules.columns))
            if places == U(0):
                break
            place = nth_bit(places, random_below(rng, count_bits(places)))
            domino = place | (place << U(rules.columns))
            upright |= domino
        else:
            places = empty & (empty >> U(1)) & rules.not_right
            if places == U(0):
                break
            place = nth_bit(places, random_below(rng, count_bits(places)))
            domino = place | (place << U(1))
            flat |= domino
        empty ^= domino
        seat = 1 - seat
        moves += 1
    state.covered[0] = upright
    state.covered[1] = flat
    state.mover = seat
    return moves


def symmetries(rules: Domineering) -> Iterable[Symmetry]:
    """The half turn of a square board; a reflection is left-right for one seat and up-down for the
    other.
    """
    side = rules.rows
    if side != rules.columns:
        return []
    return [grid.symmetry(np.arange(side * side)[::-1], 3, np.arange(side * (side - 1))[::-1])]


# --- text and picture


def format_state(rules: Domineering, state: State) -> str:
    marks = grid.letters_of(state.covered, MARKS, range(rules.rows * rules.columns))
    return grid.format_position(marks, rules.columns, MARKS[state.mover])


def parse_state(rules: Domineering, state: State, text: str) -> None:
    cells, state.mover = grid.parse_position(text, rules.rows, rules.columns, MARKS)
    state.covered[:] = [grid.set_of(cells, mark, range(len(cells))) for mark in MARKS]
    placed = [mark for seat, mark in enumerate(MARKS) for _ in dominoes_of(rules, state, seat)]
    grid.check_turn(placed, MARKS, state.mover)


def dominoes_of(rules: Domineering, state: State, seat: int) -> Iterator[Word]:
    """The seat's dominoes, each a word of two cells; ValueError if one is incomplete."""
    covered = state.covered[seat]
    while covered:
        domino = first_domino(rules, seat, covered)
        if not domino:
            raise ValueError(
                f"the cells marked {MARKS[seat]} are not covered by whole "
                f"{SEAT_NAMES[seat]} dominoes"
            )
        yield domino
        covered ^= domino


def first_domino(rules: Domineering, seat: int, covered: Word) -> Word:
    """The domino that covers the lowest of these cells: a contiguous run can be paired in only one
    way.
    """
    place = covered & ~(covered - U(1)) & places_of(rules, seat, covered)
    return place | (place << U(rules.columns if seat == 0 else 1))


def moves(rules: Domineering) -> Sequence[str]:
    """The two cells of a domino, for the first seat and then for the second."""
    names = dict(enumerate(grid.cell_names(rules.rows, rules.columns)))
    return [
        names.get(cell, "") + names.get(cell + (rules.columns, 1)[seat], "")
        for seat in range(2)
        for cell in rules.cells[seat].tolist()
    ]


def board(rules: Domineering) -> GameBoard:
    """A whole domino is drawn on its first cell; the second cell only has its letter."""
    from anyzero.views import Kind, Polygon
    from anyzero.views.boards import rounded, segment, square_board

    upright = (
        rounded(0, -0.5, 0.8, 1.8, radius=0.14),
        segment((-0.22, -0.5), (0.22, -0.5), "seat0-edge"),
    )
    flat = rounded(0.5, 0, 1.8, 0.8, radius=0.14), segment((0.5, -0.22), (0.5, 0.22), "seat1-edge")
    kinds = []
    for seat, (outline, groove) in enumerate((upright, flat)):
        text = MARKS[seat].upper()
        name = f"{SEAT_NAMES[seat]} domino"
        whole = Polygon(outline, f"seat{seat}", f"seat{seat}-edge"), groove
        kinds += [Kind(text, name, whole, seat), Kind(text, name, (), seat)]
    captions = grid.captions(SEAT_NAMES)
    return square_board(rules.rows, rules.columns, kinds, captions=captions, title="Domineering")


def draw(rules: Domineering, state: State, shown: Drawing) -> None:
    for seat in range(2):
        covered = state.covered[seat]
        while covered:
            domino = first_domino(rules, seat, covered)
            covered ^= domino
            shown.pieces[trailing_zeros(domino)] = 2 * seat + 1
            shown.pieces[trailing_zeros(domino & (domino - U(1)))] = 2 * seat + 2
    shown.caption = caption_number(state.mover, seat_to_move(rules, state) == OVER, True)


def move_number(rules: Domineering, state: State, action: int) -> int:
    return state.mover * rules.cells.shape[1] + action  # type: ignore[no-any-return]


# --- facts for levels, ladders, training, files and the page


FACTS = Facts(levels=GRAVE_LEVELS, max_simulations=1200, best_method="grave")
