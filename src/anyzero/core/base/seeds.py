"""Random numbers by name: each depends only on its purpose, so that the order of play cannot change
it.
"""

import hashlib
from collections.abc import Sequence


def draw_seed(*names: object) -> int:
    """64 random bits determined by these names."""
    text = "/".join(map(str, names))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def draw_unit(*names: object) -> float:
    """A number in [0, 1) determined by these names."""
    return (draw_seed(*names) >> 11) / 2**53


def pick_index(weights: Sequence[float], unit: float) -> int:
    """The index selected by `unit` when the weights divide the interval from 0 to 1."""
    left = unit * sum(weights)
    for index, weight in enumerate(weights):
        left -= weight
        if left < 0.0:
            return index
    return len(weights) - 1
