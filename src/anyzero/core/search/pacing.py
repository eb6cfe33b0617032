"""How a search spends its budget: one loop, in slices of a few milliseconds, for every method.

A *plan* hands out its budget in portions: a number of simulations, or as many as fit until a time,
through any child of the root or through one. The loop runs each portion slice by slice. Between
slices the caller may read the results, yield to others or stop, and Ctrl-C works. With a budget of
simulations the slices do not change the result.
"""

import math
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from anyzero.core.base import stopping
from anyzero.core.base.errors import whole
from anyzero.core.compile.random import make_streams
from anyzero.core.game.game import State
from anyzero.core.game.play import Play, move_texts
from anyzero.core.search import report
from anyzero.core.search.halving import CHILD, gumbel_plan, new_halving, next_order
from anyzero.core.search.methods import BATCH, EXPECTIMAX, GUMBEL, UNBOUNDED
from anyzero.core.search.report import RootMoves, SearchResult
from anyzero.core.search.simulation import ANY_CHILD

if TYPE_CHECKING:
    from anyzero.core.search.search import Searcher

PIECE_S = 0.02  # roughly how long a search cannot be interrupted
FIRST_PIECE = 500
"""Simulations of the first slice with a budget of simulations and no network; later ones are timed.
"""
ENDLESS_S = 9e6  # the budget of a search that runs until it is stopped
PLANNED_S = 10.0  # Gumbel's planning horizon in an endless search; the best moves get the rest
TRIED_SHARE = 0.1  # share of the planned time that Gumbel by the clock uses to measure its speed
LONGEST_LINE = (
    20  # moves of the principal variation shown; beyond that it is little more than chance
)
MOST_PLANNED = (
    1 << 16
)  # maximum simulations planned by Gumbel by the clock; the best moves get the rest


class Portion(NamedTuple):
    """A part of a budget."""

    simulations: int = UNBOUNDED  # per tree
    until: float = math.inf  # the portion ends at this second of the whole search
    child: int = ANY_CHILD  # the root's child for all simulations
    trees: int | None = None  # only this many first trees; None: all


