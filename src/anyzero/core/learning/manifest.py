"""A finished generation: its files, and the manifest with their sizes and hashes, written last.

A manifest also names the seal of the previous one: together they form a chain from the first
generation to the newest.
"""

from dataclasses import dataclass
from pathlib import Path

from anyzero.core.base.files import numbers_in, sync
from anyzero.core.base.nouns import NamedValues, Values
from anyzero.core.base.sealed import (
    SEAL,
    DamagedError,
    check_file,
    describe_file,
    read_object,
    read_sealed,
    write_sealed,
)

FORM = "anyzero generation 1"
MANIFEST = "manifest.json"
NETWORK = "network.safetensors"
TRAINER = "trainer.safetensors"
REPORT = "report.json"
GENERATIONS = "generations"
CHAMPION = "champion.safetensors"


@dataclass(frozen=True)
class Generation:
    """A generation as described by its manifest; it never changes again."""

    path: Path
    facts: NamedValues  # the whole manifest
    number: int
    champion: int  # the generation with the best network so far; this one, if it was promoted
    previous: int | None  # the champion before that
    promoted: bool
    seal: str

    def read_report(self) -> Values:
        self.check(REPORT)
        return read_object(self.path / REPORT)

    def check(self, *names: str) -> None:
        """DamagedError unless these files, or all, have the sizes and hashes in the manifest."""
        files = self.facts["files"]
        for name in names or files:
            if name not in files:
                raise DamagedError(f"its manifest names no {name}")
            check_file(self.path / name, files[name])


def write_manifest(folder: Path, number: int, facts: NamedValues) -> None:
    """Describe all files of a folder; they reach the disk before the manifest."""
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
        """The finished generations, ascending; whether they are intact is not checked."""
        return numbers_in(self.path / GENERATIONS, r"([0-9]{4,})")

    def generation_path(self, number: int) -> Path:
        return self.path / GENERATIONS / f"{number:04d}"

    def generation(self, number: int) -> Generation:
        """A generation by its manifest; its files are not checked."""
        place = self.generation_path(number)
        facts = read_sealed(place / MANIFEST, FORM)
        if facts["generation"] != number:
            raise DamagedError(f"its manifest is that of generation {facts['generation']}")
        return Generation(
            place,
            facts,
            number,
            *(facts[name] for name in ("champion", "previous", "promoted", SEAL)),
        )

    def network(self, number: int) -> Path:
        """A file with the network of a generation; DamagedError if there is none."""
        try:
            generation = self.generation(number)
            places = generation.path / NETWORK, self.path / CHAMPION
            return first_whole(places, generation.facts["files"].get(NETWORK))
        except DamagedError as error:
            words = f"the network of generation {number} of {self.path} cannot be used: {error}"
            raise DamagedError(words) from None

    def champion_file(self) -> Path:
        """A file with the champion's network, as named by the newest generation; the copy if there
        is no generation.
        """
        numbers = self.numbers()
        copy = self.path / CHAMPION
        if not numbers:
            return copy
        try:
            newest = self.generation(numbers[-1])
            described = newest.facts.get("champion_network")
            described = described or self.generation(newest.champion).facts["files"].get(NETWORK)
            return first_whole((copy, self.generation_path(newest.champion) / NETWORK), described)
        except DamagedError as error:
            advice = "anyzero train sets it aside and resumes from the previous generation"
            raise DamagedError(
                f"{self.path}: generation {numbers[-1]} cannot be used: {error}; {advice}"
            ) from None


def first_whole(paths: tuple[Path, Path], described: object) -> Path:
    """The first of two files if it is intact, else the second; raises the first one's fault if
    neither is.
    """
    faults = []
    for path in paths:
        try:
            check_file(path, described)
            return path
        except DamagedError as error:
            faults.append(error)
    raise faults[0]
