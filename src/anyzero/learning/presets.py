"""Recipes by name: what is special about a game, sizes for a laptop, and those that follow from a GPU and the board.

`docs/training.md` has where they are from.
"""

import math
from typing import Any, NamedTuple

from anyzero.errors import UnknownNameError, list_some, nearest_hint
from anyzero.games.game import Game
from anyzero.games.load import load
from anyzero.learning.config import RunConfig, change
from anyzero.learning.games import new_rows
from anyzero.networks.config import parse_network


class Preset(NamedTuple):
    game: str
    """The game it was made for; another board of the same game may be named instead."""
    meaning: str
    changes: dict[str, Any]
    """What is special about the game or the recipe, of the default config."""
    laptop: dict[str, Any]
    """Sizes for a few processor cores, as they were measured; a GPU has those of `sizes_on_gpu`."""


PRESETS: dict[str, Preset] = {
    "connect-four": Preset(
        "connect_four",
        "Gumbel search, up to ten random plies, no gate",
        {
            "selfplay": {"opening_plies": 10, "temperature_plies": 12},
            "replay": {"payoff_share": 0.7},
            "trainer": {"learning_rate": 2e-3, "schedule": "cosine"},
            "gate": {"games": 0},
            "league": {"every": 20, "anchors": ("random", "uct:100", "uct:1000")},
        },
        {
            "network": "5x48",
            "selfplay": {"games": 512, "at_once": 256, "simulations": 24},
            "replay": {"window": 150_000},
            "trainer": {"batches": 120, "horizon": 72},
        },
    ),
    "breakthrough": Preset(
        "breakthrough:rows=5,columns=5",
        "Gumbel search from random openings, no gate; on a laptop an MLP for small boards",
        {
            "selfplay": {"opening_plies": 4, "temperature_plies": 12},
            "replay": {"payoff_share": 0.6},
            "trainer": {"learning_rate": 2e-3, "schedule": "cosine"},
            "gate": {"games": 0},
            "league": {"every": 10, "anchors": ("random", "uct:100", "uct:1000")},
        },
        {
            "network": {"kind": "mlp", "layers": 3, "width": 256},
            "selfplay": {"games": 1024, "at_once": 512},
            "replay": {"window": 200_000},
            "trainer": {"horizon": 80},
        },
    ),
    "hex": Preset(
        "hex:size=5",
        "Gumbel search; the residual net grows with the board",
        {
            "selfplay": {"opening_plies": 3, "temperature_plies": 8},
            "replay": {"payoff_share": 0.6},
            "trainer": {"learning_rate": 2e-3, "schedule": "cosine"},
            "gate": {"games": 0},
            "league": {"every": 10, "anchors": ("random", "uct:100", "rave:1000")},
        },
        {
            "network": "4x32",
            "selfplay": {"games": 384, "at_once": 192},
            "replay": {"window": 100_000},
            "trainer": {"batches": 100, "horizon": 120},
        },
    ),
    "take-it-easy": Preset(
        "take_it_easy",
        "PUCT with Dirichlet noise 0.25 / 0.3, scores as a distribution, 1,000 fixed deals after each generation",
        {
            "selfplay": {
                "method": "puct",
                "simulations": 76,
                # A point is 2 / 307 of payoff: what is usual between -1 and 1 would drown it.
                "exploration": 0.06,
                "first_play": 0.1,
                "noise_fraction": 0.25,
                "noise_concentration": 0.3,
                "temperature": 1.0,
                "temperature_plies": 4,
                "late_temperature": 0.0,
                # Every move is tried once, so that the mean of all simulations is worse than what is played.
                "move_value": True,
            },
            "replay": {"payoff_share": 0.2, "merge": False},
            "trainer": {"learning_rate": 1e-3, "schedule": "cosine", "average": 0.999},
            "gate": {"games": 0},
            "benchmark": {"deals": 1000, "convergence_threshold": 0.2},
        },
        {
            "network": {"layers": 3, "width": 256},
            "selfplay": {"games": 2048, "at_once": 512, "simulations": 38},
            "replay": {"window": 400_000},
            "trainer": {"batch_size": 512, "epochs": 0.5, "horizon": 60},
        },
    ),
    "take-it-easy-expectimax": Preset(
        "take_it_easy",
        "Afterstates by TD(lambda): the best move behind every draw, no sampled payoffs, no policy",
        {
            "network": {"bins": 308},
            "selfplay": {
                "method": "expectimax",
                "value_trace": 0.8,
                # A point is 2 / 307 of payoff.
                "temperature": 0.0065,
                "temperature_plies": 20,
                "late_temperature": 0.0,
            },
            "replay": {"payoff_share": 0.0, "merge": False},
            "trainer": {
                "learning_rate": 1e-3,
                "schedule": "cosine",
                "average": 0.999,
                "policy_weight": 0.0,
                "trainings": 4.0,
            },
            "gate": {"games": 0},
            "benchmark": {"deals": 1000, "every": 10},
        },
        {
            "network": {"layers": 3, "width": 256},
            "selfplay": {"games": 512, "at_once": 512, "draws": 3},
            "replay": {"window": 150_000},
            "trainer": {"batch_size": 512, "learning_rate": 2e-3, "average": 0.99},
        },
    ),
    "oware": Preset(
        "oware",
        "Gumbel search with 48 simulations, values that count fully, no gate",
        {
            "selfplay": {"simulations": 48, "value_scale": 1.0, "opening_plies": 6, "temperature_plies": 20},
            "replay": {"payoff_share": 0.4, "payoff_share_end": 0.8},
            "trainer": {"learning_rate": 1.5e-3, "schedule": "cosine"},
            "gate": {"games": 0},
            "league": {"every": 20, "anchors": ("random", "uct:100", "uct:1000")},
        },
        {
            "network": {"layers": 3, "width": 256},
            "selfplay": {"games": 512, "at_once": 512},
            "replay": {"window": 300_000},
            "trainer": {"batch_size": 512},
        },
    ),
    "oware-cgzero": Preset(
        "oware",
        "CGZero's way: an MLP, equal positions merged, payoff and root value mixed, two champions, a gate at 55 %",
        {
            "selfplay": {
                "method": "puct",
                "simulations": 40,
                "final": "value+log visits",
                "noise_concentration": 1.0,
                "temperature_plies": 20,
                "two_champions": True,
                "recent_share": 0.1,
                "opening_plies": 4,
            },
            "replay": {
                "merge": True,
                "fade": 0.02,
                "fade_floor": 0.7,
                "by_count": True,
                "payoff_share": 0.4,
                "payoff_share_end": 0.8,
            },
            "trainer": {"learning_rate": 1e-3, "schedule": "one-cycle"},
            "gate": {"games": 32, "threshold": 0.55},
            "league": {"every": 5, "anchors": ("random", "uct:100", "uct:1000")},
        },
        {
            "network": {"layers": 3, "width": 256},
            "selfplay": {"games": 512, "at_once": 512},
            "replay": {"window": 300_000},
            "trainer": {"batch_size": 512, "epochs": 1.0},
        },
    ),
    "chess": Preset(
        "chess",
        "PUCT with 50 simulations, exploration 1.5, a gate and resigning",
        {
            "selfplay": {
                "method": "puct",
                "simulations": 50,
                "exploration": 1.5,
                "max_plies": 200,
                "resign_below": -0.95,
            },
            "replay": {"payoff_share": 0.7},
            "gate": {"games": 20},
            "league": {"every": 10, "games": 10, "anchors": ("random", "uct:20")},
        },
        {
            "network": "6x64",
            "selfplay": {"games": 64, "at_once": 64},
            "replay": {"window": 50_000},
            "trainer": {"batches": 100, "batch_size": 64},
        },
    ),
    "chess-gumbel": Preset(
        "chess",
        "Gumbel search with 32 simulations, values that count fully, noise all game, up to 20 random plies, no gate",
        {
            "network": "10x128",
            "selfplay": {"value_scale": 1.0, "max_plies": 200, "opening_plies": 20, "temperature_plies": 200},
            "replay": {"payoff_share": 0.5},
            "trainer": {"learning_rate": 1e-3, "schedule": "cosine"},
            "gate": {"games": 0},
            "league": {"every": 20, "games": 40, "anchors": ("random", "uct:100")},
        },
        {
            "network": "6x64",
            "selfplay": {"games": 64, "at_once": 64},
            "trainer": {"batches": 100, "batch_size": 64},
        },
    ),
}

