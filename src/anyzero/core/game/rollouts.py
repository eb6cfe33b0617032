"""Many random games from one position, on any target: the basis of flat Monte Carlo, of measured
speeds and of the laws.

Stream `i` of a seed plays `repeats` games in sequence and adds up their payoffs, so that the same
seed gives the same sums interpreted, on any number of CPU threads, and on the GPU.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise, starmap
from typing import Any, NamedTuple

import numpy as np

from anyzero.core.base.errors import AnyzeroError, check_name
from anyzero.core.base.extras import find, needs_package
from anyzero.core.base.nouns import Numbers, Planes, Rules, States
from anyzero.core.compile import TARGETS
from anyzero.core.game.contract import encode, seat_to_move
from anyzero.core.game.game import Game, State
from anyzero.core.game.streams import new_scratch, rollout_streams

PARTS_A_THREAD = 16  # a delayed thread leaves its share to the others


class RolloutSums(NamedTuple):
    payoffs: np.ndarray  # [streams, seats] float64: sums over the stream's rollouts
    moves: np.ndarray  # [streams] int64


def rollouts(
    game: Game,
    state: State,
    streams: int,
    repeats: int = 1,
    *,
    seed: int = 0,
    target: str = "cpu",
    threads: int = 1,
) -> RolloutSums:
    """Play `streams * repeats` random games from `state`."""
    root = game.new_states(1)
    root[0] = state
    if target == "cuda":
        from anyzero.core.game.on_gpu import rollouts_on_gpu

        return RolloutSums(*rollouts_on_gpu(game, root, streams, repeats, seed))
    sums = np.zeros((streams, game.num_seats))
    moves = np.zeros(streams, np.int64)
    kernel = game.compile(rollout_streams, target)
    parts = 1 if threads == 1 else PARTS_A_THREAD * threads

    def run(first: int, last: int) -> None:
        kernel(
            game.rules,
            root,
            np.uint64(seed % 2**64),
            first,
            last,
            repeats,
            new_scratch(game),
            sums,
            moves,
        )

    run_parts(run, cut(streams, parts), threads)
    return RolloutSums(sums, moves)


def default_rollouts(game: Game) -> Game:
    """The same game with the default rollouts, by the rules alone."""
    return replace(
        game, functions=[function for function in game.functions if function.__name__ != "rollout"]
    )


def cut(num: int, parts: int) -> list[tuple[int, int]]:
    """Split `num` items into parts of about the same size: the first of each, and the one after its
    last.
    """
    return list(pairwise(num * part // parts for part in range(parts + 1)))


def count_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_parts(run: Callable[[int, int], None], parts: list[tuple[int, int]], threads: int) -> None:
    """Call `run` for each part, on any free thread; kernels release the GIL."""
    if threads == 1:
        list(starmap(run, parts))
    else:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(run, *zip(*parts, strict=True)))


def check_target(target: str) -> None:
    check_name("target", target, TARGETS)
    if target == "wasm":
        find("browser").check_wasm()
    if target == "cuda":
        try:
            from anyzero.core.compile import gpu
        except ImportError:
            raise AnyzeroError(needs_package("numba_cuda")) from None
        if not gpu.is_available():
            raise AnyzeroError("the target cuda needs an NVIDIA GPU, and none was found here")


# --- many positions as one batch of network inputs


def encode_states(game: Game, states: States) -> np.ndarray:
    """The inputs of these positions, [positions, *planes_shape] float32."""
    game.need("encode", "a network")
    planes = np.zeros((len(states), *game.planes_shape), np.float32)
    game.compile(encode_range)(game.rules, states, planes, 0, len(states))
    return planes


def encode_range(rules: Rules, states: States, planes: Planes, first: int, last: int) -> None:
    """Kernel: the positions from `first` to `last - 1`, over zeros."""
    for index in range(first, last):
        encode(rules, states[index], planes[index])


def turn_to_seats(game: Game, states: States, values: np.ndarray) -> None:
    """Convert values [positions, seats] in turn order from the seat to move to values by seat, in
    place.
    """
    game.compile(turn_rows)(game.rules, states, values, values.copy())


def turn_rows(rules: Rules, states: States, values: Numbers, relative: Any) -> None:
    """Kernel: before a draw an input is seen from the first seat, so no rotation is needed
    there.
    """
    num = values.shape[1]
    for row in range(len(states)):
        seat = max(seat_to_move(rules, states[row]), 0)
        for step in range(num):
            values[row, (seat + step) % num] = relative[row, step]
