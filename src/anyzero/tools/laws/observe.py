"""One game, played at random or from a script, with the contract's answers for each of its
positions.

The laws are checked on these records. The kernel runs on every target, so "compiled equals
interpreted" is the equality of two records.
"""

from typing import Any, NamedTuple

import numpy as np

from anyzero.core.base.nouns import Actions, Drawing, Numbers, Rules, States, Stream, Streams, Word
from anyzero.core.compile.bits import same_records
from anyzero.core.compile.random import random_below, seed_stream
from anyzero.core.game.contract import (
    CHANCE,
    OVER,
    amaf_key,
    chance_weight,
    draw,
    draw_outcome,
    encode,
    initial_state,
    legal_actions,
    move_number,
    payoffs,
    play,
    score,
    seat_to_move,
    state_key,
)
from anyzero.core.game.game import State

RANDOM = -1  # in a script: choose at random


class Observations(NamedTuple):
    """The positions of one game, row by row; rows after the last are zero."""

    states: Any  # [rows] state records
    seats: np.ndarray
    counts: np.ndarray  # [rows]: number of legal actions
    actions: np.ndarray  # [rows, max_legal]
    chosen: np.ndarray  # [rows]: the action played from the position, or -1
    keys: np.ndarray
    weights: np.ndarray  # [rows, max_legal]: at chance nodes
    amaf_keys: np.ndarray  # [rows, max_legal]: at decisions
    planes: np.ndarray  # [rows, *planes_shape]; zero where encode wrote nothing
    scores: np.ndarray  # [rows, seats], if the game has a score
    payoffs: (
        np.ndarray
    )  # [seats]: of the last position if it is over; NaN where payoffs wrote nothing
    changed: np.ndarray  # [rows]: 1 if querying the position changed it

    def at(self, row: int) -> "Observations":
        """The observations of one position: its row of each part, and only its existing actions."""
        num = max(int(self.counts[row]), 0)
        wide = {
            name: getattr(self, name)[row, :num] for name in ("actions", "weights", "amaf_keys")
        }
        rows = {
            name: part[row]
            for name, part in self._asdict().items()
            if name not in (*wide, "payoffs")
        }
        return self._replace(**rows, **wide)


def observe_game(
    rules: Rules,
    record: Any,
    script: Any,
    seed: Word,
    scratch: Any,
    actions: Actions,
    streams: Streams,
) -> int:
    """Kernel: returns the number of positions seen; stops at the end, at the last row, or at an
    illegal script.
    """
    rng = streams[0]
    states = record.states
    state = scratch[0]
    seed_stream(rng, seed, 0)
    initial_state(rules, states[0])
    for row in range(len(script)):
        scratch[0] = states[row]
        count = observe_position(rules, state, record, row, actions)
        record.changed[row] = 0 if same_records(states[row], scratch[0]) else 1
        if record.seats[row] == OVER or row == len(script) - 1:
            return row + 1
        action = choose_scripted(rules, state, actions, count, script[row], rng)
        if action < 0:
            return row + 1
        record.chosen[row] = action
        play(rules, state, action)
        states[row + 1] = scratch[0]
    return 0


def choose_scripted(
    rules: Rules, state: State, actions: Actions, count: int, scripted: int, rng: Stream
) -> int:
    """The scripted action if it is legal, -1 if it is not; or a random one."""
    if scripted != RANDOM:
        for index in range(count):
            if actions[index] == scripted:
                return scripted
        return -1
    if count == 0:
        return -1
    if seat_to_move(rules, state) == CHANCE:
        return np.int64(actions[draw_outcome(rules, state, actions, count, rng)])  # type: ignore[return-value]
    return np.int64(actions[random_below(rng, count)])  # type: ignore[return-value]


def observe_position(rules: Rules, state: State, record: Any, row: int, actions: Actions) -> int:
    """Call every function of the contract on a position."""
    seat = seat_to_move(rules, state)
    record.seats[row] = seat
    key = state_key(rules, state)
    record.keys[row] = key
    for scored in range(record.scores.shape[1]):
        points = score(rules, state, scored)
        record.scores[row, scored] = float(points)  # stored as it is, None becomes NaN
    if seat == OVER:
        payoffs(rules, state, record.payoffs)
        return 0
    encode(rules, state, record.planes[row])
    count = legal_actions(rules, state, actions)
    record.counts[row] = count
    for index in range(count):
        action = np.int64(actions[index])
        record.actions[row, index] = action
        if seat == CHANCE:
            weight = chance_weight(rules, state, action)  # type: ignore[arg-type]
            record.weights[row, index] = float(weight)
        else:
            shared = amaf_key(rules, state, action)  # type: ignore[arg-type]
            record.amaf_keys[row, index] = shared
    return count


def draw_states(
    rules: Rules, states: States, shown: Drawing, numbers: Numbers, actions: Actions
) -> None:
    """Kernel: draw each of these positions over zeros and number its moves."""
    for row in range(len(states)):
        draw(rules, states[row], shown[row])
        if seat_to_move(rules, states[row]) >= 0:
            for index in range(legal_actions(rules, states[row], actions)):
                numbers[row, index] = move_number(rules, states[row], np.int64(actions[index]))  # type: ignore[arg-type]


def first_difference(left: Observations, right: Observations) -> str | None:
    """The first part in which two records of one game differ, over their common length."""
    # The last row of a truncated record has no chosen action.
    rows = min(len(left.seats), len(right.seats)) - 1
    for name in (
        "seats",
        "counts",
        "actions",
        "chosen",
        "keys",
        "weights",
        "amaf_keys",
        "planes",
        "scores",
    ):
        part = getattr(left, name)[:rows]
        other = getattr(right, name)[:rows]
        differs = np.array([not np.array_equal(a, b) for a, b in zip(part, other, strict=True)])
        if differs.any():
            return f"{name} at ply {int(differs.argmax())}"
    over = left.seats[-1] == OVER and len(left.seats) == len(right.seats)
    return (
        "payoffs"
        if over and not np.array_equal(left.payoffs, right.payoffs, equal_nan=True)
        else None
    )
