"""One tree and many formulas: from flat Monte Carlo to Gumbel AlphaZero, for any game.

Reading order: `tree` (what a node is), `selection` (which child next, by statistics and AMAF),
`priors` (the same, guided by priors), `backup` (propagating results, proofs and AMAF), `simulation`
(one pass of all these), `leaves` (the same when an evaluator outside is waited for), `methods` (the
named recipes and their text), `forest` (the trees of a search and what grows and reads them),
`pacing` (how a budget is spent), `report` (the final move and the results), `search` (the door).
"""

from anyzero.core.search.pacing import LiveSearch
from anyzero.core.search.report import SearchResult
from anyzero.core.search.search import ManyResults, Searcher, search_many

__all__ = ["LiveSearch", "ManyResults", "SearchResult", "Searcher", "search_many"]
