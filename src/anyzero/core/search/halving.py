"""Sequential halving: the allocation of simulations to the root's moves, for searches here and on
exported pages.

Plain halving and SHUSS call `next_order` for one child's share after another; the worse half of the
children is dropped each round. Gumbel gets all its steps in advance. Karnin, Koren and Somekh 2013.
Plain Python here, since a search has few orders; compiled for pages and for long plans.
"""

from typing import NamedTuple

import numpy as np

from anyzero.core.base.nouns import Numbers
from anyzero.core.game.game import Game
from anyzero.core.search.methods import RAVE, Settings
from anyzero.core.search.simulation import ANY_CHILD
from anyzero.core.search.tree import Tree

INLINED = True  # these functions are compiled into their callers: see compile.kernels

TURN_S = 0.01  # by the clock, the approximate duration of one turn of all survivors
FEW = 4096  # plans up to this many steps are made without the compiler
COUNT, PLACE, GOAL, LEFT, SURVIVORS, ROUND, ROUNDS, CHILD = range(8)
"""Survivors of this round and the next of them; the visits each is to reach; simulations left, and
the number that
survives the next round; rounds done, and all rounds; the child of the current order."""


class Halving(NamedTuple):
    alive: np.ndarray  # [max_legal]: remaining children of the root
    scores: np.ndarray  # [max_legal]
    at: np.ndarray  # [8]: progress
    turn: np.ndarray  # [1]: by the clock, when the current turn began


def new_halving(max_legal: int) -> Halving:
    return Halving(
        np.zeros(max_legal, np.int32),
        np.zeros(max_legal),
        np.zeros(CHILD + 1, np.int64),
        np.zeros(1),
    )


def next_order(
    tree: Tree, settings: Settings, halving: Halving, budget: int, seconds: float, spent: float
) -> int:
    """Kernel: how many simulations go through the child `at[CHILD]` next; 0: the survivor has all
    of the prior.

    The `budget` is in simulations; if it is 0, in `seconds`, of which some are `spent`.
    """
    at = halving.at
    if tree.visits[0] == 0:  # the first simulation opens the root
        at[:] = 0
        halving.turn[0] = 0.0
        at[CHILD] = ANY_CHILD
        return 1
    if at[COUNT] == 0:
        begin_halving(tree, halving, budget)
    while True:
        while at[PLACE] < at[COUNT]:
            at[CHILD] = halving.alive[at[PLACE]]
            at[PLACE] += 1
            num = at[GOAL] - tree.visits[at[CHILD]] if at[GOAL] > 0 else at[LEFT]
            if num > 0:  # the child that opened the root already has a visit
                return num  # type: ignore[no-any-return]
        by_clock = budget == 0 and take_turn(tree, settings, halving, seconds, spent)
        if not (by_clock or (budget > 0 and start_round(tree, settings, halving))):
            for child in range(tree.first[0], tree.first[0] + tree.num_children[0]):
                tree.prior[child] = 1.0 if child == halving.alive[0] else 0.0
            return 0


def begin_halving(tree: Tree, halving: Halving, budget: int) -> None:
    """All children take part. If not all can get a visit, or by the clock, the first round is one
    visit each.
    """
    at = halving.at
    first = tree.first[0]
    count = tree.num_children[0]
    for index in range(count):
        halving.alive[index] = first + index
        halving.scores[index] = tree.visits[first + index]
    at[COUNT] = at[PLACE] = at[SURVIVORS] = count
    at[LEFT] = budget
    at[ROUNDS] = num_rounds(count)
    if budget <= count:
        sort(halving, count)
        at[COUNT] = min(count, budget) if budget else count
        at[PLACE] = 0
        at[GOAL] = 1
        at[LEFT] = 0


def num_rounds(num_children: int) -> int:
    rounds = 1
    while 1 << rounds < num_children:
        rounds += 1
    return rounds


