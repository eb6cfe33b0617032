"""A small kernel that is made of rules, compiled here or in a process of its own."""

import sys

from anyzero.core.compile.kernels import compile_kernel
from anyzero.core.game.contract import OVER, legal_actions, play, seat_to_move
from anyzero.core.game.load import load


def walk(rules, state, actions):
    """Always the largest step; the number of moves."""
    moves = 0
    while seat_to_move(rules, state) != OVER:
        num = legal_actions(rules, state, actions)
        play(rules, state, actions[num - 1])
        moves += 1
    return moves


def walk_through(text):
    """The number of moves, and how often the kernel came from the cache."""
    game = load(text)
    kernel = compile_kernel(walk, game.unit)
    moves = kernel(game.rules, game.initial_state(), game.new_actions())
    return moves, sum(kernel.stats.cache_hits.values())


if __name__ == "__main__":
    print(*[walk_through(text) for text in sys.argv[1:]][-1])
