"""A tiny game of two seats with chance for tests: roll a die of three, walk that far or one step
more; GOAL wins.
"""

from typing import NamedTuple

import numpy as np

from anyzero import CHANCE, OVER, Game

SIDES = 3


class Race(NamedTuple):
    goal: int


def make(goal: int = 9):
    functions = (initial_state, seat_to_move, legal_actions, play, payoffs, encode)
    state = [("walked", np.int64, 2), ("mover", np.int64), ("rolled", np.int64)]
    sizes = {"num_actions": 2, "num_outcomes": SIDES, "max_plies": 4 * goal, "planes_shape": (4,)}
    return Game("dice_race", Race(goal), state, functions, **sizes)


def initial_state(rules, state):
    state.mover = 0


def seat_to_move(rules, state):
    if state.walked[0] >= rules.goal or state.walked[1] >= rules.goal:
        return OVER
    return CHANCE if state.rolled == 0 else state.mover


def legal_actions(rules, state, actions):
    num = SIDES if state.rolled == 0 else 2
    for action in range(num):
        actions[action] = action
    return num


def play(rules, state, action):
    if state.rolled == 0:
        state.rolled = action + 1
    else:
        state.walked[state.mover] += state.rolled + action
        state.rolled = 0
        state.mover = 1 - state.mover


def payoffs(rules, state, out):
    winner = 0 if state.walked[0] >= rules.goal else 1
    out[winner] = 1.0
    out[1 - winner] = -1.0


def encode(rules, state, planes):
    planes[0] = state.walked[state.mover]
    planes[1] = state.walked[1 - state.mover]
    planes[2] = state.rolled
    planes[3] = state.mover
