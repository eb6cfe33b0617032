"""The kernels of `rollouts` and `observe` for a GPU: one thread per stream."""

import json
from typing import Any

import numba
import numpy as np

from anyzero.core.base.child import listen, take_output
from anyzero.core.base.nouns import Actions, Numbers, Rules, State, Streams, Values, Word
from anyzero.core.compile import gpu
from anyzero.core.compile.gpu import cuda
from anyzero.core.compile.random import STREAM, seed_stream
from anyzero.core.game.game import Game
from anyzero.core.game.load import load_trusted
from anyzero.core.game.rollouts import rollout_stream, rollouts
from anyzero.tools.laws.laws import first_difference
from anyzero.tools.laws.observe import Observations, observe, observe_game

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


def observe_on_gpu(
    game: Game, record: Observations, script: np.ndarray, seed: int, scratch: tuple[Any, ...]
) -> tuple[Observations, int]:
    """One game, observed by one thread; returns the record and its number of positions."""
    on_device: Any = Observations(*map(cuda.to_device, record))
    played = cuda.to_device(np.zeros(1, np.int64))
    arguments = gpu.rules_to_device(game.rules), on_device, cuda.to_device(script), np.uint64(seed)
    gpu.launch(
        game.compile(observe_kernel, "cuda"), 1, *arguments, *map(cuda.to_device, scratch), played
    )
    return Observations(*(part.copy_to_host() for part in on_device)), int(played.copy_to_host()[0])


def observe_kernel(
    rules: Rules,
    record: Any,
    script: Any,
    seed: Word,
    scratch: Any,
    actions: Actions,
    streams: Streams,
    played: Any,
) -> None:
    """Kernel: the first thread observes, the others are idle."""
    if cuda.grid(1) == 0:
        played[0] = observe_game(rules, record, script, seed, scratch, actions, streams)


def _tell_simulated(text: str, seed: str) -> None:
    """In a separate process: whether the simulator replaces a GPU is settled when numba is first
    imported.
    """
    send = take_output()
    listen()
    send(json.dumps(compare_simulated(load_trusted(text), int(seed))))


def compare_simulated(game: Game, seed: int) -> str | None:
    """How a game differs between the CPU and the simulator; None if it does not."""
    ours, theirs = (
        rollouts(game, game.initial_state(), 2, seed=seed, target=target)
        for target in ("cpu", "cuda")
    )
    if not all(map(np.array_equal, ours, theirs)):
        return "rollouts with the same seeds end differently"
    rows = min(game.max_plies + 2, 40)
    records = (observe(game, seed=seed, rows=rows, target=target) for target in ("cpu", "cuda"))
    part = first_difference(*records)
    return part and f"the same game differs in {part}"
