"""How many simulations a second a search does, from the start of a game."""

import statistics
import time
from typing import NamedTuple

from anyzero.errors import AnyzeroError
from anyzero.games.game import Game
from anyzero.games.line import first_decision
from anyzero.search.methods import parse_search
from anyzero.search.report import SearchResult
from anyzero.search.search import Searcher


class SearchSpeed(NamedTuple):
    game: str
    method: str
    simulations_per_s: float
    """Of the fastest search: whatever else a machine does only makes it slower."""
    median_simulations_per_s: float
    simulations: int
    """Of the fastest search; fewer than its budget if the position was proven."""
    nodes: int
    bytes_per_node: float
    searches: int
    seconds: float
    """All searches together."""
    ready_s: float
    """Until a first search of one simulation was done: loading or compiling."""


def bench_search(game: Game, method: str, *, seconds: float = 2.0) -> SearchSpeed:
    """Search the start again and again for about `seconds`, each time with another seed and an empty tree.

    The clock runs over the whole call, so that reading the result off the tree counts too. As with a player, a search
    uses the memory of the one before again.
    """
    wanted, state, start = parse_search(method), first_decision(game), time.perf_counter()
    if state is None:
        raise AnyzeroError(f"{game.text}: there is nothing to search, the game is over at its start")
    Searcher(game, **wanted._replace(simulations=1, seconds=None).arguments).search(state, 0)
    searcher, ready_s, spent = Searcher(game, **wanted.arguments), time.perf_counter() - start, 0.0
    found: list[tuple[float, SearchResult]] = []
    while spent < seconds or not found:
        start = time.perf_counter()
        result = searcher.search(state, len(found) + 1)
        took = time.perf_counter() - start
        found.append((result.simulations / took, result))
        spent += took
    rates = [rate for rate, _ in found]
    best = found[rates.index(max(rates))][1]
    return SearchSpeed(
        game=game.text,
        method=method,
        simulations_per_s=max(rates),
        median_simulations_per_s=statistics.median(rates),
        simulations=best.simulations,
        nodes=best.nodes,
        bytes_per_node=best.bytes_per_node,
        searches=len(found),
        seconds=round(spent, 4),
        ready_s=round(ready_s, 4),
    )
