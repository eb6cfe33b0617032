"""Whether two versions of anyzero train alike: seeded runs of three generations, file by file.

    python benchmarks/same_bytes.py OLD/src NEW/src [--runs connect_four oware] [--keep FOLDER]

Each version plays and trains in its own process, on one thread. A third run of each kind is begun
with the old version and continued with the new one: sealed settings and files must still be read.
Compared are the SHA-256 of every network, trainer, shard of samples and file of games, and reports
without their times. Not compared: config.toml, seal.json and manifests, which name settings.
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

GENERATIONS = 3
SMALL = {
    "seed": 1,
    "threads": 1,
    "keep": GENERATIONS,
    "network.kind": "mlp",
    "network.layers": 2,
    "network.width": 32,
    "trainer.batch_size": 64,
    "league.every": 3,
    "league.games": 4,
    "league.anchors": ["random", "uct:20"],
    "gate.games": 4,
}
RUNS = {
    "connect_four": {
        **SMALL,
        "selfplay.simulations": 16,
        "selfplay.games": 24,
        "selfplay.at_once": 12,
        "selfplay.surprise": 0.5,
        "trainer.average": 0.9,
    },
    "take_it_easy": {
        **SMALL,
        "selfplay.method": "expectimax",
        "selfplay.games": 6,
        "selfplay.at_once": 6,
        "selfplay.draws": 3,
        "selfplay.value_trace": 0.5,
        "selfplay.temperature": 0.05,
        "benchmark.deals": 6,
    },
    "oware": {
        **SMALL,
        "selfplay.method": "puct",
        "selfplay.simulations": 12,
        "selfplay.games": 24,
        "selfplay.at_once": 12,
        "selfplay.max_plies": 60,
        "selfplay.two_champions": True,
        "selfplay.recent_share": 0.2,
        "selfplay.resign_below": -0.2,
        "selfplay.resign_checked": 0.3,
        "selfplay.resign_errors": 0.3,
        "selfplay.noise_concentration": 1.0,
        "selfplay.final": "value+log visits",
        "selfplay.move_value": True,
        "gate.threshold": 0.4,
    },
}
TIMES = ("seconds", "busy_seconds", "simulations_per_second", "samples_per_second")
PROGRAM = """
import json, sys
import anyzero
game, run, generations, changes = json.loads(sys.argv[1])
anyzero.train(game, run=run, generations=generations, changes=changes, progress=False)
"""


def train(source: Path, game: str, run: Path, generations: int) -> None:
    """Begin a run, or continue it, with the version in this source folder."""
    changes = {**RUNS[game], "trainer.horizon": GENERATIONS}
    arguments = json.dumps([game, str(run), generations, changes])
    environment = {**os.environ, "PYTHONPATH": str(source)}
    command = [sys.executable, "-c", PROGRAM, arguments]
    subprocess.run(command, env=environment, cwd=run.parent, check=True)


def without_times(value: object) -> object:
    if isinstance(value, dict):
        return {key: without_times(part) for key, part in value.items() if key not in TIMES}
    return [without_times(part) for part in value] if isinstance(value, list) else value


def contents(run: Path) -> dict[str, str]:
    """The hash of each compared file, by its place in the run."""
    hashes = {}
    for path in sorted(run.rglob("*")):
        content = b""
        if path.suffix == ".safetensors" or path.parent.name == "games":
            content = path.read_bytes()
        elif path.name == "report.json":
            content = json.dumps(without_times(json.loads(path.read_text()))).encode()
        if content:
            hashes[str(path.relative_to(run))] = hashlib.sha256(content).hexdigest()
    return hashes


def differences(old: Path, new: Path) -> list[str]:
    """The files that differ or that only one run has."""
    before = contents(old)
    after = contents(new)
    return [name for name in sorted({*before, *after}) if before.get(name) != after.get(name)]


def compare(old: Path, new: Path, game: str, folder: Path) -> bool:
    """Train with the old version, the new one, and both in turn."""
    places = {kind: folder / f"{game}-{kind}" for kind in ("old", "new", "both")}
    if not places["old"].exists():
        train(old, game, places["old"], GENERATIONS)
    for kind in ("new", "both"):
        shutil.rmtree(places[kind], ignore_errors=True)
    train(new, game, places["new"], GENERATIONS)
    train(old, game, places["both"], 1)
    train(new, game, places["both"], GENERATIONS)
    is_equal = True
    for kind in ("new", "both"):
        wrong = differences(places["old"], places[kind])
        is_equal &= not wrong
        files = len(contents(places["old"]))
        print(f"{game}, {kind}: {files} files, {len(wrong)} differ", *wrong, sep="\n    ")
    return is_equal


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--runs", nargs="+", choices=RUNS, default=list(RUNS))
    parser.add_argument("--keep", type=Path, help="where runs stay; old ones there are used again")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = (options.keep or Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        same = [
            compare(options.old.resolve(), options.new.resolve(), game, folder)
            for game in options.runs
        ]
    sys.exit(0 if all(same) else 1)


if __name__ == "__main__":
    main()
