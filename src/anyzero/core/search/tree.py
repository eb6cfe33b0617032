"""The tree: a NamedTuple of arrays, allocated once; a node is an index. One set of arrays holds one
tree or thousands.

A node's children are adjacent: `first` is the first of `num_children`. A node's value is the mean
payoff *for the seat that chose it* (the one to move at its parent), so that choosing a child never
needs a change of sign, for any number of seats. Tree `number` owns an equal share of the nodes, the
first of which is its root.
"""

from typing import NamedTuple

import numpy as np

from anyzero.core.base.nouns import Actions, Rules, State, States, Stream, Streams
from anyzero.core.compile.bits import SMALL_SET_WORDS
from anyzero.core.compile.random import STREAM, U, next_word
from anyzero.core.game.contract import CHANCE, amaf_key, chance_weight, legal_actions
from anyzero.core.game.game import Game
from anyzero.core.search.methods import BATCH, GRAVE, GUMBEL, Settings

INLINED = True  # these functions are compiled into their callers: see compile.kernels

WIN = 1
DRAW = 0
LOSS = -1
UNKNOWN = 2
"""The proof of a node: its exact payoff for the seat that chose it. UNKNOWN is the greatest, see
`best_proof`.
"""

DRAW_BELOW = 1
PROVEN_BELOW = 2
"""Flags of a node: a child is a proven draw while others are open; some child is proven."""

NO_TABLE = -1


class Tree(NamedTuple):
    """Statistics of every node; arrays that a formula does not use are empty."""

    visits: np.ndarray
    value: np.ndarray
    prior: np.ndarray
    """Before the search: the evaluator's; at chance nodes, the outcome's probability."""
    action: np.ndarray
    first: np.ndarray
    num_children: np.ndarray  # 0: not expanded
    proven: np.ndarray
    marks: np.ndarray
    raw: np.ndarray  # Gumbel: the evaluator's value of the node, for the seat to move there
    amaf_key: np.ndarray
    amaf_visits: np.ndarray
    amaf_value: np.ndarray  # RAVE: the sum of payoffs of the simulations counted by `amaf_visits`
    table: np.ndarray  # GRAVE: row of the node's AMAF table, or NO_TABLE
    used: np.ndarray  # [trees, 2]: the end of the nodes and of the tables in use
    table_visits: np.ndarray
    """[tables, seats, keys]: rollouts below the node in which this seat played a move with this
    key.
    """
    table_value: np.ndarray  # [tables, seats, keys]: their payoffs, summed for that seat
    table_start: np.ndarray  # [tables]: the node's visits when its table was created

    @property
    def room(self) -> int:
        return len(self.visits) // len(self.used)

    def nodes(self, number: int = 0) -> int:
        return int(self.used[number, 0]) - number * self.room

    @property
    def bytes_a_node(self) -> float:
        """Memory per node in use, including its share of the first tree's tables."""
        per_node = sum(part.itemsize for part in self[:13] if len(part) == len(self.visits))
        tables = (
            int(self.used[0, 1]) * 2 * self.table_value[0].nbytes if len(self.table_value) else 0
        )
        return float(per_node + tables / max(1, self.nodes()))


TABLE_BYTES = 512 << 20  # maximum memory for GRAVE's tables


