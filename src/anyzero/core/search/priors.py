"""Which child next, guided by priors: PUCT, and Gumbel AlphaZero's root and interior rules.

Every value here is a mean payoff in [-1, 1] for the seat to move at the parent.
"""

import math

import numpy as np

from anyzero.core.base.nouns import Number, Numbers, Stream
from anyzero.core.compile.random import random_unit
from anyzero.core.search.methods import PUCT, Settings
from anyzero.core.search.selection import WORST, best_child
from anyzero.core.search.tree import UNKNOWN, Scratch, Tree, root_of

INLINED = True  # these functions are compiled into their callers: see compile.kernels

LEAST_PRIOR = 1e-30


def pick_by_prior(
    tree: Tree, scratch: Scratch, settings: Settings, number: int, node: int, seat: int, row: int
) -> int:
    """PUCT and Gumbel."""
    scores = scratch.scores[number]
    if settings.formula == PUCT:
        puct_scores(tree, settings, node, scores)
    elif node == root_of(tree, number):
        gumbel_root_scores(tree, scratch, settings, number, scores)
    else:
        missing_visits(tree, settings, node, scores)
    return best_child(tree, node, scores)


def puct_score(
    value: float, prior: float, visits: float, parent_visits: float, exploration: float
) -> float:
    """The mean, and a bonus by prior that fades as visits grow. Silver et al. 2017, Methods."""
    # +1: the first choice at a fresh parent follows the prior instead of a tie at zero.
    return value + exploration * prior * math.sqrt(parent_visits + 1.0) / (1.0 + visits)


def puct_scores(tree: Tree, settings: Settings, node: int, scores: Numbers) -> None:
    first = tree.first[node]
    count = tree.num_children[node]
    visits = tree.visits[first : first + count]
    values = tree.value[first : first + count]
    priors = tree.prior[first : first + count]
    parent_visits = float(tree.visits[node])
    fresh = np.float32(mean_value(visits, values) + settings.first_play)
    for index in range(count):
        value: Number = values[index] if visits[index] > 0 else fresh
        scores[index] = puct_score(
            value, priors[index], visits[index], parent_visits, settings.exploration
        )


def mean_value(visits: Numbers, values: Numbers) -> float:
    """The mean over all visits of the children; 0 before the first."""
    total = 0.0
    count = 0.0
    for index in range(len(visits)):
        total += float(visits[index]) * float(values[index])
        count += float(visits[index])
    return total / max(count, 1.0)


# --- Gumbel: Danihelka, Guez, Schrittwieser and Silver 2022, "Policy improvement by planning with
# Gumbel"


def completed_value(tree: Tree, settings: Settings, child: int, mixed: float) -> float:
    """A child's value: exact where proven, the mean where visited, else the node's mixed value.

    The mixed value counts as `doubt` extra visits: the mean of few rollouts is unreliable.
    """
    if tree.proven[child] != UNKNOWN:
        return float(tree.proven[child])
    visits = float(tree.visits[child])
    return (
        (visits * tree.value[child] + settings.doubt * mixed) / (visits + settings.doubt)
        if visits > 0.0
        else mixed
    )


def mixed_value(tree: Tree, node: int) -> float:
    """The evaluator's value of the node, mixed with the means of the visited children weighted by
    prior (v_mix).
    """
    first = tree.first[node]
    visits = 0.0
    priors = 0.0
    values = 0.0
    for child in range(first, first + tree.num_children[node]):
        if tree.visits[child] > 0:
            visits += tree.visits[child]
            priors += tree.prior[child]
            values += tree.prior[child] * tree.value[child]
    raw = float(tree.raw[node])
    return raw if priors <= 0.0 else (raw + visits * values / priors) / (1.0 + visits)


def value_weight(tree: Tree, settings: Settings, node: int) -> float:
    """The slope of sigma: logits per unit of value, growing with visits."""
    most = 0
    for child in range(tree.first[node], tree.first[node] + tree.num_children[node]):
        most = max(most, tree.visits[child])
    # 0.5: from [-1, 1] to a range of 1
    return 0.5 * settings.value_scale * (settings.visit_scale + most)


