"""Kernels that move many games on by one step: who is to move, chance, random moves, and draws from a policy."""

import math
from typing import Any

import numpy as np

from anyzero.compile.random import random_below, random_unit
from anyzero.games.contract import OVER, draw_outcome, legal_actions, payoffs, play, score, seat_to_move


def read_seats(rules: Any, states: Any, rows: Any, seats: Any) -> None:
    """Kernel: the seat to move of each of these games, or CHANCE, or OVER."""
    for index in range(len(rows)):
        seats[index] = seat_to_move(rules, states[rows[index]])


def play_rows(rules: Any, states: Any, rows: Any, actions: Any) -> None:
    """Kernel: one action in each of these games."""
    for index in range(len(rows)):
        play(rules, states[rows[index]], np.int64(actions[index]))  # type: ignore[arg-type]


def draw_outcomes(rules: Any, states: Any, rows: Any, streams: Any, legal: Any, actions: Any) -> None:
    """Kernel: an outcome for each of these games, all of them at a chance node; `legal` is scratch."""
    for index in range(len(rows)):
        state = states[rows[index]]
        count = legal_actions(rules, state, legal)
        actions[index] = legal[draw_outcome(rules, state, legal, count, streams[rows[index]])]


def draw_moves(rules: Any, states: Any, rows: Any, streams: Any, legal: Any, actions: Any) -> None:
    """Kernel: a random legal action for each of these games."""
    for index in range(len(rows)):
        count = legal_actions(rules, states[rows[index]], legal)
        actions[index] = legal[random_below(streams[rows[index]], count)]


def draw_by_policy(policies: Any, temperatures: Any, rows: Any, streams: Any, actions: Any) -> None:
    """Kernel: an action with chances in proportion to policy ** (1 / temperature); at temperature 0 as it is."""
    for index in range(len(rows)):
        if temperatures[index] > 0.0:
            actions[index] = draw_share(
                policies[index], len(policies[index]), temperatures[index], streams[rows[index]]
            )


def draw_share(shares: Any, count: int, temperature: float, rng: Any) -> int:
    """An index, with chances in proportion to share ** (1 / temperature)."""
    most, total, last = 0.0, 0.0, 0
    for index in range(count):
        most = max(most, shares[index])
    for index in range(count):
        total += powered(shares[index], most, temperature)
    left = random_unit(rng) * total
    for index in range(count):
        if shares[index] > 0.0:
            last = index
            left -= powered(shares[index], most, temperature)
            if left < 0.0:
                return index
    return last


def powered(share: float, most: float, temperature: float) -> float:
    return 0.0 if share <= 0.0 else math.exp(math.log(share / most) / temperature)


def list_legal(rules: Any, states: Any, policies: Any, legal: Any, actions: Any, shares: Any) -> None:
    """Kernel: each position's legal actions, rising, and their shares of the policy."""
    for index in range(len(states)):
        count = legal_actions(rules, states[index], legal)
        sort(legal, count)
        for place in range(count):
            actions[index, place] = legal[place]
            shares[index, place] = policies[index, legal[place]]


def sort(values: Any, count: int) -> None:
    """Insertion: short lists that are mostly in order already."""
    for end in range(1, count):
        value, place = values[end], end
        while place > 0 and values[place - 1] > value:
            values[place] = values[place - 1]
            place -= 1
        values[place] = value


def read_payoffs(rules: Any, states: Any, rows: Any, out: Any) -> None:
    """Kernel: the result [games, seats] of each of these games, zeros while it is not over."""
    for index in range(len(rows)):
        if seat_to_move(rules, states[rows[index]]) == OVER:
            payoffs(rules, states[rows[index]], out[rows[index]])


def read_scores(rules: Any, states: Any, out: Any) -> None:
    """Kernel: the first seat's points in every game."""
    for index in range(len(states)):
        out[index] = score(rules, states[index], 0)
