"""A player for tests, as a user would write one: it plays the first legal action and, with few
left, its fault.
"""

import os
import time

from anyzero.tools.players import Player


def make(fault: str = "none", limit: float = 0.0):
    def choose(game, line, seed):
        actions = game.legal_actions(line.state)
        return actions[0] if len(actions) > 5 else FAULTS[fault](game, line.state)

    return Player("faulty", choose, limit_s=limit or None)


def crash(game, state):
    raise RuntimeError("out of ideas")


def die(game, state):
    os._exit(7)


def illegal(game, state):
    return -5


def nonsense(game, state):
    return "somewhere"


def hang(game, state):
    while True:
        time.sleep(60)


def late(game, state):
    time.sleep(0.9)
    return game.legal_actions(state)[0]


def slow(game, state):
    time.sleep(0.2)
    return game.legal_actions(state)[0]


def none(game, state):
    return game.legal_actions(state)[0]


FAULTS = {
    function.__name__: function
    for function in (crash, die, illegal, nonsense, hang, late, slow, none)
}
