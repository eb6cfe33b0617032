"""One game observed by a thread of a GPU."""

from typing import Any

import numpy as np

from anyzero.core.base.nouns import Actions, Rules, Streams, Word
from anyzero.core.compile import gpu
from anyzero.core.compile.gpu import cuda
from anyzero.core.game.game import Game
from anyzero.tools.laws.observe import Observations, observe_game


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
