"""Random games on a GPU: one thread per stream."""

from typing import Any

import numba
import numpy as np

from anyzero.core.base.nouns import Numbers, Rules, State, Values, Word
from anyzero.core.compile import gpu
from anyzero.core.compile.gpu import cuda
from anyzero.core.compile.random import STREAM, seed_stream
from anyzero.core.game.game import Game
from anyzero.core.game.streams import rollout_stream

# Sizes and types known to the compiler; `compile` replaces them with the game's own.
STATE_TYPE = None
STREAM_TYPE = None
MAX_LEGAL = 1
NUM_SEATS = 1


def rollouts_on_gpu(
    game: Game, root: np.ndarray, streams: int, repeats: int, seed: int
) -> tuple[Any, Any]:
    """The sums of payoffs and of moves of each stream."""
    sums = cuda.to_device(np.zeros((streams, game.num_seats)))
    moves = cuda.to_device(np.zeros(streams, np.int64))
    types: Values = {"STATE_TYPE": game.state_dtype, "STREAM_TYPE": STREAM}
    if not gpu.is_simulated():  # the simulator uses NumPy's records
        types = {name: numba.from_dtype(dtype) for name, dtype in types.items()}
    sizes = {"MAX_LEGAL": game.max_legal, "NUM_SEATS": game.num_seats}
    arguments = (
        gpu.rules_to_device(game.rules),
        cuda.to_device(root),
        np.uint64(seed % 2**64),
        repeats,
    )
    gpu.launch(
        game.compile(rollout_kernel, "cuda", sizes | types), streams, *arguments, sums, moves
    )
    return sums.copy_to_host(), moves.copy_to_host()


def rollout_kernel(
    rules: Rules, root: State, seed: Word, repeats: int, sums: Numbers, moves: Any
) -> None:
    """Kernel: scratch in local memory, which a GPU keeps close to the thread."""
    stream = cuda.grid(1)
    states = cuda.local.array(1, STATE_TYPE)
    actions = cuda.local.array(MAX_LEGAL, numba.int32)
    streams = cuda.local.array(1, STREAM_TYPE)
    result = cuda.local.array(NUM_SEATS, numba.float64)
    if stream < moves.shape[0]:
        seed_stream(streams[0], seed, stream)
        moves[stream] = rollout_stream(
            rules, root, repeats, states, actions, streams[0], result, sums[stream]
        )
