"""Trio: three seats take turns placing stones on a 5x5 board; the first three in a row, in any
direction, win.

The winner gets 1, the others lose a half each: a three-seat game in which you must not forget the
third.
"""

from typing import NamedTuple

import numpy as np

from anyzero import OVER, Game
from anyzero.games.grid import captions
from anyzero.views.boards import square_board, stones

SIZE, SEATS = 5, 3
CELLS = SIZE * SIZE
NAMES = ("blue", "orange", "black")


class Rules(NamedTuple):
    lines: np.ndarray  # the three cells of each line
    lines_of: np.ndarray  # the numbers of the lines through each cell, -1 beyond them


def make():
    lines = [
        [(row + step * down) * SIZE + column + step * right for step in range(3)]
        for row in range(SIZE)
        for column in range(SIZE)
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
        if row + 2 * down < SIZE and 0 <= column + 2 * right < SIZE
    ]
    through = [
        [number for number, line in enumerate(lines) if cell in line] for cell in range(CELLS)
    ]
    most = max(map(len, through))
    rules = Rules(
        np.array(lines), np.array([numbers + [-1] * (most - len(numbers)) for numbers in through])
    )
    state = [
        ("cells", np.int8, CELLS),
        ("mover", np.int8),
        ("plies", np.int8),
        ("has_won", np.int8),
    ]
    functions = (initial_state, seat_to_move, legal_actions, play, payoffs, encode, board, draw)
    sizes = {
        "num_actions": CELLS,
        "max_plies": CELLS,
        "planes_shape": (SEATS, SIZE, SIZE),
        "num_seats": SEATS,
    }
    return Game("trio", rules, state, functions, seat_names=NAMES, **sizes)


def initial_state(rules, state):
    state.mover = 0


def seat_to_move(rules, state):
    return OVER if state.has_won or state.plies == CELLS else state.mover


def legal_actions(rules, state, actions):
    count = 0
    for cell in range(CELLS):
        if state.cells[cell] == 0:
            actions[count] = cell
            count += 1
    return count


def play(rules, state, action):
    stone = state.mover + 1
    state.cells[action] = stone
    state.plies += 1
    for number in rules.lines_of[action]:
        line = rules.lines[number]
        if (
            number >= 0
            and state.cells[line[0]] == state.cells[line[1]] == state.cells[line[2]] == stone
        ):
            state.has_won = 1
            return  # the mover stays who has won
    state.mover = (state.mover + 1) % SEATS


def payoffs(rules, state, out):
    for seat in range(SEATS):
        out[seat] = 0.0 if not state.has_won else 1.0 if seat == state.mover else -0.5


def encode(rules, state, planes):
    for cell in range(CELLS):
        if state.cells[cell] != 0:
            after = (
                state.cells[cell] - 1 - state.mover
            ) % SEATS  # 0: the seat to move, 1: the next one
            planes[after, cell // SIZE, cell % SIZE] = 1.0


def board(rules):
    return square_board(SIZE, SIZE, stones("XOZ", NAMES), captions=captions(NAMES), title="Trio")


def draw(rules, state, shown):
    for cell in range(CELLS):
        shown.pieces[cell] = state.cells[cell]
    shown.caption = (
        SEATS + state.mover if state.has_won else 2 * SEATS if state.plies == CELLS else state.mover
    )
