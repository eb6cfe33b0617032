"""From one position to another: which moves lie between them. Engines that speak GTP have to be told all moves."""

import heapq
from itertools import count
from typing import NamedTuple

import numpy as np

from anyzero.errors import AnyzeroError
from anyzero.games.game import Game, State

MOST_LOOKS = 100_000
"""Positions that are looked at before the search gives up."""


class Lead(NamedTuple):
    """A position on the way, the most promising first."""

    detours: int
    """Moves on the way that did not bring the board nearer to the goal's."""
    distance: int
    number: int
    """Where all else is equal, the oldest."""
    state: State
    line: list[int]


def find_line(game: Game, start: State, goal: State, most: int = MOST_LOOKS) -> list[int] | None:
    """Actions that lead from the start to the goal, or None if none were found.

    Where stones are placed and stay, each right move brings the board nearer to the goal's; a swap is a short detour.
    """
    wanted, numbers = goal.tobytes(), count()
    queue = [Lead(0, distance(game, start, goal), next(numbers), start, [])]
    seen = {start.tobytes()}
    while queue and len(seen) <= most:
        lead = heapq.heappop(queue)
        if lead.state.tobytes() == wanted:
            return lead.line
        for action in game.legal_actions(lead.state) if len(lead.line) < game.max_plies else ():
            after = game.play(lead.state, action)
            if after.tobytes() not in seen:
                seen.add(after.tobytes())
                far = distance(game, after, goal)
                detours = lead.detours + (far >= lead.distance)
                heapq.heappush(queue, Lead(detours, far, next(numbers), after, [*lead.line, action]))
    return None


def distance(game: Game, first: State, second: State) -> int:
    """In how many bits two boards differ; whose turn it is does not count, as that changes with every move."""
    num_bits = 0
    for name in game.state_dtype.names or ():
        if name != "mover":
            one, other = (np.frombuffer(np.asarray(state[name]).tobytes(), np.uint8) for state in (first, second))
            num_bits += int(np.bitwise_count(one ^ other).sum())
    return num_bits


def line_to(game: Game, known: list[State], goal: State) -> tuple[int, list[int]]:
    """How many of the known positions lie before the goal, and the actions from the last of them to it."""
    line = find_line(game, known[-1], goal, most=2 * game.max_legal)
    if line is not None:
        return len(known), line
    line = find_line(game, known[0], goal)
    if line is None:
        raise AnyzeroError(f"{game.name}: no moves were found that lead to this position, which an engine must be told")
    return 1, line
