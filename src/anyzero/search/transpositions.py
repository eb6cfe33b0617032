"""Positions that are reached in several ways share their children, and with them all that was learnt below.

A child's statistics then come from every way to its parent (UCT1 of Childs, Brodeur and Kocsis 2008). Positions are
equal when their `state_key` is. Of two positions that want one slot of the table the first keeps it.
"""

from typing import Any

import numpy as np

from anyzero.compile.random import U
from anyzero.games.contract import state_key
from anyzero.search.tree import Tree

NO_NODE = -1
PROBES = 4


def sharing_key(rules: Any, state: Any) -> Any:
    """Never 0, which marks a free slot."""
    return state_key(rules, state) | U(1)


def find_shared(tree: Tree, key: Any) -> int:
    """The node that has this position's children, or NO_NODE."""
    size = tree.shared_key.shape[0]
    home = np.int64((key >> U(1)) & U(size - 1))
    for probe in range(PROBES):
        slot = (home + probe) & (size - 1)
        if tree.shared_key[slot] == key:
            return tree.shared_node[slot]  # type: ignore[no-any-return]
    return NO_NODE


def remember(tree: Tree, key: Any, node: int) -> None:
    """Let others find the children of this node, if there is a free slot."""
    size = tree.shared_key.shape[0]
    home = np.int64((key >> U(1)) & U(size - 1))
    for probe in range(PROBES):
        slot = (home + probe) & (size - 1)
        if tree.shared_key[slot] == U(0):
            tree.shared_key[slot], tree.shared_node[slot] = key, node
            return


def adopt(tree: Tree, node: int, key: Any) -> bool:
    """Give a node the children that another node of the same position has; False if there is none."""
    other = find_shared(tree, key)
    if other == NO_NODE:
        return False
    tree.first[node], tree.num_children[node] = tree.first[other], tree.num_children[other]
    tree.marks[node] = tree.marks[other]
    return True
