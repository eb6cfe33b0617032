"""Sequential halving at the root, plain or with AMAF: the worse half of the moves is dropped round by round."""

import math

from anyzero.search.run import Run
from anyzero.search.settings import RAVE


def halving_rounds(num_children: int, budget: int) -> list[tuple[int, int]]:
    """(survivors, simulations for each of them) of every round. Karnin, Koren and Somekh 2013.

    Every round gets the same share of the budget; what a share leaves over after division goes to the next round.
    """
    rounds, left, survivors = [], budget, num_children
    remaining = max(1, math.ceil(math.log2(max(2, num_children))))
    while remaining > 0 and survivors > 1:
        each = max(1, left // (remaining * survivors))
        rounds.append((survivors, each))
        left = max(0, left - each * survivors)
        survivors, remaining = max(1, (survivors + 1) // 2), remaining - 1
    return rounds


def halve(run: Run, budget: int) -> None:
    """Sequential halving over the root's children; the survivor gets all of the prior."""
    run.simulate(1)
    tree = run.tree
    first, count = int(tree.first[0]), int(tree.num_children[0])
    alive = [first + index for index in range(count)]
    for survivors, each in halving_rounds(count, max(1, budget - 1)):
        alive = sorted(alive, key=lambda child: halving_score(run, child), reverse=True)[:survivors]
        for child in alive:
            run.simulate(each, child)
    alive.sort(key=lambda child: halving_score(run, child), reverse=True)
    tree.prior[first : first + count] = 0.0
    tree.prior[alive[0]] = 1.0


def halving_score(run: Run, child: int) -> float:
    """The mean payoff; for SHUSS with a bonus from AMAF that fades with visits. Fabiano and Cazenave 2021."""
    tree, mean = run.tree, float(run.tree.value[child])
    if run.settings.formula != RAVE:
        return mean
    visits, amaf_visits = max(1, int(tree.visits[child])), max(1, int(tree.amaf_visits[child]))
    return mean + run.settings.exploration * float(tree.amaf_value[child]) / amaf_visits / visits