def start_round(tree: Tree, settings: Settings, halving: Halving) -> bool:
    """Rank the survivors, drop the worse half and allocate the next round; False if there is none.

    Every round gets the same share of the budget; the remainder of a division goes to the next
    round. A survivor of a round gets at least one simulation: if fewer are left, only that many
    survive.
    """
    at = halving.at
    rank(tree, settings, halving)
    if at[ROUND] == at[ROUNDS] or at[LEFT] <= 0 or (at[SURVIVORS] == 1 and at[GOAL] > 0):
        return False
    at[COUNT] = min(at[SURVIVORS], at[LEFT])
    at[PLACE] = 0
    each = max(1, at[LEFT] // ((at[ROUNDS] - at[ROUND]) * at[COUNT]))
    at[GOAL] += each
    at[LEFT] -= each * at[COUNT]
    at[SURVIVORS] = (at[COUNT] + 1) // 2
    at[ROUND] += 1
    return True


def take_turn(
    tree: Tree, settings: Settings, halving: Halving, seconds: float, spent: float
) -> bool:
    """The same with equal shares of time: the survivors take turns until a round's time is up.

    A turn is as large as the last one was fast. One child's pace would not do: a move that ends the
    game takes no time.
    """
    at = halving.at
    rate = at[COUNT] * max(1, at[LEFT]) / max(spent - halving.turn[0], 1e-7)
    while seconds * (at[ROUND] + 1) / at[ROUNDS] <= spent:
        rank(tree, settings, halving)
        at[COUNT] = (at[COUNT] + 1) // 2
        at[ROUND] += 1
        if at[ROUND] == at[ROUNDS]:
            return False
    left = min(seconds * (at[ROUND] + 1) / at[ROUNDS] - spent, TURN_S)
    at[PLACE] = 0
    at[GOAL] = 0
    at[LEFT] = max(1, int(rate * left / at[COUNT]))
    halving.turn[0] = spent
    return True


def rank(tree: Tree, settings: Settings, halving: Halving) -> None:
    """Score the survivors by mean payoff; SHUSS adds AMAF, which fades with visits. Fabiano and
    Cazenave 2021.
    """
    for index in range(halving.at[COUNT]):
        child = halving.alive[index]
        score = float(tree.value[child])
        if settings.formula == RAVE:
            visits = max(1, int(tree.visits[child]))
            amaf_visits = max(1, int(tree.amaf_visits[child]))
            score += settings.exploration * float(tree.amaf_value[child]) / amaf_visits / visits
        halving.scores[index] = score
    sort(halving, halving.at[COUNT])


def sort(halving: Halving, count: int) -> None:
    """Best first; ties keep their order."""
    alive = halving.alive
    scores = halving.scores
    for index in range(1, count):
        child = alive[index]
        score = scores[index]
        place = index
        while place > 0 and scores[place - 1] < score:
            alive[place] = alive[place - 1]
            scores[place] = scores[place - 1]
            place -= 1
        alive[place] = child
        scores[place] = score


# --- Gumbel


def gumbel_plan(game: Game, considered: int, simulations: int) -> np.ndarray:
    """[moves, step]: how many visits the move visited at this step has so far, for 0 to
    `considered` moves.
    """
    plan = np.zeros((considered + 1, simulations), np.int32)
    write = game.compile(write_plan) if simulations > FEW else write_plan
    write(plan, considered, simulations)
    return plan


def write_plan(plan: Numbers, considered: int, simulations: int) -> None:
    """Kernel: rounds of sequential halving: all survivors are visited equally often, until the
    budget is spent.
    """
    for row in range(1, plan.shape[0]):
        moves = alive = min(row, considered)
        visits = step = 0
        while step < simulations:
            each = simulations if moves == 1 else max(1, simulations // (num_rounds(moves) * alive))
            num = min(each * alive, simulations - step)
            for turn in range(num):
                plan[row, step + turn] = visits + turn // alive
            step = step + num
            visits = visits + each
            alive = max(2, alive // 2)
