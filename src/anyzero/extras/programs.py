"""What other programs get of a game: the functions of the contract and one search, with the values
built into them.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from anyzero.core.base.errors import BadOptionError
from anyzero.core.base.nouns import Actions, Numbers, Rules, State, States, Stream, Values, Word
from anyzero.core.compile.random import STREAM, next_word, seed_stream
from anyzero.core.game import contract
from anyzero.core.game.contract import draw_outcome, legal_actions
from anyzero.core.game.game import Game
from anyzero.core.game.rollouts import encode_range
from anyzero.core.nets.weights import StoredNetwork
from anyzero.core.search import Searcher
from anyzero.core.search.forest import Forest
from anyzero.core.search.halving import new_halving, next_order, write_plan
from anyzero.core.search.leaves import absorb_leaves, select_leaves
from anyzero.core.search.methods import GUMBEL, METHODS, OUTSIDE, Method, adapt
from anyzero.core.search.priors import gumbel_scores
from anyzero.core.search.report import (
    BY_GUMBEL,
    BY_VALUE,
    BY_VISITS,
    DRAWING,
    draw_move,
    final_scores,
    root_policy,
    value_share,
)
from anyzero.core.search.simulation import ANY_CHILD, begin_tree, simulate, simulate_tree
from anyzero.core.search.tree import UNKNOWN, Scratch, Tree, root_of
from anyzero.tools.players.text import SEARCHERS, split_player

INLINED = True  # these functions are compiled into their callers: see compile.kernels

MOST_TIMED = 4_000
"""Maximum simulations of a search with a clock; plain Python does not get that far in a tenth of a
second.
"""


def plain_search(
    game: Game, player: str, network: StoredNetwork | None = None
) -> tuple[Forest, int, float]:
    """The search named by a player's text, with `network` after its @; refuses what needs more than
    a tree.

    Its method and memory, its maximum simulations, and its seconds per move; 0: no time limit.
    """
    player_text = split_player(player, SEARCHERS).in_game(game)
    if player_text.search is None:
        raise BadOptionError(f"{player} is not a search such as uct:200 or puct:32@best")
    seconds = player_text.search.seconds or 0.0
    simulations = player_text.search.simulations or MOST_TIMED
    options = {**player_text.search.arguments, "simulations": simulations, "seconds": None}
    searcher = Searcher(game, **options, kind=None if network is None else OUTSIDE)
    settings = searcher.method.settings
    is_plain = (
        searcher.trees == 1
        and searcher.temperature == 0
        and not searcher.reuse
        and not searcher.method.halves
    )
    if not is_plain or searcher.final not in ("visits", "gumbel"):
        raise BadOptionError(
            f"{player}: an exported search has one tree, begins anew, and plays its most "
            "visited move"
        )
    if seconds and settings.formula == GUMBEL:
        raise BadOptionError(
            f"{player}: gumbel plans its simulations and needs their number; with a clock, use puct"
        )
    forest = Forest(game, searcher.method, room=searcher.room, simulations=simulations)
    return forest, simulations, seconds


def search_action(
    rules: Rules,
    tree: Any,
    scratch: Any,
    settings: Any,
    roots: States,
    scores: Numbers,
    simulations: int,
    state: State,
    seed: Word,
) -> int:
    """Kernel: the action chosen by a search of a position: most visits, ties by value."""
    begin_search(tree, scratch, roots, state, seed, simulations)
    simulate_tree(rules, tree, scratch, settings, roots, 0, ANY_CHILD, simulations)
    return chosen_action(tree, scores)


def chosen_action(tree: Any, scores: Numbers) -> int:
    """The most visited action of a tree, ties by value; `scores` is scratch."""
    root = root_of(tree, 0)
    best = 0
    first, last = tree.first[root], tree.first[root] + tree.num_children[root]
    final_scores(
        BY_VISITS, tree.visits[first:last], tree.value[first:last], tree.proven[first:last], scores
    )
    for index in range(1, last - first):
        is_equal = scores[index] == scores[best]
        if scores[index] > scores[best] or (
            is_equal and value_of(tree, first + index) > value_of(tree, first + best)
        ):
            best = index
    return np.int64(tree.action[first + best])  # type: ignore[return-value]


def value_of(tree: Any, child: int) -> float:
    if tree.proven[child] != UNKNOWN:
        return float(tree.proven[child])
    return float(tree.value[child]) if tree.visits[child] > 0 else -2.0


class Given(NamedTuple):
    """An argument passed by the caller: its name, and a value of its type and shape."""

    name: str
    example: Any
    is_changed: bool = False


class ExportedFunction(NamedTuple):
    name: str
    compile: Callable[[str], Any]  # the kernel for a target
    arguments: list[Any]
    """Values that are not `Given` are passed with every call: tables of rules, or scratch memory of
    the object.
    """
    about: str

    @property
    def values(self) -> tuple[Any, ...]:
        return tuple(each.example if isinstance(each, Given) else each for each in self.arguments)


def already_compiled(kernel: Any) -> Callable[[str], Any]:
    return lambda _target: kernel


def exported(
    game: Game, kernel: Any, arguments: list[Any], about: str = "", **bound: Any
) -> ExportedFunction:
    return ExportedFunction(
        kernel.__name__, partial(game.compile, kernel, **bound), arguments, about
    )


def functions_of(game: Game, player: str) -> list[ExportedFunction]:
    """The rules, and the search named by a player's text; all share one state, one list of actions,
    ...
    """
    if "@" in player:
        raise BadOptionError(
            f"{player}: a compiled search has no network; use export --onnx for that"
        )
    forest, simulations, seconds = plain_search(game, player)
    if seconds or forest.settings.formula == GUMBEL:
        raise BadOptionError(
            f"{player}: a compiled search needs a number of simulations, such as uct:10000"
        )
    state = game.initial_state()
    grown = forest.tree, forest.scratch, forest.settings, forest.roots
    memory = *grown, np.zeros(game.max_legal), simulations
    arguments = [game.rules, *memory, Given("state", state), Given("seed", np.uint64(0))]
    about = (
        f"The move of {player}, the same for the same seed. Its memory is one for all: "
        "one call at a time."
    )
    compiled_with = {"constants": forest.constants, "parts": forest.parts}
    search = exported(game, search_action, arguments, about, **compiled_with)
    return [
        *rules_of(game, state, Given("actions", game.new_actions(), True)),
        search._replace(name="search"),
    ]


def draw_chance(
    rules: Rules, state: State, actions: Actions, stream: Stream, seed: Word, ply: int
) -> int:
    """Kernel: the chance outcome at a ply of the game with this seed, as in our own games."""
    seed_stream(stream, seed, ply)
    count = legal_actions(rules, state, actions)
    return np.int64(actions[draw_outcome(rules, state, actions, count, stream)])  # type: ignore[return-value]


def move_seed(stream: Stream, seed: Word, ply: int) -> Any:
    """Kernel: the seed of a player that moves at a ply of the game with this seed."""
    seed_stream(stream, seed, ply)
    return next_word(stream)


def page_functions(game: Game) -> Iterator[ExportedFunction]:
    """The rules, the picture, and the random numbers of a table: what a page needs besides
    searches.
    """
    rules = game.rules
    state = game.initial_state()
    actions = Given("actions", game.new_actions(), True)
    yield from rules_of(game, state, actions)
    shown = Given("state", state)
    stream = Given("stream", np.zeros(1, STREAM)[0], True)
    number = Given("seed", np.uint64(0)), Given("ply", 0)
    if game.has("score"):
        yield exported(game, contract.score, [rules, shown, Given("seat", 0)])
    if game.has("board"):
        yield exported(
            game, contract.draw, [rules, shown, Given("shown", game.board.new_shown(), True)]
        )
        yield exported(game, contract.move_number, [rules, shown, Given("action", 0)])
    if game.num_outcomes:
        yield exported(game, draw_chance, [rules, shown, actions, stream, *number])
    yield exported(game, move_seed, [stream, *number])


def rules_of(game: Game, example: Any, actions: Given) -> list[ExportedFunction]:
    """The contract's functions, each with a line about it."""
    rules = game.rules
    state = Given("state", example)
    changed = Given("state", example, True)
    stream = Given("stream", np.zeros(1, STREAM)[0], True)
    action = Given("action", 0)
    results = Given("payoffs", np.zeros(game.num_seats), True)
    planes = np.zeros(game.planes_shape, np.float32)
    at_random = "Play at random to the end; the number of moves. The actions are scratch."
    kernels: list[tuple[Any, list[Any], str]] = [
        (
            contract.initial_state,
            [changed],
            "Fill a zeroed state with the position before the first move.",
        ),
        (
            contract.seat_to_move,
            [state],
            "0 and up, -1 where it is chance's turn, -2 when the game is over.",
        ),
        (
            contract.legal_actions,
            [state, actions],
            "Write the legal actions, or outcomes of chance; how many.",
        ),
        (contract.play, [changed, action], "Play a legal action or outcome."),
        (
            contract.payoffs,
            [state, results],
            "Write each seat's result in [-1, 1], once the game is over.",
        ),
        (contract.rollout, [changed, actions, stream], at_random),
    ]
    if game.num_outcomes:
        kernels.append(
            (
                contract.chance_weight,
                [state, Given("outcome", 0)],
                "Relative weight of an outcome of chance.",
            )
        )
    if game.has("encode"):
        kernels.append(
            (
                contract.encode,
                [state, Given("planes", planes, True)],
                "Write the network's input over zeros.",
            )
        )
    return [exported(game, kernel, [rules, *values], about) for kernel, values, about in kernels]


