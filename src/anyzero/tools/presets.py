"""From a game and the name of a preset to the config of a run: the game's recipe, and sizes that
follow from the device and the board.
"""

import math

from anyzero.core.base.errors import check_name
from anyzero.core.base.nouns import Values
from anyzero.core.game.facts import Recipe
from anyzero.core.game.game import Game
from anyzero.core.game.load import games_with, load
from anyzero.core.learning.config import RunConfig, change
from anyzero.core.learning.samples import new_rows

GENERAL = Recipe(
    "Gumbel search with 32 simulations and no gate",
    changes={
        "selfplay.opening_plies": 2,
        "replay.payoff_share": 0.6,
        "gate.games": 0,
        "league": {"every": 10, "games": 20, "anchors": ["random", "uct:100", "uct:1000"]},
    },
    laptop={
        "network": "small",
        # As often as one pass over 50,000 samples trains each in generations of 15,000, whatever
        # the size of a generation.
        "trainer.trainings": 3.5,
    },
)
"""For games without a recipe of their own."""

# maximum rows of small and of medium boards
SMALL = 6
MIDDLE = 8
POSITIONS = 8_192  # per generation in a game without a recipe, if all games had maximum length
MEASURED = ("league.every", "benchmark.every")
LEAST_EVERY = 20
"""Generations between ratings on a GPU, which plays several generations in the time of one rating.
"""


def recipes() -> dict[str, tuple[str, Recipe]]:
    """All presets by name: the game and its recipe."""
    return {
        name: (game.source, recipe)
        for game in games_with("recipes")
        for name, recipe in game.facts.recipes.items()
    }


def preset_config(name: str | None, game_text: str | None, device: str = "cpu") -> RunConfig:
    """The config of a preset, for its own game or another board of it; without a name, the default
    for the game.
    """
    game, recipe = find_recipe(name, load(game_text) if game_text else None, device)
    config = RunConfig(game=game.text)
    if device == "cuda":
        special = change(config, recipe.changes)
        config = change(change(config, sizes_on_gpu(game, special)), recipe.changes)
        return change(
            config, {key: max(getattr(config, key[:-6]).every, LEAST_EVERY) for key in MEASURED}
        )
    config = change(change(config, recipe.changes), recipe.laptop)
    return change(config, sizes_on_laptop(game, recipe))


def find_recipe(name: str | None, game: Game | None, device: str) -> tuple[Game, Recipe]:
    """The recipe of this name, or the game's default on the device; and the game to play."""
    special = {} if game is None else game.facts.recipes
    if name is None and game is not None:
        kind = "cuda" if device == "cuda" else "cpu"
        defaults = (recipe for recipe in special.values() if kind in recipe.default_on)
        return game, next(defaults, GENERAL)
    name = name or ""
    if game is not None and name in special:
        return game, special[name]
    check_name("preset", name, recipes())
    source, recipe = recipes()[name]
    return game or load(source, **recipe.board), recipe


def sizes_on_laptop(game: Game, recipe: Recipe) -> Values:
    """Settings that follow from the board."""
    sizes: Values = {}
    if recipe is GENERAL:
        # fewer games if they may be long, so that several generations fit into a few minutes
        games = min(256, max(64, POSITIONS // game.max_plies // 16 * 16))
        sizes |= {"selfplay.games": games, "selfplay.at_once": min(128, games)}
    if game.facts.has_larger_nets and game.planes_shape[1] > SMALL:
        # larger residual networks and a longer replay window
        blocks, channels = (4, 48) if game.planes_shape[1] <= MIDDLE else (6, 64)
        sizes |= {
            "network.kind": "residual",
            "network.blocks": blocks,
            "network.channels": channels,
            "selfplay.games": 256,
            "selfplay.at_once": 128,
            "selfplay.temperature_plies": 20,
            "replay.window": 150_000,
        }
    return sizes


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
    games = MOST_GAMES if num_cells(game) <= 64 else MOST_GAMES // 2
    plies = min(max_plies or game.max_plies, game.max_plies)
    row = new_rows(game, 1)
    # policies are half as large there, and count twice, to leave room for the trees
    each = 2 * plies * sum(column.nbytes for column in row)
    while games > 1 and games * each > MEMORY_SHARE * gpu_bytes():
        games //= 2
    return games


def gpu_bytes() -> float:
    import torch

    return torch.cuda.get_device_properties(0).total_memory if torch.cuda.is_available() else ROOMY
