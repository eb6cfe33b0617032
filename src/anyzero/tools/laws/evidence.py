"""The games on which the laws of a game are checked."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter
from typing import Any

import numpy as np

from anyzero.core.base.nouns import States
from anyzero.core.compile.random import STREAM
from anyzero.core.game.contract import OVER
from anyzero.core.game.game import Game, State
from anyzero.tools.laws.observe import RANDOM, Observations, draw_states, observe_game

INTERPRETED_PLIES = 2000  # maximum plies of interpreted play
# plies of the games whose ends are checked; times the usual number of games
MORE_PLIES = 20_000
MOST_TIMES = 40


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
        from anyzero.tools.laws.on_gpu import observe_on_gpu

        record, played = observe_on_gpu(game, record, script, seed, scratch)
    else:
        kernel = game.compile(observe_game, target)
        played = kernel(game.rules, record, script, np.uint64(seed), *scratch)
    return Observations(
        *(part if name == "payoffs" else part[:played] for name, part in record._asdict().items())
    )


def draw_all(game: Game, states: States, target: str) -> tuple[Any, np.ndarray]:
    """The record of `draw` for these positions, and [positions, max_legal] the numbers of their
    moves.
    """
    shown = np.zeros(len(states), game.board.shown_dtype)
    numbers = np.zeros((len(states), game.max_legal), np.int64)
    game.compile(draw_states, target)(game.rules, states, shown, numbers, game.new_actions())
    return shown, numbers


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
        sample = np.random.default_rng(self.seed).permutation(len(everything))[:most]
        for record, row in (everything[index] for index in sample):
            yield record.states[row].copy()
