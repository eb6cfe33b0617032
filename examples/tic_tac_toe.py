"""Tic-tac-toe as a user writes it: a complete game in one file. The tutorial walks through it."""

from typing import NamedTuple

import numpy as np

from anyzero import OVER, Game
from anyzero.views.boards import square_board, stone

LINES = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]]


class Rules(NamedTuple):
    lines: np.ndarray  # the three cells of each line


def make():
    state = [
        ("cells", np.int8, 9),
        ("mover", np.int8),
        ("plies", np.int8),
    ]  # a cell: 0 empty, 1 x, 2 o
    functions = (initial_state, seat_to_move, legal_actions, play, payoffs, encode)
    texts = (format_state, parse_state, board, draw)
    sizes = {"num_actions": 9, "max_plies": 9, "planes_shape": (2, 3, 3)}
    return Game("my_tic_tac_toe", Rules(np.array(LINES)), state, functions + texts, **sizes)


def initial_state(rules, state):
    state.mover = 0


def seat_to_move(rules, state):
    return OVER if has_line(rules, state, 1 - state.mover) or state.plies == 9 else state.mover


def has_line(rules, state, seat):
    for line in range(8):
        first, second, third = rules.lines[line, 0], rules.lines[line, 1], rules.lines[line, 2]
        if state.cells[first] == state.cells[second] == state.cells[third] == seat + 1:
            return True
    return False


def legal_actions(rules, state, actions):
    count = 0
    for cell in range(9):
        if state.cells[cell] == 0:
            actions[count] = cell
            count += 1
    return count


def play(rules, state, action):
    state.cells[action] = state.mover + 1
    state.mover = 1 - state.mover
    state.plies += 1


def payoffs(rules, state, out):
    won = 1.0 if has_line(rules, state, 1 - state.mover) else 0.0
    out[1 - state.mover] = won  # only the side that has just moved can have won
    out[state.mover] = -won


def encode(rules, state, planes):
    for cell in range(9):
        if state.cells[cell] != 0:
            plane = 0 if state.cells[cell] == state.mover + 1 else 1
            planes[plane, cell // 3, cell % 3] = 1.0


def format_state(rules, state):
    return "".join(".xo"[mark] for mark in state.cells)


def parse_state(rules, state, text):
    if len(text) != 9 or not set(text) <= set(".xo"):
        raise ValueError("a position is nine of . x o, from a1 to c3")
    state.cells[:] = [".xo".index(mark) for mark in text]
    state.plies = 9 - text.count(".")
    state.mover = state.plies % 2
    if text.count("x") - text.count("o") != state.mover or has_line(rules, state, state.mover):
        raise ValueError("no game leads to this position")


def board(rules):
    stones = [stone(0, text="X", name="x"), stone(1, text="O", name="o")]
    return square_board(3, 3, stones, captions=("x to move", "o to move", "the game is over"))


def draw(rules, state, shown):
    for cell in range(9):
        shown.pieces[cell] = state.cells[
            cell
        ]  # 0 is nothing, 1 the first kind of piece, 2 the second
    shown.caption = 2 if seat_to_move(rules, state) == OVER else state.mover
