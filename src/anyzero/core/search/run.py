"""A search in progress: trees over one position or many, and the steps that drive their kernels."""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np

from anyzero.core.base import stopping
from anyzero.core.base.nouns import State, States, Values
from anyzero.core.compile.random import make_streams
from anyzero.core.game.game import Game
from anyzero.core.game.rollouts import cut
from anyzero.core.search import simulation
from anyzero.core.search.halving import gumbel_plan
from anyzero.core.search.methods import (
    BATCH,
    GRAVE,
    GUMBEL,
    PUCT,
    RAVE,
    Evaluator,
    Method,
    Settings,
    ask,
)
from anyzero.core.search.priors import pick_by_prior
from anyzero.core.search.report import CERTAIN, RootMoves, report_trees
from anyzero.core.search.reuse import copy_subtree
from anyzero.core.search.selection import choose_child, pick_by_amaf, pick_by_means
from anyzero.core.search.tree import UNKNOWN, Scratch, Tree, new_scratch, new_tree

SIMULATING = (
    *(simulation.simulate, simulation.select_leaves, simulation.absorb_leaves),
    *(simulation.select_round, simulation.absorb_round),
)
"""The kernels that depend on the method; the others are shared by all methods."""
FEW_TREES = 16  # planting this few is faster than loading the code for it
MOST_LEAVES = 8  # of one tree at a time; for more, networks are no faster


def new_scratch_for(
    game: Game, settings: Settings, simulations: int | None, num_trees: int
) -> Scratch:
    """Scratch for paths as long as `simulations` can make them; None: as long as a game."""
    plan = (
        gumbel_plan(game, settings.considered, simulations or 1)
        if settings.formula == GUMBEL
        else None
    )
    depth = game.max_plies if simulations is None else min(game.max_plies, simulations + 1)
    return new_scratch(game, settings, depth=depth, num_trees=num_trees, plan=plan)


def choice_parts(settings: Settings) -> dict[Callable[..., Any], Callable[..., Any]]:
    if settings.formula in (RAVE, GRAVE):
        return {choose_child: pick_by_amaf}
    return {choose_child: pick_by_prior if settings.formula in (PUCT, GUMBEL) else pick_by_means}


def fixed_settings(game: Game, settings: Settings) -> Values:
    """The settings compiled into a kernel: the compiler never sees what neither game nor method
    has.
    """
    names = ["amaf", "chance"]
    names += [] if game.is_opposed else ["solve"]
    names += [] if settings.noise_fraction else ["noise_fraction"]
    return {f"settings.{name}": getattr(settings, name) for name in names}


Answers = tuple[np.ndarray, np.ndarray]  # logits [leaves, actions] and values [leaves, 1 or seats]
NO_ANSWERS: Answers = np.zeros((1, 1), np.float32), np.zeros((1, 1), np.float32)
"""Passed on when no leaf needs an answer."""


def ask_for_leaves(
    game: Game,
    scratch: Scratch,
    begin: int,
    end: int,
    evaluators: Sequence[Evaluator],
    whose: Any = None,
) -> Answers:
    """The evaluators' answers for the waiting leaves of these trees; `whose` is the number of each
    tree's evaluator.
    """
    waiting = begin + np.flatnonzero(scratch.known[begin:end] == simulation.WAITING)
    found = []
    begun = 0
    for number, evaluator in enumerate(evaluators):
        mine = waiting if whose is None else waiting[whose[waiting] == number]
        if len(mine):
            scratch.rows[mine] = np.arange(begun, begun + len(mine))
            found.append(ask(evaluator, game, scratch.states[mine]))
            begun += len(mine)
    if len(found) < 2:
        return found[0] if found else NO_ANSWERS
    logits, values = zip(*found, strict=True)
    return np.concatenate(logits), np.concatenate(values)


