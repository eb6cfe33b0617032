"""Hex's board as words, and its moves.

A row of stones is a word, column 0 its lowest bit. Cell (row, column) touches (row - 1, column),
(row - 1, column + 1), (row, column - 1), (row, column + 1), (row + 1, column - 1) and (row + 1,
column). Besides the stones a state stores the *linked* ones: those connected to their seat's first
edge, top or left. They follow from the stones alone, and the game is won once one of them is on the
opposite edge.
"""

from typing import NamedTuple

import numpy as np

from anyzero.core.base.nouns import Actions, Integer, Word
from anyzero.core.compile.bits import leading_bit, trailing_zeros
from anyzero.core.compile.random import U
from anyzero.core.game.game import State
from anyzero.games.grid import NOBODY


class Hex(NamedTuple):
    size: int
    swap: bool  # whether the second seat may answer the first stone by taking it over
    full: np.uint64  # a row with every cell set


def board_size(state: State) -> int:
    """The size from the state's type: a constant to the compiler, which makes play up to 1.8 times
    as fast.
    """
    return state.stones.shape[1]  # type: ignore[no-any-return]


def initial_state(rules: Hex, state: State) -> None:
    state.winner = NOBODY
    state.swap_ahead = 1 if rules.swap else 0


def can_swap(state: State) -> bool:
    return state.swap_ahead == 1 and state.mover == 1  # type: ignore[no-any-return]


def legal_actions(rules: Hex, state: State, actions: Actions) -> int:
    size = board_size(state)
    down, across = (size, 1) if state.mover == 0 else (1, size)
    count = 0
    for row in range(size):
        empty: Integer = np.int64(empty_cells(rules, state, row))
        for column in range(size):
            actions[count] = (
                row * down + column * across
            )  # overwritten by the next one unless the cell is empty
            count += empty >> column & 1
    if can_swap(state):
        actions[count] = size * size
        count += 1
    return count


def empty_cells(rules: Hex, state: State, row: int) -> Word:
    return rules.full & ~U(state.stones[0, row] | state.stones[1, row])


def play(rules: Hex, state: State, action: int) -> None:
    seat = np.int64(state.mover)
    if action == board_size(state) * board_size(state):
        take_over(rules, state)
    else:
        high = action // board_size(state)
        wide = action % board_size(state)
        row, column = (high, wide) if seat == 0 else (wide, high)
        place(rules, state, seat, row, column)  # type: ignore[arg-type]
    if seat == 1:
        state.swap_ahead = 0
    state.mover = 1 - seat


def take_over(rules: Hex, state: State) -> None:
    """The swap: the only stone changes its owner and is mirrored, so that it is worth as much to
    the new one.
    """
    for row in range(board_size(state)):
        stone = U(state.stones[0, row])
        if stone:
            state.stones[0, row] = 0
            state.linked[0, row] = 0
            place(rules, state, 1, trailing_zeros(stone), row)
            return


def place(rules: Hex, state: State, seat: int, row: int, column: int) -> None:
    """Place a stone and link what it connects."""
    stone = U(1) << U(column)
    state.stones[seat, row] |= stone
    if touching(rules, state, seat, row) & stone and link(rules, state, seat, U(1) << U(row)):
        state.winner = seat


def touching(rules: Hex, state: State, seat: int, row: int) -> Word:
    """The cells of a row on the seat's first edge, or next to a linked stone."""
    here = U(state.linked[seat, row])
    cells = (here << U(1)) | (here >> U(1)) | U(seat)  # column 0 is the second seat's first edge
    if row > 0:
        above = U(state.linked[seat, row - 1])
        cells |= above | (above >> U(1))
    elif seat == 0:
        cells = rules.full
    if row < board_size(state) - 1:
        below = U(state.linked[seat, row + 1])
        cells |= below | (below << U(1))
    return cells


def link(rules: Hex, state: State, seat: int, rows: Word) -> bool:
    """Link every stone that can be, starting in these rows (a bit set); True if that reached the
    far edge.
    """
    size = board_size(state)
    done = False
    while rows:
        row = leading_bit(rows)
        rows ^= U(1) << U(row)
        stones = U(state.stones[seat, row])
        linked = U(state.linked[seat, row])
        seeds = touching(rules, state, seat, row) & stones & ~linked
        if seeds:
            linked |= fill_runs(seeds, stones)
            state.linked[seat, row] = linked
            rows |= (
                (U(5) << U(row)) >> U(1)
            ) & rules.full  # examine the rows above and below again
            done |= row == size - 1 if seat == 0 else linked >> U(size - 1) != U(0)
    return done


def fill_runs(seeds: Word, stones: Word) -> Word:
    """The runs of adjacent stones that contain a seed, in a row of up to 32 cells."""
    right = (
        (stones + seeds) ^ stones | seeds
    ) & stones  # a carry runs from a seed to the end of its run
    # Written out: the compiler keeps a loop of five as a loop, and random games take a fifth
    # longer.
    seeds |= stones & (seeds >> U(1))
    stones &= stones >> U(1)
    seeds |= stones & (seeds >> U(2))
    stones &= stones >> U(2)
    seeds |= stones & (seeds >> U(4))
    stones &= stones >> U(4)
    seeds |= stones & (seeds >> U(8))
    stones &= stones >> U(8)
    return right | seeds | stones & (seeds >> U(16))
