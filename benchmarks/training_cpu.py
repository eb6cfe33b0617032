"""Training residual networks on the CPU: a step by our kernels beside a step by torch, in turns.

    .venv/bin/python benchmarks/training_cpu.py [--batch 256] [--rounds 15] [--json FILE]

The machine should be quiet. A step is everything from a batch to its gradients.
"""

import argparse
import json
import os
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # as `anyzero train` does

import numpy as np
import torch

from anyzero.child import count_cores
from anyzero.games.load import load
from anyzero.learning.config import ReplayConfig, TrainerConfig
from anyzero.learning.replay import build_replay
from anyzero.learning.trainer import Trainer, computing_on
from anyzero.networks import models as layers
from anyzero.networks.config import parse_network
from anyzero.networks.models import new_network
from training_gpu import made_up_samples

NETWORKS = {"connect_four": "5x48", "hex:size=5": "4x32", "hex:size=11": "4x32", "chess": "6x64"}
OWN = layers.learns_on_cpu


def choose(own: bool) -> None:
    """Our kernels, with torch on one thread; or torch alone, on all."""
    vars(layers)["learns_on_cpu"] = OWN if own else lambda _features: False
    torch.set_num_threads(1 if own else count_cores())


def measure(name: str, batch: int, rounds: int) -> dict[str, Any]:
    """The best of some rounds, in seconds a step."""
    game = load(name)
    trainer = Trainer(game, new_network(game, parse_network(NETWORKS[name]), seed=1), TrainerConfig(batch_size=batch))
    replay = build_replay(game, made_up_samples(game), ReplayConfig(merge=False), 0)
    rows = replay.order(np.arange(batch), np.random.default_rng(0))
    best = {"torch": float("inf"), "own": float("inf")}
    with computing_on(trainer.threads, trainer.network.config):
        for _ in range(rounds):
            for way in best:
                choose(way == "own")
                start = time.perf_counter()
                trainer.measure(replay, rows)
                best[way] = min(best[way], time.perf_counter() - start)
    choose(own=True)
    milliseconds = {f"{way}_ms": round(1e3 * seconds, 1) for way, seconds in best.items()}
    return {"game": name, "network": NETWORKS[name], **milliseconds, "ratio": round(best["torch"] / best["own"], 2)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    found = []
    for name in NETWORKS:
        found.append(measure(name, given.batch, given.rounds))
        print(f"  {found[-1]}", flush=True)
    if given.json:
        given.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