def parts_of(num: int, most: int) -> list[tuple[int, int]]:
    """Split trees into an even number of parts, by number alone, so that threads change nothing."""
    return cut(num, min(num, 2 * -(-num // (2 * most))))


class Run:
    """Growing trees. All use one method; each has its own random stream."""

    def __init__(
        self,
        game: Game,
        method: Method,
        *,
        room: int,
        simulations: int | None = None,
        num_trees: int = 1,
        evaluator: Evaluator | None = None,
        threads: int = 1,
        keeps: bool = False,
        rounds: bool = False,
        target: str = "cpu",
    ) -> None:
        """`rounds`: with Gumbel and one tree, ask the evaluator for leaves below several moves at a
        time.
        """
        self.game = game
        self.method = method
        self.evaluator = evaluator
        self.threads = threads
        self.num_trees = num_trees
        self.room = room
        self.tree = new_tree(game, method.settings, room, num_trees=num_trees)
        self.spare: Tree | None = None
        self.rounds = (
            rounds
            and num_trees == 1
            and (self.settings.formula, self.settings.evaluator) == (GUMBEL, BATCH)
        )
        rows = 1 + MOST_LEAVES if self.rounds else num_trees
        self.scratch = new_scratch_for(game, method.settings, None if keeps else simulations, rows)
        self.roots = game.new_states(num_trees)
        self.parts = choice_parts(method.settings)
        self.fixed = fixed_settings(game, method.settings)
        self.target = target
        self.pool: Executor | None = getattr(evaluator, "pool", None)
        self.asks_by_part = self.pool is not None
        if self.pool is None and threads > 1:
            self.pool = ThreadPoolExecutor(threads)

    @property
    def settings(self) -> Settings:
        return self.method.settings

    def kernel(self, function: Callable[..., Any]) -> Any:
        if function not in SIMULATING:
            return self.game.compile(function, self.target)
        return self.game.compile(function, self.target, self.fixed, parts=self.parts)

    def seed(self, seed: int) -> None:
        self.scratch.streams[: self.num_trees] = make_streams(seed, self.num_trees)

    def plant(self, states: States) -> None:
        """Start again from these positions, one per tree, or all from one."""
        self.roots[:] = states
        target = "interpreted" if self.num_trees <= FEW_TREES else self.target
        self.game.compile(simulation.plant_trees, target)(
            self.tree, self.scratch, 0, self.num_trees
        )

    # --- simulations

    def make_ready(self) -> None:
        """Compile or load the kernels of a simulation before the clock starts, by running them on
        zero trees.
        """
        arguments = self.game.rules, self.tree, self.scratch, self.settings
        if self.settings.evaluator == BATCH:
            select, absorb = self.stepping()
            select(*arguments, self.roots, 0, 0)
            absorb(*arguments, *NO_ANSWERS, 0, 0)
        else:
            self.kernel(simulation.simulate)(*arguments, self.roots, 0, 0, simulation.ANY_CHILD, 0)

    def stepping(self) -> tuple[Any, Any]:
        """With an external evaluator, the kernels before and after it."""
        if self.rounds:
            return self.kernel(simulation.select_round), self.kernel(simulation.absorb_round)
        return self.kernel(simulation.select_leaves), self.kernel(simulation.absorb_leaves)

    def simulate(
        self,
        num: int,
        forced: int = simulation.ANY_CHILD,
        *,
        trees: int | None = None,
        whole: bool = True,
    ) -> int:
        """Run `num` simulations in every tree or the first `trees`, fewer if a root is proven;
        returns their number.

        In rounds there may be a few more: `whole` batches do not depend on `num`; others have at
        most `num` leaves.
        """
        stopping.check()
        trees = self.num_trees if trees is None else trees
        arguments = self.game.rules, self.tree, self.scratch, self.settings, self.roots
        if self.settings.evaluator != BATCH:
            kernel = self.kernel(simulation.simulate)
            return sum(
                self.share(lambda *part: int(kernel(*arguments, *part, forced, num)), 0, trees)
            )
        before = self.simulations()
        self.scratch.budget[:] = self.scratch.counters[:, 0] + num * (
            np.arange(len(self.scratch.budget)) < trees
        )
        parts = (
            [(1, 1 + (MOST_LEAVES if whole else min(num, MOST_LEAVES)))]
            if self.rounds
            else [(0, self.num_trees)]
        )
        if self.pool is not None and self.asks_by_part and not self.rounds:
            parts = parts_of(self.num_trees, self.evaluator.together)  # type: ignore[union-attr]
            list(self.pool.map(self.finish, *zip(*parts, strict=True)))
        else:
            self.finish(*parts[0])
        return self.simulations() - before

    def share(self, work: Callable[[int, int], Any], begin: int, end: int) -> list[Any]:
        """Do the work for these trees on all threads, unless already on one of them; returns each
        part's result.
        """
        if self.pool is None or self.asks_by_part:
            return [work(begin, end)]
        parts = cut(end - begin, min(end - begin, 4 * self.threads))
        return list(self.pool.map(lambda part: work(begin + part[0], begin + part[1]), parts))

    def simulations(self) -> int:
        """Of all trees, since they were planted."""
        return int(self.scratch.counters[:, 0].sum())

    def finish(self, begin: int, end: int) -> None:
        """With an external evaluator, all steps of these trees, each with a leaf at a time, or of
        the one in rounds.
        """
        arguments = self.game.rules, self.tree, self.scratch, self.settings
        select, absorb = self.stepping()
        evaluators = [] if self.evaluator is None else [self.evaluator]
        while found := sum(self.share(partial(select, *arguments, self.roots), begin, end)):
            rows = begin, begin + found if self.rounds else end
            answers = ask_for_leaves(self.game, self.scratch, *rows, evaluators)
            self.share(partial(absorb, *arguments, *answers), *rows)

    def is_decided(self) -> bool:
        """Whether every root is proven."""
        return UNKNOWN not in self.proofs()

    # --- from one move to the next

    def move_on(self, played: Sequence[int], state: State) -> bool:
        """Make the position after these actions the root and keep its subtree, if it was visited;
        for a single tree.
        """
        node = 0
        for action in played:
            part = self.children(node)
            found = np.flatnonzero(
                (self.tree.action[part] == action) & (self.tree.visits[part] > 0)
            )
            if len(found) == 0:
                return False
            node = part.start + int(found[0])
        if node != 0:
            new = (
                new_tree(self.game, self.settings, self.room) if self.spare is None else self.spare
            )
            self.kernel(copy_subtree)(self.tree, new, node, 0)
            self.tree, self.spare = new, self.tree
            self.roots[0] = state
            if new.num_children[0] > 0:
                self.scratch.states[0] = state
                self.kernel(simulation.open_root)(
                    self.game.rules, new, self.scratch, self.settings, 0
                )
        self.scratch.counters[:] = 0
        return True

    # --- results

    def proofs(self) -> list[int]:
        return [int(self.tree.proven[number * self.room]) for number in range(self.num_trees)]

    def children(self, node: int) -> slice:
        first = int(self.tree.first[node])
        return slice(first, first + int(self.tree.num_children[node]))

    def moves(self, number: int = 0) -> RootMoves:
        tree = self.tree
        root = number * self.room
        part = self.children(root)
        visits = tree.visits[part].astype(np.int64)
        proven = tree.proven[part].astype(np.int64)
        values = np.where(visits > 0, tree.value[part], np.nan).astype(np.float64)
        values = np.where(proven == UNKNOWN, values, proven)
        amaf_visits, amaf_sums = self.amaf(part, root)
        with np.errstate(invalid="ignore"):
            amaf_values = np.where(amaf_visits > 0, amaf_sums / amaf_visits, np.nan)
        priors = tree.prior[part].astype(np.float64)
        return RootMoves(
            tree.action[part].copy(), visits, values, priors, amaf_visits, amaf_values, proven
        )

    def amaf(self, part: slice, root: int) -> tuple[np.ndarray, np.ndarray]:
        """AMAF visits and sums of payoffs of a root's moves."""
        tree = self.tree
        if len(tree.amaf_visits):
            return tree.amaf_visits[part].astype(np.int64), tree.amaf_value[part].astype(np.float64)
        count = part.stop - part.start
        if self.settings.formula != GRAVE or count == 0 or tree.table[root] < 0:
            return np.zeros(count, np.int64), np.zeros(count)
        seat = self.game.seat_to_move(self.roots[root // self.room])
        row = int(tree.table[root])
        keys = tree.amaf_key[part]
        visits = tree.table_visits[row, seat, keys]
        sums = tree.table_value[row, seat, keys]
        return visits.astype(np.int64), sums.astype(np.float64)

    def report(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The chosen actions, values and policies of all trees."""
        policies = np.zeros((self.num_trees, self.game.num_actions), np.float32)
        values = np.zeros(self.num_trees, np.float32)
        chosen = np.zeros(self.num_trees, np.int32)
        kernel = self.kernel(report_trees)
        kernel(self.tree, self.scratch, self.settings, policies, values, chosen, 0, self.num_trees)
        return chosen, values, policies

    def principal_variation(self, action: int) -> list[int]:
        """The actions of the most visited line after this one; proofs take precedence over
        visits.
        """
        tree = self.tree
        children = self.children(0)
        node = children.start + tree.action[children].tolist().index(action)
        line = [action]
        while tree.num_children[node] > 0 and len(line) < self.game.max_plies:
            children = self.children(node)
            proven = tree.proven[children]
            certain = CERTAIN * np.where(proven == UNKNOWN, 0, proven)
            node = children.start + int(np.argmax(tree.visits[children] + certain))
            if tree.visits[node] == 0 and tree.proven[node] == UNKNOWN:
                break
            line.append(int(tree.action[node]))
        return line
