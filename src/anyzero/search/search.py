"""The doors: `search(game, state, "rave", simulations=2_000, seed=1)` and `search_many(game, states, ...)`."""

import math
import statistics
import time
from collections.abc import Iterator
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from anyzero.compile.random import make_streams
from anyzero.errors import AnyzeroError, BadOptionError, check_name
from anyzero.games.game import Game, State
from anyzero.games.line import first_decision
from anyzero.search import report
from anyzero.search.expectimax import ExpectimaxRun
from anyzero.search.methods import EXPECTIMAX, GUMBEL, MANY, UNBOUNDED, Evaluator, adapt, find_method, parse_search
from anyzero.search.pacing import ENDLESS_S, PIECE_S, LiveSearch
from anyzero.search.report import RootMoves, SearchResult
from anyzero.search.run import Run

MAX_NODES = 20_000_000
MOST_LOOKS = 20_000  # positions that are looked at before a search begins, where its budget allows it
LONGEST_LINE = 20  # moves of the principal variation that are shown; further on it is hardly more than chance


class Searcher:
    """A method with its options, ready to search positions of one game; with `reuse` it remembers its last tree."""

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
        simulations = None if simulations is None else int(simulations)  # it may have been a number of NumPy
        self.game, self.simulations, self.seconds = game, simulations, seconds
        if many := [key for key in MANY if key in options]:
            raise BadOptionError(f"{method}: {many[0]} is for searches of many positions")
        found = find_method(method, options)
        if "look_ahead" in found.options and "look_ahead" not in options:
            looks = MOST_LOOKS if simulations is None else min(4 * simulations, MOST_LOOKS)
            found = found._replace(settings=found.settings._replace(look_ahead=looks))
        self.method = adapt(game, found, evaluator)
        self.final = self.method.final if final is None else final
        if self.final != "gumbel" or self.method.settings.formula != GUMBEL:
            check_name("final rule", self.final, report.FINAL_RULES)
        check_max_nodes(max_nodes)
        check_whole("trees", trees, range(1, 1025), f"{trees} trees are not a number from 1 to 1024")
        check_temperature(temperature)
        planned = self.method.halves or self.method.settings.formula in (GUMBEL, EXPECTIMAX)
        if reuse and (self.method.settings.transpositions or planned or trees > 1):
            raise BadOptionError(f"{method}: a tree with transpositions, merged trees or halving cannot be reused")
        if trees > 1 and (self.method.halves or self.method.settings.formula == EXPECTIMAX):
            raise BadOptionError(f"{method} has one tree")
        if trees > 1 and self.method.settings.transpositions:
            raise BadOptionError(f"{method}: transpositions are for one tree, as merged trees must not share nodes")
        self.evaluator = evaluator if callable(evaluator) else None
        self.trees = trees if simulations is None else min(trees, simulations)
        self.reuse, self.temperature, self.target = bool(reuse), temperature, target
        share = max_nodes // self.trees
        self.room = share if simulations is None or reuse else room(game, simulations, share)
        self.last: Run | None = None
        self.remembers = False

    def forget(self) -> None:
        """Begin the next search with an empty tree."""
        self.remembers = False

    def begin(self, state: State, seed: int) -> Run:
        """A run over a position that has had none of its budget yet."""
        if self.game.seat_to_move(state) < 0:
            raise AnyzeroError(f"{self.game.name}: there is nothing to search, the game is over or it is chance's turn")
        check_room(self.game, state, self.room)
        if self.last is None:  # memory and kernels that are ready are used again: neither is part of a search's time
            kind = ExpectimaxRun if self.method.settings.formula == EXPECTIMAX else Run
            share = None if self.simulations is None else -(-self.simulations // self.trees)
            memory: Any = {"room": self.room, "simulations": share, "num_trees": self.trees, "keeps": self.reuse}
            doing: Any = {"evaluator": self.evaluator, "threads": self.trees, "target": self.target}
            self.last = kind(self.game, self.method, **memory, **doing)
            self.last.make_ready()
        run = self.last
        run.seed(seed)
        if not (self.remembers and run.move_on(state)):
            run.plant(state)
        self.remembers = self.reuse
        return run

    def order(self, run: Run, moves: RootMoves, seed: int) -> np.ndarray:
        """The moves from the best; with a temperature the first is drawn by visits, with Gumbel by the policy."""
        if self.final == "gumbel" and self.trees == 1:
            order = report.gumbel_order(run, moves)
        else:  # of several trees, the one move that most of their halvings came to
            order = report.final_order("visits" if self.final == "gumbel" else self.final, moves)
        if self.method.halves or self.method.settings.formula == EXPECTIMAX:
            # The survivors of the last round, whatever the statistics of those that were dropped.
            order = order[np.argsort(-moves.priors[order], kind="stable")]
        if self.temperature > 0.0:
            shares = run.report()[2].mean(axis=0)[moves.actions] if self.final == "gumbel" else moves.visits
            with np.errstate(over="ignore"):
                stream = make_streams(seed, 1, first=report.DRAWING)[0]
                shares = shares.astype(np.float64)
                drawn = report.draw_index(shares, moves.proven, len(shares), self.temperature, stream)
            order = order if drawn < 0 else np.concatenate([[drawn], order[order != drawn]])
        return order

    def run(self, state: State, seed: int) -> Run:
        return LiveSearch(self, state, seed).finish().run

    def choose(self, state: State, seed: int) -> int:
        """The action to play: a search without the words around it."""
        run = self.run(state, seed)
        moves = merge_moves([run.moves(number) for number in range(self.trees)])
        return int(moves.actions[self.order(run, moves, seed)[0]])

    def search(self, state: State, seed: int) -> SearchResult:
        return LiveSearch(self, state, seed).finish().result()

    def result(self, run: Run, state: State, seed: int, seconds: float) -> SearchResult:
        game, moves = self.game, merge_moves([run.moves(number) for number in range(self.trees)])
        order = self.order(run, moves, seed)
        texts = [game.format_action(state, int(action)) for action in moves.actions]
        children = report.make_children(moves, order, texts)
        best = children[0]
        return SearchResult(
            best_move=best.move,
            best_action=best.action,
            value=0.0 if best.value is None else best.value,
            proven=next((report.PROVEN_NAMES[code] for code in run.proofs() if code in report.PROVEN_NAMES), None),
            children=children,
            principal_variation=self.line(run, state, best.action),
            simulations=int(run.scratch.counters[:, 0].sum()),
            nodes=sum(run.tree.nodes(number) for number in range(self.trees)),
            depth=int(run.scratch.counters[:, 1].max()),
            seconds=seconds,
            bytes_per_node=run.tree.bytes_a_node,
        )

    def line(self, run: Run, state: State, action: int) -> list[str]:
        """The most visited line from this action on, as moves, as far as no chance comes in between."""
        texts = []
        for move in run.principal_variation(action)[:LONGEST_LINE]:
            texts.append(self.game.format_action(state, move))
            state = self.game.play(state, move)
            if self.game.seat_to_move(state) < 0:
                break
        return texts


def search(game: Game, state: State, method: str = "uct", *, seed: int = 0, **options: Any) -> SearchResult:
    """Search a position with a method of `METHODS` until the budget is spent: `simulations` or `seconds`.

    Further options: `max_nodes`, `final` (a rule of the final choice), `evaluator` (a name or a function, see
    `evaluators`), `trees` (so many trees share the budget and are merged, a thread each), `temperature` (draw the move
    by visits, with Gumbel by the policy), and the fields of `Settings`.
    The same seed and number of simulations give the same result.
    """
    return Searcher(game, method, **options).search(state, seed)


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
        look_at = live.seconds + every_s
        while going and live.seconds < look_at:
            going = live.advance(min(PIECE_S, every_s))
        yield live.result()


def check_game(game: object) -> None:
    if not isinstance(game, Game):
        raise BadOptionError(f"a search needs a Game, not {game!r}; load makes one from a text")


def check_whole(name: str, value: Any, within: range, fault: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise BadOptionError(f"{name} wants a whole number, not {value!r}")
    if value not in within:
        raise BadOptionError(fault)


def check_max_nodes(max_nodes: int) -> None:
    too_few = f"max_nodes is {max_nodes}, too few for a root and a move"
    check_whole("max_nodes", max_nodes, range(2, UNBOUNDED), too_few)


def check_temperature(temperature: float) -> None:
    if not (isinstance(temperature, Real) and 0.0 <= temperature < math.inf):
        raise BadOptionError(f"a temperature of {temperature!r} is not a number from 0 on")


def check_budget(simulations: int | None, seconds: float | None) -> None:
    if (simulations is None) == (seconds is None):
        raise BadOptionError("a search needs a budget: simulations or seconds, and only one of them")
    if simulations is not None:
        fault = f"a budget of {simulations} simulations is not positive"
        check_whole("simulations", simulations, range(1, UNBOUNDED), fault)
    if seconds is not None and not (isinstance(seconds, Real) and 0.0 < seconds < 1e7):
        raise BadOptionError(f"a budget of {seconds!r} seconds is not a positive number")


def check_room(game: Game, state: State, room: int) -> None:
    """A tree has room for its root and all moves there, or it could not even begin."""
    if room > game.max_legal:
        return  # enough for any position: the moves need not be counted
    needed = 1 + len(game.legal_actions(state))
    if room < needed:
        needs = f"this position needs {needed}: its root and one for each move"
        raise BadOptionError(f"{game.name}: max_nodes leaves {room} nodes for a tree, and {needs}")


def room(game: Game, simulations: int, max_nodes: int) -> int:
    """Nodes that so many simulations can use at most."""
    return min(max_nodes, (simulations + 2) * game.max_legal + 1)


def merge_moves(parts: list[RootMoves]) -> RootMoves:
    """The moves of several trees over one position as if one tree had had all visits."""
    if len(parts) == 1:
        return parts[0]
    ordered = [[column[np.argsort(part.actions)] for column in part] for part in parts]
    actions, visits, values, priors, amaf_visits, amaf_values, proven = map(np.stack, zip(*ordered, strict=True))

    def mean(of: np.ndarray, weights: np.ndarray) -> np.ndarray:
        total = weights.sum(axis=0)
        return np.where(total > 0, np.nansum(of * weights, axis=0) / np.maximum(total, 1), np.nan)

    known = np.where((proven != 0).any(axis=0), proven[np.abs(proven).argmax(axis=0), np.arange(proven.shape[1])], 0)
    exact = np.where(known == 0, mean(values, visits), np.where(known == 2, 0, known))
    amaf = amaf_visits.sum(axis=0), mean(amaf_values, amaf_visits)
    return RootMoves(actions[0], visits.sum(axis=0), exact, priors.mean(axis=0), *amaf, known)


# --- many positions


MOST_NODES = 1 << 30


class ManyResults(NamedTuple):
    """What was found for each position."""

    actions: np.ndarray  # [positions]: the action to play
    values: np.ndarray  # [positions]: the mean payoff for the seat to move
    policies: np.ndarray  # [positions, actions]: the policy after search
    simulations: int  # of all positions together


def search_many(
    game: Game,
    states: Any,
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
    """Search every position, each with its own tree and random stream; `max_nodes` is for each.

    An evaluator outside is called with one leaf of every tree at a time. Threads change nothing but the time. On the
    target `cuda` the trees grow on the GPU, with an evaluator that is compiled into the search.

    >>> anyzero.search_many(game, [game.initial_state()] * 100, "uct", simulations=200, evaluator="rollout").actions
    """
    check_game(game)
    check_budget(simulations, None)
    check_max_nodes(MOST_NODES if max_nodes is None else max_nodes)
    chosen = adapt(game, find_method(method, options), evaluator)
    if chosen.halves:
        raise AnyzeroError(f"{method} halves one root at a time; for many positions take gumbel")
    if chosen.settings.formula == EXPECTIMAX:
        simulations = game.num_actions  # one move deep: each move once
    if chosen.settings.transpositions:
        raise BadOptionError("transpositions are for one tree: many trees must not share nodes")
    if any(game.seat_to_move(state) < 0 for state in states):
        raise AnyzeroError(f"{game.name}: there is nothing to search, a game is over or it is chance's turn")
    nodes = room(game, simulations, MOST_NODES if max_nodes is None else max_nodes)
    for state in states:
        check_room(game, state, nodes)
    memory: Any = {"room": nodes, "simulations": simulations, "num_trees": len(states)}
    if target == "cuda":
        from anyzero.search.on_gpu import GpuRun

        if callable(evaluator):
            raise BadOptionError("an evaluator outside the search works on the host: its trees cannot be on the GPU")
        run: Any = GpuRun(game, chosen, **memory)
    else:
        asked = evaluator if callable(evaluator) else None
        run = Run(game, chosen, **memory, evaluator=asked, threads=threads, target=target)
    run.seed(seed)
    run.plant(states)
    done = run.simulate(int(simulations))
    actions, values, policies = run.report()
    return ManyResults(actions, values, policies, done)


# --- how many simulations a second a search does


class SearchSpeed(NamedTuple):
    game: str
    method: str
    simulations_per_s: float  # of the fastest search: whatever else a machine does only makes it slower
    median_simulations_per_s: float
    simulations: int  # of the fastest search; fewer than its budget if the position was proven
    nodes: int
    bytes_per_node: float
    searches: int
    seconds: float  # all searches together
    ready_s: float  # until a first search of one simulation was done: loading or compiling


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
