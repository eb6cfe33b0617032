"""The door: `search(game, state, "rave", simulations=2_000, seed=1)`."""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from anyzero.games.errors import AnyzeroError, BadOptionError, UnknownNameError, list_some, nearest_hint
from anyzero.games.game import Game, State
from anyzero.search.methods import Method, find_method, halving_rounds
from anyzero.search.result import FINAL_RULES, PROVEN_NAMES, Child, SearchResult, final_score
from anyzero.search.settings import GRAVE, RAVE, Settings
from anyzero.search.simulation import ANY_CHILD, Scratch, new_scratch, simulate
from anyzero.search.tree import ROOT, Tree, new_tree

TABLE_BYTES = 512 << 20
"""Most memory for GRAVE's tables."""
CHUNK_S = 0.004
"""A search by the clock looks at it about this often."""


def search(
    game: Game,
    state: State,
    method: str = "uct",
    *,
    simulations: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    max_nodes: int = 20_000_000,
    final: str | None = None,
    **options: Any,
) -> SearchResult:
    """Search a position with a method of `METHODS` until the budget is spent: simulations or seconds.

    Options are the fields of `Settings`. The same seed and number of simulations give the same result.
    """
    check_budget(simulations, seconds)
    if game.seat_to_move(state) < 0:
        raise AnyzeroError(f"{game.name}: there is nothing to search, the game is over or it is chance's turn")
    chosen = find_method(method, options)
    final = chosen.final if final is None else final
    if final not in FINAL_RULES:
        hint = nearest_hint(final, FINAL_RULES)
        raise UnknownNameError(f"there is no final rule {final!r}; {hint}known: {list_some(FINAL_RULES)}")
    run = Run(
        game, state, adapt(game, chosen), seed, max_nodes if simulations is None else room(game, simulations, max_nodes)
    )
    start = time.perf_counter()
    run.spend(simulations, seconds)
    return run.result(final, time.perf_counter() - start)


def check_budget(simulations: int | None, seconds: float | None) -> None:
    if (simulations is None) == (seconds is None):
        raise BadOptionError("a search needs a budget: simulations or seconds, and only one of them")
    if simulations is not None and simulations < 1:
        raise BadOptionError(f"a budget of {simulations} simulations is not positive")
    if seconds is not None and not 0.0 < seconds < 1e7:
        raise BadOptionError(f"a budget of {seconds} seconds is not a positive number")


def room(game: Game, simulations: int, max_nodes: int) -> int:
    """Nodes that so many simulations can use at most."""
    return min(max_nodes, (simulations + 1) * game.max_legal + 1)


def adapt(game: Game, method: Method) -> Method:
    """Proofs need two seats with opposite payoffs."""
    solve = method.settings.solve if game.num_seats == 2 and game.zero_sum else 0
    return method._replace(settings=method.settings._replace(solve=solve))


