"""How many random games a second a target plays."""

import time
from typing import NamedTuple

from anyzero.compile import TARGETS
from anyzero.errors import AnyzeroError, UnknownNameError, list_some, nearest_hint
from anyzero.games.game import Game
from anyzero.games.rollouts import rollouts

FIRST_STREAMS = {"cpu": 16, "cuda": 131_072, "interpreted": 1}
"""Streams of the first measurement; on a GPU as many threads as fill a large one."""


class RolloutSpeed(NamedTuple):
    game: str
    target: str
    threads: int
    rollouts_per_s: float
    moves_per_s: float
    compile_s: float
    """Until the first rollout was done: loading or compiling."""


def bench_rollouts(game: Game, *, target: str = "cpu", threads: int = 1, seconds: float = 2.0) -> RolloutSpeed:
    """Measure for about `seconds`, after everything is compiled."""
    check_target(target)
    state, start = game.initial_state(), time.perf_counter()
    rollouts(game, state, 1, target=target)
    compile_s = time.perf_counter() - start
    streams, repeats = FIRST_STREAMS[target] * threads, 1
    while True:
        start = time.perf_counter()
        found = rollouts(game, state, streams, repeats, seed=streams + repeats, target=target, threads=threads)
        took = time.perf_counter() - start
        if took >= seconds / 2:
            games = streams * repeats
            return RolloutSpeed(
                game.text, target, threads, games / took, float(found.moves.sum()) / took, round(compile_s, 4)
            )
        grow = min(16, max(2, int(seconds / max(took, 1e-6))))
        streams, repeats = (streams, repeats * grow) if target == "cuda" else (streams * grow, repeats)


def check_target(target: str) -> None:
    if target not in TARGETS:
        raise UnknownNameError(
            f"there is no target {target!r}; {nearest_hint(target, TARGETS)}known: {list_some(TARGETS)}"
        )
    if target == "cuda":
        try:
            from anyzero.compile import gpu
        except ImportError:
            raise AnyzeroError("the target cuda needs the package numba-cuda: install anyzero[cuda]") from None
        if not gpu.is_available():
            raise AnyzeroError("the target cuda needs an NVIDIA GPU, and none was found here")
