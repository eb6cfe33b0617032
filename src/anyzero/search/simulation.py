"""One simulation: select down the tree, expand, evaluate, back up. The kernel of every rollout method."""

from typing import Any, NamedTuple

import numpy as np

from anyzero.compile.random import STREAM, seed_stream
from anyzero.games.contract import OVER, payoffs, play, rollout, seat_to_move, traced_rollout
from anyzero.games.game import Game
from anyzero.search.amaf import update_amaf
from anyzero.search.backup import add_results, prove_end, prove_path, proven_payoffs
from anyzero.search.selection import choose_child
from anyzero.search.settings import GRAVE, RAVE, ROLLOUT, Settings
from anyzero.search.tree import NO_TABLE, ROOT, UNKNOWN, Tree, expand

ANY_CHILD = -1


class Scratch(NamedTuple):
    """What a simulation writes on; allocated once a search."""

    states: Any
    actions: np.ndarray
    streams: Any
    result: np.ndarray
    """[seats]: the payoffs of this simulation."""
    path: np.ndarray
    """[plies]: nodes from the root down."""
    seats: np.ndarray
    """[plies]: who moved; first along the path, then in the rollout."""
    keys: np.ndarray
    """[plies]: AMAF keys of those moves."""
    stamps: np.ndarray
    """[seats * keys]: the last simulation in which this move was seen."""
    seen: np.ndarray
    """[seats * keys]: the moves seen in this simulation."""
    scores: np.ndarray
    """[max_legal]: of the children that are being compared."""
    counters: np.ndarray
    """[2]: simulations so far, and the greatest depth."""


def new_scratch(game: Game, seed: int) -> Scratch:
    plies, keys = game.max_plies + 2, game.num_seats * game.num_amaf_keys
    scratch = Scratch(
        states=game.new_states(1),
        actions=game.new_actions(),
        streams=np.zeros(1, STREAM),
        result=np.zeros(game.num_seats),
        path=np.zeros(plies, np.int64),
        seats=np.zeros(plies, np.int64),
        keys=np.zeros(plies, np.int64),
        stamps=np.zeros(keys, np.int32),
        seen=np.zeros(keys, np.int64),
        scores=np.zeros(game.max_legal, np.float32),
        counters=np.zeros(2, np.int64),
    )
    with np.errstate(over="ignore"):
        seed_stream(scratch.streams[0], seed % 2**64, 0)
    return scratch


def simulate(
    rules: Any, tree: Tree, scratch: Scratch, settings: Settings, root: Any, forced: int, num_keys: int, num: int
) -> int:
    """Kernel: `num` simulations, through the root's child `forced` if it is one; fewer if the root gets proven."""
    for done in range(num):
        if settings.solve and forced == ANY_CHILD and tree.proven[ROOT] != UNKNOWN:
            return done
        scratch.counters[0] += 1
        scratch.states[0] = root[0]
        depth = descend(rules, tree, scratch, settings, forced, num_keys)
        moves = evaluate(rules, tree, scratch, settings, depth)
        if settings.formula == RAVE or settings.formula == GRAVE:
            update_amaf(tree, scratch, settings, depth, moves, num_keys)
        add_results(tree, scratch.path, scratch.seats, scratch.result, depth)
        scratch.counters[1] = max(scratch.counters[1], depth)
    return num


def descend(rules: Any, tree: Tree, scratch: Scratch, settings: Settings, forced: int, num_keys: int) -> int:
    """Play from the root to a leaf, which may get children on the way; returns its depth."""
    state, rng = scratch.states[0], scratch.streams[0]
    node, depth, reference = ROOT, 0, NO_TABLE
    scratch.path[0] = ROOT
    seat = seat_to_move(rules, state)
    while seat != OVER:
        if depth > 0 and settings.solve and tree.proven[node] != UNKNOWN:
            break
        if tree.num_children[node] == 0 and (
            depth >= settings.max_depth
            or (depth > 0 and tree.visits[node] < settings.expand_after)
            or not expand(rules, tree, settings, node, state, seat, scratch.actions, rng)
        ):
            break
        if settings.formula == GRAVE:
            reference = reference_table(tree, settings, node, reference)
        if depth == 0 and forced != ANY_CHILD:
            child = forced
        else:
            child = choose_child(tree, settings, node, seat, reference, num_keys, scratch.scores, rng)
        scratch.seats[depth], scratch.keys[depth] = seat, tree.amaf_key[child]
        play(rules, state, np.int64(tree.action[child]))  # type: ignore[arg-type]
        node, depth = child, depth + 1
        scratch.path[depth] = node
        seat = seat_to_move(rules, state)
    return depth


def reference_table(tree: Tree, settings: Settings, node: int, above: int) -> int:
    """GRAVE: the node's own AMAF table once it has enough rollouts, else the nearest one above that has."""
    if tree.table[node] == NO_TABLE and tree.used[1] < len(tree.table_visits):
        tree.table[node] = tree.used[1]
        tree.used[1] += 1
    if above == NO_TABLE or (tree.table[node] != NO_TABLE and tree.visits[node] >= settings.reference):
        return tree.table[node]  # type: ignore[no-any-return]
    return above


def evaluate(rules: Any, tree: Tree, scratch: Scratch, settings: Settings, depth: int) -> int:
    """Write the leaf's payoffs: exact where the game is over or proven, else a rollout's. Returns its moves."""
    state, leaf = scratch.states[0], scratch.path[depth]
    if seat_to_move(rules, state) == OVER:
        payoffs(rules, state, scratch.result)
        if settings.solve:
            prove_end(tree, scratch.path, scratch.seats, scratch.result, depth)
            prove_path(tree, scratch.path, scratch.seats, depth)
        return 0
    if settings.solve and tree.proven[leaf] != UNKNOWN:
        proven_payoffs(tree, leaf, scratch.seats[depth - 1], scratch.result)
        prove_path(tree, scratch.path, scratch.seats, depth)
        return 0
    if settings.evaluator != ROLLOUT:
        scratch.result[:] = 0.0
        return 0
    moves = 0
    if settings.formula == RAVE or settings.formula == GRAVE:
        moves = traced_rollout(
            rules, state, scratch.actions, scratch.streams[0], scratch.keys[depth:], scratch.seats[depth:]
        )
    else:
        rollout(rules, state, scratch.actions, scratch.streams[0])
    payoffs(rules, state, scratch.result)
    return moves
