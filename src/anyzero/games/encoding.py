"""Many positions as one batch of network inputs, written by a kernel on any number of threads."""

from typing import Any

import numpy as np

from anyzero.errors import BadOptionError, MissingFunctionError
from anyzero.games.contract import encode, seat_to_move
from anyzero.games.game import Game
from anyzero.games.rollouts import run_parts


def encode_states(game: Game, states: Any, out: np.ndarray | None = None, threads: int = 1) -> np.ndarray:
    """The inputs of these positions, [positions, *planes_shape] float32; written into `out` if there is one.

    `out` may be the memory of something else, such as a tensor: it is overwritten whatever it held.
    """
    if not game.has("encode"):
        raise MissingFunctionError(f"{game.name} has no function encode, which a network needs")
    shape = (len(states), *game.planes_shape)
    out = np.empty(shape, np.float32) if out is None else out
    if out.shape != shape or out.dtype != np.float32 or not out.flags.c_contiguous:
        raise BadOptionError(
            f"{game.name}: inputs go into one block of float32 of the shape {shape}, not {out.dtype} {out.shape}"
        )
    kernel, num, parts = game.compile(encode_range), len(states), min(len(states), threads) or 1

    def run(part: int) -> None:
        first, last = part * num // parts, (part + 1) * num // parts
        out[first:last] = 0.0  # encode writes over zeros
        kernel(game.rules, states, out, first, last)

    run_parts(run, parts, parts)
    return out


def encode_range(rules: Any, states: Any, planes: Any, first: int, last: int) -> None:
    """Kernel: the positions from `first` to `last - 1`, over zeros."""
    for index in range(first, last):
        encode(rules, states[index], planes[index])


def turn_to_seats(game: Game, states: Any, values: np.ndarray) -> None:
    """Values [positions, seats] of the seat to move and those after it become those of the first seat and so on."""
    game.compile(turn_rows)(game.rules, states, values, values.copy())


def turn_rows(rules: Any, states: Any, values: Any, relative: Any) -> None:
    """Kernel: before a draw an input is seen from the first seat, so that nothing is to be turned there."""
    num = values.shape[1]
    for row in range(len(states)):
        seat = max(seat_to_move(rules, states[row]), 0)
        for step in range(num):
            values[row, (seat + step) % num] = relative[row, step]