def new_tree(
    game: Game, settings: Settings, room: int, *, num_trees: int = 1, num_tables: int | None = None
) -> Tree:
    """Allocate trees of `room` nodes each, with tables as memory allows. Untouched memory costs
    nothing.
    """
    nodes = num_trees * room
    is_grave = settings.formula == GRAVE
    if num_tables is None:
        num_tables = max(
            1, min(room, TABLE_BYTES // (8 * game.num_seats * game.num_amaf_keys) // num_trees)
        )
    tables = (num_trees * num_tables * is_grave, game.num_seats, game.num_amaf_keys)
    own_amaf = nodes if settings.amaf and not is_grave else 0
    return Tree(
        **{
            name: np.zeros(nodes, np.int32)
            for name in ("visits", "action", "first", "num_children")
        },
        **{name: np.zeros(nodes, np.float32) for name in ("value", "prior")},
        **{name: np.zeros(nodes, np.int8) for name in ("proven", "marks")},
        raw=np.zeros(nodes if settings.formula == GUMBEL else 0, np.float32),
        amaf_key=np.zeros(nodes if settings.amaf else 0, np.int32),
        **{name: np.zeros(own_amaf, np.float32) for name in ("amaf_visits", "amaf_value")},
        table=np.zeros(nodes * is_grave, np.int32),
        used=np.zeros((num_trees, 2), np.int64),
        **{name: np.zeros(tables, np.float32) for name in ("table_visits", "table_value")},
        table_start=np.zeros(tables[0], np.int32),
    )


def root_of(tree: Tree, number: int) -> int:
    return number * (tree.visits.shape[0] // tree.used.shape[0])  # type: ignore[no-any-return]


def plant(tree: Tree, number: int) -> None:
    root = root_of(tree, number)
    clear_nodes(tree, root, root + 1)
    tree.used[number, 0] = root + 1
    tree.used[number, 1] = number * (tree.table_visits.shape[0] // tree.used.shape[0])


def is_full(tree: Tree, number: int) -> bool:
    """Whether the tree has used up its AMAF tables."""
    share = tree.table_visits.shape[0] // tree.used.shape[0]
    return tree.used[number, 1] >= (number + 1) * share  # type: ignore[no-any-return]


def clear_nodes(tree: Tree, first: int, last: int) -> None:
    """Reset nodes to no visits and no children."""
    tree.visits[first:last] = 0
    tree.value[first:last] = 0.0
    tree.num_children[first:last] = 0
    tree.proven[first:last] = UNKNOWN
    tree.marks[first:last] = 0
    if tree.raw.shape[0] > 0:
        tree.raw[first:last] = 0.0
    if tree.amaf_visits.shape[0] > 0:
        tree.amaf_visits[first:last] = 0.0
        tree.amaf_value[first:last] = 0.0
    if tree.table.shape[0] > 0:
        tree.table[first:last] = NO_TABLE


def expand(
    rules: Rules,
    tree: Tree,
    settings: Settings,
    number: int,
    node: int,
    state: State,
    seat: int,
    actions: Actions,
    rng: Stream,
) -> bool:
    """Expand a node, with equal priors; False when the tree is full."""
    count = legal_actions(rules, state, actions)
    first = tree.used[number, 0]
    if first + count > root_of(tree, number + 1):
        return False
    tree.used[number, 0] = first + count
    if seat != CHANCE and settings.evaluator != BATCH:  # a network's priors leave no ties
        shuffle(actions, count, rng)
    for index in range(count):
        tree.action[first + index] = actions[index]
        tree.prior[first + index] = 1.0 / count
    clear_nodes(tree, first, first + count)
    if settings.chance and seat == CHANCE:
        total = 0.0
        for child in range(first, first + count):
            total += chance_weight(rules, state, np.int64(tree.action[child]))  # type: ignore[arg-type]
        for child in range(first, first + count):
            weight = chance_weight(rules, state, np.int64(tree.action[child]))  # type: ignore[arg-type]
            tree.prior[child] = weight / total
    elif settings.amaf:
        for index in range(count):
            tree.amaf_key[first + index] = amaf_key(rules, state, np.int64(actions[index]))  # type: ignore[arg-type]
    tree.first[node] = first
    tree.num_children[node] = count
    return True


def shuffle(actions: Actions, count: int, rng: Stream) -> None:
    """Fisher-Yates: every order is equally likely, up to the 16 random bits used per step."""
    bits = U(0)
    for last in range(count - 1, 0, -1):
        bits = next_word(rng) if (last & 3) == 3 or last == count - 1 else bits >> U(16)
        other = np.int64(((bits & U(0xFFFF)) * U(last + 1)) >> U(16))
        actions[last], actions[other] = actions[other], actions[last]


# --- scratch memory of simulations


class Scratch(NamedTuple):
    """Every tree has one simulation in progress."""

    states: States  # [trees]: the position, played from the root
    ahead: States  # [trees, 2]: positions one and two moves below the root
    actions: np.ndarray
    streams: Streams  # [trees]: a random stream belongs to a tree, not to a thread
    result: np.ndarray  # [trees, seats]: the payoffs of the simulation
    path: np.ndarray  # [trees, depth]: nodes from the root down
    seats: np.ndarray  # [trees, depth]: the seat that moved at each of them
    depth: np.ndarray  # [trees]: the length of the path
    known: np.ndarray  # [trees]: the status of a tree: WAITING, KNOWN or IDLE
    rows: np.ndarray  # [trees]: the row of the evaluator's answer
    budget: np.ndarray  # [trees]: simulations per tree with an external evaluator
    keys: np.ndarray  # [trees, depth]: AMAF keys of the moves on the path
    seen: np.ndarray  # [trees, seats, words]: AMAF keys of this simulation's moves, as bit sets
    all_keys: np.ndarray  # [keys]: 0, 1, 2, ...
    scores: np.ndarray  # [trees, max_legal]: of the children being compared
    amaf: np.ndarray  # [trees, 2, max_legal]: AMAF visits and values borrowed by GRAVE
    gumbel: np.ndarray  # [trees, max_legal]: Gumbel noise of the root's moves
    plan: np.ndarray
    """[moves + 1, simulations]: the visit count of the next move to be visited, per number of
    considered moves.
    """
    counters: np.ndarray  # [trees, 2]: simulations so far, and the maximum depth


def scratch_for(
    game: Game,
    settings: Settings,
    *,
    depth: int,
    num_trees: int = 1,
    plan: np.ndarray | None = None,
) -> Scratch:
    """Scratch for paths of `depth` moves; Gumbel needs its plan."""
    amaf = settings.amaf
    wide = game.max_legal
    words = max(SMALL_SET_WORDS, -(-game.num_amaf_keys // 64))
    return Scratch(
        states=game.new_states(num_trees),
        ahead=game.new_states(2 * num_trees).reshape(num_trees, 2),
        actions=np.zeros((num_trees, wide), np.int32),
        streams=np.zeros(num_trees, STREAM),
        result=np.zeros((num_trees, game.num_seats)),
        path=np.zeros((num_trees, depth + 1), np.int32),
        seats=np.zeros((num_trees, depth + 1), np.int8),
        depth=np.zeros(num_trees, np.int32),
        known=np.zeros(num_trees, np.int8),
        rows=np.arange(num_trees, dtype=np.int32),
        budget=np.zeros(num_trees, np.int64),
        keys=np.zeros((num_trees if amaf else 0, depth + 1), np.int32),
        seen=np.zeros((num_trees if amaf else 0, game.num_seats, words), np.uint64),
        all_keys=np.arange(game.num_amaf_keys if settings.formula == GRAVE else 0, dtype=np.int32),
        scores=np.zeros((num_trees, wide), np.float32),
        amaf=np.zeros((num_trees if settings.formula == GRAVE else 0, 2, wide), np.float32),
        gumbel=np.zeros((num_trees if settings.formula == GUMBEL else 0, wide), np.float32),
        plan=np.zeros((1, 1), np.int32) if plan is None else plan,
        counters=np.zeros((num_trees, 2), np.int64),
    )
