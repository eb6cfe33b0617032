"""Which child next: one function a formula, each readable on its own, and the loop that compares them.

Every value here is a mean payoff in [-1, 1] for the seat to move at the parent.
"""

import math
from typing import Any

import numpy as np

from anyzero.compile.random import random_unit
from anyzero.games.contract import CHANCE
from anyzero.search.settings import ALWAYS, CLASSIC, FLAT, GRAVE, MINIMUM_ERROR, PUCT, SIMPLE, UCT, Settings
from anyzero.search.tree import NO_TABLE, UNKNOWN, WIN, Tree

WORST = -1e30
UNVISITED_FIRST = 1e9
"""A first-play value from here on means: every child once before any child twice."""


def uct_score(value: float, visits: float, log_parent: float, exploration: float) -> float:
    """The mean, and a bonus for what has been tried little. Kocsis and Szepesvari 2006; Auer et al. 2002."""
    return value + exploration * math.sqrt(log_parent / visits)


def puct_score(value: float, prior: float, visits: float, parent_visits: float, exploration: float) -> float:
    """The mean, and a bonus by prior that fades as visits grow. Silver et al. 2017, Methods."""
    # +1: the first choice at a fresh parent follows the prior instead of a tie at zero.
    return value + exploration * prior * math.sqrt(parent_visits + 1.0) / (1.0 + visits)


def classic_weight(parent_visits: float, equivalence: float) -> float:
    """Trust in AMAF that fades with the parent's visits: sqrt(k / (3 N + k)). Gelly and Silver 2007."""
    return math.sqrt(equivalence / (3.0 * parent_visits + equivalence))


def minimum_error_weight(visits: float, amaf_visits: float, bias: float) -> float:
    """Trust in AMAF that gives the least squared error for a given bias. Silver 2009; Cazenave 2015 for GRAVE."""
    return amaf_visits / (amaf_visits + visits + bias * amaf_visits * visits)


def simple_weight(visits: float, equivalence: float) -> float:
    """Trust in AMAF that halves at k visits of the child: k / (k + n)."""
    return equivalence / (equivalence + visits)


def amaf_weight(visits: float, amaf_visits: float, parent_visits: float, settings: Settings) -> float:
    """The weight of AMAF by the schedule that is set."""
    if settings.schedule == CLASSIC:
        return classic_weight(parent_visits, settings.equivalence)
    if settings.schedule == SIMPLE:
        return simple_weight(visits, settings.equivalence)
    if settings.schedule == ALWAYS:
        return 1.0
    return minimum_error_weight(visits, amaf_visits, settings.bias)


def rave_score(value: float, amaf_value: float, weight: float) -> float:
    """A mean of the real value and the AMAF value; as the weight fades, the real value wins."""
    return (1.0 - weight) * value + weight * amaf_value


def choose_child(
    tree: Tree, settings: Settings, node: int, seat: int, reference: int, num_keys: int, scores: Any, rng: Any
) -> int:
    """The child to visit next; `scores` is scratch."""
    if seat == CHANCE:
        return draw_child(tree, node, rng)
    if settings.formula == FLAT:
        return least_visited(tree, node)
    if settings.formula == UCT:
        fresh = first_unvisited(tree, node) if settings.first_play >= UNVISITED_FIRST else -1
        if fresh >= 0:
            return fresh
        uct_scores(tree, settings, node, scores)
    elif settings.formula == PUCT:
        puct_scores(tree, settings, node, scores)
    else:
        rave_scores(tree, settings, node, seat * num_keys, reference, scores)
    return best_child(tree, node, scores)


# The loops below run over slices from 0 and without branches, so that the compiler can do several children at once.


def uct_scores(tree: Tree, settings: Settings, node: int, scores: Any) -> None:
    first, count = tree.first[node], tree.num_children[node]
    visits, values = tree.visits[first : first + count], tree.value[first : first + count]
    log_parent = math.log(tree.visits[node] + 1.0)
    for index in range(count):
        tried = max(float(visits[index]), 1.0)
        score = uct_score(values[index] / tried, tried, log_parent, settings.exploration)
        scores[index] = score if visits[index] > 0 else settings.first_play


def puct_scores(tree: Tree, settings: Settings, node: int, scores: Any) -> None:
    first, count = tree.first[node], tree.num_children[node]
    visits, values = tree.visits[first : first + count], tree.value[first : first + count]
    priors, parent_visits = tree.prior[first : first + count], float(tree.visits[node])
    for index in range(count):
        value = values[index] / max(float(visits[index]), 1.0) if visits[index] > 0 else settings.first_play
        scores[index] = puct_score(value, priors[index], visits[index], parent_visits, settings.exploration)


