"""Games that are played side by side to their end: the one engine of self-play, gates, ratings and benchmarks.

Every game draws its randomness from a stream of its own, and the whole block is a function of its seed and its
contestants: threads change nothing, and a block that was interrupted is simply played again.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from anyzero.compile.random import numbered_streams
from anyzero.games.contract import CHANCE, OVER
from anyzero.games.game import Game
from anyzero.learning.contestants import PLIES, Contestant, Effort
from anyzero.learning.moves import (
    draw_by_policy,
    draw_moves,
    draw_outcomes,
    list_legal,
    play_rows,
    read_payoffs,
    read_scores,
    read_seats,
)
from anyzero.learning.samples import Samples, input_keys, join, new_samples, take
from anyzero.seeds import draw_seed

EFFORTS = [Effort(fast, late) for fast in (False, True) for late in (False, True)]
RESIGN_AFTER = 2
"""So many of a seat's values in a row must be under the bar."""

Watch = Callable[[int, int], None]
"""Told after every step how many games are over, and how many simulations there were."""


@dataclass(frozen=True)
class Manner:
    """How the games of a block are played."""

    temperature: float = 0.0
    temperature_plies: int = 0
    late_temperature: float = 0.0
    least_opening: int = 0
    most_opening: int = 0
    """Random moves at the start, from the least to the most."""
    fast_share: float = 0.0
    resign_below: float = -1.0
    resign_checked: float = 0.0
    max_plies: int = 0
    keep_samples: bool = False
    generation: int = 0


class GameLine(NamedTuple):
    """One finished game."""

    names: list[str]
    """Of the contestants, by seat."""
    start: int
    """The number of the position that it began with."""
    actions: list[int]
    payoffs: list[float]
    end: str
    """rules, resign or plies."""


class BlockResult(NamedTuple):
    samples: Samples
    games: list[GameLine]
    sides: np.ndarray
    """[games, seats]: which contestant had which seat."""
    payoffs: np.ndarray
    """[games, seats]."""
    scores: np.ndarray | None
    """[games]: the first seat's points, for games that count them."""
    simulations: int
    resign_checks: list[tuple[float, bool]]
    """Of games that were played on to their end: each seat's lowest value, and whether it did not lose after all."""


