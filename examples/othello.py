"""Othello: place a disc that encloses enemy discs in a line, and flip those; the most discs at the
end win.

A seat that cannot enclose anything passes; when neither can, the game is over. Black begins. The
board may have any even size: othello.py:size=6 is quick to learn.
"""

from typing import NamedTuple

import numpy as np

from anyzero import OVER, Game, Symmetry
from anyzero.games.grid import cell_names
from anyzero.views.boards import go_stone, square_board, stones

NAMES = ("black", "white")


class Rules(NamedTuple):
    size: int
    steps: np.ndarray  # the eight directions, as (down, right)


def make(size: int = 8):
    if size not in (4, 6, 8, 10):
        raise ValueError("a board of Othello has 4, 6, 8 or 10 rows")
    steps = [
        (down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if (down, right) != (0, 0)
    ]
    cells = size * size
    state = [
        ("cells", np.int8, cells),
        ("mover", np.int8),
        ("passes", np.int8),
    ]  # a cell: 0 empty, 1 black, 2 white
    functions = (
        initial_state,
        seat_to_move,
        legal_actions,
        play,
        payoffs,
        score,
        encode,
        symmetries,
        board,
        draw,
    )
    sizes = {"num_actions": cells + 1, "max_plies": 2 * cells, "planes_shape": (2, size, size)}
    return Game(
        "othello", Rules(size, np.array(steps)), state, functions, seat_names=NAMES, **sizes
    )


def initial_state(rules, state):
    half = rules.size // 2
    state.cells[(half - 1) * rules.size + half] = state.cells[half * rules.size + half - 1] = 1
    state.cells[(half - 1) * rules.size + half - 1] = state.cells[half * rules.size + half] = 2


def seat_to_move(rules, state):
    return OVER if state.passes == 2 else state.mover


def enclosed(rules, state, cell, step):
    """How many enemy discs a disc here encloses in this direction."""
    down, right = rules.steps[step, 0], rules.steps[step, 1]
    row, column = cell // rules.size + down, cell % rules.size + right
    count = 0
    while 0 <= row < rules.size and 0 <= column < rules.size:
        disc = state.cells[row * rules.size + column]
        if disc == 0:
            return 0
        if disc == state.mover + 1:
            return count
        count, row, column = count + 1, row + down, column + right
    return 0


def legal_actions(rules, state, actions):
    count = 0
    for cell in range(rules.size * rules.size):
        if state.cells[cell] == 0:
            for step in range(8):
                if enclosed(rules, state, cell, step) > 0:
                    actions[count] = cell
                    count += 1
                    break
    if count == 0:
        actions[0] = rules.size * rules.size  # a pass
        return 1
    return count


def play(rules, state, action):
    if action == rules.size * rules.size:
        state.passes += 1
    else:
        state.passes = 0
        for step in range(8):
            far = rules.steps[step, 0] * rules.size + rules.steps[step, 1]
            for turned in range(1, enclosed(rules, state, action, step) + 1):
                state.cells[action + turned * far] = state.mover + 1
        state.cells[action] = state.mover + 1
    state.mover = 1 - state.mover


def score(rules, state, seat):
    count = 0
    for cell in range(rules.size * rules.size):
        count += state.cells[cell] == seat + 1
    return float(count)


def payoffs(rules, state, out):
    ahead = score(rules, state, 0) - score(rules, state, 1)
    out[0] = 1.0 if ahead > 0 else -1.0 if ahead < 0 else 0.0
    out[1] = -out[0]


def encode(rules, state, planes):
    for cell in range(rules.size * rules.size):
        if state.cells[cell] != 0:
            plane = 0 if state.cells[cell] == state.mover + 1 else 1
            planes[plane, cell // rules.size, cell % rules.size] = 1.0


def symmetries(rules):
    """Half a turn and the two diagonal mirrors, under which the first four discs stay; a pass stays
    a pass.
    """
    cells = np.arange(rules.size * rules.size).reshape(rules.size, rules.size)
    turns = [
        grid.ravel() for grid in (cells[::-1, ::-1], cells.T, cells[::-1, ::-1].T)
    ]  # each undoes itself
    return [
        Symmetry(np.concatenate([turn, turn + cells.size]), np.append(turn, cells.size))
        for turn in turns
    ]


def board(rules):
    discs = stones("XO", NAMES, go_stone)
    texts = ("black to move, {0} : {1}", "white to move, {0} : {1}", "the game is over, {0} : {1}")
    moves = (*cell_names(rules.size, rules.size), "pass")
    return square_board(rules.size, rules.size, discs, moves=moves, captions=texts, title="Othello")


def draw(rules, state, shown):
    for cell in range(rules.size * rules.size):
        shown.pieces[cell] = state.cells[cell]
    for seat in range(2):
        shown.numbers[seat] = int(score(rules, state, seat))
    shown.caption = 2 if state.passes == 2 else state.mover
