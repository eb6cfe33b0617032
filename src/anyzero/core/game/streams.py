"""Kernels of many random games: stream `i` of a seed plays its games in sequence."""

from typing import Any

import numpy as np

from anyzero.core.base.nouns import Actions, Numbers, Rules, State, States, Stream, Word
from anyzero.core.compile.random import STREAM, seed_stream
from anyzero.core.game.contract import payoffs, rollout
from anyzero.core.game.game import Game

APART_BYTES = 128  # two cache lines: processors fetch them in pairs


def new_scratch(game: Game) -> tuple[Any, ...]:
    """A thread's own state, actions, stream and result, cache lines apart to avoid false
    sharing.
    """
    sizes = (
        (game.state_dtype, 1),
        (np.dtype(np.int32), game.max_legal),
        (STREAM, 1),
        (np.dtype(float), game.num_seats),
    )
    parts = ((dtype, num, -(-APART_BYTES // dtype.itemsize)) for dtype, num in sizes)
    return tuple(np.zeros(num + 2 * gap, dtype)[gap : gap + num] for dtype, num, gap in parts)


def rollout_streams(
    rules: Rules,
    roots: States,
    seed: Word,
    first: int,
    last: int,
    repeats: int,
    scratch: Any,
    sums: Numbers,
    moves: Any,
) -> None:
    """Kernel: the streams from `first` to `last - 1`, all from one position or each from its
    own.
    """
    states, actions, streams, result = scratch
    for stream in range(first, last):
        seed_stream(streams[0], seed, stream)
        root = roots[stream : stream + 1] if len(roots) > 1 else roots
        moves[stream] = rollout_stream(
            rules, root, repeats, states, actions, streams[0], result, sums[stream]
        )


def rollout_stream(
    rules: Rules,
    root: State,
    repeats: int,
    states: States,
    actions: Actions,
    rng: Stream,
    result: Numbers,
    sums: Numbers,
) -> int:
    """One stream's games; `states`, `actions` and `result` are scratch. Returns the number of
    moves.
    """
    moves = 0
    for _ in range(repeats):
        states[0] = root[0]
        moves += rollout(rules, states[0], actions, rng)
        payoffs(rules, states[0], result)
        for seat in range(len(sums)):
            sums[seat] += result[seat]
    return moves