class LiveSearch:
    """A search in progress; it runs only within `advance`."""

    def __init__(
        self, searcher: "Searcher", state: State, seed: int = 0, line: Play | None = None
    ) -> None:
        self.searcher = searcher
        self.state = state
        self.seed = whole("seed", seed)
        self.run = searcher.begin(state, self.seed, line)
        self.seconds = 0.0  # spent in `advance`
        self.simulations = 0  # of all trees, including discarded trials
        self.rate = 0.0  # simulations per tree and second, in the last slice
        is_slow = searcher.method.settings.evaluator == BATCH or searcher.target == "interpreted"
        self.largest = 0 if searcher.simulations is None or is_slow else FIRST_PIECE // 2
        self.portions = plan(self)
        self.portion = next(self.portions, None)
        self.done = 0

    def advance(self, seconds: float = PIECE_S) -> bool:
        """Search for about this long; False once the budget is spent or the position is proven."""
        stopping.check()
        start = time.perf_counter()
        before = self.seconds
        end = self.seconds + seconds
        while self.portion is not None and (
            self.seconds < end or self.run.simulations() == 0
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
        trees = portion.trees or self.run.num_trees
        whole = portion.until == math.inf
        found = self.run.simulate(num, portion.child, trees=portion.trees, whole=whole)
        made = max(num, found) if self.run.rounds else num
        self.largest = max(self.largest, num)
        self.rate = made / max(time.perf_counter() - start, 1e-7)
        self.simulations += found
        self.done += made
        return found < num * trees and self.run.is_decided()

    def restart(self, simulations: int) -> None:
        """Gumbel: start again, with halving over this many simulations."""
        plan = gumbel_plan(self.run.game, self.run.settings.considered, simulations)
        self.run.scratch = self.run.scratch._replace(plan=plan)
        self.run.plant(self.run.roots.copy())

    def finish(self) -> "LiveSearch":
        while self.advance():
            pass
        return self

    # --- results; requires a previous `advance`

    def moves(self) -> RootMoves:
        return report.merge_moves([self.run.moves(number) for number in range(self.searcher.trees)])

    def ranked(self, moves: RootMoves) -> np.ndarray:
        """The moves, best first; with a temperature the first is sampled, by visits or by the
        measure of `final`.
        """
        run = self.run
        method = self.searcher.method
        final = self.searcher.final
        if final == "gumbel" and self.searcher.trees == 1:
            order = report.gumbel_order(run, moves)
        else:  # of several trees, the move that most of their halvings chose
            order = report.final_order("visits" if final == "gumbel" else final, moves)
        if method.halves or method.settings.formula == EXPECTIMAX:
            # The survivors of the last round come first, regardless of the statistics of the
            # others.
            order = order[np.argsort(-moves.priors[order], kind="stable")]
        if self.searcher.temperature > 0.0:
            shares = moves.visits.astype(np.float64)
            stream = make_streams(self.seed, 1, first=report.DRAWING)[0]
            if final == "value":
                shares[:] = list(map(report.value_share, moves.visits, moves.values, moves.proven))
            elif final == "gumbel":
                shares[:] = run.report()[2].mean(axis=0)[moves.actions]
            with np.errstate(over="ignore"):
                drawn = report.draw_move(
                    shares, moves.proven, len(shares), self.searcher.temperature, stream
                )
            order = order if drawn < 0 else np.concatenate([[drawn], order[order != drawn]])
        return order

    def choice(self) -> int:
        """The action to play."""
        moves = self.moves()
        return int(moves.actions[self.ranked(moves)[0]])

    def result(self) -> SearchResult:
        run = self.run
        moves = self.moves()
        texts = run.game.format_actions(self.state, moves.actions.tolist())
        children = report.make_children(moves, self.ranked(moves), texts)
        best = children[0]
        line = self.line(best.action)
        value = 0.0 if best.value is None else best.value
        proven = next(
            (report.PROVEN_NAMES[code] for code in run.proofs() if code in report.PROVEN_NAMES),
            None,
        )
        simulations = int(run.scratch.counters[:, 0].sum())
        depth = int(run.scratch.counters[:, 1].max())
        nodes = sum(run.tree.nodes(number) for number in range(run.num_trees))
        effort = simulations, nodes, depth, self.seconds, run.tree.bytes_a_node
        return SearchResult(
            best.move, best.action, value, proven, children, line, *effort, run.game.best_score
        )

    def line(self, action: int) -> list[str]:
        """The most visited line from this action on, as moves."""
        texts, _ = move_texts(self.run.game, self.state, self.line_actions(action))
        return texts

    def line_actions(self, action: int) -> list[int]:
        """The most visited line from this action on, up to the first chance node."""
        game = self.run.game
        state = self.state
        actions = []
        for move in self.run.principal_variation(action)[:LONGEST_LINE]:
            actions.append(move)
            state = game.play(state, move)
            if game.seat_to_move(state) < 0:
                break
        return actions


def plan(live: LiveSearch) -> Iterator[Portion]:
    searcher = live.searcher
    simulations = searcher.simulations
    seconds = searcher.seconds or 0.0
    trees = searcher.trees
    if searcher.method.halves:
        yield from halve(live, simulations or 0, seconds)
    elif simulations is not None:
        yield Portion(simulations // trees)
        if simulations % trees:
            yield Portion(1, trees=simulations % trees)
    elif searcher.method.settings.formula == GUMBEL:
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
        live.restart(budget)
        before = live.seconds
        yield Portion(budget, until=seconds)
        if live.seconds >= TRIED_SHARE * horizon or 2 * budget > MOST_PLANNED:
            break
        budget *= 2
    rate = budget / max(live.seconds - before, 1e-7)
    left = int(
        0.8 * rate * (horizon - live.seconds)
    )  # a little less, so that the plan is completed
    if live.seconds < seconds:
        live.restart(min(max(budget, left), MOST_PLANNED))
        yield Portion(until=seconds)


def halve(live: LiveSearch, simulations: int, seconds: float) -> Iterator[Portion]:
    """Sequential halving over the root's children, by simulations or, if none are given, by the
    clock.
    """
    run = live.run
    halving = new_halving(live.run.game.max_legal)
    while num := next_order(run.tree, run.settings, halving, simulations, seconds, live.seconds):
        yield Portion(int(num), child=int(halving.at[CHILD]))