def rave_scores(tree: Tree, settings: Settings, node: int, offset: int, reference: int, scores: Any) -> None:
    """RAVE with the node's own AMAF statistics, GRAVE with those of the reference."""
    first, count = tree.first[node], tree.num_children[node]
    if settings.formula == GRAVE and reference != NO_TABLE:
        borrow(tree, first, count, offset, reference)
    if settings.schedule == MINIMUM_ERROR and settings.exploration == 0.0:
        minimum_error_scores(tree, settings, first, count, scores)
        return
    parent_visits = float(tree.visits[node])
    log_parent = math.log(parent_visits + 1.0)
    for index in range(count):
        visits, amaf_visits = float(tree.visits[first + index]), float(tree.amaf_visits[first + index])
        if visits == 0.0 and amaf_visits == 0.0:
            scores[index] = settings.first_play
            continue
        value = tree.value[first + index] / max(visits, 1.0)
        amaf_value = tree.amaf_value[first + index] / max(amaf_visits, 1.0)
        weight = amaf_weight(visits, amaf_visits, parent_visits, settings) if amaf_visits > 0.0 else 0.0
        score = rave_score(value, amaf_value, weight if visits > 0.0 else 1.0)
        scores[index] = score + settings.exploration * math.sqrt(log_parent / max(visits, 1.0))


def minimum_error_scores(tree: Tree, settings: Settings, first: int, count: int, scores: Any) -> None:
    """`rave_score` with `minimum_error_weight`, all divisions brought into one.

    With sums V, A over n, a visits and the weight a / (a + n + b a n), (1 - weight) V / n + weight A / a is
    (V (1 + b a) + A) / (a + n + b a n), which is right for n = 0 and for a = 0 too.
    """
    visits, values = tree.visits[first : first + count], tree.value[first : first + count]
    amaf_visits, amaf_values = tree.amaf_visits[first : first + count], tree.amaf_value[first : first + count]
    bias, first_play = np.float32(settings.bias), np.float32(settings.first_play)
    one, zero = np.float32(1.0), np.float32(0.0)
    for index in range(count):
        real, amaf = np.float32(visits[index]), np.float32(amaf_visits[index])
        below = real + amaf + bias * amaf * real
        above = np.float32(values[index]) * (one + bias * amaf) + amaf_values[index]
        scores[index] = above / below if below > zero else first_play


def borrow(tree: Tree, first: int, count: int, offset: int, reference: int) -> None:
    """Copy the reference's statistics of the children's moves to the children."""
    keys = tree.amaf_key[first : first + count]
    amaf_visits, amaf_values = tree.amaf_visits[first : first + count], tree.amaf_value[first : first + count]
    for index in range(count):
        amaf_visits[index] = np.int32(tree.table_visits[reference, offset + keys[index]])
        amaf_values[index] = tree.table_value[reference, offset + keys[index]]


def best_child(tree: Tree, node: int, scores: Any) -> int:
    """The open child with the best score; a proven win at once, since nothing can be learnt from other proven ones."""
    first, count = tree.first[node], tree.num_children[node]
    proven = tree.proven[first : first + count]
    any_proven = np.int8(0)
    for index in range(count):
        any_proven |= proven[index]
    if any_proven != 0:
        for index in range(count):
            if proven[index] != UNKNOWN:
                scores[index] = -WORST if proven[index] == WIN else WORST
    best = np.float32(WORST)
    for index in range(count):
        best = max(best, scores[index])
    for index in range(count):
        if scores[index] == best:
            return first + index  # type: ignore[no-any-return]
    return first  # type: ignore[no-any-return]


def draw_child(tree: Tree, node: int, rng: Any) -> int:
    """An outcome of a chance node, by its probability."""
    first, left = tree.first[node], random_unit(rng)
    for child in range(first, first + tree.num_children[node] - 1):
        left -= tree.prior[child]
        if left < 0.0:
            return child
    return first + tree.num_children[node] - 1  # type: ignore[no-any-return]


def least_visited(tree: Tree, node: int) -> int:
    """Every child in turn."""
    first = tree.first[node]
    best = first
    for child in range(first, first + tree.num_children[node]):
        if tree.visits[child] < tree.visits[best]:
            best = child
    return best  # type: ignore[no-any-return]


def first_unvisited(tree: Tree, node: int) -> int:
    """Children are opened in their (random) order; -1 when all have been."""
    first, count = tree.first[node], tree.num_children[node]
    if tree.visits[first + count - 1] > 0:
        return -1
    for child in range(first, first + count):
        if tree.visits[child] == 0:
            return child
    return -1
