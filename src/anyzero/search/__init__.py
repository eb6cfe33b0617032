"""One tree and many formulas: from flat Monte Carlo to Gumbel AlphaZero, for any game.

Reading order: `tree` (what a node is), `selection` (which child next, by statistics and AMAF), `priors` (the same led
by priors), `backup` (results, proofs and AMAF go up), `simulation` (one pass of all of these), `methods` (the named
recipes and their text), `run` (what drives the kernels), `pacing` (how a budget is spent), `report` (the final move
and what was found), `search` (the doors). Beside the tree stands the solver: `proof_search` and `solve`.
"""

import sys
from types import ModuleType
from typing import Any

import anyzero
from anyzero.search.pacing import LiveSearch
from anyzero.search.report import SearchResult
from anyzero.search.search import ManyResults, Searcher, search_many
from anyzero.search.solve import Solution, Solver, solve

__all__ = ["LiveSearch", "ManyResults", "SearchResult", "Searcher", "Solution", "Solver", "search_many", "solve"]


class CallableModule(ModuleType):
    """`anyzero.search` is this folder once it has been imported, and a function to everybody: both must work."""

    def __call__(self, *args: Any, **options: Any) -> SearchResult:
        return anyzero.find("search")(*args, **options)  # type: ignore[no-any-return]


sys.modules[__name__].__class__ = CallableModule
