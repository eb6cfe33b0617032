"""Recipes by name: each a game and the settings that suit it. `docs/training.md` tells where they come from."""

from typing import Any, NamedTuple

from anyzero.errors import UnknownNameError, list_some, nearest_hint
from anyzero.games.game import Game
from anyzero.games.load import load
from anyzero.learning.config import RunConfig, change
from anyzero.networks.config import NetworkConfig, parse_network


class Preset(NamedTuple):
    game: str
    """The game it was made for; another board of the same game may be named instead."""
    meaning: str
    changes: dict[str, Any]
    """Of the default config."""


PRESETS: dict[str, Preset] = {
    "connect-four": Preset(
        "connect_four",
        "Gumbel search with 24 simulations, a small residual net, no gate",
        {
            "network": "5x48",
            "selfplay": {
                "games": 512,
                "at_once": 256,
                "simulations": 24,
                "opening_plies": 10,
                "temperature_plies": 12,
            },
            "replay": {"window": 150_000, "payoff_share": 0.7},
            "trainer": {"batches": 120, "learning_rate": 2e-3, "schedule": "cosine", "horizon": 72},
            "gate": {"games": 0},
            "league": {"every": 20, "anchors": ("random", "uct:100", "uct:1000")},
        },
    ),
    "breakthrough": Preset(
        "breakthrough:rows=5,columns=5",
        "Gumbel search with 32 simulations, an MLP on small boards, no gate",
        {
            "network": {"kind": "mlp", "layers": 3, "width": 256},
            "selfplay": {
                "games": 1024,
                "at_once": 512,
                "simulations": 32,
                "opening_plies": 4,
                "temperature_plies": 12,
            },
            "replay": {"window": 200_000, "payoff_share": 0.6},
            "trainer": {"learning_rate": 2e-3, "schedule": "cosine", "horizon": 80},
            "gate": {"games": 0},
            "league": {"every": 10, "anchors": ("random", "uct:100", "uct:1000")},
        },
    ),
    "hex": Preset(
        "hex:size=5",
        "Gumbel search with 32 simulations; the residual net grows with the board",
        {
            "network": "4x32",
            "selfplay": {
                "games": 384,
                "at_once": 192,
                "simulations": 32,
                "opening_plies": 3,
                "temperature_plies": 8,
            },
            "replay": {"window": 100_000, "payoff_share": 0.6},
            "trainer": {"batches": 100, "learning_rate": 2e-3, "schedule": "cosine", "horizon": 120},
            "gate": {"games": 0},
            "league": {"every": 10, "anchors": ("random", "uct:100", "rave:1000")},
        },
    ),
    "take-it-easy": Preset(
        "take_it_easy",
        "PUCT with Dirichlet noise 0.25 / 0.3, scores as a distribution, 1,000 fixed deals after each generation",
        {
            "network": {"layers": 3, "width": 256},
            "selfplay": {
                "method": "puct",
                "games": 2048,
                "at_once": 512,
                "simulations": 38,
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
            "replay": {"window": 400_000, "payoff_share": 0.2, "merge": False},
            "trainer": {"batch_size": 512, "epochs": 0.5, "schedule": "cosine", "horizon": 60, "average": 0.999},
            "gate": {"games": 0},
            "benchmark": {"deals": 1000, "convergence_threshold": 0.2},
        },
    ),
    "take-it-easy-expectimax": Preset(
        "take_it_easy",
        "Afterstates by TD(lambda): the best move behind every draw, no sampled payoffs, no policy",
        {
            "network": {"layers": 3, "width": 256, "bins": 308},
            "selfplay": {
                "method": "expectimax",
                "games": 512,
                "at_once": 512,
                "draws": 3,
                "trace": 0.8,
                # A point is 2 / 307 of payoff.
                "temperature": 0.0065,
                "temperature_plies": 20,
                "late_temperature": 0.0,
            },
            "replay": {"window": 150_000, "payoff_share": 0.0, "merge": False},
            "trainer": {
                "batch_size": 512,
                "epochs": 0.4,
                "learning_rate": 2e-3,
                "schedule": "cosine",
                "average": 0.99,
                "policy_weight": 0.0,
            },
            "gate": {"games": 0},
            "benchmark": {"deals": 1000, "every": 10},
        },
    ),
    "oware-cgzero": Preset(
        "oware",
        "CGZero's way: an MLP, equal positions merged, payoff and root value mixed, two champions, a gate at 55 %",
        {
            "network": {"layers": 3, "width": 256},
            "selfplay": {
                "method": "puct",
                "games": 512,
                "at_once": 512,
                "simulations": 40,
                "final": "value+log visits",
                "noise_concentration": 1.0,
                "temperature_plies": 20,
                "two_champions": True,
                "recent_share": 0.1,
                "opening_plies": 4,
            },
            "replay": {
                "window": 300_000,
                "fade": 0.02,
                "fade_floor": 0.7,
                "by_count": True,
                "payoff_share": 0.4,
                "payoff_share_end": 0.8,
            },
            "trainer": {"batch_size": 512, "epochs": 1.0, "schedule": "one-cycle"},
            "gate": {"games": 32, "threshold": 0.55},
            "league": {"every": 5, "anchors": ("random", "uct:100", "uct:1000")},
        },
    ),
    "chess": Preset(
        "chess",
        "PUCT with 50 simulations, exploration 1.5, 100 batches of 64 a generation, 50,000 samples",
        {
            "network": "6x64",
            "selfplay": {
                "method": "puct",
                "simulations": 50,
                "exploration": 1.5,
                "games": 64,
                "at_once": 64,
                "max_plies": 200,
                "resign_below": -0.95,
            },
            "replay": {"window": 50_000, "payoff_share": 0.7},
            "trainer": {"batches": 100, "batch_size": 64},
            "gate": {"games": 20},
            "league": {"every": 10, "games": 10, "anchors": ("random", "uct:20")},
        },
    ),
    "chess-gpu": Preset(
        "chess",
        "Gumbel search with 32 simulations, a 10x128 net, thousands of games at once, all of it on a GPU",
        {
            "network": "10x128",
            "device": "cuda",
            "keep_samples": False,
            "selfplay": {"games": 4096, "at_once": 8192, "simulations": 32, "max_plies": 200, "opening_plies": 4},
            "replay": {"window": 1_000_000, "payoff_share": 0.5, "merge": False},
            "trainer": {"batch_size": 2048, "learning_rate": 1e-3, "schedule": "cosine", "horizon": 45},
            "gate": {"games": 0},
            "league": {"every": 20, "games": 40, "anchors": ("random", "uct:100")},
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

GENERAL = Preset(
    "",
    "Gumbel search with 32 simulations and a small net",
    {
        "network": "small",
        "selfplay": {"opening_plies": 2},
        "replay": {"payoff_share": 0.6},
        "gate": {"games": 0},
        "league": {"every": 5, "anchors": ("random", "uct:100", "uct:1000")},
    },
)


BY_SIZE = ("hex", "breakthrough")
SMALL, MIDDLE = 6, 8
"""Rows of boards that count as small, and as middling."""


def find_preset(name: str) -> Preset:
    if name not in PRESETS:
        hint = nearest_hint(name, PRESETS)
        raise UnknownNameError(f"there is no preset {name!r}; {hint}known: {list_some(PRESETS)}")
    return PRESETS[name]


def preset_config(name: str | None, game_text: str | None) -> RunConfig:
    """The config of a preset, for its own game or another board of it; without a name, what suits the game."""
    wanted = load(game_text) if game_text else None
    if name is None and wanted is not None:
        preset = PRESETS[PRESET_OF[wanted.name]] if wanted.name in PRESET_OF else GENERAL
    else:
        preset = find_preset(name or "")
    game = wanted or load(preset.game)
    changes = {**preset.changes}
    network = changes.pop("network")
    config = change(RunConfig(game=game.text, network=network_of(network)), changes)
    return suit_board(config, game) if game.name in BY_SIZE else config


def network_of(network: Any) -> NetworkConfig:
    return parse_network(network) if isinstance(network, str) else NetworkConfig(**network)


def suit_board(config: RunConfig, game: Game) -> RunConfig:
    """Larger boards want residual nets, larger ones, and a longer memory."""
    size = game.planes_shape[1]
    if size <= SMALL:
        return config
    blocks, channels = (4, 48) if size <= MIDDLE else (6, 64)
    sizes = {"network.kind": "residual", "network.blocks": blocks, "network.channels": channels}
    games = {"selfplay.games": 256, "selfplay.at_once": 128, "selfplay.temperature_plies": 20}
    return change(config, {**sizes, **games, "replay.window": 150_000})
