"""One game, played at random or from a script, with the contract's answers for each of its
positions.

The laws are checked on these records. The kernel runs on every target, so "compiled equals
interpreted" is the equality of two records.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from anyzero.core.base.nouns import Actions, Drawing, Numbers, Rules, States, Stream, Streams, Word
from anyzero.core.compile.bits import same_records
from anyzero.core.compile.random import STREAM, random_below, seed_stream
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
from anyzero.core.game.game import Game, State

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


def observe(
    game: Game, *, seed: int, rows: int, script: Any = None, target: str = "cpu"
) -> Observations:
    """Play one game of at most `rows` positions and cut the record to its length."""
    script = np.full(rows, RANDOM, np.int64) if script is None else script
    wide = (rows, game.max_legal)
    zeros = np.zeros
    record = Observations(
        states=game.new_states(rows),
        **{name: zeros(rows, np.int64) for name in ("seats", "counts", "changed")},
        actions=zeros(wide, np.int32),
        chosen=np.full(rows, -1, np.int64),
        keys=zeros(rows, np.uint64),
        weights=zeros(wide),
        amaf_keys=zeros(wide, np.int64),
        planes=zeros((rows, *(game.planes_shape or (0,))), np.float32),
        scores=zeros((rows, game.num_seats)),
        payoffs=np.full(game.num_seats, np.nan),
    )
    scratch = game.new_states(1), game.new_actions(), np.zeros(1, STREAM)
    if target == "cuda":
        from anyzero.core.game.on_gpu import observe_on_gpu

        record, played = observe_on_gpu(game, record, script, seed, scratch)
    else:
        kernel = game.compile(observe_game, target)
        played = kernel(game.rules, record, script, np.uint64(seed), *scratch)
    return Observations(
        *(part if name == "payoffs" else part[:played] for name, part in record._asdict().items())
    )


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
        action = choose(rules, state, actions, count, script[row], rng)
        if action < 0:
            return row + 1
        record.chosen[row] = action
        play(rules, state, action)
        states[row + 1] = scratch[0]
    return 0


def choose(
    rules: Rules, state: State, actions: Actions, count: int, wanted: int, rng: Stream
) -> int:
    """The scripted action if it is legal, -1 if it is not; or a random one."""
    if wanted != RANDOM:
        for index in range(count):
            if actions[index] == wanted:
                return wanted
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


def draw_all(game: Game, states: States, target: str) -> tuple[Any, np.ndarray]:
    """The record of `draw` for these positions, and [positions, max_legal] the numbers of their
    moves.
    """
    shown = np.zeros(len(states), game.board.shown_dtype)
    numbers = np.zeros((len(states), game.max_legal), np.int64)
    game.compile(draw_states, target)(game.rules, states, shown, numbers, game.new_actions())
    return shown, numbers


def draw_states(
    rules: Rules, states: States, shown: Drawing, numbers: Numbers, actions: Actions
) -> None:
    """Kernel: draw each of these positions over zeros and number its moves."""
    for row in range(len(states)):
        draw(rules, states[row], shown[row])
        if seat_to_move(rules, states[row]) >= 0:
            for index in range(legal_actions(rules, states[row], actions)):
                numbers[row, index] = move_number(rules, states[row], np.int64(actions[index]))  # type: ignore[arg-type]


# --- the games on which laws are checked


INTERPRETED_PLIES = 2000  # maximum plies of interpreted play
# plies of the games whose ends are checked; times the usual number of games
MORE_PLIES = 20_000
MOST_TIMES = 40


class Skip(Exception):  # noqa: N818  (not an error)
    """The law does not apply here."""


@dataclass(frozen=True)
class Evidence:
    """A game and the observations of it; shared by the laws."""

    game: Game
    num_games: int = 24
    plies: int = (
        2_000_000  # plies of rollouts compared from each position; long games get fewer rollouts
    )
    simulate: bool = True
    browser: bool = True  # whether the game is also compiled to wasm
    seed: int = 1
    target: str = (
        "cpu"  # `interpreted` compiles nothing: enough for every law except those on compiled code
    )
    most_s: float = 4.0  # how long new games are started in plain Python
    law_s: float = math.inf  # processor time after which a law's Python code counts as endless

    @cached_property
    def rows(self) -> int:
        """Space for the positions of the longest game; rows that are never reached cost no
        memory.
        """
        return max(self.game.max_plies, 0) + 1

    @cached_property
    def interpreted(self) -> list[Observations]:
        """The first games, in plain Python, which detects what compiled code does not: an index out
        of range.
        """
        records: list[Observations] = []
        start = perf_counter()
        left = INTERPRETED_PLIES
        while len(records) < self.num_games and left > 1 and perf_counter() - start < self.most_s:
            seed = self.seed + len(records)
            rows = min(self.rows, left)
            records.append(observe(self.game, seed=seed, rows=rows, target="interpreted"))
            left -= len(records[-1].seats)
        return records

    @cached_property
    def records(self) -> list[Observations]:
        return (
            self.interpreted
            if self.target == "interpreted"
            else list(self.observed(0, self.num_games))
        )

    def observed(self, first: int, last: int) -> Iterator[Observations]:
        """Compiled games from number `first` to `last - 1`."""
        for seed in range(self.seed + first, self.seed + last):
            yield observe(self.game, seed=seed, rows=self.rows, target=self.target)

    def more_records(self) -> Iterator[Observations]:
        """Further games while they are quick to play: few may miss what is rare."""
        if self.ends and self.target != "interpreted":
            times = MORE_PLIES // sum(len(record.seats) for record in self.records)
            yield from self.observed(self.num_games, self.num_games * min(times, MOST_TIMES))

    @cached_property
    def ends(self) -> bool:
        short = (
            self.rows if self.target == "interpreted" else 0
        )  # those games may have been truncated
        return all(record.seats[-1] == OVER or len(record.seats) < short for record in self.records)

    def need_an_end(self) -> None:
        """Skip if a game may never end: its rollouts would not return."""
        if not self.ends:
            raise Skip("games do not end within max_plies")

    def replay(self, record: Observations, script: np.ndarray) -> Observations:
        """A game of the same length from a script."""
        return observe(
            self.game,
            seed=self.seed + 999,
            rows=len(record.seats),
            script=script,
            target=self.target,
        )

    def states(self, most: int) -> Iterator[State]:
        """Up to `most` positions, spread over the games seen."""
        everything = [(record, row) for record in self.records for row in range(len(record.seats))]
        chosen = np.random.default_rng(self.seed).permutation(len(everything))[:most]
        for record, row in (everything[index] for index in chosen):
            yield record.states[row].copy()
