"""One simulation: select down the tree, expand, evaluate, back up. The kernels of every method.

With an evaluator inside the search, such as rollouts, one call does everything (`simulate`). An
external one is waited for in `leaves`.
"""

import numpy as np

from anyzero.core.base.nouns import Rules, States
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
from anyzero.core.search.methods import BATCH, GRAVE, GUIDED, GUMBEL, UNIFORM, Settings
from anyzero.core.search.priors import mix_noise, random_gumbel
from anyzero.core.search.selection import choose_child, draw_child
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
        if not is_settled(rules, tree, scratch, settings, number):
            evaluate_leaf(rules, tree, scratch, settings, number)
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
        tree.table[node] = new
        tree.table_start[new] = tree.visits[node]
        tree.table_visits[new] = tree.table_value[new] = 0.0
    row = tree.table[node]
    if above == NO_TABLE or (
        row != NO_TABLE and tree.visits[node] - tree.table_start[row] >= settings.reference
    ):
        return row  # type: ignore[no-any-return]
    return above


def is_settled(rules: Rules, tree: Tree, scratch: Scratch, settings: Settings, number: int) -> bool:
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


def evaluate_leaf(
    rules: Rules, tree: Tree, scratch: Scratch, settings: Settings, number: int
) -> None:
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
