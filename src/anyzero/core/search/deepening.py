"""Expectimax over one position: iterative deepening, ply by ply."""

from contextlib import suppress
from typing import Any

import numpy as np

from anyzero.core.base.nouns import States
from anyzero.core.game.game import Game
from anyzero.core.search.expectimax import (
    MOST_BY_CLOCK,
    ROUGHLY,
    TO_THE_END,
    Expectimax,
    estimate_leaves,
    reaches_the_end,
)
from anyzero.core.search.forest import Forest
from anyzero.core.search.methods import Method
from anyzero.core.search.simulation import ANY_CHILD
from anyzero.core.search.tree import clear_nodes


class DeepeningForest(Forest):
    """Iterative deepening on one position; from the second depth on, only for the moves that look
    best.

    A simulation is one evaluated leaf. The results are stored in a tree of one ply, in which the
    moves searched deepest share the prior.
    """

    def __init__(
        self, game: Game, method: Method, *, simulations: int | None = None, **options: Any
    ) -> None:
        super().__init__(game, method, simulations=simulations, **options)
        self.most = MOST_BY_CLOCK if simulations is None else simulations
        self.expectimax = Expectimax(game, self.evaluator or method.settings.evaluator)

    def make_ready(self) -> None:
        self.expectimax.values(np.array([self.game.initial_state()]), 1)

    def seed(self, seed: int) -> None:
        super().seed(seed)
        self.expectimax.seed = seed

    def plant(self, states: States) -> None:
        super().plant(states)
        state = self.roots[0]
        actions = self.game.legal_actions(state)
        self.seat = self.game.seat_to_move(state)
        self.after = np.array(
            [self.game.play(state, action) for action in actions], self.game.state_dtype
        )
        self.order = np.arange(len(actions))
        self.depth = 0
        self.is_done = False
        tree = self.tree
        children = slice(1, 1 + len(actions))
        clear_nodes(tree, 1, 1 + len(actions))
        tree.action[children] = actions
        tree.prior[children] = 1.0 / len(actions)
        tree.first[0] = 1
        tree.num_children[0] = len(actions)
        tree.used[0, 0] = 1 + len(actions)

    def grow(
        self, num: int, forced: int = ANY_CHILD, *, trees: int | None = None, whole: bool = True
    ) -> int:
        """About `num` simulations: whole plies, each a move deeper, while the budget allows it."""
        before = self.simulations()
        while not self.is_done and self.simulations() - before < num:
            self.deepen()
        return self.simulations() - before

    def deepen(self) -> None:
        """Look a move further ahead than before, or, if the end of the game is near, to the end at
        once.
        """
        self.depth += 1
        if self.depth == 1 and reaches_the_end(self.game, self.roots[0]):
            with suppress(MemoryError):
                self.search_moves(self.order, TO_THE_END, [1] * len(self.order))
                self.is_done = True
                return
        costs = self.affordable(self.depth - 1)
        self.is_done = len(costs) < len(self.order)
        if costs:
            self.search_moves(self.order[: len(costs)], self.depth - 1, costs)

    def affordable(self, ahead: int) -> list[int]:
        """Leaves below each move, `ahead` moves deep, best move first, for as many moves as the
        budget allows.
        """
        costs: list[int] = []
        for state in self.after[self.order]:
            left = self.most - self.simulations() - sum(costs)
            if estimate_leaves(self.game, state, ahead) > ROUGHLY * left:
                break
            costs.append(self.expectimax.count_leaves(state, ahead))
            if costs[-1] > left:
                return costs[:-1]
        return costs

    def search_moves(self, chosen: np.ndarray, ahead: int, costs: list[int]) -> None:
        """Search all leaves below these moves together; the other moves are eliminated."""
        values = self.expectimax.values(self.after[chosen], ahead)[:, self.seat]
        children = slice(1, 1 + len(self.after))
        self.tree.prior[children] = 0.0
        self.tree.prior[1 + chosen] = 1.0 / len(chosen)
        self.tree.value[1 + chosen] = values
        self.tree.visits[1 + chosen] += np.array(costs, self.tree.visits.dtype)
        self.scratch.counters[0] = self.tree.visits[children].sum(), self.depth
        self.order = chosen[np.argsort(-values, kind="stable")][: self.settings.considered]

    def is_decided(self) -> bool:
        return self.is_done
