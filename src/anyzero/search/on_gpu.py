"""The kernels of the search as a GPU launches them: one thread a tree, and nothing leaves the device but the results.

The functions are those of `simulation`; only the loop over trees is replaced by the grid of threads.
"""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from anyzero.compile import gpu
from anyzero.compile.gpu import cuda
from anyzero.compile.random import make_streams
from anyzero.errors import BadOptionError
from anyzero.games.contract import encode
from anyzero.games.game import Game
from anyzero.search.methods import BATCH, Method
from anyzero.search.report import report_tree
from anyzero.search.run import choice_parts, new_scratch_for, new_tree_for
from anyzero.search.simulation import ANY_CHILD, advance_tree, begin_tree, simulate_tree

KEPT = ("streams", "rows", "all_keys", "plan", "shared_key")
"""What must come from the host; everything else is written before it is read."""

SETTINGS: Any = None  # a constant of kernels that simulate: code for what a search does not do is left out


class DeviceEvaluator(Protocol):
    """Networks on the GPU, each of which answers for all trees at once. Their arrays stay where they are."""

    planes: Any  # [trees, *planes_shape] float32: zeros whenever trees are to write their leaves
    logits: Any  # [networks, trees, actions] float32
    values: Any  # [networks, trees, 1] float32: for the seat to move

    def record(self, before: Callable[[int], None]) -> Callable[[], None]:
        """`before`, which launches on the stream it is handed, then the network, as one launch; run once at once."""


def begin_kernel(tree: Any, scratch: Any, num: int) -> None:
    number = cuda.grid(1)
    if number < tree.used.shape[0]:
        begin_tree(tree, scratch, number, 0, num)


def simulate_kernel(rules: Any, tree: Any, scratch: Any, roots: Any, num: int) -> None:
    number = cuda.grid(1)
    if number < tree.used.shape[0]:
        simulate_tree(rules, tree, scratch, SETTINGS, roots, number, ANY_CHILD, num)


def advance_kernel(rules: Any, tree: Any, scratch: Any, roots: Any, logits: Any, values: Any, planes: Any) -> None:
    number = cuda.grid(1)
    if number < tree.used.shape[0] and advance_tree(
        rules, tree, scratch, SETTINGS, roots, logits[0], values[0], number
    ):
        encode(rules, scratch.states[number], planes[number])


def report_kernel(tree: Any, scratch: Any, settings: Any, policies: Any, values: Any, chosen: Any) -> None:
    number = cuda.grid(1)
    if number < tree.used.shape[0]:
        report_tree(tree, scratch, settings, policies, values, chosen, number)


CHOOSING = (simulate_kernel, advance_kernel)  # the kernels in which children are chosen


class GpuRun:
    """Trees on a GPU, with an evaluator that is part of the kernel or a network beside it; used as a `Run` is."""

    def __init__(
        self,
        game: Game,
        method: Method,
        *,
        room: int,
        simulations: int,
        num_trees: int,
        evaluator: DeviceEvaluator | None = None,
    ) -> None:
        if (method.settings.evaluator == BATCH) != (evaluator is not None):
            raise BadOptionError("trees on a GPU need an evaluator that is compiled into the search, or one beside it")
        if method.settings.leaves > 1:
            raise BadOptionError("trees on a GPU take one leaf at a time")
        self.game, self.method, self.num_trees, self.room = game, method, num_trees, room
        self.simulations, self.evaluator = simulations, evaluator
        self.rules = gpu.rules_to_device(game.rules)
        self.tree: Any = to_device(new_tree_for(game, method.settings, room, num_trees))
        self.scratch: Any = to_device(new_scratch_for(game, method.settings, simulations, num_trees))
        self.roots = cuda.to_device(game.new_states(num_trees))
        self.parts = choice_parts(method.settings)
        self.answers = [] if evaluator is None else device_arrays(evaluator)
        self.step: Callable[[], None] | None = None

    def kernel(self, function: Callable[..., Any]) -> Any:
        if function not in CHOOSING:
            return self.game.compile(function, "cuda")
        return self.game.compile(function, "cuda", {"SETTINGS": self.method.settings}, parts=self.parts)

    def launch(self, function: Callable[..., Any], *args: Any) -> None:
        gpu.launch(self.kernel(function), self.num_trees, *args)

    def seed(self, seed: int) -> None:
        self.scratch.streams.copy_to_device(make_streams(seed, self.num_trees))

    def plant(self, states: Any) -> None:
        """Begin anew from these positions, one a tree."""
        self.roots.copy_to_device(states)
        self.launch(begin_kernel, self.tree, self.scratch, self.simulations)

    def simulate(self, num: int) -> int:
        """So many simulations in every tree; returns how many there were.

        With a network beside it, there are always as many as the run was made for: one answer for the roots and one for
        each simulation; trees that need fewer wait for the others.
        """
        if self.evaluator is None:
            self.launch(simulate_kernel, self.rules, self.tree, self.scratch, self.roots, num)
        else:
            self.step = self.step or self.evaluator.record(self.advance)
            for _ in range(self.simulations + 1):
                self.step()
            self.advance(0)
        return int(self.scratch.counters.copy_to_host()[:, 0].sum())

    def advance(self, stream: int) -> None:
        """Every tree takes its answer in and goes on to its next leaf."""
        arguments = self.rules, self.tree, self.scratch, self.roots, *self.answers
        gpu.enqueue(self.kernel(advance_kernel), self.num_trees, stream, *arguments)

    def report(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The chosen actions, values and policies of all trees."""
        policies = cuda.to_device(np.zeros((self.num_trees, self.game.num_actions), np.float32))
        values, chosen = (cuda.to_device(np.zeros(self.num_trees, kind)) for kind in (np.float32, np.int32))
        self.launch(report_kernel, self.tree, self.scratch, self.method.settings, policies, values, chosen)
        return chosen.copy_to_host(), values.copy_to_host(), policies.copy_to_host()


def device_arrays(evaluator: DeviceEvaluator) -> list[Any]:
    arrays = evaluator.logits, evaluator.values, evaluator.planes
    return [array if hasattr(array, "copy_to_host") else gpu.tensor_array(array) for array in arrays]


def to_device(parts: Any) -> Any:
    """The same NamedTuple with its arrays on the device; most are only given room there."""
    arrays = [
        cuda.to_device(part) if name in KEPT else cuda.device_array(part.shape, part.dtype)
        for name, part in zip(parts._fields, parts, strict=True)
    ]
    return type(parts)(*arrays)
