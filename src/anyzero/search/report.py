"""What trees came to, as arrays: the policy after search, the value, and the choice that Gumbel makes."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from anyzero.compile.bits import by_pointer
from anyzero.compile.vectors import best_index
from anyzero.search.priors import gumbel_scores, improved_policy
from anyzero.search.scratch import Scratch
from anyzero.search.settings import GUMBEL, Settings
from anyzero.search.tree import DRAW, DRAW_BELOW, LOSS, UNKNOWN, WIN, Tree, root_of

if TYPE_CHECKING:
    from anyzero.search.result import RootMoves
    from anyzero.search.run import Run

LEAST_SHARE = 1e-6


def report_trees(
    tree: Tree, scratch: Scratch, settings: Settings, policies: Any, values: Any, chosen: Any, begin: int, end: int
) -> None:
    """Kernel: the policy [trees, actions] after search, the value [trees] for the seat to move, and the chosen action.

    The policy is the share of visits; with Gumbel it is the improved policy, and `chosen` the action that it plays,
    else the most visited one. Where the root is proven, the value is exact, and a share of visits is one of priors
    among the moves that reach it. `policies` comes in as zeros.
    """
    tree, scratch, settings = by_pointer(tree), by_pointer(scratch), by_pointer(settings)
    for number in range(begin, end):
        report_tree(tree, scratch, settings, policies, values, chosen, number)


def report_tree(
    tree: Tree, scratch: Scratch, settings: Settings, policies: Any, values: Any, chosen: Any, number: int
) -> None:
    root, best = root_of(tree, number), choose_child_of_root(tree, scratch, settings, number)
    chosen[number] = tree.action[best]
    values[number] = value_after(tree, settings, root, best)
    write_policy(tree, scratch, settings, number, policies[number])


def write_policy(tree: Tree, scratch: Scratch, settings: Settings, number: int, policy: Any) -> None:
    root, scores = root_of(tree, number), scratch.scores[number * settings.leaves]
    first, count = tree.first[root], tree.num_children[root]
    root_policy(tree, settings, root, scores)
    for index in range(count):
        policy[tree.action[first + index]] = scores[index]


def root_policy(tree: Tree, settings: Settings, root: int, policy: Any) -> None:
    """The policy after search, by child: of a proven win or draw, the priors of the moves that reach it."""
    if tree.proven[root] > UNKNOWN:
        share_priors(tree, root, policy)
    elif settings.formula == GUMBEL:
        improved_policy(tree, settings, root, policy)
    else:
        share_visits(tree, root, policy)


def share_priors(tree: Tree, root: int, shares: Any) -> None:
    first, count, total = tree.first[root], tree.num_children[root], 0.0
    for index in range(count):
        child = first + index
        shares[index] = tree.prior[child] + LEAST_SHARE if tree.proven[child] == tree.proven[root] else 0.0
        total += shares[index]
    for index in range(count):
        shares[index] /= total


def share_visits(tree: Tree, root: int, shares: Any) -> None:
    """Each child's share of the visits. A proven draw gets none once it is known: moves that are worse do not count."""
    first, count, total = tree.first[root], tree.num_children[root], 0.0
    for index in range(count):
        child = first + index
        shares[index] = 0.0 if is_worse_than_draw(tree, root, child) else tree.visits[child]
        if tree.proven[child] == DRAW:
            shares[index] += tree.prior[child] + LEAST_SHARE
        total += shares[index]
    for index in range(count):
        shares[index] /= max(total, LEAST_SHARE)


def is_worse_than_draw(tree: Tree, root: int, child: int) -> bool:
    """Whether the root has a proven draw, and this open child has a mean below it or no visits."""
    has_draw = tree.marks[root] & DRAW_BELOW != 0 and tree.proven[child] == UNKNOWN
    return has_draw and (tree.visits[child] == 0 or tree.value[child] < 0.0)  # type: ignore[no-any-return]


def value_after(tree: Tree, settings: Settings, root: int, best: int) -> float:
    """The value after search, for the seat to move: exact where it is proven; `best` is the child that was chosen."""
    if tree.proven[root] != UNKNOWN:
        return proven_value(tree.proven[root])
    if settings.move_value and tree.visits[best] > 0:
        return tree.value[best]  # type: ignore[no-any-return]
    return tree.value[root]  # type: ignore[no-any-return]


def proven_value(proof: int) -> float:
    return 1.0 if proof == WIN else -1.0 if proof == LOSS else 0.0


def choose_child_of_root(tree: Tree, scratch: Scratch, settings: Settings, number: int) -> int:
    """The most visited action, or the best by value + log visits; with Gumbel, by noise, prior and value."""
    root, scores = root_of(tree, number), scratch.scores[number * settings.leaves]
    final_scores(tree, scratch, settings, number, scores)
    return tree.first[root] + best_index(scores, tree.num_children[root])  # type: ignore[no-any-return]


def final_scores(tree: Tree, scratch: Scratch, settings: Settings, number: int, scores: Any) -> None:
    """How much the final choice wants each of the root's children; a proven win most, a proven loss least.

    What is open and looks worse than a proven draw comes behind it.
    """
    root, most = root_of(tree, number), 0
    first, count = tree.first[root], tree.num_children[root]
    if settings.formula == GUMBEL:
        gumbel_scores(tree, scratch, settings, number, scores)
    for child in range(first, first + count):
        if tree.proven[child] != LOSS:
            most = max(most, tree.visits[child])
    for index in range(count):
        child = first + index
        if settings.formula != GUMBEL:
            scores[index] = tree.visits[child]
            if settings.log_visits and tree.visits[child] > 0:
                scores[index] = tree.value[child] + math.log(tree.visits[child])
        else:
            scores[index] -= 0.0 if tree.visits[child] >= most or tree.proven[child] == DRAW else 1e6
        if tree.proven[child] != UNKNOWN:
            scores[index] += 1e9 if tree.proven[child] == WIN else -1e9 if tree.proven[child] == LOSS else 0.0
        elif is_worse_than_draw(tree, root, child):
            scores[index] -= 1e8


def gumbel_order(run: "Run", moves: "RootMoves") -> np.ndarray:
    """The root's moves by Gumbel's final choice."""
    scores = np.zeros(run.game.max_legal, np.float32)
    final_scores(run.tree, run.scratch, run.settings, 0, scores)
    return np.argsort(-scores[: len(moves.actions)], kind="stable")
