"""Speeds of one machine: random games a second, and simulations a second of a search."""

import statistics
import time
from typing import NamedTuple

from anyzero.core.base.errors import AnyzeroError
from anyzero.core.game.game import Game
from anyzero.core.game.play import first_decision
from anyzero.core.game.rollouts import check_target, rollouts
from anyzero.core.search.methods import parse_search
from anyzero.core.search.report import SearchResult
from anyzero.core.search.search import Searcher

FIRST_STREAMS = {"cpu": 16, "cuda": 131_072, "interpreted": 1, "wasm": 16}
"""Streams of a benchmark's first measurement; on a GPU as many threads as fill a large one."""


# --- random games per second


class RolloutSpeed(NamedTuple):
    game: str
    target: str
    threads: int
    rollouts_per_s: float
    moves_per_s: float
    compile_s: float  # time until the first rollout was done: loading or compiling


def bench_rollouts(
    game: Game, *, target: str = "cpu", threads: int = 1, seconds: float = 2.0
) -> RolloutSpeed:
    """Measure for about `seconds`, once everything is compiled."""
    check_target(target)
    state = game.initial_state()
    start = time.perf_counter()
    rollouts(game, state, 1, target=target)
    compile_s = time.perf_counter() - start
    streams = FIRST_STREAMS[target] * threads
    repeats = 1
    while True:
        start = time.perf_counter()
        result = rollouts(
            game, state, streams, repeats, seed=streams + repeats, target=target, threads=threads
        )
        took = time.perf_counter() - start
        if took >= seconds / 2:
            rates = streams * repeats / took, float(result.moves.sum()) / took
            return RolloutSpeed(game.text, target, threads, *rates, round(compile_s, 4))
        grow = min(16, max(2, int(seconds / max(took, 1e-6))))
        streams, repeats = (
            (streams, repeats * grow) if target == "cuda" else (streams * grow, repeats)
        )


# --- simulations per second


class SearchSpeed(NamedTuple):
    game: str
    method: str
    simulations_per_s: float
    """Of the fastest search: other load on the machine only makes it slower."""
    median_simulations_per_s: float
    simulations: int  # of the fastest search; fewer than its budget if the position was proven
    nodes: int
    bytes_per_node: float
    searches: int
    seconds: float  # of all searches
    ready_s: float  # time for a first search of one simulation: loading or compiling


def search_speed(game: Game, method: str, *, seconds: float = 2.0) -> SearchSpeed:
    """Search the initial position repeatedly for about `seconds`, each time with another seed and
    an empty tree.

    The clock covers the whole call, so that reading the result from the tree counts too. As with a
    player, a search reuses the memory of the previous one.
    """
    parsed = parse_search(method)
    state = first_decision(game)
    start = time.perf_counter()
    if state is None:
        raise AnyzeroError(f"{game.text}: nothing to search, the game is over at the start")
    Searcher(game, **parsed._replace(simulations=1, seconds=None).arguments).search(state, 0)
    searcher = Searcher(game, **parsed.arguments)
    ready_s = time.perf_counter() - start
    spent = 0.0
    results: list[tuple[float, SearchResult]] = []
    while spent < seconds or not results:
        start = time.perf_counter()
        result = searcher.search(state, len(results) + 1)
        took = time.perf_counter() - start
        results.append((result.simulations / took, result))
        spent += took
    rate, fastest = max(results, key=lambda pair: pair[0])
    return SearchSpeed(
        game.text,
        method,
        simulations_per_s=rate,
        median_simulations_per_s=statistics.median(rate for rate, _ in results),
        simulations=fastest.simulations,
        nodes=fastest.nodes,
        bytes_per_node=fastest.bytes_per_node,
        searches=len(results),
        seconds=round(spent, 4),
        ready_s=round(ready_s, 4),
    )
