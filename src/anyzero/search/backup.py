"""Results go up the path, and so do proofs.

Values need no sign: every node takes the payoff of the seat that chose it. Proofs are for games of two seats with
opposite payoffs; there a node's proof is also seen from the seat that chose it. What chance chose is seen from seat 0.
"""

from typing import Any

import numpy as np

from anyzero.search.scratch import Scratch
from anyzero.search.tree import DRAW, DRAW_BELOW, LOSS, PROVEN_BELOW, UNKNOWN, WIN, Tree


def add_results(tree: Tree, scratch: Scratch, slot: int) -> None:
    """Count the simulation at every node of the path, from its end to the root.

    A seat that has a proven draw in hand would not have gone on to lose: above its node such a result is a draw.
    """
    path, seats, result = scratch.path[slot], scratch.seats[slot], scratch.result[slot]
    for level in range(scratch.depth[slot], 0, -1):
        seat = seats[level - 1]
        add_result(tree, path[level], result[max(seat, 0)])  # the choice of chance is nobody's: any seat's will do
        if tree.marks[path[level - 1]] & DRAW_BELOW and result[seat] < 0.0:
            for other in range(len(result)):
                result[other] = 0.0
    add_result(tree, path[0], result[max(seats[0], 0)])


def add_result(tree: Tree, node: int, payoff: float) -> None:
    """The mean after one more payoff."""
    tree.visits[node] += 1
    tree.value[node] += np.float32((payoff - tree.value[node]) / tree.visits[node])


def prove_end(tree: Tree, scratch: Scratch, slot: int) -> None:
    """The game is over at the end of the path: a win, a draw or a loss for whoever chose the last node."""
    depth = scratch.depth[slot]
    if depth == 0 or scratch.seats[slot, depth - 1] < 0:
        return
    payoff = scratch.result[slot, scratch.seats[slot, depth - 1]]
    tree.proven[scratch.path[slot, depth]] = proof_of_payoff(payoff)


def proof_of_payoff(payoff: float) -> int:
    """A finished game as a proof; a payoff between win, draw and loss proves nothing."""
    if payoff == 1.0:
        return WIN
    if payoff == -1.0:
        return LOSS
    return DRAW if payoff == 0.0 else UNKNOWN


def prove_path(tree: Tree, scratch: Scratch, slot: int) -> None:
    """Carry a proof from the end of the path upwards for as long as it decides the node above."""
    path, seats, level = scratch.path[slot], scratch.seats[slot], scratch.depth[slot]
    while level > 0 and tree.proven[path[level]] != UNKNOWN:
        node, seat = path[level - 1], seats[level - 1]
        tree.marks[node] |= PROVEN_BELOW
        found = best_proof(tree, node) if seat >= 0 else UNKNOWN  # nothing is certain of a chance node
        if found == UNKNOWN:
            if seat >= 0 and tree.proven[path[level]] == DRAW:
                tree.marks[node] |= DRAW_BELOW
            return
        chooser = max(seats[level - 2], 0) if level > 1 else seat
        tree.proven[node] = found if chooser == seat else -found if found != DRAW else DRAW
        level -= 1


def best_proof(tree: Tree, node: int) -> int:
    """What the seat to move has for certain: a win if one child is won, else the best child once all are proven."""
    best = LOSS
    for child in range(tree.first[node], tree.first[node] + tree.num_children[node]):
        if tree.proven[child] == WIN:
            return WIN
        if tree.proven[child] == UNKNOWN:
            best = UNKNOWN
        elif tree.proven[child] == DRAW and best == LOSS:
            best = DRAW
    return best


def proven_payoffs(tree: Tree, node: int, seat: int, result: Any) -> None:
    """The payoffs of a proven node that `seat` chose."""
    value = 0.0 if tree.proven[node] == DRAW else float(tree.proven[node])
    result[seat] = value
    result[1 - seat] = -value
