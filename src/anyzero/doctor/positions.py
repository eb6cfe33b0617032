"""Games played again from their actions, and positions whose value is certain without any search."""

from typing import Any, NamedTuple

import numpy as np

from anyzero.games.contract import OVER, legal_actions, payoffs, play, seat_to_move
from anyzero.games.game import Game
from anyzero.learning.moves import read_payoffs, read_seats

MOST_DECIDED = 600
"""Positions that are looked at two moves deep."""
UNDECIDED = np.nan


class Replayed(NamedTuple):
    """Every position of some games in which a seat or chance was to move, the last one of unfinished games too."""

    states: Any
    seats: np.ndarray
    plies: np.ndarray
    games: np.ndarray
    """[positions]: the number of the game."""
    lengths: np.ndarray
    """[games]."""
    payoffs: np.ndarray
    """[games, seats]: what the rules say of the last position; zeros if the game is not over there."""
    illegal: np.ndarray
    """[games] bool: whether it has an action that the rules do not allow."""


def replay_games(game: Game, starts: Any, first: np.ndarray, actions: list[list[int]]) -> Replayed:
    """Play games again, side by side; `first[game]` is the number of the start that it began with."""
    num = len(actions)
    states, lengths = starts[first].copy(), np.array([len(one) for one in actions], np.int64)
    illegal = np.zeros(num, bool)
    parts: list[tuple[Any, ...]] = []
    step, legal = game.compile(play_checked), game.new_actions()
    for ply in range(int(lengths.max(initial=0))):
        rows = np.flatnonzero((lengths > ply) & ~illegal)
        chosen = np.array([actions[row][ply] for row in rows.tolist()], np.int64)
        seats, before = np.zeros(len(rows), np.int64), states[rows]
        step(game.rules, states, rows, chosen, legal, seats)
        illegal[rows[seats == OVER]] = True
        going = seats != OVER
        parts.append((before[going], seats[going], np.full(going.sum(), ply), rows[going]))
    found = np.zeros((num, game.num_seats))
    game.compile(read_payoffs)(game.rules, states, np.flatnonzero(~illegal), found)
    parts.append(open_ends(game, states, lengths, illegal))
    before_each, seats_at, plies, games = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Replayed(before_each, seats_at, plies, games, lengths, found, illegal)


def open_ends(game: Game, states: Any, lengths: np.ndarray, illegal: np.ndarray) -> tuple[Any, ...]:
    """The last positions of games that are not over there: a seat gave up, or the game was cut off."""
    rows = np.flatnonzero(~illegal)
    seats = np.zeros(len(rows), np.int64)
    game.compile(read_seats)(game.rules, states, rows, seats)
    rows, seats = rows[seats != OVER], seats[seats != OVER]
    return states[rows], seats, lengths[rows], rows


def play_checked(rules: Any, states: Any, rows: Any, actions: Any, legal: Any, seats: Any) -> None:
    """Kernel: who was to move in each game, and the position after its action; OVER where that is not legal."""
    for index in range(len(rows)):
        state = states[rows[index]]
        seats[index] = OVER
        seat = seat_to_move(rules, state)
        count = 0 if seat == OVER else legal_actions(rules, state, legal)
        for place in range(count):
            if legal[place] == actions[index]:
                seats[index] = seat
        if seats[index] != OVER:
            play(rules, state, np.int64(actions[index]))  # type: ignore[arg-type]


# --- positions that are decided


def decide(game: Game, states: Any) -> np.ndarray:
    """The exact value of each position for its seat to move, [positions]; UNDECIDED where it takes more than a look.

    Two opposed seats: a win at once, or every move loses to one. One seat: every move ends the game.
    """
    found = np.full(len(states), UNDECIDED)
    buffers = game.new_states(2), game.new_actions(), game.new_actions(), np.zeros(game.num_seats)
    game.compile(decide_range)(game.rules, states, game.is_opposed, *buffers, found)
    return found


def decide_range(
    rules: Any, states: Any, opposed: bool, scratch: Any, legal: Any, replies: Any, result: Any, out: Any
) -> None:
    """Kernel: the value of every position that is decided."""
    for index in range(len(states)):
        seat = seat_to_move(rules, states[index])
        if seat < 0:
            continue
        count, best, known = legal_actions(rules, states[index], legal), -2.0, 0
        for place in range(count):
            scratch[0] = states[index]
            play(rules, scratch[0], np.int64(legal[place]))  # type: ignore[arg-type]
            value = value_after(rules, scratch, seat, opposed, replies, result)
            if value > -2.0:
                known += 1
                best = max(best, value)
        if known == count or (opposed and best > 0.0):
            out[index] = best


def value_after(rules: Any, scratch: Any, seat: int, opposed: bool, replies: Any, result: Any) -> float:
    """What the position in the first place of `scratch` is worth to `seat`; -2 if that is not certain."""
    after = seat_to_move(rules, scratch[0])
    if after == OVER:
        payoffs(rules, scratch[0], result)
        return float(result[seat])
    if not opposed or after < 0 or after == seat:
        return -2.0
    best = 0.0
    for place in range(legal_actions(rules, scratch[0], replies)):
        scratch[1] = scratch[0]
        play(rules, scratch[1], np.int64(replies[place]))  # type: ignore[arg-type]
        if seat_to_move(rules, scratch[1]) == OVER:
            payoffs(rules, scratch[1], result)
            best = max(best, float(result[after]))
    return -best if best > 0.0 else -2.0


class Decided(NamedTuple):
    states: Any
    values: np.ndarray
    """[positions]: exact, for the seat to move; never 0 in games of two seats."""


def decided_among(game: Game, states: Any) -> Decided:
    """Those of these positions that are decided, draws left out."""
    states = states[:: max(1, len(states) // MOST_DECIDED)]
    values = decide(game, states)
    known = ~np.isnan(values) & ((values != 0.0) | (game.num_seats == 1))
    return Decided(states[known], values[known])