# --- searches for a page: a tree of fixed size in a module's memory, the kernels that grow it, and
# a net for them. A page runs these for a few milliseconds at a time. Methods of one family share a
# module and differ in settings.


FAMILIES = {
    "uct": ("flat", "ucb", "halving", "uct"),
    "rave": ("amaf", "shuss", "rave"),
    "grave": ("grave",),
}
NET = "net"
NET_METHODS = (
    "puct",
    "gumbel",
)  # search methods, by module; memory is laid out for the last of each
MOST_NODES = 1_500_000
MOST_ASKED = 16_384
"""Nodes of a tree, 40 to 60 MB; and simulations with a net, for which Gumbel has a plan."""
TABLE_BYTES = 32 << 20  # memory for GRAVE's tables


def begin_search(
    tree: Tree, scratch: Scratch, roots: States, state: State, seed: Word, simulations: int
) -> None:
    """Kernel: plant a tree over this position, with this budget of simulations by a net."""
    roots[0] = state
    seed_stream(scratch.streams[0], seed, 0)
    begin_tree(tree, scratch, 0, simulations)


def rank_moves(
    tree: Tree,
    scratch: Scratch,
    settings: Any,
    scores: Numbers,
    stream: Stream,
    rule: int,
    temperature: float,
    seed: Word,
) -> int:
    """Kernel: the final score of each of the root's moves; the one sampled instead, or -1."""
    root = root_of(tree, 0)
    root_scores = scratch.scores[0]
    first = tree.first[root]
    count = tree.num_children[root]
    visits = tree.visits[first : first + count]
    proven = tree.proven[first : first + count]
    if temperature > 0.0:
        root_policy(tree, settings, root, root_scores)
        for index in range(count):
            scores[index] = root_scores[index] if settings.formula == GUMBEL else visits[index]
            if rule == BY_VALUE:
                scores[index] = value_share(visits[index], tree.value[first + index], proven[index])
        seed_stream(stream, seed, DRAWING)
        drawn = draw_move(scores, proven, count, temperature, stream)
    else:
        drawn = -1
    if settings.formula == GUMBEL:
        gumbel_scores(tree, scratch, settings, 0, root_scores)
        final_scores(BY_GUMBEL, visits, tree.value[first : first + count], proven, root_scores)
        for index in range(count):
            scores[index] = root_scores[index]
    else:
        final_scores(rule, visits, tree.value[first : first + count], proven, scores)
    return drawn