def improved_policy(tree: Tree, settings: Settings, node: int, policy: Numbers) -> None:
    """softmax(log prior + sigma(value)), as prior * exp(sigma(value) - maximum): one exp per
    visited child.
    """
    first = tree.first[node]
    count = tree.num_children[node]
    mixed = mixed_value(tree, node)
    weight = value_weight(tree, settings, node)
    best = mixed
    total = 0.0
    for child in range(first, first + count):
        best = max(best, completed_value(tree, settings, child, mixed))
    unvisited = math.exp(weight * (mixed - best))
    for index in range(count):
        child = first + index
        factor = unvisited
        if tree.visits[child] > 0 or tree.proven[child] != UNKNOWN:
            factor = math.exp(weight * (completed_value(tree, settings, child, mixed) - best))
        policy[index] = max(tree.prior[child], LEAST_PRIOR) * factor
        total += policy[index]
    for index in range(count):
        policy[index] /= total


def missing_visits(tree: Tree, settings: Settings, node: int, scores: Numbers) -> None:
    """Interior nodes: the share of visits that a move should have minus the share it has."""
    first = tree.first[node]
    count = tree.num_children[node]
    visits = 0
    improved_policy(tree, settings, node, scores)
    for child in range(first, first + count):
        visits += tree.visits[child]
    for index in range(count):
        scores[index] -= tree.visits[first + index] / (1.0 + visits)


def gumbel_scores(
    tree: Tree, scratch: Scratch, settings: Settings, number: int, scores: Numbers
) -> None:
    """The root's moves: Gumbel noise + log prior + sigma(value)."""
    root = root_of(tree, number)
    mixed = mixed_value(tree, root)
    weight = value_weight(tree, settings, root)
    for index in range(tree.num_children[root]):
        child = tree.first[root] + index
        logit = math.log(max(tree.prior[child], LEAST_PRIOR))
        scores[index] = (
            scratch.gumbel[number, index]
            + logit
            + weight * completed_value(tree, settings, child, mixed)
        )


def gumbel_root_scores(
    tree: Tree, scratch: Scratch, settings: Settings, number: int, scores: Numbers
) -> None:
    """The root: sequential halving, by a plan of the visit count of the next move; the best by
    score among those.

    If no open move has that many visits, as beyond the plan's end: the best of those with at least
    half the maximum.
    """
    gumbel_scores(tree, scratch, settings, number, scores)
    root = root_of(tree, number)
    first = tree.first[root]
    count = tree.num_children[root]
    step = min(scratch.counters[number, 0], scratch.plan.shape[1]) - 1
    planned = scratch.plan[min(count, scratch.plan.shape[0] - 1), step]
    is_planned = False
    most = 0
    for child in range(first, first + count):
        if tree.proven[child] == UNKNOWN:
            is_planned = is_planned or tree.visits[child] == planned
            most = max(most, tree.visits[child])
    for index in range(count):
        visits = tree.visits[first + index]
        if (is_planned and visits != planned) or (not is_planned and 2 * visits < most):
            scores[index] = np.float32(WORST / 2)


# --- random variates for the root


TINY = 1e-300


def random_gamma(shape: float, rng: Stream) -> float:
    """Marsaglia and Tsang 2000; a shape below 1 via shape + 1."""
    boost = 1.0 if shape >= 1.0 else math.exp(math.log(random_unit(rng) + TINY) / shape)
    d = (shape if shape >= 1.0 else shape + 1.0) - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        radius = math.sqrt(-2.0 * math.log(random_unit(rng) + TINY))
        # a normal variate: Box and Muller 1958
        x = radius * math.cos(2.0 * math.pi * random_unit(rng))
        v = (1.0 + c * x) ** 3
        if v > 0.0 and math.log(random_unit(rng) + TINY) < 0.5 * x * x + d * (
            1.0 - v + math.log(v)
        ):
            return boost * d * v


def random_gumbel(rng: Stream) -> float:
    """The standard Gumbel distribution: the argmax of logits + this noise is a sample from their
    softmax.
    """
    return -math.log(-math.log(random_unit(rng) + TINY) + TINY)


def mix_noise(tree: Tree, settings: Settings, node: int, noise: Numbers, rng: Stream) -> None:
    """Mix Dirichlet noise into the priors of a node's children; `noise` is scratch. Silver et al.
    2017.
    """
    first = tree.first[node]
    count = tree.num_children[node]
    total = 0.0
    for index in range(count):
        noise[index] = random_gamma(settings.noise_concentration, rng)
        total += noise[index]
    if total <= 0.0:  # every draw underflowed: the noise would be negligible
        return
    for index in range(count):
        prior = (1.0 - settings.noise_fraction) * tree.prior[first + index]
        tree.prior[first + index] = prior + settings.noise_fraction * noise[index] / total
