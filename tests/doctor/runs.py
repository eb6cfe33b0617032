"""Tiny real runs of tic-tac-toe through the training loop, healthy or broken in one way, and cases
made of parts.
"""

import hashlib
import json
from pathlib import Path

import torch

from anyzero.core.game.load import load
from anyzero.core.learning.config import change
from anyzero.core.learning.folder import RunFolder
from anyzero.core.learning.manifest import NETWORK, write_manifest
from anyzero.core.learning.run import Training
from anyzero.core.nets.config import NetworkConfig, resolve
from anyzero.core.nets.models import load_network
from anyzero.core.nets.weights import save_network
from anyzero.tools.doctor.case import Case
from anyzero.tools.lab.opening import fill_in, make_config
from anyzero.tools.presets import preset_config

NIM = str(Path(__file__).parent / "nim.py")
HEALTHY = {
    "network": {"blocks": 2, "channels": 16},
    "selfplay": {"games": 64, "at_once": 64, "simulations": 16, "opening_plies": 2},
    "replay": {"window": 3000},
    "trainer": {"batch_size": 64, "epochs": 20.0, "learning_rate": 3e-3},
    "gate": {"games": 64, "opening_plies": 4},
    "league": {"every": 0},
    "threads": 1,
}


def make_run(path, changes=None, generations=2):
    config = change(make_config("tic_tac_toe", changes=HEALTHY), changes or {})
    folder = RunFolder.create(path, fill_in(config))
    with folder.locked():
        Training(folder).run(generations)
    return folder


def case_of(folder):
    return Case(load(folder.config.game), folder.config, folder)


def load_nim(fault):
    return load(NIM, fault=fault)


def nim_case(fault="none", changes=None):
    """A game that has not been learnt, with a network that learns in no time."""
    game = load_nim(fault)
    config = change(preset_config(None, game.text), {"threads": 1, **(changes or {})})
    network = NetworkConfig(layers=2, width=32)
    return Case(
        game, config.change(network=network if fault == "no encode" else resolve(network, game))
    )


def spoil_network(folder, spoil):
    """Change the weights of the newest network, and let the manifest vouch for them."""
    number = max(folder.numbers())
    path, game = folder.generation_path(number), load(folder.config.game)
    network = load_network(path / NETWORK, game)
    with torch.no_grad():
        spoil(network)
    save_network(path / NETWORK, network, game)
    facts = folder.generation(number).facts
    write_manifest(
        path, number, {key: facts[key] for key in facts if key not in ("files", "seal", "form")}
    )


def fingerprint(path):
    """Every file of a folder with its bytes and its time."""
    files = sorted(file for file in Path(path).rglob("*") if file.is_file())
    return {
        str(file): (hashlib.sha256(file.read_bytes()).hexdigest(), file.stat().st_mtime_ns)
        for file in files
    }


def play_line(actions, payoffs=(1.0, -1.0), end="rules", start=0):
    """A game as the file of games has it."""
    return {
        "names": ["1", "1"],
        "start": start,
        "actions": list(actions),
        "payoffs": list(payoffs),
        "end": end,
    }


def write_lines(path, lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