PRESET_OF = {
    "connect_four": "connect-four",
    "breakthrough": "breakthrough",
    "hex": "hex",
    "take_it_easy": "take-it-easy",
    "oware": "oware-cgzero",
    "chess": "chess",
}
"""What a game is trained with if nothing else is asked for; other games have `GENERAL`."""
PRESET_ON_GPU = PRESET_OF | {"oware": "oware", "chess": "chess-gumbel"}
"""The same on a GPU, where a gate would take most of the time."""

GENERAL = Preset(
    "",
    "Gumbel search with 32 simulations and no gate",
    {
        "selfplay": {"opening_plies": 2},
        "replay": {"payoff_share": 0.6},
        "gate": {"games": 0},
        "league": {"every": 5, "anchors": ("random", "uct:100", "uct:1000")},
    },
    {"network": "small"},
)


BY_SIZE = ("hex", "breakthrough")
SMALL, MIDDLE = 6, 8
"""Rows of boards that count as small, and as middling."""
MEASURED, LEAST_EVERY = ("league.every", "benchmark.every"), 20
"""Generations between ratings on a GPU, which plays several generations in the time that one takes."""


def find_preset(name: str) -> Preset:
    if name not in PRESETS:
        hint = nearest_hint(name, PRESETS)
        raise UnknownNameError(f"there is no preset {name!r}; {hint}known: {list_some(PRESETS)}")
    return PRESETS[name]


