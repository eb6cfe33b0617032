"""Results go up the path, and so do proofs.

Values need no sign: every node adds the payoff of the seat that chose it. Proofs are for games of two seats with
opposite payoffs; there a node's proof is also seen from the seat that chose it.
"""

from typing import Any

from anyzero.search.tree import DRAW, LOSS, ROOT, UNKNOWN, WIN, Tree


def add_results(tree: Tree, path: Any, seats: Any, result: Any, depth: int) -> None:
    """Count the simulation at every node of the path, from its end to the root.

    A seat that has a proven draw in hand would not have gone on to lose: above its node such a result is a draw.
    """
    for level in range(depth, 0, -1):
        node, seat = path[level], seats[level - 1]
        tree.visits[node] += 1
        tree.value[node] += result[max(seat, 0)]  # the choice of chance is nobody's: any seat's payoff will do
        if tree.has_draw[path[level - 1]] and result[seat] < 0.0:
            result[:] = 0.0
    tree.visits[ROOT] += 1
    tree.value[ROOT] += result[max(seats[0], 0)]


def prove_end(tree: Tree, path: Any, seats: Any, result: Any, depth: int) -> None:
    """The game is over at the end of the path: a win, a draw or a loss for whoever chose the last node."""
    if depth == 0 or seats[depth - 1] < 0:
        return
    payoff = result[seats[depth - 1]]
    if payoff == 1.0:
        tree.proven[path[depth]] = WIN
    elif payoff == -1.0:
        tree.proven[path[depth]] = LOSS
    elif payoff == 0.0:
        tree.proven[path[depth]] = DRAW


def prove_path(tree: Tree, path: Any, seats: Any, depth: int) -> None:
    """Carry a proof from the end of the path upwards for as long as it decides the node above."""
    level = depth
    while level > 0 and tree.proven[path[level]] != UNKNOWN:
        node, seat = path[level - 1], seats[level - 1]
        found = best_proof(tree, node) if seat >= 0 else UNKNOWN  # nothing is certain of a chance node
        if found == UNKNOWN:
            tree.has_draw[node] |= tree.proven[path[level]] == DRAW
            return
        chooser = seats[level - 2] if level > 1 else seat
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
