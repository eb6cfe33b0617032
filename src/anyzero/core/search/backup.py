"""Back up results and proofs along the path.

Values need no sign: every node stores the payoff of the seat that chose it. Proofs are for games of
two seats with opposite payoffs; a node's proof is likewise seen from the seat that chose it, and
from seat 0 if chance chose it.

AMAF, "all moves as first", applies a simulation's result to every move made in it, not only to the
next one. A move counts once per simulation, for the seat that made it, at each node from which it
was made *afterwards*. Walking the path from its end to the root, the moves seen so far are exactly
those made from the node onwards: a bit set per seat, to which every step up the path adds one.
Brügmann 1993; Gelly and Silver 2007; Cazenave 2015 (GRAVE).
"""

import numpy as np

from anyzero.core.base.nouns import Number, Numbers, Rules, Words
from anyzero.core.compile.bits import (
    MOST_COUNT,
    SMALL_SET_WORDS,
    count_members,
    count_small_set,
    trailing_zeros,
)
from anyzero.core.compile.random import U
from anyzero.core.game.contract import OVER, legal_actions, mark, payoffs, play, seat_to_move
from anyzero.core.search.methods import GRAVE, Settings
from anyzero.core.search.tree import (
    DRAW,
    DRAW_BELOW,
    LOSS,
    NO_TABLE,
    PROVEN_BELOW,
    UNKNOWN,
    WIN,
    Scratch,
    Tree,
    root_of,
)

INLINED = True  # these functions are compiled into their callers: see compile.kernels


def add_results(tree: Tree, scratch: Scratch, number: int) -> None:
    """Count the simulation at every node of the path, from its end to the root.

    A seat with a proven draw would not have played on to lose: above its node such a result is a
    draw.
    """
    path = scratch.path[number]
    seats = scratch.seats[number]
    result = scratch.result[number]
    for level in range(scratch.depth[number], 0, -1):
        seat = seats[level - 1]
        # chance has no payoff: any seat's will do
        add_result(tree, path[level], result[max(seat, 0)])
        if tree.marks[path[level - 1]] & DRAW_BELOW and result[seat] < 0.0:
            result[:] = 0.0
    add_result(tree, path[0], result[max(seats[0], 0)])


def add_result(tree: Tree, node: int, payoff: Number) -> None:
    tree.visits[node] += 1
    tree.value[node] += np.float32((payoff - tree.value[node]) / tree.visits[node])


def prove_end(tree: Tree, scratch: Scratch, number: int) -> None:
    """The game is over at the end of the path: a win, a draw or a loss for the seat that chose the
    last node.
    """
    depth = scratch.depth[number]
    if depth == 0 or scratch.seats[number, depth - 1] < 0:
        return
    payoff = scratch.result[number, scratch.seats[number, depth - 1]]
    tree.proven[scratch.path[number, depth]] = proof_of_payoff(payoff)


def proof_of_payoff(payoff: float) -> int:
    """The proof given by a finished game; a payoff other than win, draw or loss proves nothing."""
    return int(payoff) if payoff == int(payoff) else UNKNOWN


def prove_path(tree: Tree, scratch: Scratch, number: int) -> None:
    """Propagate a proof from the end of the path upwards while it decides the node above."""
    path = scratch.path[number]
    seats = scratch.seats[number]
    level = scratch.depth[number]
    while level > 0 and tree.proven[path[level]] != UNKNOWN:
        node = path[level - 1]
        seat = seats[level - 1]
        tree.marks[node] |= PROVEN_BELOW
        proof = best_proof(tree, node) if seat >= 0 else UNKNOWN  # chance nodes are never proven
        if proof == UNKNOWN:
            if seat >= 0 and tree.proven[path[level]] == DRAW:
                tree.marks[node] |= DRAW_BELOW
            return
        chooser = max(seats[level - 2], 0) if level > 1 else seat
        tree.proven[node] = proof if chooser == seat else -proof
        level -= 1


def best_proof(tree: Tree, node: int) -> int:
    """What the seat to move can force: a win if one child is won, else the best child once all are
    proven.
    """
    best = LOSS
    for child in range(tree.first[node], tree.first[node] + tree.num_children[node]):
        if tree.proven[child] == WIN:
            return WIN
        best = max(best, int(tree.proven[child]))
    return best


def proven_payoffs(tree: Tree, node: int, seat: int, result: Numbers) -> None:
    result[seat] = tree.proven[node]
    result[1 - seat] = -result[seat]


