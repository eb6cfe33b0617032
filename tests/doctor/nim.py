"""Nim, as a user would write it, whole or with a fault: take one to three stones; who takes the
last one wins.
"""

from typing import NamedTuple

import numpy as np

from anyzero import OVER, Game

STONES = 12


class Nim(NamedTuple):
    stones: int


def make(fault: str = "none"):
    functions = {"play": play, "payoffs": payoffs, "encode": encode} | FAULTS[fault]
    kept = [function for function in functions.values() if function is not None]
    state = [("left", np.int64), ("mover", np.int64)]
    return Game(
        "nim",
        Nim(STONES),
        state,
        (initial_state, seat_to_move, legal_actions, *kept),
        num_actions=3,
        max_plies=STONES,
        planes_shape=(STONES + 1,),
    )


def initial_state(rules, state):
    state.left = rules.stones


def seat_to_move(rules, state):
    return OVER if state.left == 0 else state.mover


def legal_actions(rules, state, actions):
    for take in range(min(3, state.left)):
        actions[take] = take
    return min(3, state.left)


def play(rules, state, action):
    state.left -= action + 1
    state.mover = 1 - state.mover


def payoffs(rules, state, out):
    out[state.mover] = -1.0
    out[1 - state.mover] = 1.0


def encode(rules, state, planes):
    planes[state.left] = 1.0


# --- faults


def encode_nothing(rules, state, planes):
    planes[0] = 1.0


def always_draw(rules, state, out):
    out[0] = 0.0
    out[1] = 0.0


def first_seat_wins(rules, state, out):
    out[0] = 1.0
    out[1] = -1.0


def both_win(rules, state, out):
    out[0] = 1.0
    out[1] = 1.0


def overpaid(rules, state, out):
    out[state.mover] = -2.0
    out[1 - state.mover] = 2.0


def named(function, name):
    function.__name__ = name
    return function


FAULTS = {
    "none": {},
    "blind": {"encode": named(encode_nothing, "encode")},
    "no encode": {"encode": None},
    "draws": {"payoffs": named(always_draw, "payoffs")},
    "overpaid": {"payoffs": named(overpaid, "payoffs")},
    "both win": {"payoffs": named(both_win, "payoffs")},
    "first": {"payoffs": named(first_seat_wins, "payoffs")},
}
