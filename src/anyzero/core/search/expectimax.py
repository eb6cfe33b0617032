"""Expectimax: average over chance outcomes, maximum over moves, to a given depth; exact where the
game ends.

Positions are laid out level by level, so that all leaves of a search are evaluated together. A leaf
is a position after the last of `depth` moves: in a game of chance, an afterstate. Each seat
maximises its own payoff.
"""

import math
from collections.abc import Iterator
from contextlib import suppress
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from anyzero.core.base import stopping
from anyzero.core.base.nouns import Actions, Numbers, Rules, State, States, Streams
from anyzero.core.compile.random import make_streams, random_below
from anyzero.core.game.contract import (
    CHANCE,
    OVER,
    chance_weight,
    guided_rollout,
    legal_actions,
    payoffs,
    play,
    rollout,
    seat_to_move,
)
from anyzero.core.game.game import Game
from anyzero.core.game.rollouts import cut, run_parts, turn_to_seats
from anyzero.core.game.streams import new_scratch, rollout_streams
from anyzero.core.search.forest import Forest
from anyzero.core.search.leaves import evaluate_values
from anyzero.core.search.methods import GUIDED, UNIFORM, Evaluator, Method
from anyzero.core.search.simulation import ANY_CHILD
from anyzero.core.search.tree import clear_nodes

INLINED = True  # these functions are compiled into their callers: see compile.kernels

ROLLOUTS = 16  # random games per leaf, if rollouts are the evaluator
TOGETHER = 56_000
"""Leaves laid out at a time, roughly: a little less than a power of two, which a GPU computes."""
MOST_EXACT = 2_000_000
"""Maximum positions to the end of the game for an exact search without an evaluator."""
MOST_BY_CLOCK = 8_000
"""The budget in leaves when seconds are given: a search cannot stop in the middle of a ply."""
ROUGHLY = 4
"""How far an estimate may be off: more leaves than this many times the budget are not counted."""
LINES = 4
"""Random lines to estimate the size of a tree, and positions to estimate that of many trees."""
TO_THE_END = 1 << 14  # more moves than a game has


class Level(NamedTuple):
    """Positions of one ply, and the start of each one's successors in the next level."""

    states: States
    left: np.ndarray  # [positions] int16: moves left to look ahead
    starts: np.ndarray  # [positions + 1] int64: a leaf has no successors
    weights: np.ndarray  # [positions]: of the outcome that led here


