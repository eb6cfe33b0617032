"""A search that can be watched: `for result in search_steps(game, state, "uct"): ...` until the caller has seen enough.

`LiveSearch` is the same for those who must react between two results: it goes on for a moment at a time, and says what
it has found only when it is asked. With a budget of simulations the last result is that of `search` with the same seed.
"""

import time
from collections.abc import Iterator
from typing import Any

from anyzero.errors import BadOptionError
from anyzero.games.game import Game, State
from anyzero.search.result import SearchResult
from anyzero.search.search import MOST_PLANNED, Searcher, line_texts
from anyzero.search.settings import GUMBEL, UNBOUNDED

PIECE_S = 0.02
"""About as long as a search cannot be stopped."""
ENDLESS_S = 9e6
"""The budget of a search that goes on until it is left."""
PLANNED_S = 10.0
"""Gumbel without a number of simulations plans no further than this; the best moves get the rest."""
TRIED_SHARE = 0.1
"""Gumbel tries out for so much of the planned time how fast it is."""


def search_steps(
    game: Game, state: State, method: str = "uct", *, seed: int = 0, every_s: float = 0.2, **options: Any
) -> Iterator[SearchResult]:
    """What a search has found so far, about every `every_s` seconds, and at its end; without a budget it has none.

    The options are those of `search`. Leave the loop, or close the iterator, to stop the search.
    """
    if options.get("simulations") is None and options.get("seconds") is None:
        options = {**options, "seconds": ENDLESS_S}
    live, going = LiveSearch(Searcher(game, method, **options), state, seed), True
    while going:
        end = time.perf_counter() + every_s
        while going and time.perf_counter() < end:
            going = live.advance(min(PIECE_S, every_s))
        yield live.result()


class LiveSearch:
    """A search under way; nothing happens but in `advance`."""

    def __init__(self, searcher: Searcher, state: State, seed: int = 0) -> None:
        if searcher.method.halves:
            raise BadOptionError("halving at the root plans all of its budget: it has nothing to show before its end")
        self.searcher, self.state, self.seed = searcher, state, seed
        self.run = searcher.begin(state, seed)
        self.seconds = 0.0
        """Spent in `advance`."""
        self.simulations = 0
        """Of all trees, those of dropped trials too."""
        self.piece, self.rate = 0, 1.0
        self.planned: int | None = None
        """Gumbel by the clock: how many simulations the plan under way has; None where none is needed any more."""
        if searcher.simulations is None and searcher.method.settings.formula == GUMBEL:
            self.plan_for(8)

    def advance(self, seconds: float = PIECE_S) -> bool:
        """Search for about so long; False once the budget is spent or the position is proven."""
        start = time.perf_counter()
        self.replan()
        self.piece = max(1, min(2 * self.piece, int(self.rate * seconds), self.left()))
        done = self.run.simulate(self.piece)
        if self.left() == 0:
            done += self.searcher.spend_rest(self.run)
        spent = time.perf_counter() - start
        self.simulations += done
        self.seconds += spent
        self.rate = self.piece / max(spent, 1e-7)
        if done < self.piece * self.run.num_trees and self.run.is_decided():
            return False
        budget = self.searcher.seconds
        return self.left() > 0 if budget is None else self.seconds < budget

    def left(self) -> int:
        """Simulations of each tree that the budget, or the plan under way, still has."""
        searcher = self.searcher
        total = self.planned if searcher.simulations is None else searcher.simulations // searcher.trees
        return UNBOUNDED if total is None else total - int(self.run.scratch.counters[:, 0].max())

    def replan(self) -> None:
        """Gumbel by the clock: once a trial is over, one of twice its size, or the plan for all of the time."""
        if self.planned is None or self.left() > 0:
            return
        horizon = min(self.searcher.seconds or 0.0, PLANNED_S)
        if self.seconds < TRIED_SHARE * horizon and 2 * self.planned <= MOST_PLANNED:
            self.plan_for(2 * self.planned)
        else:
            left = 0.8 * self.rate * (horizon - self.seconds)  # a little less, so that the plan comes to its end
            self.plan_for(min(max(self.planned, int(left)), MOST_PLANNED))
            self.planned = None

    def plan_for(self, simulations: int) -> None:
        """Begin anew, halving over so many simulations."""
        self.planned = simulations
        self.run.plan_for(simulations)
        self.run.plant(self.run.roots.copy())

    def result(self) -> SearchResult:
        """What has been found; there must have been an `advance`."""
        return self.searcher.result(self.run, self.state, self.seed, self.seconds)

    def line(self, action: int) -> list[str]:
        """The most visited line that begins with this action, as moves."""
        return line_texts(self.searcher.game, self.state, self.run.principal_variation(action))