def method_for(game: Game, name: str) -> Method:
    """A method adapted to this game and its evaluator."""
    return adapt(game, METHODS[name], OUTSIDE if name in NET_METHODS else "rollout")


def search_functions(game: Game, name: str, net: Any = None) -> Iterator[ExportedFunction]:
    """The kernels of a search, in the order in which a page calls them, and memory for it.

    Methods that need less memory than this one can share it.
    """
    method = method_for(game, name)
    settings = method.settings
    room = MOST_NODES if net is None else min(MOST_NODES, (MOST_ASKED + 2) * game.max_legal + 1)
    tables = max(1, TABLE_BYTES // (8 * game.num_seats * game.num_amaf_keys))
    forest = Forest(game, method, room=room, num_tables=tables)
    tree = forest.tree
    roots = forest.roots
    plan = (
        forest.scratch.plan if net is None else np.zeros((game.max_legal + 1, MOST_ASKED), np.int32)
    )
    scratch = forest.scratch._replace(plan=plan)
    seed = Given("seed", np.uint64(0))
    whole = (game.rules, tree, scratch, settings)
    growing: Values = {"constants": forest.constants, "parts": forest.parts}
    start = Given("state", game.initial_state()), seed, Given("simulations", 0)
    yield exported(game, begin_search, [tree, scratch, roots, *start])
    if net is None:
        arguments = [*whole, roots, 0, 1, Given("forced", ANY_CHILD), Given("num", 0)]
        yield exported(game, simulate, arguments, **growing)
        clock = Given("seconds", 0.0), Given("spent", 0.0)
        yield exported(
            game,
            next_order,
            [tree, settings, new_halving(game.max_legal), Given("budget", 0), *clock],
        )
    else:
        planes = np.zeros((1, *game.planes_shape), np.float32)
        logits = np.zeros((1, game.num_actions), np.float32)
        values = np.zeros((1, game.num_values), np.float32)
        yield exported(game, select_leaves, [*whole, roots, 0, 1], **growing)
        yield exported(
            game, encode_range, [game.rules, scratch.states, Given("planes", planes), 0, 1]
        )
        for kernel, kernel_arguments in net.calls(planes, logits, values):
            yield ExportedFunction(
                kernel.name, already_compiled(kernel), list(kernel_arguments), ""
            )
        yield exported(game, absorb_leaves, [*whole, logits, values, 0, 1], **growing)
        yield exported(game, write_plan, [plan, Given("considered", 0), Given("simulations", 0)])
    stream = np.zeros(1, scratch.streams.dtype)[0]
    scores = Given("scores", np.zeros(game.max_legal))
    kernel_arguments = scores, stream, Given("rule", 0), Given("temperature", 0.0), seed
    yield exported(game, rank_moves, [tree, scratch, settings, *kernel_arguments])
