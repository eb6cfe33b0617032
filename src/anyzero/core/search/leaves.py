"""Simulations that wait for an evaluator outside the search: kernels stop at the leaves, and expand
and back up once it has answered for all of them.

An evaluator is called with the game and an array of positions and returns `(logits, values)`:
logits [positions, actions], of which the search takes the softmax over the legal actions, and
values, each the expected payoff for the seat to move (at a chance node: the first seat), or
[positions, seats] for games that are not two opposite seats or one.

An evaluator with its own threads provides them as `pool`: then each thread searches its share of
the trees to the end and calls the evaluator only for its own leaves, so that no thread waits for
another; `together` is the number of trees. One with a method `values(game, states)` is spared the
logits when they are not needed.
"""

import math
from collections.abc import Sequence

import numpy as np

from anyzero.core.base.errors import BadOptionError
from anyzero.core.base.nouns import Numbers, Rules, States
from anyzero.core.compile.bits import by_pointer
from anyzero.core.game.contract import seat_to_move
from anyzero.core.game.game import Game
from anyzero.core.search.backup import add_results
from anyzero.core.search.methods import EXPECTIMAX, GUMBEL, Evaluator, Settings
from anyzero.core.search.priors import gumbel_root_scores
from anyzero.core.search.selection import WORST, best_child
from anyzero.core.search.simulation import (
    ANY_CHILD,
    IDLE,
    KNOWN,
    WAITING,
    descend,
    is_settled,
    open_root,
)
from anyzero.core.search.tree import UNKNOWN, Scratch, Tree, expand, root_of

INLINED = True  # these functions are compiled into their callers: see compile.kernels


def select_leaves(
    rules: Rules,
    tree: Tree,
    scratch: Scratch,
    settings: Settings,
    roots: States,
    begin: int,
    end: int,
) -> int:
    """Kernel: select a leaf in each of these trees; its position is in `scratch.states`. Returns
    their number.
    """
    tree = by_pointer(tree)
    scratch = by_pointer(scratch)
    settings = by_pointer(settings)
    total = 0
    for number in range(begin, end):
        total += select_tree(rules, tree, scratch, settings, roots, number)
    return total


def select_tree(
    rules: Rules, tree: Tree, scratch: Scratch, settings: Settings, roots: States, number: int
) -> int:
    """Select the next leaf of one tree; returns 0 if its budget is spent."""
    root = root_of(tree, number)
    is_new = tree.visits[root] == 0  # the root's own evaluation is not a simulation
    done = (
        scratch.counters[number, 0] >= scratch.budget[number]
        or (settings.solve and tree.proven[root] != UNKNOWN)
        or (settings.formula == EXPECTIMAX and tree.visits[root] > tree.num_children[root])
    )
    if done and not is_new:
        scratch.known[number] = IDLE
        return 0
    scratch.counters[number, 0] += 0 if is_new else 1
    descend(rules, tree, scratch, settings, roots, number, ANY_CHILD)
    scratch.known[number] = KNOWN if is_settled(rules, tree, scratch, settings, number) else WAITING
    return 1


def absorb_leaves(
    rules: Rules,
    tree: Tree,
    scratch: Scratch,
    settings: Settings,
    logits: Numbers,
    values: Numbers,
    begin: int,
    end: int,
) -> None:
    """Kernel: apply the evaluator's answers: `logits` [rows, actions], `values` [rows, 1 or
    seats].
    """
    tree = by_pointer(tree)
    scratch = by_pointer(scratch)
    settings = by_pointer(settings)
    for number in range(begin, end):
        absorb_tree(rules, tree, scratch, settings, logits, values, number)


def absorb_tree(
    rules: Rules,
    tree: Tree,
    scratch: Scratch,
    settings: Settings,
    logits: Numbers,
    values: Numbers,
    number: int,
) -> None:
    if scratch.known[number] == WAITING:
        row = scratch.rows[number]
        take_answer(rules, tree, scratch, settings, logits[row], values[row], number)
    if scratch.known[number] != IDLE:
        add_results(tree, scratch, number)


