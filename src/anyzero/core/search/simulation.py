"""One simulation: select down the tree, expand, evaluate, back up. The kernels of every method.

With rollouts one call does everything (`simulate`). With an external evaluator, `select_leaves`
stops at the leaves, and once the evaluator has answered for all of them, `absorb_leaves` expands
and backs up.
"""

import math

import numpy as np

from anyzero.core.base.nouns import Numbers, Rules, States
from anyzero.core.compile.bits import by_pointer
from anyzero.core.compile.random import U
from anyzero.core.game.contract import (
    CHANCE,
    OVER,
    guided_rollout,
    payoffs,
    play,
    rollout,
    seat_to_move,
    traced_rollout,
)
from anyzero.core.search.backup import (
    add_results,
    look_ahead,
    prove_end,
    prove_path,
    proven_payoffs,
    update_amaf,
)
from anyzero.core.search.methods import BATCH, EXPECTIMAX, GRAVE, GUIDED, GUMBEL, UNIFORM, Settings
from anyzero.core.search.priors import gumbel_root_scores, mix_noise, random_gumbel
from anyzero.core.search.selection import WORST, best_child, choose_child, draw_child
from anyzero.core.search.tree import (
    NO_TABLE,
    UNKNOWN,
    Scratch,
    Tree,
    expand,
    is_full,
    plant,
    root_of,
)

INLINED = True  # these functions are compiled into their callers: see compile.kernels

ANY_CHILD = -1

# status of a tree: it needs the evaluator, it knows its result, or it is done
WAITING = 0
KNOWN = 1
IDLE = 2


def plant_trees(tree: Tree, scratch: Scratch, begin: int, end: int) -> None:
    """Kernel: reset trees to their roots."""
    tree = by_pointer(tree)
    scratch = by_pointer(scratch)
    for number in range(begin, end):
        begin_tree(tree, scratch, number, 0)


def begin_tree(tree: Tree, scratch: Scratch, number: int, budget: int) -> None:
    """Plant a tree with this budget of simulations by an external evaluator; no answer is
    pending.
    """
    plant(tree, number)
    scratch.counters[number, 0] = scratch.counters[number, 1] = 0
    scratch.budget[number] = budget
    scratch.known[number] = IDLE


def simulate(
    rules: Rules,
    tree: Tree,
    scratch: Scratch,
    settings: Settings,
    roots: States,
    begin: int,
    end: int,
    child: int,
    num: int,
) -> int:
    """Kernel: `num` simulations of each of these trees through this child of its root, fewer if it
    is proven.
    """
    tree = by_pointer(tree)
    scratch = by_pointer(scratch)
    settings = by_pointer(settings)
    total = 0
    for number in range(begin, end):
        total += simulate_tree(rules, tree, scratch, settings, roots, number, child, num)
    return total


def simulate_tree(
    rules: Rules,
    tree: Tree,
    scratch: Scratch,
    settings: Settings,
    roots: States,
    number: int,
    forced: int,
    num: int,
) -> int:
    root = root_of(tree, number)
    for done in range(num):
        if settings.solve and forced == ANY_CHILD and tree.proven[root] != UNKNOWN:
            return done
        scratch.counters[number, 0] += 1
        if settings.amaf:
            scratch.seen[number] = U(0)
        descend(rules, tree, scratch, settings, roots, number, forced)
        if not is_known(rules, tree, scratch, settings, number):
            evaluate(rules, tree, scratch, settings, number)
        if settings.amaf:
            update_amaf(tree, scratch, settings, number)
        add_results(tree, scratch, number)
    return num


def descend(
    rules: Rules,
    tree: Tree,
    scratch: Scratch,
    settings: Settings,
    roots: States,
    number: int,
    forced: int,
) -> None:
    """Play from the root to a leaf, which may be expanded on the way."""
    scratch.states[number] = roots[number]
    state = scratch.states[number]
    rng = scratch.streams[number]
    node = root_of(tree, number)
    depth = 0
    reference = NO_TABLE
    scratch.path[number, 0] = node
    seat = seat_to_move(rules, state)
    scratch.seats[number, 0] = seat
    while seat != OVER and not (depth > 0 and settings.solve and tree.proven[node] != UNKNOWN):
        if tree.num_children[node] == 0 and not grow(
            rules, tree, scratch, settings, number, depth, seat
        ):
            break
        if settings.amaf and settings.formula == GRAVE and seat != CHANCE:
            reference = reference_table(tree, settings, number, node, reference)
        if depth == 0 and forced != ANY_CHILD:
            child = forced
        elif settings.chance and seat == CHANCE:
            child = draw_child(tree, node, rng)
        else:
            child = choose_child(tree, scratch, settings, number, node, seat, reference)
        scratch.seats[number, depth] = seat
        if settings.amaf:
            scratch.keys[number, depth] = tree.amaf_key[child]
        play(rules, state, np.int64(tree.action[child]))  # type: ignore[arg-type]
        node = child
        depth = depth + 1
        scratch.path[number, depth] = node
        seat = seat_to_move(rules, state)
    scratch.depth[number] = depth
    scratch.counters[number, 1] = max(scratch.counters[number, 1], depth)


