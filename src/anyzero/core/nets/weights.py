"""Networks on disk: one safetensors file with the game, the architecture and the weights.

The header has a single key, so that the same network always gives the same bytes. Reading needs no
torch.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from anyzero.core.base.errors import AnyzeroError
from anyzero.core.base.nouns import Values
from anyzero.core.base.sealed import HASH, Form, read_arrays, write_arrays
from anyzero.core.game.game import Game, game_text
from anyzero.core.nets.config import BadNetworkError, NetworkConfig, fits

FIELDS = {"game": str, "options": dict, "planes_shape": list, "num_actions": int, "network": dict}
FILE = Form("network file", 1, FIELDS, BadNetworkError, optional=(HASH,))


@dataclass(frozen=True)
class StoredNetwork:
    """A network as stored in its file, in NumPy; `config` is resolved, the sizes are those of its
    game.

    A file may hold 16-bit numbers, which take half the space; nets compute with 32 bits.
    """

    config: NetworkConfig
    planes_shape: tuple[int, ...]
    num_actions: int
    weights: Mapping[str, np.ndarray]
    name: str = "the network"  # the subject of error messages about wrong weights
    taken: set[str] = field(default_factory=set)

    def take(self, name: str, *shape: int) -> np.ndarray:
        """The weights of this name, checked for shape and finiteness."""
        self.taken.add(name)
        weights = self.weights.get(name)
        if weights is None:
            raise BadNetworkError(f"{self.name} lacks the weights {name!r}")
        if weights.shape != shape or weights.dtype not in (np.float32, np.float16):
            are = f"{weights.dtype} {weights.shape}, not float32 {shape}"
            raise BadNetworkError(f"{self.name}: the weights {name!r} are {are}")
        if not np.isfinite(weights).all():
            raise BadNetworkError(
                f"{self.name}: the weights {name!r} have numbers that are not finite"
            )
        return weights.astype(np.float32)

    def check_all_taken(self) -> None:
        """Raise an error about the first unused weights."""
        if unknown := sorted(set(self.weights) - self.taken):
            raise BadNetworkError(f"{self.name} has weights {unknown[0]!r} unknown to its network")


class TrainedNetwork(Protocol):
    """What a file needs of a torch network."""

    config: NetworkConfig
    planes_shape: tuple[int, ...]
    num_actions: int

    def state_dict(self) -> Mapping[str, Any]:
        """Its tensors by name."""


def store(network: TrainedNetwork | StoredNetwork) -> StoredNetwork:
    """A torch network in the form of its file."""
    if isinstance(network, StoredNetwork):
        return network
    weights = {name: weight.detach().cpu().float() for name, weight in network.state_dict().items()}
    arrays = {name: np.ascontiguousarray(weight.numpy()) for name, weight in weights.items()}
    return StoredNetwork(network.config, network.planes_shape, network.num_actions, arrays)


def save_network(path: Path | str, network: TrainedNetwork | StoredNetwork, game: Game) -> None:
    """Write a network atomically: `path` holds the complete old file or the complete new one."""
    header = {
        "game": game.name,
        "options": dict(game.options),
        "planes_shape": list(network.planes_shape),
        "num_actions": network.num_actions,
        "network": network.config.to_dict(),
    }
    write_arrays(Path(path), FILE, header, store(network).weights)


def read_network(path: Path | str, game: Game) -> StoredNetwork:
    """The network in a file, for this game: of the same size, or of any size if its weights allow
    it.
    """
    header, weights = read_arrays(Path(path), FILE)
    if header["game"] != game.name:
        raise BadNetworkError(f"{path} plays {header['game']}, not {game.name}")
    try:
        config = NetworkConfig.parse(header["network"])
    except AnyzeroError as error:
        raise BadNetworkError(f"{path} has a header without a valid network: {error}") from None
    shape = tuple(header["planes_shape"])
    num_actions = header["num_actions"]
    if not all(type(size) is int and size > 0 for size in shape):
        raise BadNetworkError(f"{path} has a header without a valid 'planes_shape'")
    if not fits(config, shape, num_actions, game):
        made_for = game_text(header["game"], header["options"])
        ours = f"{game.planes_shape} and {game.num_actions}"
        words = f"{path} was made for {made_for}: its input {shape} and {num_actions} actions"
        raise BadNetworkError(f"{words} do not fit {game.text} with {ours}")
    return StoredNetwork(config, game.planes_shape, game.num_actions, weights, str(path))


def read_header(path: Path | str) -> Values:
    """The metadata of a network file: format, game, options, planes_shape, num_actions, network."""
    return read_arrays(Path(path), FILE)[0]
