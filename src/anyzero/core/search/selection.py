"""Which child next, by statistics alone: one function per formula, readable by itself, and the
loops over children.

Every value here is a mean payoff in [-1, 1] for the seat to move at the parent. `priors` has the
prior-guided formulas.
"""

import math

import numpy as np

from anyzero.core.base.nouns import Numbers, Stream
from anyzero.core.compile.bits import best_index
from anyzero.core.compile.random import random_unit
from anyzero.core.search.methods import (
    ALWAYS,
    CLASSIC,
    EXPECTIMAX,
    FLAT,
    GRAVE,
    MINIMUM_ERROR,
    SIMPLE,
    Settings,
)
from anyzero.core.search.tree import NO_TABLE, PROVEN_BELOW, UNKNOWN, WIN, Scratch, Tree

INLINED = True  # these functions are compiled into their callers: see compile.kernels

WORST = -1e30
UNVISITED_FIRST = 1e9
"""A first-play value this large means: every child once before any child twice."""


def uct_score(value: float, visits: float, log_parent: float, exploration: float) -> float:
    """The mean, and a bonus for rarely tried children. Kocsis and Szepesvari 2006; Auer et al.
    2002.
    """
    return value + exploration * math.sqrt(log_parent / visits)


def classic_weight(parent_visits: float, equivalence: float) -> float:
    """Weight of AMAF that fades with the parent's visits: sqrt(k / (3 N + k)). Gelly and Silver
    2007.
    """
    return math.sqrt(equivalence / (3.0 * parent_visits + equivalence))


def minimum_error_weight(visits: float, amaf_visits: float, bias: float) -> float:
    """Weight of AMAF that minimises the squared error for a given bias. Silver 2009; Cazenave 2015
    for GRAVE.
    """
    return amaf_visits / (amaf_visits + visits + bias * amaf_visits * visits)


def simple_weight(visits: float, equivalence: float) -> float:
    """Weight of AMAF that is one half at k visits of the child: k / (k + n)."""
    return equivalence / (equivalence + visits)


def amaf_weight(
    visits: float, amaf_visits: float, parent_visits: float, settings: Settings
) -> float:
    if settings.schedule == CLASSIC:
        return classic_weight(parent_visits, settings.equivalence)
    if settings.schedule == SIMPLE:
        return simple_weight(visits, settings.equivalence)
    if settings.schedule == ALWAYS:
        return 1.0
    return minimum_error_weight(visits, amaf_visits, settings.bias)


def rave_score(value: float, amaf_value: float, weight: float) -> float:
    """A weighted mean of the real value and the AMAF value; as the weight fades, the real value
    dominates.
    """
    return (1.0 - weight) * value + weight * amaf_value


def choose_child(
    tree: Tree, scratch: Scratch, settings: Settings, number: int, node: int, seat: int, row: int
) -> int:
    """The child to visit next, for GRAVE by this row of AMAF tables; kernels are compiled with one
    implementation.
    """
    raise NotImplementedError


def pick_by_means(
    tree: Tree, scratch: Scratch, settings: Settings, number: int, node: int, seat: int, row: int
) -> int:
    """Flat, UCT, and expectimax one move deep."""
    if settings.formula == FLAT or settings.formula == EXPECTIMAX:
        return least_visited(tree, node)
    fresh = first_unvisited(tree, node) if settings.first_play >= UNVISITED_FIRST else -1
    if fresh >= 0:
        return fresh
    uct_scores(tree, settings, node, scratch.scores[number])
    return best_child(tree, node, scratch.scores[number])


def pick_by_amaf(
    tree: Tree, scratch: Scratch, settings: Settings, number: int, node: int, seat: int, row: int
) -> int:
    """RAVE and GRAVE."""
    scores = scratch.scores[number]
    if settings.formula == GRAVE:
        grave_scores(tree, scratch, settings, number, node, seat, row)
    else:
        first = tree.first[node]
        count = tree.num_children[node]
        amaf_visits = tree.amaf_visits[first : first + count]
        amaf_values = tree.amaf_value[first : first + count]
        mixed_scores(tree, settings, node, amaf_visits, amaf_values, scores)
    return best_child(tree, node, scores)


# The loops below run over slices from 0 and without branches, so that the compiler can vectorise
# over children.


