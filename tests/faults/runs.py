"""Every file of a run, damaged; then the run goes on, and its champion plays."""

import hashlib
import re
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from unittest.mock import patch

import numpy as np

from anyzero.core.learning.folder import RunFolder
from anyzero.core.learning.generation import Progress
from anyzero.core.learning.once import OutOfTimeError
from anyzero.core.learning.run import Training
from anyzero.tools.doctor.verify import verify
from anyzero.tools.lab.opening import fill_in, make_config
from anyzero.tools.search import search
from tests.faults.damage import DAMAGES
from tests.faults.table import Table, Told

TINY = {
    "network": {"kind": "mlp", "layers": 1, "width": 16},
    "selfplay": {"games": 4, "at_once": 2, "simulations": 2, "opening_plies": 2},
    "trainer": {"batch_size": 16},
    "gate": {"games": 2, "threshold": 0.0},
    "league": {"every": 1, "games": 2, "anchors": ("random", "uct:10")},
    "threads": 1,
}
GENERATIONS = 3
DERIVED = ("training_history.csv", "metrics.jsonl", ".lock")
"""Made from the other files whenever they are needed."""


class Stopper(Progress):
    """Ends the training before the last gate: a generation stays under way, with its samples and
    its network.
    """

    def stage(self, generation, name, total):
        if generation == GENERATIONS and name == "gate":
            raise OutOfTimeError
        return super().stage(generation, name, total)


def make_run(path: Path, seed: int = 0) -> Path:
    """Two whole generations after the first, and one under way."""
    folder = RunFolder.create(
        path, fill_in(make_config("tic_tac_toe", changes={**TINY, "seed": seed}))
    )
    with folder.locked():
        Training(folder).run(1)
        shutil.copytree(path, path.with_name(OLDER))
        Training(folder, Stopper()).run(GENERATIONS, 1e6)
    return path


SWAPS = OLDER, OTHER = "older", "other"
WAYS = (*DAMAGES, *SWAPS)


def make_runs(place: Path) -> Path:
    """A run; beside it what it was two generations before, and one with another seed."""
    make_run(place / OTHER, seed=1)
    shutil.rmtree(place / OLDER)
    return make_run(place / "whole")


def go_on(path: Path) -> dict[str, str]:
    """Finish the generation under way; the hashes of what it comes to. Told as soon as there is a
    note.
    """
    with patch.object(RunFolder, "note", raise_told):
        folder = RunFolder.open(path)
        with folder.locked():
            Training(folder).run(GENERATIONS)
    made = [
        *path.glob(f"generations/{GENERATIONS:04d}/*.safetensors"),
        *path.glob(f"samples/{GENERATIONS:04d}*"),
    ]
    elo = [report["league"]["elo"] for report in folder.reports()]
    return {str(file): hash_of(file) for file in (*made, path / "champion.safetensors")} | {
        "elo": str(elo)
    }


def raise_told(_folder: RunFolder, words: str) -> None:
    if words:
        raise Told(words)


def hash_of(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def play(path: Path) -> list[int]:
    """What the champion thinks of the first move."""
    return search("tic_tac_toe", method=f"gumbel:4@{path}").visits


def is_whole(path: Path) -> bool:
    found = verify(str(path))
    if not found.ok:
        raise Told(found)
    return True


USES = {"verify": is_whole, "plays": play, "goes on": go_on}
"""The last alone changes the folder."""
READ_BY_PLAYERS = (
    "champion.safetensors",
    "generations/N/manifest.json",
    "generations/N/network.safetensors",
)


def kind_of(file: str) -> str:
    """A name for all files of one kind."""
    return re.sub(r"[0-9]{3,4}", "N", file)


def uses_of(kind: str) -> dict[str, Callable[[Path], object]]:
    return {name: use for name, use in USES.items() if name != "plays" or kind in READ_BY_PLAYERS}


def files_by_kind(whole: Path) -> dict[str, list[str]]:
    kinds: dict[str, list[str]] = {}
    for file in sorted(
        file for file in whole.rglob("*") if file.is_file() and file.name not in DERIVED
    ):
        kinds.setdefault(kind_of(str(file.relative_to(whole))), []).append(
            str(file.relative_to(whole))
        )
    return kinds


def run_campaign(whole: Path, place: Path, table: Table, *, tries: int) -> None:
    """Damage each kind of file so many times, the damages in turn, and use the run."""
    work = place / "run"
    expected = {name: use(fresh(whole, work)) for name, use in USES.items()}
    for one in table.turns(range(tries)):
        rng = np.random.default_rng([table.seed, one])
        for number, (kind, files) in enumerate(files_by_kind(whole).items()):
            file = files[rng.integers(len(files))]
            name = WAYS[(number + one) % len(WAYS)]
            fresh(whole, work)
            damage_one(whole, work, file, name, rng)
            for use_name, use in uses_of(kind).items():
                table.judge(
                    f"{kind} {use_name}", partial(use, work), expected[use_name], f"{file} {name}"
                )


def damage_one(whole: Path, work: Path, file: str, name: str, rng: np.random.Generator) -> None:
    """Damage a file so that it is no longer what it was, or put another of its name in its
    place.
    """
    content = (whole / file).read_bytes()
    if name in SWAPS:
        other = whole.with_name(name) / file
        name = "flip"  # where there is none, or it is the same
        shutil.copy(other if other.exists() else whole / file, work / file)
    while (work / file).is_file() and (work / file).read_bytes() == content:
        DAMAGES[name](work / file, rng)


def fresh(whole: Path, work: Path) -> Path:
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(whole, work)
    return work
