"""How a search spends its budget: one loop, in slices of a few milliseconds, for every method.

A *plan* hands out its budget in portions: a number of simulations, or as many as fit until a time,
through any child of the root or through one. The loop runs each portion slice by slice. Between
slices the caller may read the results, yield to others or stop, and Ctrl-C works. With a budget of
simulations the slices do not change the result.
"""

import math
import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from anyzero.core.base import stopping
from anyzero.core.compile.random import make_streams
from anyzero.core.search import report
from anyzero.core.search.forest import Forest
from anyzero.core.search.halving import CHILD, new_halving, next_order
from anyzero.core.search.methods import BATCH, EXPECTIMAX, GUMBEL, UNBOUNDED
from anyzero.core.search.report import RootMoves, SearchResult
from anyzero.core.search.simulation import ANY_CHILD

PIECE_S = 0.02  # roughly how long a search cannot be interrupted
FIRST_PIECE = 500
"""Simulations of the first slice with a budget of simulations and no network; later ones are timed.
"""
ENDLESS_S = 9e6  # the budget of a search that runs until it is stopped
PLANNED_S = 10.0  # Gumbel's planning horizon in an endless search; the best moves get the rest
TRIED_SHARE = 0.1  # share of the planned time that Gumbel by the clock uses to measure its speed
LONGEST_LINE = 20
"""Moves of the principal variation shown; beyond that it is little more than chance."""
MOST_PLANNED = 1 << 16
"""Maximum simulations planned by Gumbel by the clock; the best moves get the rest."""


class Portion(NamedTuple):
    """A part of a budget."""

    simulations: int = UNBOUNDED  # per tree
    until: float = math.inf  # the portion ends at this second of the whole search
    child: int = ANY_CHILD  # the root's child for all simulations
    trees: int | None = None  # only this many first trees; None: all


class Budget(NamedTuple):
    """When a search stops: after this many simulations of all trees, or after these seconds."""

    simulations: int | None
    seconds: float | None


class LiveSearch:
    """A search in progress: it spends a budget on the trees of a forest, one position's, and runs
    only within `advance`.
    """

    def __init__(
        self,
        forest: Forest,
        budget: Budget,
        *,
        seed: int = 0,
        final: str = "visits",
        temperature: float = 0.0,
    ) -> None:
        """The trees are planted. `final` is the rule of the final move, which a temperature above 0
        samples.
        """
        self.forest = forest
        self.budget = budget
        self.state = forest.roots[0].copy()
        self.seed = seed
        self.final = final
        self.temperature = temperature
        self.seconds = 0.0  # spent in `advance`
        self.simulations = 0  # of all trees, including discarded trials
        self.rate = 0.0  # simulations per tree and second, in the last slice
        is_slow = forest.settings.evaluator == BATCH or forest.target == "interpreted"
        self.largest = 0 if budget.simulations is None or is_slow else FIRST_PIECE // 2
        self.portions = portions_of(self)
        self.portion = next(self.portions, None)
        self.done = 0

    def advance(self, seconds: float = PIECE_S) -> bool:
        """Search for about this long; False once the budget is spent or the position is proven."""
        stopping.check()
        start = time.perf_counter()
        before = self.seconds
        end = self.seconds + seconds
        while self.portion is not None and (
            self.seconds < end or self.forest.simulations() == 0
        ):  # a result needs one
            is_proven = self.do_piece(self.portion, end)
            self.seconds = before + time.perf_counter() - start
            if is_proven:
                self.portion = None
            elif self.done >= self.portion.simulations or self.seconds >= self.portion.until:
                self.portion = next(self.portions, None)
                self.done = 0
        self.seconds = before + time.perf_counter() - start
        return self.portion is not None

    def do_piece(self, portion: Portion, end: float) -> bool:
        """Run as much of a portion as fits until this second; True once every root is decided."""
        start = time.perf_counter()
        fitting = (
            int(self.rate * (min(end, portion.until) - self.seconds)) if self.rate else UNBOUNDED
        )
        num = min(max(1, min(2 * self.largest, fitting)), portion.simulations - self.done)
        trees = portion.trees or self.forest.num_trees
        whole = portion.until == math.inf
        simulations = self.forest.grow(num, portion.child, trees=portion.trees, whole=whole)
        steps = max(num, simulations) if self.forest.rounds else num
        self.largest = max(self.largest, num)
        self.rate = steps / max(time.perf_counter() - start, 1e-7)
        self.simulations += simulations
        self.done += steps
        return simulations < num * trees and self.forest.is_decided()

    def finish(self) -> "LiveSearch":
        while self.advance():
            pass
        return self

    # --- results; requires a previous `advance`

    def moves(self) -> RootMoves:
        forest = self.forest
        return report.merge_moves([forest.moves(number) for number in range(forest.num_trees)])

    def ranked(self, moves: RootMoves) -> np.ndarray:
        """The moves, best first; with a temperature the first is sampled, by visits or by the
        measure of `final`.
        """
        forest = self.forest
        method = forest.method
        final = self.final
        if final == "gumbel" and forest.num_trees == 1:
            order = report.gumbel_order(forest.tree, forest.scratch, forest.settings, moves)
        else:  # of several trees, the move that most of their halvings chose
            order = report.final_order("visits" if final == "gumbel" else final, moves)
        if method.halves or method.settings.formula == EXPECTIMAX:
            # The survivors of the last round come first, regardless of the statistics of the
            # others.
            order = order[np.argsort(-moves.priors[order], kind="stable")]
        if self.temperature > 0.0:
            shares = moves.visits.astype(np.float64)
            stream = make_streams(self.seed, 1, first=report.DRAWING)[0]
            if final == "value":
                shares[:] = list(map(report.value_share, moves.visits, moves.values, moves.proven))
            elif final == "gumbel":
                shares[:] = forest.policies()[2].mean(axis=0)[moves.actions]
            with np.errstate(over="ignore"):
                drawn = report.draw_move(
                    shares, moves.proven, len(shares), self.temperature, stream
                )
            order = order if drawn < 0 else np.concatenate([[drawn], order[order != drawn]])
        return order

    def choice(self) -> int:
        """The action to play."""
        moves = self.moves()
        return int(moves.actions[self.ranked(moves)[0]])

    def result(self) -> SearchResult:
        forest = self.forest
        moves = self.moves()
        texts = forest.game.format_actions(self.state, moves.actions.tolist())
        children = report.make_children(moves, self.ranked(moves), texts)
        best = children[0]
        line = self.line(best.action)
        value = 0.0 if best.value is None else best.value
        proven = next(
            (report.PROVEN_NAMES[code] for code in forest.proofs() if code in report.PROVEN_NAMES),
            None,
        )
        return SearchResult(
            best.move,
            best.action,
            value,
            proven,
            children,
            line,
            simulations=forest.simulations(),
            nodes=forest.nodes(),
            depth=forest.max_depth(),
            seconds=self.seconds,
            bytes_per_node=forest.tree.bytes_a_node,
            best_score=forest.game.best_score,
        )

    def line(self, action: int) -> list[str]:
        """The most visited line from this action on, as moves, up to the first chance node."""
        return [text for _, text in self.variation(action)]

    def line_actions(self, action: int) -> list[int]:
        """The same as actions."""
        return [action for action, _ in self.variation(action)]

    def variation(self, action: int) -> Iterator[tuple[int, str]]:
        game = self.forest.game
        state = self.state
        for later in self.forest.principal_variation(action)[:LONGEST_LINE]:
            yield later, game.format_action(state, later)
            state = game.play(state, later)
            if game.seat_to_move(state) < 0:
                break


