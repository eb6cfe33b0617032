"""A forest: the trees of one method over one position or many, all that their simulations need, and
what is read from them.

`plant` sets the roots, `grow` runs simulations, `answer` asks the evaluator for the leaves that
wait for it, and `moves`, `policies` and `principal_variation` read the results.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np

from anyzero.core.base import stopping
from anyzero.core.base.nouns import Kernel, State, States, Values
from anyzero.core.compile.bind import Function
from anyzero.core.compile.kernels import Parts
from anyzero.core.compile.random import make_streams
from anyzero.core.game.game import Game
from anyzero.core.game.play import Play
from anyzero.core.game.rollouts import cut
from anyzero.core.search import leaves, simulation
from anyzero.core.search.halving import gumbel_plan
from anyzero.core.search.leaves import NO_ANSWERS, Answers, answer_leaves
from anyzero.core.search.methods import (
    BATCH,
    GRAVE,
    GUMBEL,
    PUCT,
    RAVE,
    Evaluator,
    Method,
    Settings,
)
from anyzero.core.search.priors import pick_by_prior
from anyzero.core.search.report import CERTAIN, RootMoves, report_trees
from anyzero.core.search.reuse import copy_subtree
from anyzero.core.search.selection import choose_child, pick_by_amaf, pick_by_means
from anyzero.core.search.tree import UNKNOWN, Tree, new_tree, scratch_for

FEW_TREES = 16  # planting this few is faster than loading the code for it
MOST_LEAVES = 8  # of one tree at a time; for more, networks are no faster


def specialise(game: Game, settings: Settings) -> tuple[Values, Parts]:
    """What a kernel for this search is compiled with: its constants, and its way to choose a child.

    The compiler never sees what neither the game nor the method has.
    """
    fields = ["amaf", "chance"]
    fields += [] if game.is_opposed else ["solve"]
    fields += [] if settings.noise_fraction else ["noise_fraction"]
    pick = pick_by_means
    if settings.formula in (RAVE, GRAVE):
        pick = pick_by_amaf
    elif settings.formula in (PUCT, GUMBEL):
        pick = pick_by_prior
    return {f"settings.{field}": getattr(settings, field) for field in fields}, {choose_child: pick}


def tree_parts(num: int, most: int) -> list[tuple[int, int]]:
    """Split trees into an even number of parts, by number alone, so that threads change nothing."""
    return cut(num, min(num, 2 * -(-num // (2 * most))))


class Forest:
    """Trees of one method, each with its own random stream, and everything that grows them."""

    def __init__(
        self,
        game: Game,
        method: Method,
        *,
        room: int,
        simulations: int | None = None,
        num_trees: int = 1,
        num_tables: int | None = None,
        evaluator: Evaluator | None = None,
        threads: int = 1,
        rounds: bool = False,
        target: str = "cpu",
        parts: Parts | None = None,
    ) -> None:
        """Trees of `room` nodes, for paths as long as `simulations` can make them; None: as long as
        a game.

        `rounds`: with Gumbel and one tree, ask the evaluator for leaves below several moves at a
        time. `parts` are more functions that replace those of its kernels.
        """
        settings = method.settings
        self.game = game
        self.method = method
        self.evaluator = evaluator
        self.threads = threads
        self.num_trees = num_trees
        self.room = room
        self.target = target
        self.constants, pick = specialise(game, settings)
        self.parts = {**pick, **(parts or {})}
        self.tree = new_tree(game, settings, room, num_trees=num_trees, num_tables=num_tables)
        self.spare: Tree | None = None
        self.line: Play | None = None  # the game that led to the root, for `plant_after`
        is_gumbel = settings.formula == GUMBEL
        self.rounds = rounds and num_trees == 1 and is_gumbel and settings.evaluator == BATCH
        self.scratch = scratch_for(
            game,
            settings,
            depth=game.max_plies if simulations is None else min(game.max_plies, simulations + 1),
            num_trees=1 + MOST_LEAVES if self.rounds else num_trees,
            plan=gumbel_plan(game, settings.considered, simulations or 1) if is_gumbel else None,
        )
        self.roots = game.new_states(num_trees)
        self.pool: Executor | None = getattr(evaluator, "pool", None)
        self.asks_by_part = self.pool is not None
        if self.pool is None and threads > 1:
            self.pool = ThreadPoolExecutor(threads)

    @property
    def settings(self) -> Settings:
        return self.method.settings

    def kernel(self, function: Function) -> Kernel:
        """A kernel compiled for this method; those that fit every method are the game's."""
        return self.game.compile(function, self.target, self.constants, parts=self.parts)

    # --- plant

    def seed(self, seed: int) -> None:
        self.scratch.streams[: self.num_trees] = make_streams(seed, self.num_trees)

    def plant(self, states: States) -> None:
        """Start again from these positions, one per tree, or all from one."""
        self.roots[:] = states
        target = "interpreted" if self.num_trees <= FEW_TREES else self.target
        self.game.compile(simulation.plant_trees, target)(
            self.tree, self.scratch, 0, self.num_trees
        )

    def rest(self) -> None:
        """Before any tree is planted: none has a simulation in progress."""
        self.scratch.known[:] = simulation.IDLE

    def replant(self, simulations: int) -> None:
        """Gumbel: start again from the same positions, with halving over this many simulations."""
        plan = gumbel_plan(self.game, self.settings.considered, simulations)
        self.scratch = self.scratch._replace(plan=plan)
        self.plant(self.roots.copy())

    def plant_after(self, line: Play | None, state: State) -> None:
        """Start from this position at the end of a line, with what is known of it from an earlier
        position of the line.
        """
        earlier = self.line
        self.line = None  # until the new tree is complete
        played = None if line is None else line.since(earlier)
        if played is None or not self.move_on(played, state):
            self.plant(state)
        self.line = line

    def move_on(self, played: Sequence[int], state: State) -> bool:
        """Make the position after these actions the root and keep its subtree, if it was visited;
        for a single tree.
        """
        node = 0
        for action in played:
            part = self.children(node)
            is_next = (self.tree.action[part] == action) & (self.tree.visits[part] > 0)
            places = np.flatnonzero(is_next)
            if len(places) == 0:
                return False
            node = part.start + int(places[0])
        if node != 0:
            tree = self.spare_tree()
            self.game.compile(copy_subtree, self.target)(self.tree, tree, node, 0)
            self.spare = self.tree
            self.tree = tree
            self.roots[0] = state
            if tree.num_children[0] > 0:
                self.scratch.states[0] = state
                self.game.compile(simulation.open_root, self.target)(
                    self.game.rules, tree, self.scratch, self.settings, 0
                )
        self.scratch.counters[:] = 0
        return True

    def spare_tree(self) -> Tree:
        """Trees of the same size, to which those of the next position are copied."""
        if self.spare is None:
            self.spare = new_tree(self.game, self.settings, self.room, num_trees=self.num_trees)
        return self.spare

    # --- grow

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

    def stepping(self) -> tuple[Kernel, Kernel]:
        """With an external evaluator, the kernels before and after it."""
        if self.rounds:
            return self.kernel(leaves.select_round), self.kernel(leaves.absorb_round)
        return self.kernel(leaves.select_leaves), self.kernel(leaves.absorb_leaves)

    def grow(
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
        if self.settings.evaluator != BATCH:
            arguments = self.game.rules, self.tree, self.scratch, self.settings, self.roots
            kernel = self.kernel(simulation.simulate)
            return sum(
                self.share(lambda *part: int(kernel(*arguments, *part, forced, num)), 0, trees)
            )
        before = self.simulations()
        counts = self.scratch.counters[:, 0]
        self.scratch.budget[:] = counts + num * (np.arange(len(counts)) < trees)
        if self.rounds:
            self.answer(1, 1 + (MOST_LEAVES if whole else min(num, MOST_LEAVES)))
        elif self.pool is not None and self.asks_by_part:
            parts = tree_parts(self.num_trees, self.evaluator.together)  # type: ignore[union-attr]
            list(self.pool.map(self.answer, *zip(*parts, strict=True)))
        else:
            self.answer(0, self.num_trees)
        return self.simulations() - before

    def share(self, work: Callable[[int, int], Any], begin: int, end: int) -> list[Any]:
        """Do the work for these trees on all threads, unless already on one of them; returns each
        part's result.
        """
        if self.pool is None or self.asks_by_part:
            return [work(begin, end)]
        parts = cut(end - begin, min(end - begin, 4 * self.threads))
        return list(self.pool.map(lambda part: work(begin + part[0], begin + part[1]), parts))

    def answer(self, begin: int, end: int) -> None:
        """With an external evaluator, all steps of these trees, each with a leaf at a time, or of
        the one in rounds.
        """
        arguments = self.game.rules, self.tree, self.scratch, self.settings
        select, absorb = self.stepping()
        evaluators = [] if self.evaluator is None else [self.evaluator]
        while num_leaves := sum(self.share(partial(select, *arguments, self.roots), begin, end)):
            last = begin + num_leaves if self.rounds else end
            answers: Answers = answer_leaves(self.game, self.scratch, begin, last, evaluators)
            self.share(partial(absorb, *arguments, *answers), begin, last)

    # --- read

    def simulations(self) -> int:
        """Of all trees, since they were planted."""
        return int(self.scratch.counters[:, 0].sum())

    def max_depth(self) -> int:
        """The length of the longest path, in moves."""
        return int(self.scratch.counters[:, 1].max())

    def nodes(self) -> int:
        return sum(self.tree.nodes(number) for number in range(self.num_trees))

    def is_full(self) -> bool:
        """Whether the first tree might have no room to expand another node."""
        return self.tree.nodes() + self.game.max_legal > self.room

    def is_decided(self) -> bool:
        """Whether every root is proven."""
        return UNKNOWN not in self.proofs()

    def proofs(self) -> list[int]:
        return [int(self.tree.proven[number * self.room]) for number in range(self.num_trees)]

    def children(self, node: int) -> slice:
        first = int(self.tree.first[node])
        return slice(first, first + int(self.tree.num_children[node]))

    def moves(self, number: int = 0) -> RootMoves:
        """The moves at a tree's root."""
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

    def policies(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The actions to play, values and policies of all trees."""
        policies = np.zeros((self.num_trees, self.game.num_actions), np.float32)
        values = np.zeros(self.num_trees, np.float32)
        actions = np.zeros(self.num_trees, np.int32)
        self.game.compile(report_trees, self.target)(
            self.tree, self.scratch, self.settings, policies, values, actions, 0, self.num_trees
        )
        return actions, values, policies

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
