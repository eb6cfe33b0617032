"""Recipes by name: a game's special settings, sizes for a laptop, and sizes derived from a GPU and
the board.

`docs/training.md` cites their sources.
"""

import math
from pathlib import Path
from typing import NamedTuple

from anyzero.core.base.errors import check_name
from anyzero.core.base.nouns import Values
from anyzero.core.base.schema import read_toml
from anyzero.core.game.game import Game
from anyzero.core.game.load import load
from anyzero.core.learning.config import RunConfig, change
from anyzero.core.learning.samples import new_rows


class Preset(NamedTuple):
    meaning: str
    changes: Values  # changes to the default config for this game or recipe
    laptop: Values  # sizes for a few processor cores; a GPU uses `sizes_on_gpu`
    game: str = ""  # the game it was made for; another board of that game may be named instead


PRESETS = {
    name: Preset(**recipe)
    for name, recipe in read_toml(Path(__file__).with_suffix(".toml")).items()
}
GENERAL = PRESETS.pop("general")
NAMED = (
    "connect-four",
    "breakthrough",
    "hex",
    "take-it-easy",
    "chess",
)  # presets named after their games
PRESET_OF = {name.replace("-", "_"): name for name in NAMED} | {"oware": "oware-cgzero"}
"""The default preset of a game; other games have `GENERAL`."""
PRESET_ON_GPU = PRESET_OF | {"oware": "oware", "chess": "chess-gumbel"}
"""The same on a GPU, where a gate would take most of the time."""

BY_SIZE = ("hex", "breakthrough")
# maximum rows of small and of medium boards
SMALL = 6
MIDDLE = 8
POSITIONS = 8_192  # per generation in a game without a recipe, if all games had maximum length
MEASURED = ("league.every", "benchmark.every")
LEAST_EVERY = 20
"""Generations between ratings on a GPU, which plays several generations in the time of one rating.
"""


def preset_config(name: str | None, game_text: str | None, device: str = "cpu") -> RunConfig:
    """The config of a preset, for its own game or another board of it; without a name, the default
    for the game.
    """
    wanted = load(game_text) if game_text else None
    if name is None and wanted is not None:
        suitable = PRESET_ON_GPU if device == "cuda" else PRESET_OF
        preset = PRESETS[suitable[wanted.name]] if wanted.name in suitable else GENERAL
    else:
        check_name("preset", name, PRESETS)
        preset = PRESETS[name or ""]
    game = wanted or load(preset.game)
    config = RunConfig(game=game.text)
    if device == "cuda":
        special = change(config, preset.changes)
        config = change(change(config, sizes_on_gpu(game, special)), preset.changes)
        return change(
            config, {key: max(getattr(config, key[:-6]).every, LEAST_EVERY) for key in MEASURED}
        )
    config = change(change(config, preset.changes), preset.laptop)
    if (
        preset is GENERAL
    ):  # fewer games if they may be long, so that several generations fit into a few minutes
        games = min(256, max(64, POSITIONS // game.max_plies // 16 * 16))
        config = change(config, {"selfplay.games": games, "selfplay.at_once": min(128, games)})
    if (
        game.name in BY_SIZE and game.planes_shape[1] > SMALL
    ):  # larger residual networks and a longer replay window
        blocks, channels = (4, 48) if game.planes_shape[1] <= MIDDLE else (6, 64)
        sizes = {"network.kind": "residual", "network.blocks": blocks, "network.channels": channels}
        more = {"selfplay.games": 256, "selfplay.at_once": 128, "selfplay.temperature_plies": 20}
        config = change(config, {**sizes, **more, "replay.window": 150_000})
    return config


SMALL_BOARD = 49  # maximum cells of a small board
MOST_GAMES = (
    8192  # parallel games that fill a large GPU on small boards; half as many on larger boards
)
MEMORY_SHARE = (
    0.2  # of GPU memory, for samples of games in progress; trees, networks and replay need the rest
)
ROOMY = 80e9  # bytes of GPU memory if unknown


def sizes_on_gpu(game: Game, config: RunConfig) -> Values:
    """Settings for a GPU: thousands of parallel games, large batches, samples in memory."""
    at_once = fitting_games(game, config.selfplay.max_plies)
    is_small = num_cells(game) <= SMALL_BOARD
    network: Values = {"kind": "residual", "blocks": 6 if is_small else 8, "channels": 64}
    if len(game.planes_shape) != 3:
        network = {"kind": "mlp", "layers": 4, "width": 512}
    return {
        "device": "cuda",
        "keep_samples": False,
        "network": network,
        "selfplay": {"at_once": at_once, "games": at_once if is_small else at_once // 2},
        "replay": {"window": 1_000_000, "merge": False},
        "trainer": {
            "batch_size": 2048,
            "trainings": 2.4,
            "learning_rate": 2e-3,
            "schedule": "cosine",
        },
    }


def num_cells(game: Game) -> int:
    return math.prod(game.planes_shape[1:]) if len(game.planes_shape) == 3 else 0


def fitting_games(game: Game, max_plies: int) -> int:
    """Parallel games: a power of two whose samples fit in GPU memory."""
    found = MOST_GAMES if num_cells(game) <= 64 else MOST_GAMES // 2
    plies = min(max_plies or game.max_plies, game.max_plies)
    row = new_rows(game, 1)
    # policies are half as large there, and count twice, to leave room for the trees
    each = 2 * plies * sum(column.nbytes for column in row)
    while found > 1 and found * each > MEMORY_SHARE * gpu_bytes():
        found //= 2
    return found


def gpu_bytes() -> float:
    import torch

    return torch.cuda.get_device_properties(0).total_memory if torch.cuda.is_available() else ROOMY