def portions_of(live: LiveSearch) -> Iterator[Portion]:
    """The parts of its budget, each handed out when the last one is spent."""
    simulations = live.budget.simulations
    seconds = live.budget.seconds or 0.0
    method = live.forest.method
    trees = live.forest.num_trees
    if method.halves:
        yield from halve(live, simulations or 0, seconds)
    elif simulations is not None:
        yield Portion(simulations // trees)
        if simulations % trees:
            yield Portion(1, trees=simulations % trees)
    elif method.settings.formula == GUMBEL:
        yield from plan_by_clock(live, seconds)
    else:
        yield Portion(until=seconds)


def plan_by_clock(live: LiveSearch, seconds: float) -> Iterator[Portion]:
    """Gumbel must know its simulations in advance: double the trial's size until a tenth of the
    time is gone.

    If the guess was too high, or a trial is too slow, the clock ends the search; if it was too low,
    the best moves get the rest.
    """
    horizon = seconds if seconds < ENDLESS_S else PLANNED_S
    budget = 8
    while True:
        live.forest.replant(budget)
        before = live.seconds
        yield Portion(budget, until=seconds)
        if live.seconds >= TRIED_SHARE * horizon or 2 * budget > MOST_PLANNED:
            break
        budget *= 2
    rate = budget / max(live.seconds - before, 1e-7)
    # a little less, so that the plan is completed
    left = int(0.8 * rate * (horizon - live.seconds))
    if live.seconds < seconds:
        live.forest.replant(min(max(budget, left), MOST_PLANNED))
        yield Portion(until=seconds)


def halve(live: LiveSearch, simulations: int, seconds: float) -> Iterator[Portion]:
    """Sequential halving over the root's children, by simulations or, if none are given, by the
    clock.
    """
    tree = live.forest.tree
    settings = live.forest.settings
    halving = new_halving(live.forest.game.max_legal)
    while num := next_order(tree, settings, halving, simulations, seconds, live.seconds):
        yield Portion(int(num), child=int(halving.at[CHILD]))
