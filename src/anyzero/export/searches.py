"""Searches for a page: a tree of a fixed size in the memory of a module, the kernels that grow it, and a net for them.

A page runs these a few milliseconds at a time. Methods of one family share a module and differ in their settings.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from anyzero.compile.ahead import Baked, Given
from anyzero.compile.random import seed_stream
from anyzero.export.functions import Exported
from anyzero.games.encoding import encode_range
from anyzero.games.game import Game
from anyzero.search.methods import GUMBEL, METHODS, Method, adapt
from anyzero.search.priors import gumbel_scores
from anyzero.search.report import BY_GUMBEL, DRAWING, draw_index, final_scores, root_policy
from anyzero.search.run import choice_parts, fixed_settings
from anyzero.search.simulation import ANY_CHILD, absorb_leaves, plant_tree, select_leaves, simulate
from anyzero.search.tree import Scratch, Tree, new_scratch, new_tree, root_of

FAMILIES = {"uct": ("flat", "ucb", "halving", "uct"), "rave": ("amaf", "shuss", "rave"), "grave": ("grave",)}
NET = "net"
NET_METHODS = ("puct", "gumbel")
"""What can be searched with, by module; memory is laid out for the last of each."""
MOST_NODES, MOST_ASKED = 1_500_000, 16_384
"""Of a tree, which is 40 to 60 MB; and simulations with a net, for which Gumbel has a plan."""
TABLE_BYTES = 32 << 20  # memory for GRAVE's tables


def begin_search(tree: Tree, scratch: Scratch, roots: Any, state: Any, seed: Any, simulations: int) -> None:
    """Kernel: a tree over this position, which may ask a net for so many simulations."""
    roots[0] = state
    seed_stream(scratch.streams[0], seed, 0)
    plant_tree(tree, scratch, 0)
    scratch.budget[0] = simulations


def rank_moves(
    tree: Tree, scratch: Scratch, settings: Any, scores: Any, stream: Any, rule: int, temperature: float, seed: Any
) -> int:
    """Kernel: how much the final choice wants each of the root's moves; which one is drawn instead, or -1."""
    root, found = root_of(tree, 0), scratch.scores[0]
    first, count = tree.first[root], tree.num_children[root]
    visits, proven = tree.visits[first : first + count], tree.proven[first : first + count]
    if temperature > 0.0:
        root_policy(tree, settings, root, found)
        for index in range(count):
            scores[index] = found[index] if settings.formula == GUMBEL else visits[index]
        seed_stream(stream, seed, DRAWING)
        drawn = draw_index(scores, proven, count, temperature, stream)
    else:
        drawn = -1
    if settings.formula == GUMBEL:
        gumbel_scores(tree, scratch, settings, 0, found)
        final_scores(BY_GUMBEL, visits, tree.value[first : first + count], proven, found)
        for index in range(count):
            scores[index] = found[index]
    else:
        final_scores(rule, visits, tree.value[first : first + count], proven, scores)
    return drawn


class Memory(NamedTuple):
    """What the kernels of a family work on."""

    method: Method
    tree: Tree
    scratch: Scratch
    roots: Any

    @property
    def arguments(self) -> list[Baked]:
        return [Baked(value) for value in (self.tree, self.scratch, self.method.settings)]


def method_for(game: Game, name: str) -> Method:
    """A method as this game and its evaluator allow it."""
    return adapt(game, METHODS[name], _no_net if name in NET_METHODS else "rollout")


def _no_net(game: Game, states: Any) -> tuple[Any, Any]:
    """Only that there is one matters here."""
    return states, states


def _itself(kernel: Any, _target: str) -> Any:
    return kernel


def memory_for(game: Game, name: str) -> Memory:
    """Memory for the method of this name, and for those that need less."""
    method = method_for(game, name)
    settings, asks = method.settings, name in NET_METHODS
    room = min(MOST_NODES, (MOST_ASKED + 2) * game.max_legal + 1 if asks else MOST_NODES)
    tables = max(1, TABLE_BYTES // (8 * game.num_seats * game.num_amaf_keys))
    plan = np.zeros((settings.considered + 1, MOST_ASKED), np.int32) if asks else None
    scratch = new_scratch(game, settings, depth=game.max_plies, plan=plan)
    return Memory(method, new_tree(game, settings, room, num_tables=tables), scratch, game.new_states(1))


def search_functions(game: Game, memory: Memory, net: Any = None) -> Iterator[Exported]:
    """The kernels of a search, in the order in which a page calls them."""
    settings, rules, roots = memory.method.settings, Baked(game.rules), Baked(memory.roots)
    fixed, parts = fixed_settings(game, settings), choice_parts(settings)
    state, seed = Given("state", game.initial_state()), Given("seed", np.uint64(0))

    def function(kernel: Any, arguments: list[Any], **bound: Any) -> Exported:
        return Exported(kernel.__name__, lambda target: game.compile(kernel, target, **bound), arguments, "")

    tree, scratch, _ = memory.arguments
    yield function(begin_search, [tree, scratch, roots, state, seed, Given("simulations", 0)])
    growing: dict[str, Any] = {"constants": fixed, "parts": parts}
    whole, first, last = [rules, *memory.arguments], Baked(0), Baked(1)
    if net is None:
        arguments = [*whole, roots, first, last, Given("forced", ANY_CHILD), Given("num", 0)]
        yield function(simulate, arguments, **growing)
    else:
        planes, logits = np.zeros((1, *game.planes_shape), np.float32), np.zeros((1, game.num_actions), np.float32)
        values = np.zeros((1, game.num_values), np.float32)
        yield function(select_leaves, [*whole, roots, first, last], **growing)
        yield function(encode_range, [rules, Baked(memory.scratch.states), Given("planes", planes), first, last])
        for kernel, given in net.calls(planes, logits, values):
            yield Exported(kernel.name, partial(_itself, kernel), list(map(Baked, given)), "")
        yield function(absorb_leaves, [*whole, Baked(logits), Baked(values), first, last], **growing)
    stream, scores = Baked(np.zeros(1, memory.scratch.streams.dtype)[0]), Given("scores", np.zeros(game.max_legal))
    given = Given("rule", 0), Given("temperature", 0.0), seed
    yield function(rank_moves, [*memory.arguments, scores, stream, *given])
