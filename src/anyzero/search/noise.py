"""Random variates that a root needs: Dirichlet noise for its priors, and Gumbel noise for its logits."""

import math
from typing import Any

from anyzero.compile.random import random_unit
from anyzero.search.settings import Settings
from anyzero.search.tree import Tree

TINY = 1e-300


def random_normal(rng: Any) -> float:
    """Box and Muller 1958."""
    radius = math.sqrt(-2.0 * math.log(random_unit(rng) + TINY))
    return radius * math.cos(2.0 * math.pi * random_unit(rng))


def random_gamma(shape: float, rng: Any) -> float:
    """Marsaglia and Tsang 2000; a shape below 1 by way of shape + 1."""
    boost = 1.0 if shape >= 1.0 else math.exp(math.log(random_unit(rng) + TINY) / shape)
    d = (shape if shape >= 1.0 else shape + 1.0) - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        x = random_normal(rng)
        v = (1.0 + c * x) ** 3
        if v > 0.0 and math.log(random_unit(rng) + TINY) < 0.5 * x * x + d * (1.0 - v + math.log(v)):
            return boost * d * v


def random_gumbel(rng: Any) -> float:
    """The standard Gumbel distribution: the largest of logits + such noise is a draw from their softmax."""
    return -math.log(-math.log(random_unit(rng) + TINY) + TINY)


def mix_noise(tree: Tree, settings: Settings, node: int, noise: Any, rng: Any) -> None:
    """Mix Dirichlet noise into the priors of a node's children; `noise` is scratch. Silver et al. 2017."""
    first, count = tree.first[node], tree.num_children[node]
    alpha = settings.noise_total / count if settings.noise_total > 0.0 else settings.noise_concentration
    total = 0.0
    for index in range(count):
        noise[index] = random_gamma(alpha, rng)
        total += noise[index]
    if total <= 0.0:  # every draw too small for a float: a Dirichlet that cannot be told from no noise
        return
    for index in range(count):
        prior = (1.0 - settings.noise_fraction) * tree.prior[first + index]
        tree.prior[first + index] = prior + settings.noise_fraction * noise[index] / total
