"""The public functions: `Searcher(game, "rave", simulations=2_000).search(state, seed=1)` and
`search_many(...)`.
"""

import math
import statistics
import time
from typing import Any, NamedTuple

import numpy as np

from anyzero.core.base.errors import (
    AnyzeroError,
    BadOptionError,
    check_name,
    is_number,
    seconds_below,
    whole,
)
from anyzero.core.base.nouns import States
from anyzero.core.game.game import Game, State
from anyzero.core.game.play import Play, first_decision
from anyzero.core.game.rollouts import check_target
from anyzero.core.search.expectimax import ExpectimaxRun
from anyzero.core.search.methods import (
    EXPECTIMAX,
    GUMBEL,
    MANY,
    UNBOUNDED,
    Evaluator,
    adapt,
    find_method,
    parse_search,
)
from anyzero.core.search.pacing import LiveSearch
from anyzero.core.search.report import FINAL_RULES, SearchResult
from anyzero.core.search.run import Run

MAX_NODES = 20_000_000
MOST_LOOKS = 20_000  # maximum positions of the look-ahead before a search, budget permitting
TOO_FEW = "too few for a root and a move"


class Searcher:
    """A method with its options, ready to search positions of one game; with `reuse` it keeps its
    tree along a game.
    """

    def __init__(
        self,
        game: Game,
        method: str = "uct",
        *,
        simulations: int | None = None,
        seconds: float | None = None,
        max_nodes: int = MAX_NODES,
        final: str | None = None,
        evaluator: str | Evaluator = "rollout",
        trees: int = 1,
        reuse: bool = False,
        temperature: float = 0.0,
        target: str = "cpu",
        **options: Any,
    ) -> None:
        check_game(game)
        check_budget(simulations, seconds)
        if target == "cuda":
            raise BadOptionError(
                "one position is searched on the CPU; a GPU searches thousands, with search_many"
            )
        simulations = None if simulations is None else int(simulations)  # it may be a NumPy number
        self.game = game
        self.simulations = simulations
        self.seconds = seconds
        if many := [key for key in MANY if key in options]:
            raise BadOptionError(f"{method}: {many[0]} is for searches of many positions")
        found = find_method(method, options)
        if "look_ahead" in found.options and "look_ahead" not in options:
            looks = MOST_LOOKS if simulations is None else min(4 * simulations, MOST_LOOKS)
            found = found._replace(settings=found.settings._replace(look_ahead=looks))
        self.method = adapt(game, found, evaluator)
        self.final = self.method.final if final is None else final
        if self.final != "gumbel" or self.method.settings.formula != GUMBEL:
            check_name("final rule", self.final, FINAL_RULES)
        whole("max_nodes", max_nodes, range(2, UNBOUNDED), f"max_nodes is {max_nodes}, {TOO_FEW}")
        whole("trees", trees, range(1, 1025), f"{trees} trees are not a number from 1 to 1024")
        if not (is_number(temperature) and 0.0 <= temperature < math.inf):
            raise BadOptionError(f"a temperature of {temperature!r} is not a number of 0 or more")
        if reuse and ("reuse" not in found.search_options or trees > 1):
            raise BadOptionError(f"{method}: merged trees or halving cannot be reused")
        if trees > 1 and "trees" not in found.search_options:
            raise BadOptionError(f"{method} has one tree")
        self.evaluator = evaluator if callable(evaluator) else None
        self.trees = trees if simulations is None else min(trees, simulations)
        self.reuse = bool(reuse)
        self.temperature = temperature
        self.target = target
        share = max_nodes // self.trees
        self.room = share if simulations is None or reuse else room(game, simulations, share)
        self.last: Run | None = None
        self.line: Play | None = None  # of the last search

    def begin(self, state: State, seed: int, line: Play | None = None) -> Run:
        """A new run over a position, with none of its budget spent; with `reuse`, `line` is the
        game that led to it.
        """
        if self.game.seat_to_move(state) < 0:
            raise AnyzeroError(
                f"{self.game.name}: there is nothing to search, the game is over or it is "
                "chance's turn"
            )
        check_room(self.game, state, self.room)
        if (
            self.last is None
        ):  # allocated memory and kernels are reused: neither is part of a search's time
            kind = ExpectimaxRun if self.method.settings.formula == EXPECTIMAX else Run
            share = None if self.simulations is None else -(-self.simulations // self.trees)
            memory: Any = {
                "room": self.room,
                "simulations": share,
                "num_trees": self.trees,
                "keeps": self.reuse,
            }
            doing: Any = {
                "evaluator": self.evaluator,
                "threads": self.trees,
                "target": self.target,
                "rounds": True,
            }
            self.last = kind(self.game, self.method, **memory, **doing)
            self.last.make_ready()
        run = self.last
        run.seed(seed)
        # until the new tree is complete
        earlier = self.line
        self.line = None
        played = None if line is None or not self.reuse else line.since(earlier)
        if played is None or not run.move_on(played, state):
            run.plant(state)
        self.line = line
        return run

    def choose(self, state: State, seed: int, line: Play | None = None) -> int:
        """The action to play: a search without a report."""
        return LiveSearch(self, state, seed, line).finish().choice()

    def search(self, state: State, seed: int, line: Play | None = None) -> SearchResult:
        """Search until the budget is spent; the same seed and number of simulations give the same
        result.
        """
        return LiveSearch(self, state, seed, line).finish().result()


def check_game(game: object) -> None:
    if not isinstance(game, Game):
        raise BadOptionError(f"a search needs a Game, not {game!r}; load makes one from a text")


def check_budget(simulations: int | None, seconds: float | None) -> None:
    if (simulations is None) == (seconds is None):
        raise BadOptionError(
            "a search needs a budget: simulations or seconds, and only one of them"
        )
    if simulations is not None:
        fault = f"a budget of {simulations} simulations is not positive"
        whole("simulations", simulations, range(1, UNBOUNDED), fault)
    if seconds is not None:
        seconds_below(1e7, "budget", seconds)


def check_room(game: Game, state: State, room: int) -> None:
    """Check that a tree has room for its root and all moves there; otherwise it could not even
    start.
    """
    if room > game.max_legal:
        return  # enough for any position: no need to count the moves
    needed = 1 + len(game.legal_actions(state))
    if room < needed:
        needs = f"this position needs {needed}: its root and one for each move"
        raise BadOptionError(f"{game.name}: max_nodes leaves {room} nodes for a tree, and {needs}")


def room(game: Game, simulations: int, max_nodes: int) -> int:
    """Maximum number of nodes that this many simulations can use."""
    return min(max_nodes, (simulations + 2) * game.max_legal + 1)


# --- many positions


MOST_NODES = 1 << 30


class ManyResults(NamedTuple):
    """The results for each position."""

    actions: np.ndarray  # [positions]: the action to play
    values: np.ndarray  # [positions]: the mean payoff for the seat to move
    policies: np.ndarray  # [positions, actions]: the policy after search
    simulations: int  # over all positions


def search_many(
    game: Game,
    states: States,
    method: str = "puct",
    *,
    simulations: int,
    evaluator: str | Evaluator = "uniform",
    seed: int = 0,
    threads: int = 1,
    target: str = "cpu",
    max_nodes: int | None = None,
    **options: Any,
) -> ManyResults:
    """Search every position, each with its own tree and random stream; `max_nodes` is per tree.

    An external evaluator is called with one leaf of every tree at a time. Threads change only the
    time taken. With target `cuda` the trees grow on the GPU, with an evaluator that is compiled
    into the search.

    >>> anyzero.search_many(game, [game.initial_state()] * 100, "uct", simulations=200,
    evaluator="rollout").actions
    """
    check_game(game)
    check_budget(simulations, None)
    most = MOST_NODES if max_nodes is None else max_nodes
    whole("max_nodes", most, range(2, UNBOUNDED), f"max_nodes is {most}, {TOO_FEW}")
    chosen = adapt(game, find_method(method, options), evaluator)
    if chosen.halves:
        raise AnyzeroError(f"{method} halves one root at a time; for many positions use gumbel")
    if chosen.settings.formula == EXPECTIMAX:
        simulations = game.num_actions  # one move deep: each move once
    if len(states) == 0:
        raise AnyzeroError(f"{game.name}: there are no positions to search")
    if any(game.seat_to_move(state) < 0 for state in states):
        raise AnyzeroError(
            f"{game.name}: there is nothing to search, a game is over or it is chance's turn"
        )
    memory: Any = {"room": room(game, simulations, most), "simulations": int(simulations)}
    for state in states:
        check_room(game, state, memory["room"])
    if target == "cuda":
        check_target(target)
        from anyzero.core.search.on_gpu import search_on_gpu

        if callable(evaluator):
            raise BadOptionError(
                "an evaluator outside the search works on the host: its trees cannot be on the GPU"
            )
        return ManyResults(*search_on_gpu(game, chosen, states, seed, **memory))
    asked = evaluator if callable(evaluator) else None
    run = Run(
        game,
        chosen,
        **memory,
        num_trees=len(states),
        evaluator=asked,
        threads=threads,
        target=target,
    )
    run.seed(whole("seed", seed))
    run.plant(states)
    done = run.simulate(int(simulations))
    return ManyResults(*run.report(), done)


# --- simulations per second


class SearchSpeed(NamedTuple):
    game: str
    method: str
    simulations_per_s: (
        float  # of the fastest search: other load on the machine only makes it slower
    )
    median_simulations_per_s: float
    simulations: int  # of the fastest search; fewer than its budget if the position was proven
    nodes: int
    bytes_per_node: float
    searches: int
    seconds: float  # of all searches
    ready_s: float  # time for a first search of one simulation: loading or compiling


def bench_search(game: Game, method: str, *, seconds: float = 2.0) -> SearchSpeed:
    """Search the initial position repeatedly for about `seconds`, each time with another seed and
    an empty tree.

    The clock covers the whole call, so that reading the result from the tree counts too. As with a
    player, a search reuses the memory of the previous one.
    """
    wanted = parse_search(method)
    state = first_decision(game)
    start = time.perf_counter()
    if state is None:
        raise AnyzeroError(f"{game.text}: nothing to search, the game is over at the start")
    Searcher(game, **wanted._replace(simulations=1, seconds=None).arguments).search(state, 0)
    searcher = Searcher(game, **wanted.arguments)
    ready_s = time.perf_counter() - start
    spent = 0.0
    found: list[tuple[float, SearchResult]] = []
    while spent < seconds or not found:
        start = time.perf_counter()
        result = searcher.search(state, len(found) + 1)
        took = time.perf_counter() - start
        found.append((result.simulations / took, result))
        spent += took
    (rate, best), median = (
        max(found, key=lambda one: one[0]),
        statistics.median(rate for rate, _ in found),
    )
    numbers = rate, median, best.simulations, best.nodes, best.bytes_per_node, len(found)
    return SearchSpeed(game.text, method, *numbers, round(spent, 4), round(ready_s, 4))
