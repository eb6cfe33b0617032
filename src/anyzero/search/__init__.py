"""One tree and many formulas: from flat Monte Carlo to PUCT, for any game.

Reading order: `tree` (what a node is), `selection` (which child next), `amaf` (what rollouts say about other moves),
`backup` (results and proofs go up), `simulation` (one pass of all of these), `methods` (the named recipes),
`search` (the door).
"""

from anyzero.search.result import SearchResult
from anyzero.search.search import search

__all__ = ["SearchResult", "search"]