class Expectimax:
    """Values of positions of one game after `depth` moves, by an evaluator (or the code of one
    within kernels).

    Several threads lay out a few positions each; the evaluator is called by one thread at a time.
    """

    def __init__(self, game: Game, evaluator: int | Evaluator, *, threads: int = 1) -> None:
        self.game = game
        self.evaluator = evaluator
        self.seed = 0
        self.threads = threads
        self.lock = Lock()

    def values(self, states: States, depth: int) -> np.ndarray:
        """Expected payoffs [positions, seats] with `depth` moves looked ahead; 0: the evaluator's
        own.
        """
        values = np.zeros((len(states), self.game.num_seats))
        some = states[:: max(1, len(states) // LINES)]
        estimates = [estimate_leaves(self.game, state, depth) for state in some]
        leaves = sum(estimates) / max(1, len(some)) * len(states)
        # each with about as many leaves as fit
        parts = max(1, min(len(states), int(np.ceil(leaves / TOGETHER))))

        def run(first: int, last: int) -> None:
            stopping.check()
            values[first:last] = self.back_up(list(self.levels(states[first:last], depth)))

        run_parts(run, cut(len(states), parts) if len(states) else [], min(parts, self.threads))
        return values

    def count_leaves(self, state: State, depth: int) -> int:
        """Number of positions at the ends of all lines of `depth` moves."""
        levels = self.levels(np.array([state]), depth)
        return sum(int((np.diff(level.starts) == 0).sum()) for level in levels)

    def levels(self, states: States, depth: int) -> Iterator[Level]:
        """One ply after another, until every line reaches its depth or its end."""
        game = self.game
        counting = self.game.compile(count_children)
        writing = self.game.compile(write_children)
        left = np.full(len(states), depth, np.int16)
        weights = np.ones(len(states))
        # the estimate may have been far too low
        most = ROUGHLY * MOST_EXACT if depth == TO_THE_END else math.inf
        actions = game.new_actions()
        while len(states):
            states = np.ascontiguousarray(states)
            starts = np.zeros(len(states) + 1, np.int64)
            counting(game.rules, states, left, actions, starts)
            np.cumsum(starts, out=starts)
            yield Level(states, left, starts, weights)
            num = int(starts[-1])
            most = most - starts[-1]
            if most < 0:
                raise MemoryError
            children = game.new_states(num)
            next_left = np.zeros(num, np.int16)
            next_weights = np.zeros(num)
            writing(game.rules, states, left, starts, actions, children, next_left, next_weights)
            states = children
            left = next_left
            weights = next_weights

    def back_up(self, levels: list[Level]) -> np.ndarray:
        """The values of the first level, computed from the leaves."""
        kernel = self.game.compile(back_up_level)
        below = np.zeros((0, self.game.num_seats))
        weights = np.zeros(0)
        for level, values in reversed(list(zip(levels, self.leaf_values(levels), strict=True))):
            kernel(self.game.rules, level.states, level.starts, weights, below, values)
            below = values
            weights = level.weights
        return below

    def leaf_values(self, levels: list[Level]) -> list[np.ndarray]:
        """For each level [positions, seats], filled in at the leaves."""
        game = self.game
        kernel = self.game.compile(write_ends)
        by_level = []
        open_leaves = []
        for level in levels:
            values = np.zeros((len(level.states), game.num_seats))
            is_open = np.zeros(len(level.states), np.bool_)
            kernel(game.rules, level.states, level.starts, values, is_open)
            by_level.append(values)
            open_leaves.append(slice(None) if is_open.all() else np.flatnonzero(is_open))
        parts = [level.states[rows] for level, rows in zip(levels, open_leaves, strict=True)]
        parts = [part for part in parts if len(part)] or parts[:1]
        answers = self.evaluate(parts[0] if len(parts) == 1 else np.concatenate(parts))
        first = 0
        for values, rows in zip(by_level, open_leaves, strict=True):
            num = len(values[rows])
            values[rows] = answers[first : first + num]
            first += num
        return by_level

    def evaluate(self, states: States) -> np.ndarray:
        """The evaluator's values for every seat, or mean payoffs of a few random games from each
        position.
        """
        game = self.game
        values = np.zeros((len(states), self.game.num_seats))
        if len(states) == 0 or self.evaluator == UNIFORM:
            return values
        if not callable(self.evaluator):
            guided = {rollout: game.unit.functions[guided_rollout]}
            parts = guided if self.evaluator == GUIDED else {}
            kernel = game.compile(rollout_streams, parts=parts)
            seed = np.uint64(self.seed % 2**64)
            counts = 0, len(states), ROLLOUTS
            moves = np.zeros(len(states), np.int64)
            kernel(game.rules, states, seed, *counts, new_scratch(game), values, moves)
            return values / ROLLOUTS
        with self.lock:
            values[:] = answers = evaluate_values(self.evaluator, game, states)
        if answers.shape[1] < game.num_seats:  # the value for the seat to move
            values[:, 1:] *= -1.0
            turn_to_seats(game, states, values)
        return values


# --- kernels


def count_children(
    rules: Rules, states: States, left: Numbers, actions: Actions, starts: Numbers
) -> None:
    """Kernel: write the number of successors of each position i to `starts[i + 1]`."""
    for index in range(len(states)):
        is_leaf = left[index] == 0 or seat_to_move(rules, states[index]) == OVER
        starts[index + 1] = 0 if is_leaf else legal_actions(rules, states[index], actions)


def write_children(
    rules: Rules,
    states: States,
    left: Numbers,
    starts: Numbers,
    actions: Actions,
    children: States,
    next_left: Numbers,
    weights: Numbers,
) -> None:
    """Kernel: play every outcome and every move."""
    for index in range(len(states)):
        first = starts[index]
        last = starts[index + 1]
        if first == last:
            continue
        is_draw = seat_to_move(rules, states[index]) == CHANCE
        legal_actions(rules, states[index], actions)
        for child in range(first, last):
            action = np.int64(actions[child - first])
            weights[child] = chance_weight(rules, states[index], action) if is_draw else 1.0  # type: ignore[arg-type]
            children[child] = states[index]
            next_left[child] = left[index] - (0 if is_draw else 1)
            play(rules, children[child], action)  # type: ignore[arg-type]


def write_ends(
    rules: Rules, states: States, starts: Numbers, values: Numbers, is_open: Numbers
) -> None:
    """Kernel: write the payoffs of finished games, and which of the other leaves need an
    evaluator.
    """
    for index in range(len(states)):
        if starts[index] < starts[index + 1]:
            continue
        if seat_to_move(rules, states[index]) == OVER:
            payoffs(rules, states[index], values[index])
        else:
            is_open[index] = True


def back_up_level(
    rules: Rules, states: States, starts: Numbers, weights: Numbers, below: Numbers, values: Numbers
) -> None:
    """Kernel: the mean over outcomes, or the best move for the seat to move, from the level
    below.
    """
    for index in range(len(states)):
        first = starts[index]
        last = starts[index + 1]
        if first == last:
            continue
        seat = seat_to_move(rules, states[index])
        total = 0.0
        if seat == CHANCE:
            for child in range(first, last):
                total += weights[child]
            for other in range(values.shape[1]):
                for child in range(first, last):
                    values[index, other] += weights[child] / total * below[child, other]
        else:
            best = first
            for child in range(first + 1, last):
                if below[child, seat] > below[best, seat]:
                    best = child
            for other in range(values.shape[1]):
                values[index, other] = below[best, other]


# --- the size of a tree


def estimate_leaves(game: Game, state: State, depth: int) -> float:
    """Estimate the positions at the ends of all lines of `depth` moves: a mean over random lines.
    Knuth 1975.
    """
    states = game.new_states(1)
    actions = game.new_actions()
    streams = make_streams(0, 1)
    kernel = game.compile(follow_line)
    total = 0.0
    for _ in range(LINES):
        states[0] = state
        total += kernel(game.rules, states, depth, actions, streams)
    return total / LINES


def follow_line(
    rules: Rules, states: States, depth: int, actions: Actions, streams: Streams
) -> float:
    """Kernel: play `depth` random moves; the product of the numbers of outcomes and moves along the
    line.
    """
    product = 1.0
    state = states[0]
    seat = seat_to_move(rules, state)
    while depth > 0 and seat != OVER:
        count = legal_actions(rules, state, actions)
        product *= count
        play(rules, state, np.int64(actions[random_below(streams[0], count)]))  # type: ignore[arg-type]
        depth -= 0 if seat == CHANCE else 1
        seat = seat_to_move(rules, state)
    return product


# --- a search of one position


class DeepeningForest(Forest):
    """Iterative deepening on one position; from the second depth on, only for the moves that look
    best.

    A simulation is one evaluated leaf. The results are stored in a tree of one ply, in which the
    moves searched deepest share the prior.
    """

    def __init__(
        self, game: Game, method: Method, *, simulations: int | None = None, **options: Any
    ) -> None:
        super().__init__(game, method, simulations=simulations, **options)
        self.most = MOST_BY_CLOCK if simulations is None else simulations
        self.expectimax = Expectimax(game, self.evaluator or method.settings.evaluator)

    def make_ready(self) -> None:
        self.expectimax.values(np.array([self.game.initial_state()]), 1)

    def seed(self, seed: int) -> None:
        super().seed(seed)
        self.expectimax.seed = seed

    def plant(self, states: States) -> None:
        super().plant(states)
        state = self.roots[0]
        actions = self.game.legal_actions(state)
        self.seat = self.game.seat_to_move(state)
        self.after = np.array(
            [self.game.play(state, action) for action in actions], self.game.state_dtype
        )
        self.order = np.arange(len(actions))
        self.depth = 0
        self.is_done = False
        tree = self.tree
        children = slice(1, 1 + len(actions))
        clear_nodes(tree, 1, 1 + len(actions))
        tree.action[children] = actions
        tree.prior[children] = 1.0 / len(actions)
        tree.first[0] = 1
        tree.num_children[0] = len(actions)
        tree.used[0, 0] = 1 + len(actions)

    def grow(
        self, num: int, forced: int = ANY_CHILD, *, trees: int | None = None, whole: bool = True
    ) -> int:
        """About `num` simulations: whole plies, each a move deeper, while the budget allows it."""
        before = self.simulations()
        while not self.is_done and self.simulations() - before < num:
            self.deepen()
        return self.simulations() - before

    def deepen(self) -> None:
        """Look a move further ahead than before, or, if the end of the game is near, to the end at
        once.
        """
        self.depth += 1
        if self.depth == 1 and estimate_leaves(self.game, self.roots[0], TO_THE_END) <= MOST_EXACT:
            with suppress(MemoryError):
                self.search_moves(self.order, TO_THE_END, [1] * len(self.order))
                self.is_done = True
                return
        costs = self.affordable(self.depth - 1)
        self.is_done = len(costs) < len(self.order)
        if costs:
            self.search_moves(self.order[: len(costs)], self.depth - 1, costs)

    def affordable(self, ahead: int) -> list[int]:
        """Leaves below each move, `ahead` moves deep, best move first, for as many moves as the
        budget allows.
        """
        costs: list[int] = []
        for state in self.after[self.order]:
            left = self.most - self.simulations() - sum(costs)
            if estimate_leaves(self.game, state, ahead) > ROUGHLY * left:
                break
            costs.append(self.expectimax.count_leaves(state, ahead))
            if costs[-1] > left:
                return costs[:-1]
        return costs

    def search_moves(self, moves: np.ndarray, ahead: int, costs: list[int]) -> None:
        """Search all leaves below these moves together; the other moves are eliminated."""
        values = self.expectimax.values(self.after[moves], ahead)[:, self.seat]
        children = slice(1, 1 + len(self.after))
        self.tree.prior[children] = 0.0
        self.tree.prior[1 + moves] = 1.0 / len(moves)
        self.tree.value[1 + moves] = values
        self.tree.visits[1 + moves] += np.array(costs, self.tree.visits.dtype)
        self.scratch.counters[0] = self.tree.visits[children].sum(), self.depth
        self.order = moves[np.argsort(-values, kind="stable")][: self.settings.considered]

    def is_decided(self) -> bool:
        return self.is_done
