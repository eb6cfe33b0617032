"""The kernels of the search as a GPU launches them: one thread a tree, and nothing leaves the device but the results.

The functions are those of `simulation`; only the loop over trees is replaced by the grid of threads.
"""

from typing import Any

import numpy as np

from anyzero.compile import gpu
from anyzero.compile.gpu import cuda
from anyzero.compile.random import make_streams
from anyzero.games.game import Game
from anyzero.search.methods import Method
from anyzero.search.report import report_tree
from anyzero.search.run import choice_parts, new_scratch_for, new_tree_for
from anyzero.search.simulation import ANY_CHILD, plant_tree, simulate_tree

KEPT = ("streams", "rows", "all_keys", "plan", "shared_key")
"""What must come from the host; everything else is written before it is read."""


def plant_kernel(tree: Any, scratch: Any) -> None:
    number = cuda.grid(1)
    if number < tree.used.shape[0]:
        plant_tree(tree, scratch, number)


def simulate_kernel(rules: Any, tree: Any, scratch: Any, settings: Any, roots: Any, num: int) -> None:
    number = cuda.grid(1)
    if number < tree.used.shape[0]:
        simulate_tree(rules, tree, scratch, settings, roots, number, ANY_CHILD, num)


def report_kernel(tree: Any, scratch: Any, settings: Any, policies: Any, values: Any, chosen: Any) -> None:
    number = cuda.grid(1)
    if number < tree.used.shape[0]:
        report_tree(tree, scratch, settings, policies, values, chosen, number)


class GpuRun:
    """Trees on a GPU, with an evaluator that is part of the kernel; used as a `Run` is."""

    def __init__(self, game: Game, method: Method, *, room: int, simulations: int, num_trees: int) -> None:
        self.game, self.method, self.num_trees, self.room = game, method, num_trees, room
        self.rules = gpu.rules_to_device(game.rules)
        self.tree: Any = to_device(new_tree_for(game, method.settings, room, num_trees))
        self.scratch: Any = to_device(new_scratch_for(game, method.settings, simulations, num_trees))
        self.roots = cuda.to_device(game.new_states(num_trees))
        self.parts = choice_parts(method.settings)

    def launch(self, kernel: Any, *args: Any) -> None:
        compiled = self.game.compile(kernel, "cuda", parts=self.parts if kernel is simulate_kernel else None)
        gpu.launch(compiled, self.num_trees, *args)

    def seed(self, seed: int) -> None:
        self.scratch.streams.copy_to_device(make_streams(seed, self.num_trees))

    def plant(self, states: Any) -> None:
        """Begin anew from these positions, one a tree."""
        self.roots.copy_to_device(states)
        self.launch(plant_kernel, self.tree, self.scratch)

    def simulate(self, num: int) -> int:
        """So many simulations in every tree; returns how many there were."""
        self.launch(simulate_kernel, self.rules, self.tree, self.scratch, self.method.settings, self.roots, num)
        return int(self.scratch.counters.copy_to_host()[:, 0].sum())

    def report(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The chosen actions, values and policies of all trees."""
        policies = cuda.to_device(np.zeros((self.num_trees, self.game.num_actions), np.float32))
        values, chosen = (cuda.to_device(np.zeros(self.num_trees, kind)) for kind in (np.float32, np.int32))
        self.launch(report_kernel, self.tree, self.scratch, self.method.settings, policies, values, chosen)
        return chosen.copy_to_host(), values.copy_to_host(), policies.copy_to_host()


def to_device(parts: Any) -> Any:
    """The same NamedTuple with its arrays on the device; most are only given room there."""
    arrays = [
        cuda.to_device(part) if name in KEPT else cuda.device_array(part.shape, part.dtype)
        for name, part in zip(parts._fields, parts, strict=True)
    ]
    return type(parts)(*arrays)
