"""A residual network for inference on the CPU, by two kernels of ours: one for its trunk, one for its heads."""

from threading import local

import numpy as np

from anyzero.networks.layers import LEAST_CHANNELS
from anyzero.networks.models import Network
from anyzero.networks.packed_heads import PackedHeads
from anyzero.networks.packed_trunk import PackedTrunk
from anyzero.networks.remembered import empty_answers


def compiles(network: Network) -> bool:
    """Whether the kernels suit this network."""
    return network.config.kind == "residual" and network.config.channels >= LEAST_CHANNELS


class CompiledNetwork:
    """What `network` answers for inputs of one shape, up to the rounding of sums; for any number of threads.

    The answer to a position does not depend on the others that it is asked with.
    """

    def __init__(self, network: Network, planes_shape: tuple[int, ...]) -> None:
        self.trunk = PackedTrunk(network, planes_shape)
        board = self.trunk.rows, self.trunk.columns
        self.heads = PackedHeads(network, board, self.trunk.wide, self.trunk.sizes["LANES"])
        self.own = local()
        # Compiled now, not by several threads at once.
        self.answer(np.zeros((0, *planes_shape), np.float32), *empty_answers(0, self.heads.num_actions))

    def answer(self, planes: np.ndarray, logits: np.ndarray, values: np.ndarray) -> None:
        """Write logits [positions, actions] and expected payoffs [positions]; all float32, as planes are."""
        trunk, heads, num = self.trunk, self.heads, len(planes)
        rooms = self.rooms()
        features = np.empty((num, trunk.rows * trunk.columns * trunk.wide), np.float32)
        pooled = np.empty((num, 2 * trunk.wide), np.float32)
        trunk.kernel(planes, trunk.stem, trunk.blocks, trunk.pools, rooms[0], features, pooled)
        heads.kernel(features, pooled, heads.policy, heads.value, rooms[1], logits, values)

    def rooms(self) -> tuple[tuple[np.ndarray, ...], tuple[np.ndarray, ...]]:
        """What the kernels work on; each thread has its own."""
        if not hasattr(self.own, "rooms"):
            self.own.rooms = self.trunk.room(), self.heads.room()
        rooms: tuple[tuple[np.ndarray, ...], tuple[np.ndarray, ...]] = self.own.rooms
        return rooms
