"""AMAF, "all moves as first": what a simulation says about every move that was made in it, not only the next one.

A move counts once a simulation, for the seat that made it, at each node from which it was made *afterwards*. Walking
the path from its end to the root, the moves seen so far are exactly those made from the node onwards: a set of bits a
seat, to which every step up the path adds one. Brügmann 1993; Gelly and Silver 2007; Cazenave 2015 (GRAVE).
"""

from typing import Any

import numpy as np

from anyzero.compile.bits import trailing_zeros
from anyzero.compile.random import U
from anyzero.compile.vectors import MOST_COUNT, SMALL_SET_WORDS, count_members, count_small_set
from anyzero.games.contract import mark
from anyzero.search.scratch import Scratch
from anyzero.search.settings import GRAVE, Settings
from anyzero.search.tree import NO_TABLE, Tree


def forget_moves(scratch: Scratch, slot: int) -> None:
    """No move has been seen in this simulation yet."""
    seen = scratch.seen[slot]
    for seat in range(seen.shape[0]):
        for word in range(seen.shape[1]):
            seen[seat, word] = U(0)


def update_amaf(tree: Tree, scratch: Scratch, settings: Settings, slot: int) -> None:
    """Credit the moves of a simulation: those of its rollout are seen already, the path's are added on the way."""
    seen = scratch.seen[slot]
    for level in range(scratch.depth[slot] - 1, -1, -1):
        seat: Any = np.int64(scratch.seats[slot, level])
        if seat < 0:
            continue
        mark(seen, seat, scratch.keys[slot, level])
        node = scratch.path[slot, level]
        if settings.formula == GRAVE:
            credit_table(tree, scratch, seen, node, scratch.result[slot])
        else:
            credit_children(tree, seen[seat], node, np.float32(scratch.result[slot, seat]))


def credit_children(tree: Tree, seen: Any, node: int, payoff: Any) -> None:
    """RAVE: the node's children whose moves were seen."""
    first, count = tree.first[node], tree.num_children[node]
    keys = tree.amaf_key[first : first + count]
    amaf_visits, amaf_values = tree.amaf_visits[first : first + count], tree.amaf_value[first : first + count]
    if len(seen) == SMALL_SET_WORDS:
        count_small_set(keys, seen, amaf_visits, amaf_values, payoff, count)
    else:
        count_members(keys, seen, amaf_visits, amaf_values, payoff, count)


def credit_table(tree: Tree, scratch: Scratch, seen: Any, node: int, result: Any) -> None:
    """GRAVE: the node's table, which knows the moves of every seat."""
    row = tree.table[node]
    if row == NO_TABLE:
        return
    for seat in range(seen.shape[0]):
        visits, values, payoff = tree.table_visits[row, seat], tree.table_value[row, seat], np.float32(result[seat])
        if seen.shape[1] == SMALL_SET_WORDS:
            count_small_set(scratch.all_keys, seen[seat], visits, values, payoff, len(visits))
        else:
            credit_members(seen[seat], visits, values, payoff)


def credit_members(seen: Any, visits: Any, values: Any, payoff: Any) -> None:
    """Go through the set of bits: few of many keys were seen."""
    for word in range(len(seen)):
        left = seen[word]
        while left != U(0):
            key = (word << 6) + trailing_zeros(left)
            left &= left - U(1)
            if visits[key] < MOST_COUNT:
                visits[key] += np.float32(1.0)
                values[key] += payoff
