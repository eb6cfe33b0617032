"""Perft: the number of lines of play of a given length, the classic test of a move generator."""

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from anyzero.core.base import stopping
from anyzero.core.base.errors import whole
from anyzero.core.base.nouns import Actions, Numbers, Rules, States, Values
from anyzero.core.base.report import Part, Sheet, Shown
from anyzero.core.game.contract import OVER, legal_actions, play, seat_to_move
from anyzero.core.game.game import Game, State
from anyzero.core.game.load import position_of
from anyzero.tools.progress import progress as bar

MOST_AT_ONCE = 5  # plies counted between checks for interruption


def perft(game: Game, state: State, depth: int, target: str = "cpu") -> int:
    """The number of move sequences of length `depth` from `state`; a game that ends earlier counts
    nothing.
    """
    if depth == 0:
        return 1
    if depth > MOST_AT_ONCE:
        stopping.check()
        return sum(
            perft(game, game.play(state, action), depth - 1, target)
            for action in game.legal_actions(state)
        )
    states = game.new_states(depth + 1)
    actions = np.zeros((depth + 1, game.max_legal), np.int32)
    states[0] = state
    counts = np.zeros(depth + 1, np.int64)
    cursors = np.zeros(depth + 1, np.int64)
    return int(
        game.compile(count_leaves, target)(game.rules, states, actions, counts, cursors, depth)
    )


@dataclass(frozen=True, repr=False)
class Perft(Shown):
    """The number of lines of play, in total and below each move."""

    game: str
    depth: int
    nodes: int
    seconds: float
    below: dict[str, int]

    def report(self, *, divide: bool = True) -> Iterator[Part]:
        if divide:
            yield Sheet(("move", "leaves"), list(self.below.items()))
        rate = self.nodes / max(self.seconds, 1e-9) / 1e6
        yield (
            f"{self.nodes} leaves at depth {self.depth} in {self.seconds:.3f} s "
            f"({rate:.1f} million/s)"
        )

    def records(self) -> list[Values]:
        return [{"move": move, "leaves": leaves} for move, leaves in self.below.items()]

    def to_json(self, *, divide: bool = True) -> Values:
        values = {
            "game": self.game,
            "depth": self.depth,
            "nodes": self.nodes,
            "seconds": round(self.seconds, 6),
        }
        return {**values, "divide": self.below} if divide else values


def count_lines(
    game: Game | str, state: State | str | None = None, *, depth: int, progress: bool = True
) -> Perft:
    """The lines of play of this length, by their first move.

    >>> anyzero.perft("tic_tac_toe", depth=3).nodes
    504
    """
    game, state = position_of(game, state)
    depth = whole("depth", depth)
    perft(game, state, 1)  # compile before the clock starts
    below = {}
    start = time.perf_counter()
    actions = game.legal_actions(state) if depth > 0 else []
    with bar("counting", len(actions), shown=progress) as tell:
        for number, action in enumerate(actions):
            below[game.format_action(state, action)] = perft(
                game, game.play(state, action), depth - 1
            )
            tell(number + 1)
            stopping.check()
    nodes = sum(below.values()) if depth > 0 else 1
    return Perft(game.text, depth, nodes, time.perf_counter() - start, below)


def count_leaves(
    rules: Rules, states: States, actions: Actions, counts: Numbers, cursors: Numbers, depth: int
) -> int:
    """Kernel: an iterative walk with its own stack; the last ply is counted, not played."""
    leaves = 0
    level = 0
    counts[0] = num_actions(rules, states[0], actions[0])
    cursors[0] = 0
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
            counts[level] = num_actions(rules, states[level], actions[level])
            cursors[level] = 0
    return leaves


def num_actions(rules: Rules, state: State, actions: Actions) -> int:
    if seat_to_move(rules, state) == OVER:
        return 0
    return legal_actions(rules, state, actions)