@dataclass
class Run:
    """One search under way."""

    game: Game
    state: State
    method: Method
    seed: int
    max_nodes: int

    def __post_init__(self) -> None:
        game, settings = self.game, self.settings
        row = 8 * game.num_seats * game.num_amaf_keys
        tables = min(self.max_nodes, TABLE_BYTES // row) if settings.formula == GRAVE else 1
        self.tree: Tree = new_tree(game, self.max_nodes, tables)
        self.scratch: Scratch = new_scratch(game, self.seed)
        self.root = game.new_states(1)
        self.root[0] = self.state
        self.kernel = game.compile(simulate)

    @property
    def settings(self) -> Settings:
        return self.method.settings

    def simulate(self, num: int, forced: int = ANY_CHILD) -> int:
        """Run simulations; fewer than asked for when the root is proven."""
        arguments = self.game.rules, self.tree, self.scratch, self.settings, self.root
        return int(self.kernel(*arguments, forced, self.game.num_amaf_keys, num))

    def spend(self, simulations: int | None, seconds: float | None) -> None:
        if self.method.halves:
            self.halve(simulations if simulations is not None else self.measure(seconds or 0.0))
        elif simulations is not None:
            self.simulate(simulations)
        else:
            self.spend_seconds(seconds or 0.0)

    def spend_seconds(self, seconds: float) -> None:
        """Simulate in steps short enough to end on time."""
        start, step = time.perf_counter(), 1
        while True:
            before = time.perf_counter()
            if self.simulate(step) < step:
                return
            now = time.perf_counter()
            left = seconds - (now - start)
            if left <= 0.0:
                return
            rate = step / max(now - before, 1e-7)
            step = max(1, min(2 * step, int(rate * min(left, CHUNK_S))))

    def measure(self, seconds: float) -> int:
        """How many simulations fit into the time; halving must know before it starts."""
        self.simulate(1)
        start, num = time.perf_counter(), 0
        while time.perf_counter() - start < seconds * 0.05:
            num += self.simulate(8)
        return max(1, int(num / 0.05 * 0.9))

    def halve(self, budget: int) -> None:
        """Sequential halving over the root's children; with AMAF the ranking adds its mean (SHUSS)."""
        self.simulate(1)
        first, count = int(self.tree.first[ROOT]), int(self.tree.num_children[ROOT])
        alive = [first + index for index in range(count)]
        for survivors, each in halving_rounds(count, max(1, budget - 1)):
            alive = sorted(alive, key=self.score, reverse=True)[:survivors]
            for child in alive:
                self.simulate(each, child)
        alive.sort(key=self.score, reverse=True)
        self.tree.prior[first : first + count] = 0.0
        self.tree.prior[alive[0]] = 1.0

    def score(self, child: int) -> float:
        """The mean payoff; for SHUSS with a bonus from AMAF that fades with visits. Fabiano and Cazenave 2021."""
        tree = self.tree
        visits, amaf_visits = max(1, int(tree.visits[child])), max(1, int(tree.amaf_visits[child]))
        mean = float(tree.value[child]) / visits
        if self.settings.formula != RAVE:
            return mean
        return mean + self.settings.exploration * float(tree.amaf_value[child]) / amaf_visits / visits

    # --- the result

    def result(self, final: str, seconds: float) -> SearchResult:
        children = sorted(self.children(), key=lambda child: final_score(final, child), reverse=True)
        if self.method.halves:  # the survivor of the last round, whatever the statistics of those that were dropped
            children.sort(key=lambda child: -child.prior)
        best = children[0]
        return SearchResult(
            best_move=best.move,
            best_action=best.action,
            value=0.0 if best.value is None else best.value,
            proven=PROVEN_NAMES.get(int(self.tree.proven[ROOT])),
            children=children,
            principal_variation=self.principal_variation(best.action),
            simulations=int(self.scratch.counters[0]),
            nodes=int(self.tree.used[0]),
            depth=int(self.scratch.counters[1]),
            seconds=seconds,
            bytes_per_node=self.tree.bytes_a_node,
        )

    def children(self) -> list[Child]:
        tree, first = self.tree, int(self.tree.first[ROOT])
        found = []
        for node in range(first, first + int(tree.num_children[ROOT])):
            visits, amaf_visits = int(tree.visits[node]), int(tree.amaf_visits[node])
            proven = PROVEN_NAMES.get(int(tree.proven[node]))
            exact = {"win": 1.0, "draw": 0.0, "loss": -1.0}.get(proven or "")
            mean = float(tree.value[node]) / visits if visits else None
            amaf = float(tree.amaf_value[node]) / amaf_visits if amaf_visits else None
            action = int(tree.action[node])
            move = self.game.format_action(self.state, action)
            value = mean if exact is None else exact
            found.append(Child(move, action, visits, value, float(tree.prior[node]), amaf_visits, amaf, proven))
        return found

    def principal_variation(self, action: int) -> list[str]:
        """The most visited line, beginning with the best move."""
        tree, state, moves = self.tree, self.state, []
        node, wanted = ROOT, action
        while True:
            moves.append(self.game.format_action(state, wanted))
            state = self.game.play(state, wanted)
            nodes = range(int(tree.first[node]), int(tree.first[node]) + int(tree.num_children[node]))
            node = next(child for child in nodes if tree.action[child] == wanted)
            count = int(tree.num_children[node])
            if count == 0 or self.game.seat_to_move(state) < 0:
                return moves
            first = int(tree.first[node])
            best = first + int(np.argmax(tree.visits[first : first + count]))
            if tree.visits[best] == 0:
                return moves
            wanted = int(tree.action[best])
