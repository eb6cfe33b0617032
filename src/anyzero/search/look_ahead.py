"""A look at the next two moves before the first simulation: what wins or loses at once is proven, not sampled.

A method that is led by AMAF or by priors may never try the one move that decides. Looking at a position two moves on
costs less than a simulation.
"""

from typing import Any

import numpy as np

from anyzero.games.contract import OVER, legal_actions, payoffs, play, seat_to_move
from anyzero.search.backup import best_proof, proof_of_payoff
from anyzero.search.settings import Settings
from anyzero.search.tree import DRAW, DRAW_BELOW, LOSS, PROVEN_BELOW, UNKNOWN, Scratch, Tree, root_of


def look_ahead(rules: Any, tree: Tree, scratch: Scratch, settings: Settings, number: int, slot: int) -> None:
    """Prove what can be seen from the root, whose position is `scratch.states[slot]`, within the plays allowed."""
    root, state = root_of(tree, number), scratch.states[slot]
    first, count = tree.first[root], tree.num_children[root]
    if count > settings.look_ahead:
        return
    seat, replies = seat_to_move(rules, state), count * count <= settings.look_ahead
    for child in range(first, first + count):
        scratch.ahead[number, 0] = state
        play(rules, scratch.ahead[number, 0], np.int64(tree.action[child]))  # type: ignore[arg-type]
        tree.proven[child] = proof_of_move(rules, scratch, number, slot, seat, replies)
        if tree.proven[child] != UNKNOWN:
            tree.marks[root] |= PROVEN_BELOW
        if tree.proven[child] == DRAW:
            tree.marks[root] |= DRAW_BELOW
    tree.proven[root] = best_proof(tree, root)


def proof_of_move(rules: Any, scratch: Scratch, number: int, slot: int, seat: int, replies: bool) -> int:
    """What is certain of the move that led to `ahead[0]`, for the seat that made it."""
    after = scratch.ahead[number, 0]
    other = seat_to_move(rules, after)
    if other == OVER:
        payoffs(rules, after, scratch.result[slot])
        return proof_of_payoff(scratch.result[slot, seat])
    if not replies or other < 0 or other == seat:
        return UNKNOWN
    count = legal_actions(rules, after, scratch.actions[slot])
    for index in range(count):
        scratch.ahead[number, 1] = after
        play(rules, scratch.ahead[number, 1], np.int64(scratch.actions[slot, index]))  # type: ignore[arg-type]
        if seat_to_move(rules, scratch.ahead[number, 1]) == OVER:
            payoffs(rules, scratch.ahead[number, 1], scratch.result[slot])
            if scratch.result[slot, other] == 1.0:
                return LOSS
    return UNKNOWN
