"""Random numbers by name: each depends only on what it is for, so that no order of play can change it."""

import hashlib
from collections.abc import Sequence


def draw_seed(*names: object) -> int:
    """64 random bits that belong to these names."""
    text = "/".join(map(str, names))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def draw_unit(*names: object) -> float:
    """A number in [0, 1) that belongs to these names."""
    return (draw_seed(*names) >> 11) / 2**53


def pick_index(weights: Sequence[float], unit: float) -> int:
    """The index on which `unit` falls when the weights share out the line from 0 to 1."""
    left = unit * sum(weights)
    for index, weight in enumerate(weights):
        left -= weight
        if left < 0.0:
            return index
    return len(weights) - 1