def preset_config(name: str | None, game_text: str | None, device: str = "cpu") -> RunConfig:
    """The config of a preset, for its own game or another board of it; without a name, what suits the game."""
    wanted = load(game_text) if game_text else None
    if name is None and wanted is not None:
        suitable = PRESET_ON_GPU if device == "cuda" else PRESET_OF
        preset = PRESETS[suitable[wanted.name]] if wanted.name in suitable else GENERAL
    else:
        preset = find_preset(name or "")
    game = wanted or load(preset.game)
    config = RunConfig(game=game.text)
    if device == "cuda":
        special = apply(config, preset.changes)
        config = apply(config, sizes_on_gpu(game, special), preset.changes)
        return change(config, {key: max(getattr(config, key[:-6]).every, LEAST_EVERY) for key in MEASURED})
    config = apply(config, preset.changes, preset.laptop)
    return suit_board(config, game) if game.name in BY_SIZE else config


def apply(config: RunConfig, *parts: dict[str, Any]) -> RunConfig:
    """The config with these changes, one after the other; a network may be a text."""
    for part in parts:
        network = part.get("network", {})
        network = parse_network(network).to_dict() if isinstance(network, str) else network
        config = change(config, {**part, "network": network})
    return config


def suit_board(config: RunConfig, game: Game) -> RunConfig:
    """Larger boards want residual nets, larger ones, and a longer memory."""
    size = game.planes_shape[1]
    if size <= SMALL:
        return config
    blocks, channels = (4, 48) if size <= MIDDLE else (6, 64)
    sizes = {"network.kind": "residual", "network.blocks": blocks, "network.channels": channels}
    games = {"selfplay.games": 256, "selfplay.at_once": 128, "selfplay.temperature_plies": 20}
    return change(config, {**sizes, **games, "replay.window": 150_000})


# --- on a GPU

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
