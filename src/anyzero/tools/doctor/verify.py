"""Whether the files of runs are still what training wrote, file by file."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anyzero.core.base.errors import AnyzeroError
from anyzero.core.base.nouns import Values
from anyzero.core.base.report import Part, Shown
from anyzero.core.base.sealed import DamagedError, check_file, read_sealed
from anyzero.core.learning.folder import END, END_FILE, SAMPLES, RunFolder, find_run, list_runs
from anyzero.core.learning.manifest import CHAMPION, NETWORK, REPORT, Generation
from anyzero.core.learning.once import ANCHORS, ANCHORS_FILE, read_stage

ADVICE = "anyzero train resumes with what is intact, and redoes what can be redone"


@dataclass(frozen=True, repr=False)
class Verified(Shown):
    faults: Mapping[str, Sequence[str]]  # by the run's folder; empty if all is well

    @property
    def ok(self) -> bool:
        return not any(self.faults.values())

    def report(self) -> Iterator[Part]:
        for run, faults in self.faults.items():
            yield (
                f"{run}: {len(faults)} things have changed since they were written"
                if faults
                else f"{run}: intact"
            )
            yield from (f"  {fault}" for fault in faults)
        if not self.ok:
            yield ADVICE

    def to_json(self) -> Values:
        return {"ok": self.ok, "runs": {run: list(faults) for run, faults in self.faults.items()}}


def verify(*names: str, root: Path | str = "runs") -> Verified:
    """Check training runs by name or folder, or all runs in `root`, file by file.

    >>> anyzero.verify("hex7")
    """
    paths = [find_run(name, root) for name in dict.fromkeys(names)] if names else list_runs(root)
    return Verified({str(path): list(find_faults(path)) for path in paths})


def find_faults(path: Path) -> Iterator[str]:
    try:
        folder = RunFolder.open(path)
    except AnyzeroError as error:
        yield str(error)
        return
    yield from folder.notes
    for place, check, *arguments in checks_of(folder):
        try:
            check(*arguments)
        except DamagedError as error:
            yield f"{place}: {error}"


def checks_of(folder: RunFolder) -> Iterator[Any]:
    """Every file of a run that matters, newest generations first.

    Each is a place, and a function with its arguments that raises DamagedError if the file has
    changed.
    """
    numbers = folder.numbers()
    oldest = 0
    for number in reversed(numbers):
        place = folder.generation_path(number)
        is_newest = number == numbers[-1]
        try:
            generation = folder.generation(number)
        except DamagedError:
            yield place, folder.generation, number
            continue
        if is_newest:
            yield folder.path, check_champion, folder
            yield place, check_chain, folder, generation
            with suppress(DamagedError):
                oldest = (generation.read_report().get("replay") or {}).get("oldest", 0)
        for name in generation.facts["files"]:  # pruning drops the big files of old generations
            is_needed = is_newest or name == REPORT or (name == NETWORK and generation.promoted)
            if is_needed or (place / name).exists():
                yield place, generation.check, name
        for name, described in generation.facts.get(
            "blocks", {}
        ).items():  # samples, while training uses them
            path = folder.path / name
            if path.exists() or not name.startswith(SAMPLES) or number >= oldest:
                yield path.parent, check_file, path, described
    for name, form in ((ANCHORS_FILE, ANCHORS), (END_FILE, END)):
        if (folder.path / name).exists():
            yield folder.path, read_sealed, folder.path / name, form
    for part in map(folder.part_path, folder.part_numbers()):
        for path in sorted(part.glob("*.json")):
            if path.name != REPORT:
                yield part, read_stage, path, {"stage": f"{part.name}/{path.stem}"}


def check_champion(folder: RunFolder) -> None:
    if folder.champion_file() != folder.path / CHAMPION:
        raise DamagedError(f"{CHAMPION} is not what the manifest says")


def check_chain(folder: RunFolder, newest: Generation) -> None:
    if faults := [
        words
        for words in folder.chain_faults(newest)
        if "made from" in words or "no manifest" in words
    ]:
        raise DamagedError("; ".join(faults))