def take_answer(
    rules: Rules,
    tree: Tree,
    scratch: Scratch,
    settings: Settings,
    logits: Numbers,
    values: Numbers,
    number: int,
) -> None:
    """Expand the leaf with its priors, and write its payoffs."""
    state = scratch.states[number]
    depth = scratch.depth[number]
    result = scratch.result[number]
    node = scratch.path[number, depth]
    seat = seat_to_move(rules, state)
    is_due = depth == 0 or (
        depth < settings.max_depth and tree.visits[node] + 1 >= settings.expand_after
    )
    actions = scratch.actions[number]
    rng = scratch.streams[number]
    if (
        is_due
        and seat >= 0
        and expand(rules, tree, settings, number, node, state, seat, actions, rng)
    ):
        set_priors(tree, node, logits)
        if depth == 0:
            open_root(rules, tree, scratch, settings, number)
    if values.shape[0] == 1:  # for the seat to move, at a chance node for the first seat
        for other in range(len(result)):
            result[other] = values[0] if other == max(seat, 0) else -values[0]
    else:
        for other in range(len(result)):
            result[other] = values[other]
    if settings.formula == GUMBEL and seat >= 0:
        tree.raw[node] = result[seat]


# --- Gumbel over one position: halving visits each surviving move once before any of them again,
# and compares them only then, so that a network can answer for several of them at a time


def select_round(
    rules: Rules,
    tree: Tree,
    scratch: Scratch,
    settings: Settings,
    roots: States,
    begin: int,
    end: int,
) -> int:
    """Kernel: select leaves below different moves of the one root, for the rows of scratch from
    `begin` to `end`.

    They belong to one round of the plan; returns their number. Row 0 is where they are made.
    """
    tree = by_pointer(tree)
    scratch = by_pointer(scratch)
    settings = by_pointer(settings)
    if begin == end or select_tree(rules, tree, scratch, settings, roots, 0) == 0:
        return 0
    move_simulation(scratch, 0, begin)
    count = 1
    while begin + count < end and scratch.depth[0] > 0:
        child = next_of_round(tree, scratch, settings, begin, begin + count)
        if child < 0:
            break
        scratch.counters[0, 0] += 1
        descend(rules, tree, scratch, settings, roots, 0, child)
        scratch.known[0] = KNOWN if is_settled(rules, tree, scratch, settings, 0) else WAITING
        move_simulation(scratch, 0, begin + count)
        count += 1
    return count


def next_of_round(tree: Tree, scratch: Scratch, settings: Settings, begin: int, end: int) -> int:
    """The best move of the root that is due in this round after those on the paths of these rows;
    -1: there is none.
    """
    first = tree.first[0]
    scores = scratch.scores[0]
    taken = scratch.path[begin:end, 1]
    plan = scratch.plan[min(tree.num_children[0], scratch.plan.shape[0] - 1)]
    step = scratch.counters[0, 0]
    if tree.proven[0] != UNKNOWN or step >= len(plan) or plan[step] != plan[step - 1]:
        return -1
    for child in taken:  # they count as visited: the weight of values grows with the most visits
        tree.visits[child] += 1
    gumbel_root_scores(tree, scratch, settings, 0, scores)
    for child in taken:
        tree.visits[child] -= 1
        scores[child - first] = WORST
    best = best_child(tree, 0, scores)
    is_due = scores[best - first] > WORST / 2 and tree.visits[best] == plan[step]
    return best if is_due else -1


def absorb_round(
    rules: Rules,
    tree: Tree,
    scratch: Scratch,
    settings: Settings,
    logits: Numbers,
    values: Numbers,
    begin: int,
    end: int,
) -> None:
    """Kernel: as `absorb_leaves`, for the leaves in these rows of scratch."""
    tree = by_pointer(tree)
    scratch = by_pointer(scratch)
    settings = by_pointer(settings)
    for row in range(begin, end):
        move_simulation(scratch, row, 0)
        absorb_tree(rules, tree, scratch, settings, logits, values, 0)


def move_simulation(scratch: Scratch, source: int, target: int) -> None:
    """Copy a simulation in progress to another row of scratch."""
    scratch.states[target] = scratch.states[source]
    scratch.depth[target] = scratch.depth[source]
    scratch.known[target] = scratch.known[source]
    scratch.rows[target] = scratch.rows[source]
    for level in range(scratch.depth[source] + 1):
        scratch.path[target, level] = scratch.path[source, level]
        scratch.seats[target, level] = scratch.seats[source, level]
    for seat in range(scratch.result.shape[1]):
        scratch.result[target, seat] = scratch.result[source, seat]


