"""The tree: a NamedTuple of arrays, allocated once; a node is an index.

A node's children are neighbours: `first` is the first of `num_children`. A node's value is the sum of payoffs *for the
seat that chose it* (the one to move at its parent), so that choosing a child never needs a change of sign, whatever
the number of seats.
"""

from typing import Any, NamedTuple

import numpy as np

from anyzero.compile.random import random_below
from anyzero.games.contract import CHANCE, amaf_key, chance_weight, legal_actions
from anyzero.games.game import Game
from anyzero.search.settings import Settings

UNKNOWN, WIN, DRAW, LOSS = 0, 1, 2, -1
"""What is proven of a node, for the seat that chose it."""

NO_TABLE = -1
ROOT = 0


class Tree(NamedTuple):
    """Statistics of every node, and AMAF tables of those that GRAVE may refer to."""

    visits: np.ndarray
    value: np.ndarray
    prior: np.ndarray
    """Before the search: the evaluator's; at chance nodes, the outcome's probability."""
    action: np.ndarray
    first: np.ndarray
    num_children: np.ndarray
    """0: not expanded."""
    amaf_key: np.ndarray
    amaf_visits: np.ndarray
    amaf_value: np.ndarray
    table: np.ndarray
    """Row of the node's AMAF table, or NO_TABLE."""
    proven: np.ndarray
    has_draw: np.ndarray
    """1 where a child is a proven draw and others are still open."""
    used: np.ndarray
    """[2]: nodes and tables in use."""
    table_visits: np.ndarray
    """[tables, seats * keys]: rollouts below the node in which this seat played a move of this key."""
    table_value: np.ndarray
    """[tables, seats * keys]: their payoffs, summed for that seat."""

    @property
    def bytes_a_node(self) -> float:
        """Memory of a node that is in use, tables included."""
        node = sum(part.itemsize for part in self[:12])
        tables = self.used[1] * 2 * self.table_value.shape[1] * self.table_value.itemsize
        return float(node + tables / max(1, self.used[0]))


def new_tree(game: Game, max_nodes: int, num_tables: int) -> Tree:
    """An empty tree with room for this many nodes and tables. Untouched memory costs nothing."""
    tables = (num_tables, game.num_seats * game.num_amaf_keys)
    tree = Tree(
        visits=np.zeros(max_nodes, np.int32),
        value=np.zeros(max_nodes, np.float64),
        prior=np.zeros(max_nodes, np.float32),
        action=np.zeros(max_nodes, np.int32),
        first=np.zeros(max_nodes, np.int32),
        num_children=np.zeros(max_nodes, np.int32),
        amaf_key=np.zeros(max_nodes, np.int32),
        amaf_visits=np.zeros(max_nodes, np.int32),
        amaf_value=np.zeros(max_nodes, np.float32),
        table=np.zeros(max_nodes, np.int32),
        proven=np.zeros(max_nodes, np.int8),
        has_draw=np.zeros(max_nodes, np.int8),
        used=np.array([1, 0], np.int64),
        table_visits=np.zeros(tables, np.float32),
        table_value=np.zeros(tables, np.float32),
    )
    tree.table[ROOT] = NO_TABLE
    return tree


def expand(
    rules: Any, tree: Tree, settings: Settings, node: int, state: Any, seat: int, actions: Any, rng: Any
) -> bool:
    """Give a node its children, in random order; False when the tree is full."""
    count = legal_actions(rules, state, actions)
    first = tree.used[0]
    if first + count > len(tree.visits):
        return False
    tree.used[0] = first + count
    if seat != CHANCE:
        shuffle(actions, count, rng)
    total = 0.0
    for index in range(count):
        child, action = first + index, np.int64(actions[index])
        weight = chance_weight(rules, state, action) if seat == CHANCE else 1.0  # type: ignore[arg-type]
        total += weight
        tree.action[child], tree.prior[child], tree.table[child] = action, weight, NO_TABLE
        if seat != CHANCE:
            tree.amaf_key[child] = amaf_key(rules, state, action)  # type: ignore[arg-type]
    for child in range(first, first + count):
        tree.prior[child] /= total
    tree.first[node], tree.num_children[node] = first, count
    return True


def shuffle(actions: Any, count: int, rng: Any) -> None:
    """Fisher and Yates: every order is equally likely."""
    for last in range(count - 1, 0, -1):
        other = random_below(rng, last + 1)
        actions[last], actions[other] = actions[other], actions[last]