def uct_scores(tree: Tree, settings: Settings, node: int, scores: Numbers) -> None:
    first = tree.first[node]
    count = tree.num_children[node]
    visits = tree.visits[first : first + count]
    values = tree.value[first : first + count]
    log_parent = math.log(tree.visits[node] + 1.0)
    for index in range(count):
        tried = max(float(visits[index]), 1.0)
        score = uct_score(values[index], tried, log_parent, settings.exploration)
        scores[index] = score if visits[index] > 0 else settings.first_play


def grave_scores(
    tree: Tree, scratch: Scratch, settings: Settings, number: int, node: int, seat: int, row: int
) -> None:
    """Scores with the AMAF statistics of a row of the tables; without a row, without AMAF."""
    first = tree.first[node]
    count = tree.num_children[node]
    keys = tree.amaf_key[first : first + count]
    amaf_visits = scratch.amaf[number, 0, :count]
    amaf_values = scratch.amaf[number, 1, :count]
    if row == NO_TABLE:
        amaf_visits[:] = amaf_values[:] = np.float32(0.0)
    else:
        table_visits = tree.table_visits[row, seat]
        table_values = tree.table_value[row, seat]
        for index in range(count):
            amaf_visits[index] = table_visits[keys[index]]
            amaf_values[index] = table_values[keys[index]]
    mixed_scores(tree, settings, node, amaf_visits, amaf_values, scratch.scores[number])


def mixed_scores(
    tree: Tree,
    settings: Settings,
    node: int,
    amaf_visits: Numbers,
    amaf_values: Numbers,
    scores: Numbers,
) -> None:
    """Real values mixed with AMAF values by the configured schedule, and a bonus if there is
    exploration.
    """
    first = tree.first[node]
    count = tree.num_children[node]
    visits = tree.visits[first : first + count]
    values = tree.value[first : first + count]
    if settings.schedule == MINIMUM_ERROR and settings.exploration == 0.0:
        minimum_error_scores(visits, values, amaf_visits, amaf_values, settings, scores)
        return
    parent_visits = float(tree.visits[node])
    log_parent = math.log(parent_visits + 1.0)
    for index in range(count):
        real = float(visits[index])
        amaf = float(amaf_visits[index])
        if real == 0.0 and amaf == 0.0:
            scores[index] = settings.first_play
            continue
        weight = amaf_weight(real, amaf, parent_visits, settings) if amaf > 0.0 else 0.0
        score = rave_score(
            values[index], amaf_values[index] / max(amaf, 1.0), weight if real > 0.0 else 1.0
        )
        scores[index] = score + settings.exploration * math.sqrt(log_parent / max(real, 1.0))


def minimum_error_scores(
    visits: Numbers,
    values: Numbers,
    amaf_visits: Numbers,
    amaf_values: Numbers,
    settings: Settings,
    scores: Numbers,
) -> None:
    """`rave_score` with `minimum_error_weight`, with all divisions combined into one.

    With a mean Q of n visits, an AMAF sum A of a visits and the weight a / (a + n + b a n), the
    score (1 - weight) Q + weight A / a is (Q n (1 + b a) + A) / (a + n + b a n), which is right for
    n = 0 and for a = 0 too.
    """
    bias = np.float32(settings.bias)
    first_play = np.float32(settings.first_play)
    unit = np.float32(1.0)
    zero = np.float32(0.0)
    for index in range(len(visits)):
        real = np.float32(visits[index])
        amaf = amaf_visits[index]
        below = real + amaf + bias * amaf * real
        above = values[index] * real * (unit + bias * amaf) + amaf_values[index]
        scores[index] = above / below if below > zero else first_play


def best_child(tree: Tree, node: int, scores: Numbers) -> int:
    """The open child with the best score; a proven win immediately, since other proven children
    teach nothing.
    """
    first = tree.first[node]
    count = tree.num_children[node]
    if tree.marks[node] & PROVEN_BELOW:
        for index in range(count):
            if tree.proven[first + index] != UNKNOWN:
                scores[index] = -WORST if tree.proven[first + index] == WIN else WORST
    return first + best_index(scores, count)  # type: ignore[no-any-return]


def draw_child(tree: Tree, node: int, rng: Stream) -> int:
    first = tree.first[node]
    left = random_unit(rng)
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
    """Children are opened in their (random) order; -1 once all have been."""
    first = tree.first[node]
    count = tree.num_children[node]
    if tree.visits[first + count - 1] > 0:
        return -1
    for child in range(first, first + count):
        if tree.visits[child] == 0:
            return child
    return -1