# --- AMAF


def update_amaf(tree: Tree, scratch: Scratch, settings: Settings, number: int) -> None:
    """Credit the moves of a simulation: its rollout's moves are already in the set, the path's are
    added on the way.
    """
    played = scratch.seen[number]
    for level in range(scratch.depth[number] - 1, -1, -1):
        seat: Number = np.int64(scratch.seats[number, level])
        if seat < 0:
            continue
        mark(played, seat, scratch.keys[number, level])
        node = scratch.path[number, level]
        if settings.formula == GRAVE:
            credit_table(tree, scratch, played, node, scratch.result[number])
        else:
            credit_children(tree, played[seat], node, np.float32(scratch.result[number, seat]))


def credit_children(tree: Tree, played: Words, node: int, payoff: Number) -> None:
    """RAVE: the node's children whose moves are in this set of those played."""
    first = tree.first[node]
    count = tree.num_children[node]
    keys = tree.amaf_key[first : first + count]
    amaf_visits = tree.amaf_visits[first : first + count]
    amaf_values = tree.amaf_value[first : first + count]
    if len(played) == SMALL_SET_WORDS:
        count_small_set(keys, played, amaf_visits, amaf_values, payoff, count)
    else:
        count_members(keys, played, amaf_visits, amaf_values, payoff, count)


def credit_table(tree: Tree, scratch: Scratch, played: Words, node: int, result: Numbers) -> None:
    """GRAVE: the node's table, with the moves of every seat."""
    row = tree.table[node]
    if row == NO_TABLE:
        return
    for seat in range(played.shape[0]):
        visits = tree.table_visits[row, seat]
        values = tree.table_value[row, seat]
        payoff = np.float32(result[seat])
        if played.shape[1] == SMALL_SET_WORDS:
            count_small_set(scratch.all_keys, played[seat], visits, values, payoff, len(visits))
            continue
        for word in range(played.shape[1]):  # iterate over the bit set: few of many keys are in it
            left = played[seat, word]
            while left != U(0):
                key = (word << 6) + trailing_zeros(left)
                left &= left - U(1)
                if visits[key] < MOST_COUNT:
                    visits[key] += np.float32(1.0)
                    values[key] += payoff


# --- look-ahead over the next two moves before the first simulation: immediate wins and losses are
# proven, not sampled. A method guided by AMAF or priors may never try the decisive move; looking
# ahead costs less than a simulation.


def look_ahead(rules: Rules, tree: Tree, scratch: Scratch, settings: Settings, number: int) -> None:
    """Prove what is visible from the root, whose position is `scratch.states[number]`, within the
    allowed plays.
    """
    root = root_of(tree, number)
    state = scratch.states[number]
    first = tree.first[root]
    count = tree.num_children[root]
    if count > settings.look_ahead:
        return
    seat = seat_to_move(rules, state)
    replies = count * count <= settings.look_ahead
    for child in range(first, first + count):
        if tree.proven[child] == UNKNOWN:  # a reused tree may know more
            scratch.ahead[number, 0] = state
            play(rules, scratch.ahead[number, 0], np.int64(tree.action[child]))  # type: ignore[arg-type]
            tree.proven[child] = proof_of_move(rules, scratch, number, seat, replies)
        if tree.proven[child] != UNKNOWN:
            tree.marks[root] |= PROVEN_BELOW
        if tree.proven[child] == DRAW:
            tree.marks[root] |= DRAW_BELOW
    tree.proven[root] = best_proof(tree, root)


def proof_of_move(rules: Rules, scratch: Scratch, number: int, seat: int, replies: bool) -> int:
    """What is proven about the move that led to `ahead[0]`, for the seat that made it."""
    after = scratch.ahead[number, 0]
    other = seat_to_move(rules, after)
    if other == OVER:
        payoffs(rules, after, scratch.result[number])
        return proof_of_payoff(scratch.result[number, seat])
    if not replies or other < 0 or other == seat:
        return UNKNOWN
    count = legal_actions(rules, after, scratch.actions[number])
    for index in range(count):
        scratch.ahead[number, 1] = after
        play(rules, scratch.ahead[number, 1], np.int64(scratch.actions[number, index]))  # type: ignore[arg-type]
        if seat_to_move(rules, scratch.ahead[number, 1]) == OVER:
            payoffs(rules, scratch.ahead[number, 1], scratch.result[number])
            if scratch.result[number, other] == 1.0:
                return LOSS
    return UNKNOWN
