"""One tree and many formulas: from flat Monte Carlo to Gumbel AlphaZero, for any game.

Reading order: `tree` (what a node is), `selection` (which child next, by statistics and AMAF),
`priors` (the same, guided by priors), `backup` (propagating results, proofs and AMAF), `simulation`
(one pass of all these), `methods` (the named recipes and their text), `run` (drives the kernels),
`pacing` (how a budget is spent), `report` (the final move and the results), `search` (the public
functions). Separate from the tree is the solver: `proof_search` and `solve`.
"""

import inspect
import sys
from types import ModuleType
from typing import Any

import anyzero
from anyzero.search.pacing import LiveSearch
from anyzero.search.report import SearchResult
from anyzero.search.search import ManyResults, Searcher, search_many
from anyzero.search.solve import Solution, Solver, solve

__all__ = [
    "LiveSearch",
    "ManyResults",
    "SearchResult",
    "Searcher",
    "Solution",
    "Solver",
    "search_many",
    "solve",
]


class CallableModule(ModuleType):
    # `anyzero.search` is a package once imported, and a function for users: both must work; help is
    # about the function
    __doc__ = property(lambda _: anyzero.find("search").__doc__)
    __signature__ = property(lambda _: inspect.signature(anyzero.find("search")))

    def __call__(self, *args: Any, **options: Any) -> SearchResult:
        return anyzero.find("search")(*args, **options)  # type: ignore[no-any-return]


sys.modules[__name__].__class__ = CallableModule
