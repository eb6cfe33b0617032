"""AMAF, "all moves as first": what a simulation says about every move that was made in it, not only the next one.

A move counts once a simulation, for the seat that made it, at each node from which it was made *afterwards*. Walking
the path from its end to the root, the moves seen so far are exactly those made from the node onwards.
Brügmann 1993; Gelly and Silver 2007; Cazenave 2015 (GRAVE).
"""

from typing import Any

import numpy as np

from anyzero.search.settings import GRAVE, Settings
from anyzero.search.tree import NO_TABLE, Tree


def update_amaf(tree: Tree, scratch: Any, settings: Settings, depth: int, moves: int, num_keys: int) -> None:
    """Credit the moves of a simulation: `depth` on the path, then `moves` in the rollout."""
    num_seen = 0
    for ply in range(depth, depth + moves):
        num_seen = see(scratch, scratch.seats[ply], scratch.keys[ply], num_keys, num_seen)
    for level in range(depth - 1, -1, -1):
        seat = scratch.seats[level]
        if seat < 0:
            continue
        num_seen = see(scratch, seat, scratch.keys[level], num_keys, num_seen)
        node = scratch.path[level]
        if settings.formula == GRAVE:
            credit_table(tree, scratch, node, num_seen, num_keys)
        else:
            credit_children(tree, scratch, node, seat, num_keys)


def see(scratch: Any, seat: int, key: int, num_keys: int, num_seen: int) -> int:
    """Add a move to those seen in this simulation, once; returns how many there are."""
    if seat < 0:
        return num_seen
    move = seat * num_keys + key
    if scratch.stamps[move] == scratch.counters[0]:
        return num_seen
    scratch.stamps[move] = scratch.counters[0]
    scratch.seen[num_seen] = move
    return num_seen + 1


def credit_children(tree: Tree, scratch: Any, node: int, seat: int, num_keys: int) -> None:
    """RAVE: the node's children whose moves were seen."""
    first, count = tree.first[node], tree.num_children[node]
    keys, stamps = tree.amaf_key[first : first + count], scratch.stamps[seat * num_keys : (seat + 1) * num_keys]
    amaf_visits, amaf_values = tree.amaf_visits[first : first + count], tree.amaf_value[first : first + count]
    payoff, simulation = np.float32(scratch.result[seat]), np.int32(scratch.counters[0])
    for index in range(count):  # without a branch: which moves were seen cannot be foreseen
        seen = np.int32(1) if stamps[keys[index]] == simulation else np.int32(0)
        amaf_visits[index] += seen
        amaf_values[index] += payoff * np.float32(seen)


def credit_table(tree: Tree, scratch: Any, node: int, num_seen: int, num_keys: int) -> None:
    """GRAVE: the node's table, which knows the moves of every seat."""
    row = tree.table[node]
    if row == NO_TABLE:
        return
    for index in range(num_seen):
        move = scratch.seen[index]
        tree.table_visits[row, move] += 1.0
        tree.table_value[row, move] += scratch.result[move // num_keys]
