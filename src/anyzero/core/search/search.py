"""The door of a search: `search(game, state, "rave", simulations=2_000, seed=1)` of one position,
`search_many` of many, and `Searcher`, which keeps its memory from search to search.
"""

import math
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from anyzero.core.base.errors import (
    AnyzeroError,
    BadOptionError,
    check_name,
    is_number,
    seconds_below,
    text_of,
    whole,
)
from anyzero.core.base.nouns import States
from anyzero.core.game.game import Game, State
from anyzero.core.game.load import position_of
from anyzero.core.game.play import Play
from anyzero.core.game.rollouts import check_target
from anyzero.core.search.expectimax import DeepeningForest
from anyzero.core.search.forest import Forest
from anyzero.core.search.methods import (
    EXPECTIMAX,
    GUMBEL,
    MANY,
    UNBOUNDED,
    Evaluator,
    adapt,
    evaluator_kind,
    find_method,
    parse_search,
)
from anyzero.core.search.pacing import Budget, LiveSearch
from anyzero.core.search.report import FINAL_RULES, SearchResult

MAX_NODES = 20_000_000
MOST_LOOKS = 20_000  # maximum positions of the look-ahead before a search, budget permitting
TOO_FEW = "too few for a root and a move"


class Searcher:
    """A method with its options, ready to search positions of one game, one at a time.

    Its trees are a `Forest`, made at the first search; with `reuse` they are kept along a game.
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
        kind: str | None = None,
        trees: int = 1,
        reuse: bool = False,
        temperature: float = 0.0,
        target: str = "cpu",
        **options: Any,
    ) -> None:
        """`kind` says how values come if the evaluator is not here: for what others will run."""
        _check_is_game(game)
        check_budget(simulations, seconds)
        if target == "cuda":
            raise BadOptionError(
                "one position is searched on the CPU; a GPU searches thousands, with search_many"
            )
        simulations = None if simulations is None else int(simulations)  # it may be a NumPy number
        self.game = game
        self.budget = Budget(simulations, seconds)
        if many := [key for key in MANY if key in options]:
            raise BadOptionError(f"{method}: {many[0]} is for searches of many positions")
        plain = find_method(method, options)
        if "look_ahead" in plain.options and "look_ahead" not in options:
            looks = MOST_LOOKS if simulations is None else min(4 * simulations, MOST_LOOKS)
            plain = plain._replace(settings=plain.settings._replace(look_ahead=looks))
        self.method = adapt(game, plain, kind or evaluator_kind(evaluator))
        self.final = self.method.final if final is None else final
        if self.final != "gumbel" or self.method.settings.formula != GUMBEL:
            check_name("final rule", self.final, FINAL_RULES)
        whole("max_nodes", max_nodes, range(2, UNBOUNDED), f"max_nodes is {max_nodes}, {TOO_FEW}")
        whole("trees", trees, range(1, 1025), f"{trees} trees are not a number from 1 to 1024")
        if not (is_number(temperature) and 0.0 <= temperature < math.inf):
            raise BadOptionError(f"a temperature of {temperature!r} is not a number of 0 or more")
        if reuse and ("reuse" not in plain.search_options or trees > 1):
            raise BadOptionError(f"{method}: merged trees or halving cannot be reused")
        if trees > 1 and "trees" not in plain.search_options:
            raise BadOptionError(f"{method} has one tree")
        self.evaluator = evaluator if callable(evaluator) else None
        self.trees = trees if simulations is None else min(trees, simulations)
        self.reuse = bool(reuse)
        self.temperature = temperature
        self.target = target
        share = max_nodes // self.trees
        self.room = share if simulations is None or reuse else most_nodes(game, simulations, share)

    @cached_property
    def forest(self) -> Forest:
        """Memory and kernels of all its searches: neither is part of a search's time."""
        is_deepening = self.method.settings.formula == EXPECTIMAX
        simulations = self.budget.simulations or 0
        is_open = simulations == 0 or self.reuse
        forest = (DeepeningForest if is_deepening else Forest)(
            self.game,
            self.method,
            room=self.room,
            simulations=None if is_open else -(-simulations // self.trees),
            num_trees=self.trees,
            evaluator=self.evaluator,
            threads=self.trees,
            rounds=True,
            target=self.target,
        )
        forest.make_ready()
        return forest

    def begin(
        self, state: State, seed: int = 0, line: Play | None = None, *, seconds: float | None = None
    ) -> LiveSearch:
        """A new search of a position, with none of its budget spent; with `reuse`, `line` is the
        game that led to it.

        `seconds` replaces the budget of a searcher by the clock.
        """
        if self.game.seat_to_move(state) < 0:
            raise AnyzeroError(
                f"{self.game.name}: there is nothing to search, the game is over or it is "
                "chance's turn"
            )
        seed = whole("seed", seed)
        check_room(self.game, state, self.room)
        forest = self.forest
        forest.seed(seed)
        if self.reuse:
            forest.plant_after(line, state)
        else:
            forest.plant(state)
        budget = self.budget if seconds is None else Budget(None, seconds)
        return LiveSearch(forest, budget, seed=seed, final=self.final, temperature=self.temperature)

    def choose(
        self, state: State, seed: int, line: Play | None = None, *, seconds: float | None = None
    ) -> int:
        """The action to play: a search without a report."""
        return self.begin(state, seed, line, seconds=seconds).finish().choice()

    def search(
        self, state: State, seed: int, line: Play | None = None, *, seconds: float | None = None
    ) -> SearchResult:
        """Search until the budget is spent; the same seed and number of simulations give the same
        result.
        """
        return self.begin(state, seed, line, seconds=seconds).finish().result()


def search(
    game: Game | str,
    state: State | str | None = None,
    method: str = "uct",
    *,
    seed: int = 0,
    **options: Any,
) -> SearchResult:
    """Search a position, the start if it is left out: `anyzero.search` for methods without a net.

    `method` is its name, with its budget among the options, or the text of a search. A function
    may be the `evaluator`.
    """
    if not isinstance(game, Game) or isinstance(state, str):
        game, state = position_of(game, state)
    if ":" in text_of("the method", method):
        options = {**parse_search(method).arguments, **options}
    else:
        options["method"] = method
    if state is None:
        state = game.initial_state()
    return Searcher(game, **options).search(state, seed)


def _check_is_game(game: object) -> None:
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


def check_positions(game: Game, states: States, room: int) -> None:
    """Check that all of them can be searched."""
    if len(states) == 0:
        raise AnyzeroError(f"{game.name}: there are no positions to search")
    if any(game.seat_to_move(state) < 0 for state in states):
        raise AnyzeroError(
            f"{game.name}: there is nothing to search, a game is over or it is chance's turn"
        )
    for state in states:
        check_room(game, state, room)


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


def most_nodes(game: Game, simulations: int, max_nodes: int) -> int:
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
    _check_is_game(game)
    check_budget(simulations, None)
    most = MOST_NODES if max_nodes is None else max_nodes
    whole("max_nodes", most, range(2, UNBOUNDED), f"max_nodes is {most}, {TOO_FEW}")
    adapted = adapt(game, find_method(method, options), evaluator_kind(evaluator))
    if adapted.halves:
        raise AnyzeroError(f"{method} halves one root at a time; for many positions use gumbel")
    if adapted.settings.formula == EXPECTIMAX:
        simulations = game.num_actions  # one move deep: each move once
    room = most_nodes(game, simulations, most)
    check_positions(game, states, room)
    if target == "cuda":
        check_target(target)
        if callable(evaluator):
            raise BadOptionError(
                "an evaluator outside the search works on the host: its trees cannot be on the GPU"
            )
    simulations = int(simulations)
    forest = Forest(
        game,
        adapted,
        room=room,
        simulations=simulations,
        num_trees=len(states),
        evaluator=evaluator if callable(evaluator) else None,
        threads=threads if target != "cuda" else 1,
        target=target,
    )
    forest.seed(whole("seed", seed))
    if target == "cuda":
        from anyzero.core.search.on_gpu import search_on_gpu

        return ManyResults(*search_on_gpu(forest, states, simulations))
    forest.plant(states)
    grown = forest.grow(simulations)
    return ManyResults(*forest.policies(), grown)
