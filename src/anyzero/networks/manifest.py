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

    @property
    def number(self) -> int:
        return int(self.facts["generation"])

    @property
    def champion(self) -> int:
        """The generation whose network is the best so far; this one, if it was promoted."""
        return int(self.facts["champion"])

    @property
    def previous(self) -> int | None:
        """The champion before that one."""
        found = self.facts["previous"]
        return None if found is None else int(found)

    @property
    def promoted(self) -> bool:
        return bool(self.facts["promoted"])

    @property
    def network(self) -> Path:
        return self.path / NETWORK

    @property
    def trainer(self) -> Path:
        return self.path / TRAINER

    @property
    def seal(self) -> str:
        return str(self.facts[SEAL])

    def read_report(self) -> dict[str, Any]:
        self.check(REPORT)
        return read_object(self.path / REPORT)

    def check(self, name: str, path: Path | None = None) -> None:
        """DamagedError unless the file, or another in its place, has the size and the hash of the manifest."""
        if name not in self.facts["files"]:
            raise DamagedError(f"its manifest names no {name}")
        check_file(path or self.path / name, self.facts["files"][name])

    def drop_big_files(self, *, keep_network: bool) -> None:
        kept = {MANIFEST, REPORT, *([NETWORK] if keep_network else [])}
        for path in self.path.iterdir():
            if path.name not in kept:
                path.unlink()


def write_manifest(folder: Path, number: int, facts: Mapping[str, Any]) -> None:
    """Describe all files of a folder; they are on the disk before the manifest is."""
    wanted = {name: facts[name] for name in ("champion", "previous", "promoted")}
    names = sorted(path.name for path in folder.iterdir() if path.name != MANIFEST)
    for name in names:
        sync(folder / name)
    files = {name: describe_file(folder / name) for name in names}
    write_sealed(folder / MANIFEST, FORM, {"generation": number, **wanted, **facts, "files": files})


def read_manifest(folder: Path) -> Generation:
    """The generation in a folder; its files are not looked at."""
    facts = read_sealed(folder / MANIFEST, FORM)
    if facts["generation"] != int(folder.name):
        raise DamagedError(f"its manifest is that of generation {facts['generation']}")
    return Generation(folder, facts)


def read_whole(folder: Path) -> Generation:
    """The generation in a folder, if all of it is there and undamaged."""
    generation = read_manifest(folder)
    for name in generation.facts["files"]:
        generation.check(name)
    return generation


# --- the generations of a run


def generation_numbers(run: Path) -> list[int]:
    """The finished generations, rising; whether they are whole is not looked at."""
    return numbers_in(run / GENERATIONS, r"([0-9]{4,})")


def generation_path(run: Path, number: int) -> Path:
    return run / GENERATIONS / f"{number:04d}"


def network_file(run: Path, number: int) -> Path:
    """The file with the network of a generation, or with the same bytes; DamagedError if there is none."""
    try:
        generation = read_manifest(generation_path(run, number))
        return first_whole((generation.network, run / CHAMPION), generation.facts["files"].get(NETWORK))
    except DamagedError as error:
        raise DamagedError(f"the network of generation {number} of {run} cannot be used: {error}") from None


def champion_file(run: Path) -> Path:
    """The file with the champion's network, as the newest generation names it; the copy of a run without any."""
    numbers = generation_numbers(run)
    if not numbers:
        return run / CHAMPION
    try:
        newest = read_manifest(generation_path(run, numbers[-1]))
        place = generation_path(run, newest.champion)
        wanted = newest.facts.get("champion_network") or read_manifest(place).facts["files"].get(NETWORK)
        return first_whole((run / CHAMPION, place / NETWORK), wanted)
    except DamagedError as error:
        advice = "anyzero train puts it aside and goes on from the generation before"
        raise DamagedError(f"{run}: generation {numbers[-1]} cannot be used: {error}; {advice}") from None


def first_whole(paths: tuple[Path, Path], wanted: object) -> Path:
    """The first of two files if it is as it was written down, else the second; the fault of the first if neither is."""
    try:
        check_file(paths[0], wanted)
    except DamagedError as error:
        try:
            check_file(paths[1], wanted)
        except DamagedError:
            raise error from None
        return paths[1]
    return paths[0]