class Block:
    """`sides[game, seat]` is the contestant who has that seat; `numbers` are those of the games' streams."""

    def __init__(
        self,
        game: Game,
        contestants: Sequence[Contestant],
        sides: np.ndarray,
        manner: Manner,
        *,
        seed: int,
        numbers: np.ndarray,
        starts: Any = None,
    ) -> None:
        num = len(sides)
        self.game, self.contestants, self.sides, self.manner = game, contestants, sides, manner
        self.seed, self.numbers = seed, numbers.astype(np.uint64)
        self.streams = numbered_streams(draw_seed("game", seed), self.numbers)
        self.starts = np.array([game.initial_state()], game.state_dtype) if starts is None else starts
        self.start_of = (self.numbers % np.uint64(len(self.starts))).astype(np.int64)
        self.states = self.starts[self.start_of].copy()
        self.plies, self.alive = np.zeros(num, np.int64), np.arange(num)
        self.payoffs = np.zeros((num, game.num_seats))
        self.actions: list[list[int]] = [[] for _ in range(num)]
        self.ends = ["rules"] * num
        self.pieces: list[tuple[np.ndarray, np.ndarray, Samples]] = []
        self.simulations = 0
        self.draw_plans()

    def draw_plans(self) -> None:
        """What is decided before the first move: the opening's length, and whether giving up is only looked at."""
        manner, num = self.manner, len(self.states)
        rng = [np.random.default_rng(draw_seed("plan", self.seed, int(number))) for number in self.numbers]
        self.openings = np.array([one.integers(manner.least_opening, manner.most_opening + 1) for one in rng])
        self.checked = np.array([one.random() < manner.resign_checked for one in rng])
        self.fast = [one.random(1024) < manner.fast_share for one in rng] if manner.fast_share > 0.0 else None
        self.low = np.zeros((num, self.game.num_seats), np.int64)
        self.lowest = np.ones((num, self.game.num_seats))

    def play(self, watch: Watch | None = None) -> BlockResult:
        """Play all games to their end."""
        while len(self.alive):
            self.step()
            if watch:
                watch(len(self.states) - len(self.alive), self.simulations)
        return self.result()

    # --- one move in every game

    def kernel(self, function: Callable[..., Any], *args: Any) -> None:
        self.game.compile(function)(self.game.rules, self.states, *args)

    def step(self) -> None:
        """One move, of whatever kind, in every game that is not over."""
        seats = np.zeros(len(self.alive), np.int64)
        self.kernel(read_seats, self.alive, seats)
        most = self.manner.max_plies or self.game.max_plies
        going = seats != OVER
        self.stop(self.alive[going & (self.plies[self.alive] >= most)], "plies")
        going &= self.plies[self.alive] < most
        self.kernel(read_payoffs, self.alive[~going & (seats == OVER)], self.payoffs)
        self.alive, seats = self.alive[going], seats[going]
        random = (seats >= 0) & (self.plies[self.alive] < self.openings[self.alive])
        self.move_by_chance(self.alive[seats == CHANCE])
        self.move_at_random(self.alive[random])
        self.move_by_search(self.alive[(seats >= 0) & ~random], seats[(seats >= 0) & ~random])

    def stop(self, rows: np.ndarray, reason: str) -> None:
        for row in rows:
            self.ends[row] = reason

    def apply(self, rows: np.ndarray, actions: np.ndarray) -> None:
        self.kernel(play_rows, rows, actions)
        self.plies[rows] += 1
        for row, action in zip(rows.tolist(), actions.tolist(), strict=True):
            self.actions[row].append(action)

    def move_by_chance(self, rows: np.ndarray) -> None:
        """The position before the draw is a sample too: it has a value."""
        if not len(rows):
            return
        kept = rows[self.plies[rows] >= self.openings[rows]] if self.manner.keep_samples else rows[:0]
        if len(kept):
            self.record(kept, np.zeros(len(kept), np.int64), None, np.full(len(kept), np.nan, np.float32))
        actions = np.zeros(len(rows), np.int32)
        self.kernel(draw_outcomes, rows, self.streams, self.game.new_actions(), actions)
        self.apply(rows, actions)

    def move_at_random(self, rows: np.ndarray) -> None:
        if len(rows):
            actions = np.zeros(len(rows), np.int32)
            self.kernel(draw_moves, rows, self.streams, self.game.new_actions(), actions)
            self.apply(rows, actions)

    def move_by_search(self, rows: np.ndarray, seats: np.ndarray) -> None:
        """Each contestant searches the games in which it is to move, as one batch."""
        whose = self.sides[rows, seats]
        fast, late = self.is_fast(rows), self.plies[rows] >= self.manner.temperature_plies
        for number, contestant in enumerate(self.contestants):
            for effort in EFFORTS:
                mine = (whose == number) & (fast == effort.fast) & (late == effort.late)
                if mine.any():
                    self.search(contestant, rows[mine], seats[mine], effort)

    def is_fast(self, rows: np.ndarray) -> np.ndarray:
        if self.fast is None:
            return np.zeros(len(rows), bool)
        return np.array([self.fast[row][self.plies[row] % 1024] for row in rows.tolist()])

    def search(self, contestant: Contestant, rows: np.ndarray, seats: np.ndarray, effort: Effort) -> None:
        streams = self.numbers[rows] * np.uint64(PLIES) + self.plies[rows].astype(np.uint64)
        found = contestant.search(self.states[rows], draw_seed("search", self.seed), streams, effort)
        self.simulations += found.simulations
        if self.manner.keep_samples and not effort.fast:
            self.record(rows, seats, found.policies, found.values)
        actions = found.actions.copy()
        self.game.compile(draw_by_policy)(found.policies, self.temperatures(rows), rows, self.streams, actions)
        gives_up = self.resigns(rows, seats, found.values)
        self.apply(rows[~gives_up], actions[~gives_up])

    def temperatures(self, rows: np.ndarray) -> np.ndarray:
        early = self.plies[rows] < self.manner.temperature_plies
        return np.where(early, self.manner.temperature, self.manner.late_temperature)

    # --- giving up

    def resigns(self, rows: np.ndarray, seats: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Which of these games end here because the seat to move gives up."""
        if self.manner.resign_below <= -1.0 or not self.game.is_opposed:
            return np.zeros(len(rows), bool)
        under = values < self.manner.resign_below
        self.low[rows, seats] = np.where(under, self.low[rows, seats] + 1, 0)
        self.lowest[rows, seats] = np.minimum(self.lowest[rows, seats], values)
        ends: np.ndarray = (self.low[rows, seats] >= RESIGN_AFTER) & ~self.checked[rows]
        for row, seat in zip(rows[ends].tolist(), seats[ends].tolist(), strict=True):
            self.payoffs[row] = [-1.0 if other == seat else 1.0 for other in range(2)]
            self.ends[row] = "resign"
        self.alive = np.setdiff1d(self.alive, rows[ends])
        return ends

    def resign_checks(self) -> list[tuple[float, bool]]:
        """As the result has them; what a game that was cut off would have come to is not known."""
        if self.manner.resign_below <= -1.0:
            return []
        rows = np.flatnonzero(self.checked & (np.array(self.ends) == "rules"))
        return [
            (float(self.lowest[row, seat]), bool(self.payoffs[row, seat] > -1.0))
            for row in rows.tolist()
            for seat in range(self.game.num_seats)
        ]

    # --- samples

    def record(self, rows: np.ndarray, seats: np.ndarray, policies: np.ndarray | None, values: np.ndarray) -> None:
        """Keep these positions; what the game came to is filled in at its end."""
        samples = new_samples(self.game, len(rows))
        samples.states[:] = self.states[rows]
        samples.values[:], samples.plies[:] = values, self.plies[rows]
        samples.generations[:] = self.manner.generation
        if policies is None:
            samples.policy_weights[:] = 0.0
        else:
            shares = np.zeros(samples.policies.shape, np.float32)
            legal = self.game.new_actions()
            list_all = self.game.compile(list_legal)
            list_all(self.game.rules, samples.states, policies, legal, samples.actions, shares)
            samples.policies[:] = shares
        self.pieces.append((rows, seats, samples))

    def result(self) -> BlockResult:
        scores = None
        if self.game.has("score"):
            scores = np.zeros(len(self.states))
            self.kernel(read_scores, scores)
        return BlockResult(
            self.samples(),
            [self.line(row) for row in range(len(self.states))],
            self.sides,
            self.payoffs,
            scores,
            self.simulations,
            self.resign_checks(),
        )

    def line(self, row: int) -> GameLine:
        names = [self.contestants[side].name for side in self.sides[row].tolist()]
        start, payoffs = int(self.start_of[row]), self.payoffs[row].tolist()
        return GameLine(names, start, self.actions[row], payoffs, self.ends[row])

    def samples(self) -> Samples:
        """All positions kept, game after game, with the games' results."""
        if not self.pieces:
            return new_samples(self.game, 0)
        rows = np.concatenate([piece[0] for piece in self.pieces])
        seats = np.concatenate([piece[1] for piece in self.pieces])
        found = join([piece[2] for piece in self.pieces])
        order = np.lexsort((found.plies, rows))
        rows, seats, found = rows[order], seats[order], take(found, order)
        found.payoffs[:], found.lengths[:] = self.payoffs[rows, seats], self.plies[rows]
        cut_off = np.array([end == "plies" for end in self.ends])[rows]
        fill_afterstates(found, rows, seats, cut_off)
        found.payoffs[cut_off] = found.values[cut_off]  # a game without an end has no other
        found = take(found, ~np.isnan(found.values))
        found.keys[:] = input_keys(self.game, found.states)
        return found


def fill_afterstates(samples: Samples, rows: np.ndarray, seats: np.ndarray, cut_off: np.ndarray) -> None:
    """A position before a draw has no search: its value is that of the game's next position, at the end the payoff.

    The last position of a game that was cut off has neither.
    """
    for index in np.flatnonzero(np.isnan(samples.values))[::-1].tolist():
        if index + 1 < len(rows) and rows[index + 1] == rows[index]:
            turn = 1.0 if seats[index + 1] == seats[index] else -1.0
            samples.values[index] = turn * samples.values[index + 1]
        elif not cut_off[index]:
            samples.values[index] = samples.payoffs[index]
