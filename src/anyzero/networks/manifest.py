"""A finished generation: its files, and the manifest with their sizes and hashes that is written last.

A manifest also names the seal of the one before it: together they are a chain from the first generation to the newest.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anyzero.files import numbers_in, sync
from anyzero.sealed import SEAL, DamagedError, check_file, describe_file, read_object, read_sealed, write_sealed

FORM = "anyzero generation 1"
MANIFEST, NETWORK, TRAINER, REPORT = "manifest.json", "network.safetensors", "trainer.safetensors", "report.json"
GENERATIONS, CHAMPION = "generations", "champion.safetensors"


@dataclass(frozen=True)
class Generation:
    """A generation as its manifest describes it; nothing of it changes any more."""

    path: Path
    facts: Mapping[str, Any]  # the whole manifest
    number: int
    champion: int  # the generation whose network is the best so far; this one, if it was promoted
    previous: int | None  # the champion before that one
    promoted: bool
    seal: str

    def read_report(self) -> dict[str, Any]:
        self.check(REPORT)
        return read_object(self.path / REPORT)

    def check(self, *names: str) -> None:
        """DamagedError unless these files, or all of them, have the sizes and the hashes of the manifest."""
        files = self.facts["files"]
        for name in names or files:
            if name not in files:
                raise DamagedError(f"its manifest names no {name}")
            check_file(self.path / name, files[name])


def write_manifest(folder: Path, number: int, facts: Mapping[str, Any]) -> None:
    """Describe all files of a folder; they are on the disk before the manifest is."""
    names = sorted(path.name for path in folder.iterdir() if path.name != MANIFEST)
    for name in names:
        sync(folder / name)
    files = {name: describe_file(folder / name) for name in names}
    write_sealed(folder / MANIFEST, FORM, {"generation": number, **facts, "files": files})


class Generations:
    """The generations of the run in a folder."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)

    def numbers(self) -> list[int]:
        """The finished generations, rising; whether they are whole is not looked at."""
        return numbers_in(self.path / GENERATIONS, r"([0-9]{4,})")

    def generation_path(self, number: int) -> Path:
        return self.path / GENERATIONS / f"{number:04d}"

    def generation(self, number: int) -> Generation:
        """A generation by its manifest; its files are not looked at."""
        place = self.generation_path(number)
        facts = read_sealed(place / MANIFEST, FORM)
        if facts["generation"] != number:
            raise DamagedError(f"its manifest is that of generation {facts['generation']}")
        return Generation(place, facts, number, *(facts[name] for name in ("champion", "previous", "promoted", SEAL)))

    def network(self, number: int) -> Path:
        """The file with the network of a generation, or with the same bytes; DamagedError if there is none."""
        try:
            generation = self.generation(number)
            places = generation.path / NETWORK, self.path / CHAMPION
            return first_whole(places, generation.facts["files"].get(NETWORK))
        except DamagedError as error:
            words = f"the network of generation {number} of {self.path} cannot be used: {error}"
            raise DamagedError(words) from None

    def champion_file(self) -> Path:
        """The file with the champion's network, as the newest generation names it; the copy of a run without any."""
        numbers, copy = self.numbers(), self.path / CHAMPION
        if not numbers:
            return copy
        try:
            newest = self.generation(numbers[-1])
            wanted = newest.facts.get("champion_network")
            wanted = wanted or self.generation(newest.champion).facts["files"].get(NETWORK)
            return first_whole((copy, self.generation_path(newest.champion) / NETWORK), wanted)
        except DamagedError as error:
            advice = "anyzero train sets it aside and resumes from the previous generation"
            raise DamagedError(f"{self.path}: generation {numbers[-1]} cannot be used: {error}; {advice}") from None


def first_whole(paths: tuple[Path, Path], wanted: object) -> Path:
    """The first of two files if it is as it was written down, else the second; the fault of the first if neither is."""
    faults = []
    for path in paths:
        try:
            check_file(path, wanted)
            return path
        except DamagedError as error:
            faults.append(error)
    raise faults[0]
