"""A tiny game for tests, as a user would write it: count up by 1 to STEP in turn; who reaches GOAL
wins.
"""

from typing import NamedTuple

import numpy as np

from anyzero import OVER, Game

STEP = 3


class Race(NamedTuple):
    goal: int


def make(goal: int = 10):
    functions = (initial_state, seat_to_move, legal_actions, play, payoffs)
    state = [("total", np.int64), ("mover", np.int64)]
    return Game("race", Race(goal), state, functions, num_actions=STEP + 1, max_plies=goal)


def initial_state(rules, state):
    state.total = 0


def seat_to_move(rules, state):
    return OVER if state.total >= rules.goal else state.mover


def legal_actions(rules, state, actions):
    for step in range(1, STEP + 1):
        actions[step - 1] = step
    return STEP


def play(rules, state, action):
    state.total += action
    state.mover = 1 - state.mover


def payoffs(rules, state, out):
    out[state.mover] = -1.0
    out[1 - state.mover] = 1.0
