"""Self-play and replay as a GPU runs them, in numba-cuda's simulator: a process of its own, which
writes a report.
"""

import json
import sys
from pathlib import Path

import numpy as np
import torch

from anyzero.core.game.load import load
from anyzero.core.learning import on_gpu, replay
from anyzero.core.learning.block import network_contestant
from anyzero.core.learning.config import ReplayConfig, SelfPlayConfig
from anyzero.core.learning.orders import Order, make_pairings, manner_of, pairing_shares
from anyzero.core.learning.replay import build_replay
from anyzero.core.nets import on_gpu as networks_on_gpu
from anyzero.core.nets.models import new_network
from anyzero.core.nets.weights import read_network, save_network
from anyzero.extras.cluster import ActorKind
from anyzero.extras.cluster.selfplay import join_pieces, play_piece
from anyzero.tools.lab.opening import fill_in, make_config
from tests.learning.rows import random_samples
from tests.search.weighing import Weighing

SLOTS = 3
QUIET = {"gumbel_scale": 0.0, "noise_fraction": 0.0}
SCENARIOS = {
    "gumbel": ("tic_tac_toe", {"method": "gumbel", "simulations": 4, **QUIET}),
    "puct": ("tic_tac_toe", {"method": "puct", "simulations": 4, "temperature_plies": 4, **QUIET}),
    "expectimax": (
        "tic_tac_toe",
        {"method": "expectimax", "temperature": 0.1, "temperature_plies": 4},
    ),
    "short": (
        "tic_tac_toe",
        {"method": "puct", "simulations": 2, "opening_plies": 2, "max_plies": 5, **QUIET},
    ),
    "reuse": ("tic_tac_toe", {"method": "puct", "simulations": 4, "reuse": True}),
    "three": (
        "tic_tac_toe",
        {"simulations": 4, "two_champions": True, "recent_share": 0.3, "resign_checked": 0.5},
    ),
    "cut dice": ("tests/dice_race.py", {"simulations": 2, "max_plies": 5}),
}
NETWORKS = {"three": 3}
NUM_GAMES = {**dict.fromkeys(SCENARIOS, 2), "three": 8}
"""Of one fetching."""
BAR = {"three": -0.05}


def players(name, evaluators):
    game, config = load(SCENARIOS[name][0]), SelfPlayConfig(**SCENARIOS[name][1])
    return [
        network_contestant(game, str(number), one, config, noise=True)
        for number, one in enumerate(evaluators)
    ]


def pairings(name):
    game, config = load(SCENARIOS[name][0]), SelfPlayConfig(**SCENARIOS[name][1])
    return make_pairings(game, pairing_shares(config, None), two_champions=config.two_champions)


def new_games(name):
    game, config = load(SCENARIOS[name][0]), SelfPlayConfig(**SCENARIOS[name][1])
    num = NETWORKS.get(name, 1)
    weighing = Weighing(game, SLOTS, num)
    games = on_gpu.GpuGames(
        game, weighing, players(name, [weighing] * num), manner_of(config), num_games=SLOTS, seed=3
    )
    games.set_up(pairings(name), BAR.get(name, -1.0))
    return games


def play(name, folder):
    """Two fetchings of finished games, one after the other."""
    games, names = new_games(name), [str(number) for number in range(NETWORKS.get(name, 1))]
    parts = [games.play(NUM_GAMES[name], names) for _ in range(2)]
    for number, part in enumerate(parts):
        np.savez(folder / f"{name}{number}.npz", **part.samples._asdict())
    lines = [line._asdict() for part in parts for line in part.games]
    counts = {"finished": games.finished, "simulations": sum(part.simulations for part in parts)}
    return {
        **counts,
        "lines": lines,
        "checks": [check for part in parts for check in part.resign_checks],
    }


def pieces(path):
    """Two pieces of a generation, as an actor of a cluster plays them that has a GPU; the network
    does not matter.
    """
    networks_on_gpu.GpuEvaluator = lambda game, *networks, rows: Weighing(game, rows, len(networks))
    config = fill_in(
        make_config(
            "tic_tac_toe",
            changes={"selfplay": {"simulations": 2, "at_once": SLOTS, "opening_plies": 0}},
        )
    )
    game = load(config.game)
    save_network(path, new_network(game, config.network, 1), game)
    order = Order(config, 1, [("7", lambda: read_network(path, game))], [1.0, 0.0, 0.0], -1.0)
    found = join_pieces([play_piece(ActorKind(1, 1), order, first, 4) for first in (0, 4)])
    return {"samples": found.samples.num, "lines": [line._asdict() for line in found.games]}


def wait():
    """What happens when nobody fetches for a long time."""
    games = new_games("short")
    games.advance_many(40)
    before, waiting = games.finished, int(games.games.end_samples.copy_to_host().sum())
    fetched = games.fetch()
    games.advance_many(16)
    return {"before": before, "waiting": waiting, "fetched": fetched, "after": games.finished}


def same_batches(name):
    """Whether the batches of both replays are equal, turned and not."""
    game = load(name)
    replay.upload = lambda array, device: torch.from_numpy(
        array
    )  # the simulated GPU has the host's memory
    here, there = (
        build_replay(game, random_samples(game, 40), ReplayConfig(fade=0.1), 3, on)
        for on in ("cpu", "cuda")
    )
    rows = np.array([3, 0, 17, 17, 25])
    found = []
    for seed in (None, 4):
        rngs = [None if seed is None else np.random.default_rng(seed) for _ in range(2)]
        pairs = zip(here.batch(rows, rngs[0]), there.batch(rows, rngs[1]), strict=True)
        found += [bool(np.allclose(one, other, atol=1e-6)) for one, other in pairs]
    return found


def main():
    folder = Path(sys.argv[1])
    on_gpu.STEPS = 12
    found = {name: play(name, folder) for name in SCENARIOS}
    found["wait"] = wait()
    found["pieces"] = pieces(folder / "network.safetensors")
    found["replay"] = same_batches("tic_tac_toe")
    (folder / "found.json").write_text(json.dumps(found))


if __name__ == "__main__":
    main()
