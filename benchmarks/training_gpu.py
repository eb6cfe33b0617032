"""Training on one GPU: samples a second from a replay on the GPU, and the GPU's busy time.

    .venv/bin/python benchmarks/training_gpu.py [--games connect_four hex chess] [--batch 1024]
    [--json FILE]

The rows are positions after a few random moves with made-up targets: what is measured is the way
from rows to weights.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.profiler import ProfilerActivity, profile

from anyzero.core.game.game import Game
from anyzero.core.game.load import load
from anyzero.core.learning.config import ReplayConfig, TrainerConfig
from anyzero.core.learning.replay import Replay, build_replay
from anyzero.core.learning.samples import Samples, new_samples
from anyzero.core.learning.trainer import Trainer
from anyzero.core.nets.config import parse_network
from anyzero.core.nets.models import new_network
from selfplay_gpu import NETWORKS, some_positions

POSITIONS, ROWS, STEPS = 256, 65_536, 60
WANTED_BUSY = 0.9


def made_up_samples(game: Game) -> Samples:
    """A few positions, many times over, each with an even policy and a random result."""
    few = new_samples(game, POSITIONS)
    few.states[:] = some_positions(game, POSITIONS)
    for row, state in enumerate(few.states):
        legal = sorted(game.legal_actions(state))
        few.actions[row, : len(legal)], few.policies[row, : len(legal)] = legal, 1.0 / len(legal)
    samples = Samples(*(np.resize(column, (ROWS, *column.shape[1:])) for column in few))
    samples.payoffs[:] = np.random.default_rng(1).choice([-1.0, 1.0], ROWS)
    return samples


def measure(game: Game, source: Replay, batch: int) -> dict[str, Any]:
    """One generation to warm up, one by the clock, one under the profiler."""
    network = new_network(game, parse_network(NETWORKS[game.name]), seed=1)
    trainer = Trainer(game, network, TrainerConfig(batches=STEPS, batch_size=batch), device="cuda")
    trainer.train(source, 0, np.random.default_rng(0))
    report = trainer.train(source, 1, np.random.default_rng(1))
    with profile(activities=[ProfilerActivity.CUDA]) as profiler:
        trainer.train(source, 2, np.random.default_rng(2))
        torch.cuda.synchronize()
    busy = sum(event.self_device_time_total for event in profiler.key_averages()) / 1e6
    return {
        "game": game.name,
        "batch": batch,
        "samples_per_s": round(report.samples_per_second),
        "busy": round(busy / report.seconds, 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", nargs="+", default=list(NETWORKS), choices=list(NETWORKS))
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    options = parser.parse_args()
    found = []
    print(f"wanted busy share {WANTED_BUSY}")
    for name in options.games:
        game = load(name)
        replay = build_replay(game, made_up_samples(game), ReplayConfig(merge=False), 0, "cuda")
        found.append(measure(game, replay, options.batch))
        print(f"  {found[-1]}", flush=True)
    if options.json:
        options.json.write_text(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