def grow(
    rules: Rules,
    tree: Tree,
    scratch: Scratch,
    settings: Settings,
    number: int,
    depth: int,
    seat: int,
) -> bool:
    """Expand the last node of the path if it is due; False if it stays a leaf."""
    node = scratch.path[number, depth]
    state = scratch.states[number]
    rng = scratch.streams[number]
    if depth >= settings.max_depth or (depth > 0 and tree.visits[node] < settings.expand_after):
        return False
    if settings.evaluator == BATCH and (seat != CHANCE or tree.visits[node] == 0):
        return False
    if not expand(rules, tree, settings, number, node, state, seat, scratch.actions[number], rng):
        return False
    if depth == 0:
        open_root(rules, tree, scratch, settings, number)
    return True


def open_root(rules: Rules, tree: Tree, scratch: Scratch, settings: Settings, number: int) -> None:
    """Prepare the root, at position `scratch.states[number]`: just expanded, or an expanded node
    that became root.
    """
    prepare_root(tree, scratch, settings, number)
    if settings.solve and settings.look_ahead > 0:
        look_ahead(rules, tree, scratch, settings, number)


def prepare_root(tree: Tree, scratch: Scratch, settings: Settings, number: int) -> None:
    """Add what an expanded root needs: noise, drawn once."""
    root = root_of(tree, number)
    rng = scratch.streams[number]
    if settings.noise_fraction > 0.0:
        mix_noise(tree, settings, root, scratch.scores[number], rng)
    if settings.formula == GUMBEL:
        for index in range(tree.num_children[root]):
            scratch.gumbel[number, index] = settings.gumbel_scale * random_gumbel(rng)


def reference_table(tree: Tree, settings: Settings, number: int, node: int, above: int) -> int:
    """GRAVE: the node's own AMAF table once it has enough rollouts, else the nearest ancestor's
    that has.

    A node gets an empty table, if one is left, once it has been visited often enough or no ancestor
    has one.
    """
    is_due = tree.table[node] == NO_TABLE and (
        tree.visits[node] >= settings.table_after or above == NO_TABLE
    )
    if is_due and not is_full(tree, number):
        new = tree.used[number, 1]
        tree.used[number, 1] = new + 1
        tree.table[node], tree.table_start[new] = new, tree.visits[node]
        tree.table_visits[new] = tree.table_value[new] = 0.0
    row = tree.table[node]
    if above == NO_TABLE or (
        row != NO_TABLE and tree.visits[node] - tree.table_start[row] >= settings.reference
    ):
        return row  # type: ignore[no-any-return]
    return above


def is_known(rules: Rules, tree: Tree, scratch: Scratch, settings: Settings, number: int) -> bool:
    """Write the leaf's payoffs if the game is over or its outcome proven; a proof is backed up at
    once.
    """
    state = scratch.states[number]
    depth = scratch.depth[number]
    leaf = scratch.path[number, depth]
    if seat_to_move(rules, state) == OVER:
        payoffs(rules, state, scratch.result[number])
        if settings.solve:
            prove_end(tree, scratch, number)
    elif settings.solve and depth > 0 and tree.proven[leaf] != UNKNOWN:
        proven_payoffs(tree, leaf, max(scratch.seats[number, depth - 1], 0), scratch.result[number])
    else:
        return False
    if settings.solve:
        prove_path(tree, scratch, number)
    return True


def evaluate(rules: Rules, tree: Tree, scratch: Scratch, settings: Settings, number: int) -> None:
    """Write the leaf's payoffs by a rollout, or zeros."""
    state = scratch.states[number]
    rng = scratch.streams[number]
    result = scratch.result[number]
    seat = seat_to_move(rules, state)
    if settings.evaluator == UNIFORM:
        result[:] = 0.0
    else:
        if settings.amaf:
            traced_rollout(rules, state, scratch.actions[number], rng, scratch.seen[number])
        elif settings.evaluator == GUIDED:
            guided_rollout(rules, state, scratch.actions[number], rng)
        else:
            rollout(rules, state, scratch.actions[number], rng)
        payoffs(rules, state, result)
    if settings.formula == GUMBEL and seat >= 0:
        tree.raw[scratch.path[number, scratch.depth[number]]] = result[seat]


# --- with an external evaluator


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
    scratch.known[number] = KNOWN if is_known(rules, tree, scratch, settings, number) else WAITING
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
        scratch.known[0] = KNOWN if is_known(rules, tree, scratch, settings, 0) else WAITING
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
    scratch.states[target], scratch.depth[target] = scratch.states[source], scratch.depth[source]
    scratch.known[target], scratch.rows[target] = scratch.known[source], scratch.rows[source]
    for level in range(scratch.depth[source] + 1):
        scratch.path[target, level] = scratch.path[source, level]
        scratch.seats[target, level] = scratch.seats[source, level]
    for seat in range(scratch.result.shape[1]):
        scratch.result[target, seat] = scratch.result[source, seat]


def set_priors(tree: Tree, node: int, logits: Numbers) -> None:
    first, last = tree.first[node], tree.first[node] + tree.num_children[node]
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
