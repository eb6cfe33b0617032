"""Self-play and replay as a GPU runs them, in numba-cuda's simulator: a process of its own, which writes a report."""

import json
import sys
from pathlib import Path

import numpy as np

from anyzero.games.load import load
from anyzero.learning import on_gpu
from anyzero.learning.config import ReplayConfig, SelfPlayConfig
from anyzero.learning.replay import build_replay
from anyzero.learning.replay_on_gpu import GpuReplay
from tests.learning.rows import random_samples
from tests.search.weighing import Weighing

GAMES = 3
QUIET = {"gumbel_scale": 0.0, "noise_fraction": 0.0}
SCENARIOS = {
    "gumbel": ("tic_tac_toe", SelfPlayConfig(method="gumbel", simulations=6, **QUIET)),
    "puct": ("tic_tac_toe", SelfPlayConfig(method="puct", simulations=6, temperature_plies=4, **QUIET)),
    "short": ("tic_tac_toe", SelfPlayConfig(method="puct", simulations=2, opening_plies=2, max_plies=5, **QUIET)),
    "fast": ("tic_tac_toe", SelfPlayConfig(simulations=4, fast_share=0.5, fast_simulations=2)),
    "chance": ("take_it_easy", SelfPlayConfig(simulations=1)),
    "dice": ("tests/dice_race.py", SelfPlayConfig(simulations=2)),
    "cut dice": ("tests/dice_race.py", SelfPlayConfig(simulations=2, max_plies=5)),
}


def play(name, folder):
    """Two fetchings of finished games, one after the other."""
    game, config = load(SCENARIOS[name][0]), SCENARIOS[name][1]
    games = on_gpu.GpuSelfPlay(game, Weighing(game, GAMES), config, num_games=GAMES, seed=3)
    parts = [games.play(12), games.play(12)]
    for number, part in enumerate(parts):
        np.savez(folder / f"{name}{number}.npz", **part._asdict())
    return games.counts()


def wait():
    """What happens when nobody fetches for a long time."""
    game = load("tic_tac_toe")
    config = SelfPlayConfig(simulations=1)
    games = on_gpu.GpuSelfPlay(game, Weighing(game, GAMES), config, num_games=GAMES, seed=3)
    games.advance_many(60)
    before, waiting = games.finished, int(games.games.waiting.copy_to_host().sum())
    fetched = sum(part.num for part in games.fetch())
    games.advance_many(20)
    return {"before": before, "waiting": waiting, "fetched": fetched, "after": games.finished}


def same_batches(name):
    """Whether the batches of both replays are equal, turned and not."""
    game = load(name)
    replay = build_replay(game, random_samples(game, 40), ReplayConfig(fade=0.1), 3)
    rows = np.array([3, 0, 17, 17, 25])
    found = []
    for seed in (None, 4):
        rngs = [None if seed is None else np.random.default_rng(seed) for _ in range(2)]
        pairs = zip(replay.batch(rows, rngs[0]), GpuReplay(replay, "cpu").batch(rows, rngs[1]), strict=True)
        found += [bool(np.allclose(one, other, atol=1e-6)) for one, other in pairs]
    return found


def main():
    folder = Path(sys.argv[1])
    on_gpu.STEPS = 8
    found = {name: play(name, folder) for name in SCENARIOS}
    found["wait"] = wait()
    found["replay"] = same_batches("tic_tac_toe")
    (folder / "found.json").write_text(json.dumps(found))


if __name__ == "__main__":
    main()
