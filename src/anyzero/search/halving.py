"""Sequential halving at the root, plain or with AMAF: the worse half of the moves is dropped round by round."""

import math
import time

from anyzero.search.run import Run
from anyzero.search.settings import RAVE

TURN_S = 0.01
"""By the clock, all survivors together get turns of about this length."""


def halving_rounds(num_children: int, budget: int) -> list[tuple[int, int]]:
    """(survivors, simulations for each of them) of every round. Karnin, Koren and Somekh 2013.

    Every round gets the same share of the budget; what a share leaves over after division goes to the next round.
    A survivor of a round has at least one simulation: where there are fewer left, only so many survive.
    """
    rounds, left, survivors = [], budget, num_children
    remaining = max(1, math.ceil(math.log2(max(2, num_children))))
    while remaining > 0 and left > 0 and (survivors > 1 or num_children == 1):
        survivors = min(survivors, left)
        each = max(1, left // (remaining * survivors))
        rounds.append((survivors, each))
        left -= each * survivors
        survivors, remaining = max(1, (survivors + 1) // 2), remaining - 1
    return rounds


def halve(run: Run, budget: int) -> None:
    """Sequential halving over the root's children; the survivor gets all of the prior."""
    alive = open_root(run)
    if budget <= len(alive):
        alive = try_some(run, alive, budget)
    else:
        goal = 0
        for survivors, each in halving_rounds(len(alive), budget):
            alive, goal = rank(run, alive)[:survivors], goal + each
            for child in alive:  # the one that opened the root has had a visit of the first round
                run.simulate(goal - int(run.tree.visits[child]), child)
    crown(run, rank(run, alive)[0])


def try_some(run: Run, children: list[int], num: int) -> list[int]:
    """One visit for so many children, where there are no more simulations; the first of them has had its visit."""
    tried = sorted(children, key=lambda child: int(run.tree.visits[child]), reverse=True)[:num]
    for child in tried[1:]:
        run.simulate(1, child)
    return tried


def halve_by_clock(run: Run, seconds: float) -> None:
    """The same with equal shares of the time for the rounds: the survivors get turns until a round's time is over."""
    start = time.perf_counter()
    alive = open_root(run)
    try_some(run, alive, len(alive))
    rounds = max(1, math.ceil(math.log2(max(2, len(alive)))))
    for number in range(1, rounds + 1):
        turn = 1
        while time.perf_counter() - start < seconds * number / rounds:
            begun = time.perf_counter()
            for child in alive:
                run.simulate(turn, child)
            rate = turn / (time.perf_counter() - begun)
            left = seconds * number / rounds - (time.perf_counter() - start)
            turn = max(1, min(2 * turn, int(rate * min(left, TURN_S))))
        alive = rank(run, alive)[: max(1, (len(alive) + 1) // 2)]
    crown(run, alive[0])


def open_root(run: Run) -> list[int]:
    """The root's children, after a first simulation that makes them."""
    run.simulate(1)
    first = int(run.tree.first[0])
    return list(range(first, first + int(run.tree.num_children[0])))


def rank(run: Run, children: list[int]) -> list[int]:
    return sorted(children, key=lambda child: halving_score(run, child), reverse=True)


def crown(run: Run, winner: int) -> None:
    """Mark the survivor by giving it all of the prior."""
    first = int(run.tree.first[0])
    run.tree.prior[first : first + int(run.tree.num_children[0])] = 0.0
    run.tree.prior[winner] = 1.0


def halving_score(run: Run, child: int) -> float:
    """The mean payoff; for SHUSS with a bonus from AMAF that fades with visits. Fabiano and Cazenave 2021."""
    tree, mean = run.tree, float(run.tree.value[child])
    if run.settings.formula != RAVE:
        return mean
    visits, amaf_visits = max(1, int(tree.visits[child])), max(1, int(tree.amaf_visits[child]))
    return mean + run.settings.exploration * float(tree.amaf_value[child]) / amaf_visits / visits
