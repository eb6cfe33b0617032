"""One tree moved on as far as it goes without an answer: how a GPU searches with a network beside it.

A tree's number is its slot, its row of the network's input and its row of the answers: nothing is gathered, nothing is
copied, and a tree that finds a finished game goes on at once to its next leaf.
"""

from typing import Any

from anyzero.search.settings import Settings
from anyzero.search.simulation import IDLE, WAITING, absorb_tree, plant_tree, select_tree
from anyzero.search.tree import Scratch, Tree


def begin_tree(tree: Tree, scratch: Scratch, number: int, first: int, last: int) -> None:
    """Plant a tree that counts its simulations from `first` to `last`; no answer is under way."""
    plant_tree(tree, scratch, number)
    scratch.counters[number, 0], scratch.budget[number] = first, last
    scratch.known[number] = IDLE


def advance_tree(
    rules: Any,
    tree: Tree,
    scratch: Scratch,
    settings: Settings,
    roots: Any,
    logits: Any,
    values: Any,
    number: int,
) -> bool:
    """Take the last answer in, and go on to the next leaf that needs one; False when the tree has had its budget."""
    while True:
        absorb_tree(rules, tree, scratch, settings, logits, values, number)
        select_tree(rules, tree, scratch, settings, roots, number)
        if scratch.known[number] == WAITING:
            return True
        if scratch.known[number] == IDLE:
            return False
