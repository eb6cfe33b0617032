"""How large a run is on a device: what follows from the machine and the board, whatever the recipe."""

import math
from typing import Any

from anyzero.games.game import Game
from anyzero.learning.config import RunConfig
from anyzero.learning.games import new_rows

SMALL_BOARD = 49
"""Cells up to which a board counts as small."""
MOST_GAMES = 8192
"""Games at once that fill a large GPU with small boards; half of them with boards that are not small."""
MEMORY_SHARE = 0.2
"""Of the GPU's memory, for samples of games under way; trees, networks and replay need the rest."""
ROOMY = 80e9
"""The GPU's bytes where it cannot be asked."""


def sizes_on_gpu(game: Game, config: RunConfig) -> dict[str, Any]:
    """Settings for a GPU: thousands of games at once, large batches, samples in memory."""
    at_once = fitting_games(game, config.selfplay.max_plies)
    return {
        "device": "cuda",
        "keep_samples": False,
        "network": network_on_gpu(game),
        "selfplay": {"at_once": at_once, "games": at_once if num_cells(game) <= SMALL_BOARD else at_once // 2},
        "replay": {"window": 1_000_000, "merge": False},
        "trainer": {"batch_size": 2048, "trainings": 2.4, "learning_rate": 2e-3, "schedule": "cosine"},
    }


def network_on_gpu(game: Game) -> dict[str, Any]:
    if len(game.planes_shape) != 3:
        return {"kind": "mlp", "layers": 4, "width": 512}
    blocks = 6 if num_cells(game) <= SMALL_BOARD else 8
    return {"kind": "residual", "blocks": blocks, "channels": 64}


def num_cells(game: Game) -> int:
    """Of its board; 0 where it has none."""
    return math.prod(game.planes_shape[1:]) if len(game.planes_shape) == 3 else 0


def fitting_games(game: Game, max_plies: int) -> int:
    """Games at once: a power of two whose samples fit in the GPU's memory."""
    found = MOST_GAMES if num_cells(game) <= 64 else MOST_GAMES // 2
    plies = min(max_plies or game.max_plies, game.max_plies)
    each = 2 * plies * sum(column.nbytes for column in new_rows(game, 1))
    while found > 1 and found * each > MEMORY_SHARE * gpu_bytes():
        found //= 2
    return found


def gpu_bytes() -> float:
    import torch

    return torch.cuda.get_device_properties(0).total_memory if torch.cuda.is_available() else ROOMY
