"""The weights of a net for a page: a file of 16-bit numbers, and where each goes in the memory of its module."""

import zlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from anyzero.compile.wasm_memory import Plan
from anyzero.games.game import Game
from anyzero.networks.weights import StoredNetwork
from anyzero.networks.winograd.network import compiled

STACKED = 4  # dimensions of an array of packed convolutions


def net_for_page(network: StoredNetwork, game: Game) -> Any:
    """The net with its weights rounded to 16 bits, as kernels of wasm."""
    rounded = {name: weight.astype(np.float16) for name, weight in network.weights.items()}
    return compiled(replace(network, weights=rounded, taken=set()), game, "wasm")


def take_weights(net: Any, plan: Plan) -> tuple[dict[str, Any], bytes]:
    """Take the weights out of what memory begins with: where they go, and their numbers.

    Each part is (address, rows, columns): numbers as they are have no rows; the nine weights of each place of a
    convolution are still to be multiplied by `transform`, which is how they take less room.
    """
    nines = {place_of(packed): nine for packed, nine in net.untransformed()}
    own = {place_of(array) for array in arrays_of(net.weights)}
    parts, content = [], bytearray()
    for name, (address, whole) in plan.blocks.items():
        if place_of(whole) in own and whole.size:
            plan.later.add(name)
            for array in whole if whole.ndim == STACKED else [whole]:
                nine = nines.get(place_of(array))
                stored = array.reshape(-1) if nine is None else nine
                place = address + place_of(array) - place_of(whole)
                parts.append([place, *((0, stored.size) if nine is None else stored.shape)])
                content += stored.astype("<f2").tobytes()
    transform = net.trunk.transform.tolist() if nines else []
    return {"parts": parts, "transform": transform, "check": zlib.crc32(content), "bytes": len(content)}, bytes(content)


def arrays_of(value: Any) -> Iterator[np.ndarray]:
    """All arrays of 32-bit numbers with something in them."""
    if isinstance(value, tuple):
        for part in value:
            yield from arrays_of(part)
    elif value.size and value.dtype == np.float32:
        yield value


def place_of(array: np.ndarray) -> int:
    """Where it is in the memory of this process."""
    return int(array.__array_interface__["data"][0])
