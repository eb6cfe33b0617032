"""Sequential halving: which of the root's moves get how many simulations, for searches here and on exported pages.

Plain halving and SHUSS ask `next_order` for one child's share after the other; the worse half of the children is
dropped round by round. Gumbel is handed all of its steps in advance. Karnin, Koren and Somekh 2013. Plain Python here,
since a search has few orders, and compiled for pages and for long plans.
"""

from typing import Any, NamedTuple

import numpy as np

from anyzero.games.game import Game
from anyzero.search.methods import RAVE, Settings
from anyzero.search.simulation import ANY_CHILD
from anyzero.search.tree import Tree

TURN_S = 0.01  # by the clock, all survivors together get turns of about this length
FEW = 4096  # steps of a plan that need no compiler
COUNT, PLACE, GOAL, LEFT, SURVIVORS, ROUND, ROUNDS, CHILD = range(8)
"""Survivors of this round and the next one of them; the visits that each is to have; simulations left and how many
survive the next round; rounds done, and all of them; the child that the order is for."""


class Halving(NamedTuple):
    alive: np.ndarray  # [max_legal]: children of the root that are left
    scores: np.ndarray  # [max_legal]
    at: np.ndarray  # [8]: how far it has come
    turn: np.ndarray  # [1]: by the clock, when the turn of all survivors began


def new_halving(max_legal: int) -> Halving:
    return Halving(np.zeros(max_legal, np.int32), np.zeros(max_legal), np.zeros(CHILD + 1, np.int64), np.zeros(1))


def next_order(tree: Tree, settings: Settings, halving: Halving, budget: int, seconds: float, spent: float) -> int:
    """Kernel: so many simulations go through the child `at[CHILD]` next; 0: the survivor has got all of the prior.

    The `budget` is of simulations; if it is 0, of `seconds`, of which some are `spent`.
    """
    at = halving.at
    if tree.visits[0] == 0:  # the first simulation opens the root
        at[:], halving.turn[0] = 0, 0.0
        at[CHILD] = ANY_CHILD
        return 1
    if at[COUNT] == 0:
        begin(tree, halving, budget)
    while True:
        while at[PLACE] < at[COUNT]:
            at[CHILD] = halving.alive[at[PLACE]]
            at[PLACE] += 1
            num = at[GOAL] - tree.visits[at[CHILD]] if at[GOAL] > 0 else at[LEFT]
            if num > 0:  # the child that opened the root has had a visit
                return num  # type: ignore[no-any-return]
        by_clock = budget == 0 and take_turn(tree, settings, halving, seconds, spent)
        if not (by_clock or (budget > 0 and start_round(tree, settings, halving))):
            for child in range(tree.first[0], tree.first[0] + tree.num_children[0]):
                tree.prior[child] = 1.0 if child == halving.alive[0] else 0.0
            return 0


def begin(tree: Tree, halving: Halving, budget: int) -> None:
    """All children take part. Where not all can get a visit, or by the clock, the first round is one visit each."""
    at, first, count = halving.at, tree.first[0], tree.num_children[0]
    for index in range(count):
        halving.alive[index], halving.scores[index] = first + index, tree.visits[first + index]
    at[COUNT], at[PLACE], at[LEFT], at[SURVIVORS], at[ROUNDS] = count, count, budget, count, num_rounds(count)
    if budget <= count:
        sort(halving, count)
        at[COUNT], at[PLACE], at[GOAL], at[LEFT] = min(count, budget) if budget else count, 0, 1, 0


def num_rounds(num_children: int) -> int:
    rounds = 1
    while 1 << rounds < num_children:
        rounds += 1
    return rounds


def start_round(tree: Tree, settings: Settings, halving: Halving) -> bool:
    """Rank the survivors, drop the worse half and share out the next round; False if there is none.

    Every round gets the same share of the budget; what a share leaves over after division goes to the next round.
    A survivor of a round has at least one simulation: where there are fewer left, only so many survive.
    """
    at = halving.at
    rank(tree, settings, halving)
    if at[ROUND] == at[ROUNDS] or at[LEFT] <= 0 or (at[SURVIVORS] == 1 and at[GOAL] > 0):
        return False
    at[COUNT], at[PLACE] = min(at[SURVIVORS], at[LEFT]), 0
    each = max(1, at[LEFT] // ((at[ROUNDS] - at[ROUND]) * at[COUNT]))
    at[GOAL], at[LEFT] = at[GOAL] + each, at[LEFT] - each * at[COUNT]
    at[SURVIVORS], at[ROUND] = (at[COUNT] + 1) // 2, at[ROUND] + 1
    return True


def take_turn(tree: Tree, settings: Settings, halving: Halving, seconds: float, spent: float) -> bool:
    """The same with equal shares of the time for the rounds: the survivors get turns until a round's time is over.

    A turn is as long as the last one was quick. One child's pace would not do: a move that ends the game takes no time.
    """
    at = halving.at
    rate = at[COUNT] * max(1, at[LEFT]) / max(spent - halving.turn[0], 1e-7)
    while seconds * (at[ROUND] + 1) / at[ROUNDS] <= spent:
        rank(tree, settings, halving)
        at[COUNT], at[ROUND] = (at[COUNT] + 1) // 2, at[ROUND] + 1
        if at[ROUND] == at[ROUNDS]:
            return False
    left = min(seconds * (at[ROUND] + 1) / at[ROUNDS] - spent, TURN_S)
    at[PLACE], at[GOAL], at[LEFT], halving.turn[0] = 0, 0, max(1, int(rate * left / at[COUNT])), spent
    return True


def rank(tree: Tree, settings: Settings, halving: Halving) -> None:
    """The survivors by mean payoff; SHUSS adds AMAF, which fades with visits. Fabiano and Cazenave 2021."""
    for index in range(halving.at[COUNT]):
        child = halving.alive[index]
        score = float(tree.value[child])
        if settings.formula == RAVE:
            visits, amaf_visits = max(1, int(tree.visits[child])), max(1, int(tree.amaf_visits[child]))
            score += settings.exploration * float(tree.amaf_value[child]) / amaf_visits / visits
        halving.scores[index] = score
    sort(halving, halving.at[COUNT])


def sort(halving: Halving, count: int) -> None:
    """The best first; equals keep their order."""
    alive, scores = halving.alive, halving.scores
    for index in range(1, count):
        child, score, place = alive[index], scores[index], index
        while place > 0 and scores[place - 1] < score:
            alive[place], scores[place] = alive[place - 1], scores[place - 1]
            place -= 1
        alive[place], scores[place] = child, score


# --- Gumbel


def gumbel_plan(game: Game, considered: int, simulations: int) -> np.ndarray:
    """[moves, step]: how many visits the move has that is visited at this step, for 0 to `considered` moves."""
    plan = np.zeros((considered + 1, simulations), np.int32)
    write = game.compile(write_plan) if simulations > FEW else write_plan
    write(plan, considered, simulations)
    return plan


def write_plan(plan: Any, considered: int, simulations: int) -> None:
    """Kernel: rounds of sequential halving: each survivor is visited equally often, until the budget is spent."""
    for row in range(1, plan.shape[0]):
        moves = alive = min(row, considered)
        visits = step = 0
        while step < simulations:
            each = simulations if moves == 1 else max(1, simulations // (num_rounds(moves) * alive))
            num = min(each * alive, simulations - step)
            for turn in range(num):
                plan[row, step + turn] = visits + turn // alive
            step, visits, alive = step + num, visits + each, max(2, alive // 2)
