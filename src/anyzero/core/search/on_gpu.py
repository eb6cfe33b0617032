"""Trees on a GPU: one thread per tree, with the functions of `simulation`; only the loop over trees
becomes the grid.

Here the evaluator is compiled into the search. Self-play, whose trees wait for a network, is in
`learning.on_gpu`.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from anyzero.core.base.nouns import Numbers, Planes, Rules, States
from anyzero.core.compile import gpu
from anyzero.core.compile.gpu import cuda
from anyzero.core.search.forest import Forest
from anyzero.core.search.report import report_tree
from anyzero.core.search.simulation import ANY_CHILD, begin_tree, simulate_tree
from anyzero.core.search.tree import Scratch, Tree

KEPT = ("streams", "rows", "all_keys", "plan")
"""Arrays copied from the host; everything else is written before it is read."""

Arrays = TypeVar("Arrays", bound=NamedTuple)

SETTINGS: Any = None  # a constant of the kernel: code for unused features is left out


class DeviceEvaluator(Protocol):
    """Networks on the GPU, each answering for all trees at once. Their arrays stay in place."""

    planes: Planes  # [trees, *planes_shape] float32: zeros whenever trees write their leaves
    logits: Numbers  # [networks, trees, actions] float32
    values: Numbers  # [networks, trees, 1] float32: for the seat to move

    def record(self, before: Callable[[int], None]) -> Callable[[], None]:
        """`before`, which launches on the stream it is given, then the network, as one launch; run
        once immediately.
        """


def search_kernel(
    rules: Rules,
    tree: Tree,
    scratch: Scratch,
    roots: States,
    num: int,
    policies: Numbers,
    values: Numbers,
    actions: Numbers,
) -> None:
    """Plant, simulate and report."""
    number = cuda.grid(1)
    if number < tree.used.shape[0]:
        begin_tree(tree, scratch, number, num)
        simulate_tree(rules, tree, scratch, SETTINGS, roots, number, ANY_CHILD, num)
        report_tree(tree, scratch, SETTINGS, policies, values, actions, number)


def search_on_gpu(
    forest: Forest, states: States, simulations: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """The actions to play, values and policies of all positions, and the number of simulations."""
    game = forest.game
    num = forest.num_trees
    settings = forest.settings
    roots = game.new_states(num)
    roots[:] = states
    tree = to_device(forest.tree)
    scratch: Any = to_device(forest.scratch)
    policies = cuda.to_device(np.zeros((num, game.num_actions), np.float32))
    values = cuda.to_device(np.zeros(num, np.float32))
    actions = cuda.to_device(np.zeros(num, np.int32))
    kernel = game.compile(search_kernel, "cuda", {"SETTINGS": settings}, parts=forest.parts)
    rules = gpu.rules_to_device(game.rules)
    arguments = rules, tree, scratch, cuda.to_device(roots), simulations
    gpu.launch(kernel, num, *arguments, policies, values, actions)
    grown = int(scratch.counters.copy_to_host()[:, 0].sum())
    return actions.copy_to_host(), values.copy_to_host(), policies.copy_to_host(), grown


def device_arrays(evaluator: DeviceEvaluator) -> list[Numbers]:
    arrays = evaluator.logits, evaluator.values, evaluator.planes
    return [
        array if hasattr(array, "copy_to_host") else gpu.tensor_array(array) for array in arrays
    ]


def to_device(parts: Arrays) -> Arrays:
    """The same NamedTuple with its arrays on the device; most are only allocated there."""
    arrays = [
        cuda.to_device(part) if name in KEPT else cuda.device_array(part.shape, part.dtype)
        for name, part in zip(parts._fields, parts, strict=True)
    ]
    return type(parts)(*arrays)