def set_priors(tree: Tree, node: int, logits: Numbers) -> None:
    first = tree.first[node]
    last = first + tree.num_children[node]
    most = np.float32(-1e30)
    total = 0.0
    for child in range(first, last):
        most = max(most, logits[tree.action[child]])
    for child in range(first, last):
        weight = math.exp(logits[tree.action[child]] - most)
        tree.prior[child] = weight
        total += weight
    for child in range(first, last):
        tree.prior[child] /= np.float32(total)


# --- one tree advanced until it needs an answer


def advance_tree(
    rules: Rules,
    tree: Tree,
    scratch: Scratch,
    settings: Settings,
    roots: States,
    logits: Numbers,
    values: Numbers,
    number: int,
) -> bool:
    """Apply the last answer and continue to the next leaf that needs one; False once the budget is
    spent.
    """
    while True:
        absorb_tree(rules, tree, scratch, settings, logits, values, number)
        select_tree(rules, tree, scratch, settings, roots, number)
        if scratch.known[number] == WAITING:
            return True
        if scratch.known[number] == IDLE:
            return False


# --- asking the evaluator, in Python

Answers = tuple[np.ndarray, np.ndarray]  # logits [leaves, actions] and values [leaves, 1 or seats]
NO_ANSWERS: Answers = (np.zeros((1, 1), np.float32), np.zeros((1, 1), np.float32))
"""Passed on when no leaf needs an answer."""


def evaluate_states(evaluator: Evaluator, game: Game, states: States) -> Answers:
    """The evaluator's answer for these positions; an error if it has another form."""
    logits, values = (np.asarray(part, np.float32) for part in evaluator(game, states))
    shape = (len(states), game.num_actions)
    if logits.shape != shape:
        raise BadOptionError(
            f"{game.name}: the evaluator's logits have the shape {logits.shape}, not {shape}"
        )
    if values.shape == (len(states),) and game.num_values == 1:
        values = values[:, None]
    if values.shape not in {(len(states), game.num_seats), (len(states), game.num_values)}:
        fault = f"{values.shape}, not one a position and seat"
        raise BadOptionError(f"{game.name}: the evaluator's values have the shape {fault}")
    _check_finite(game, bool(np.isfinite(values).all() and not np.isnan(logits).any()))
    return np.maximum(logits, np.float32(-1e9)), values


def evaluate_values(evaluator: Evaluator, game: Game, states: States) -> np.ndarray:
    """The values alone, [positions, 1 or seats]; an evaluator with a method `values` need not
    compute logits.
    """
    if not hasattr(evaluator, "values"):
        return evaluate_states(evaluator, game, states)[1]
    values = np.asarray(evaluator.values(game, states), np.float32).reshape(
        len(states), game.num_values
    )
    _check_finite(game, bool(np.isfinite(values).all()))
    return values


def _check_finite(game: Game, is_finite: bool) -> None:
    if not is_finite:
        raise BadOptionError(f"{game.name}: the evaluator's answer has numbers that are not finite")


def answer_leaves(
    game: Game,
    scratch: Scratch,
    begin: int,
    end: int,
    evaluators: Sequence[Evaluator],
    evaluator_of: Numbers = None,
) -> Answers:
    """The evaluators' answers for the waiting leaves of these trees; `evaluator_of` is the number
    of each tree's evaluator.
    """
    waiting = begin + np.flatnonzero(scratch.known[begin:end] == WAITING)
    answers = []
    row = 0
    for number, evaluator in enumerate(evaluators):
        trees = waiting if evaluator_of is None else waiting[evaluator_of[waiting] == number]
        if len(trees):
            scratch.rows[trees] = np.arange(row, row + len(trees))
            answers.append(evaluate_states(evaluator, game, scratch.states[trees]))
            row += len(trees)
    if len(answers) < 2:
        return answers[0] if answers else NO_ANSWERS
    logits, values = zip(*answers, strict=True)
    return np.concatenate(logits), np.concatenate(values)
