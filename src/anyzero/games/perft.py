"""Perft: how many lines of play of a given length there are, the classic test of a move generator."""

from typing import Any

import numpy as np

from anyzero import stopping
from anyzero.games.contract import OVER, legal_actions, play, seat_to_move
from anyzero.games.game import Game, State

MOST_AT_ONCE = 5
"""Plies that are counted without looking whether somebody wants to stop."""


def perft(game: Game, state: State, depth: int, target: str = "cpu") -> int:
    """The number of move sequences of length `depth` from `state`; a game that ends earlier counts nothing."""
    if depth == 0:
        return 1
    if depth > MOST_AT_ONCE:
        stopping.check()
        return sum(perft(game, game.play(state, action), depth - 1, target) for action in game.legal_actions(state))
    states, actions = game.new_states(depth + 1), np.zeros((depth + 1, game.max_legal), np.int32)
    states[0] = state
    counts, cursors = np.zeros(depth + 1, np.int64), np.zeros(depth + 1, np.int64)
    return int(game.compile(count_leaves, target)(game.rules, states, actions, counts, cursors, depth))


def divide(game: Game, state: State, depth: int) -> dict[str, int]:
    """The leaves below each legal move."""
    return {
        game.format_action(state, action): perft(game, game.play(state, action), depth - 1)
        for action in game.legal_actions(state)
    }


def count_leaves(rules: Any, states: Any, actions: Any, counts: Any, cursors: Any, depth: int) -> int:
    """Kernel: a walk with its own stack; the last ply is counted, not played."""
    leaves, level = 0, 0
    counts[0], cursors[0] = num_actions(rules, states[0], actions[0]), 0
    while level >= 0:
        if level == depth - 1:
            leaves += counts[level]
            level -= 1
        elif cursors[level] == counts[level]:
            level -= 1
        else:
            action = np.int64(actions[level, cursors[level]])
            cursors[level] += 1
            states[level + 1] = states[level]
            play(rules, states[level + 1], action)  # type: ignore[arg-type]
            level += 1
            counts[level], cursors[level] = num_actions(rules, states[level], actions[level]), 0
    return leaves


def num_actions(rules: Any, state: Any, actions: Any) -> int:
    if seat_to_move(rules, state) == OVER:
        return 0
    return legal_actions(rules, state, actions)
