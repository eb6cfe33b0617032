"""A finished generation: its files, and the manifest with their sizes and hashes that is written last."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anyzero.errors import AnyzeroError
from anyzero.files import reading, sync, write_whole

FORM = "anyzero generation 1"
MANIFEST, NETWORK, TRAINER, REPORT = "manifest.json", "network.safetensors", "trainer.safetensors", "report.json"


class DamagedError(AnyzeroError):
    """A generation that is not what its manifest says."""


@dataclass(frozen=True)
class Generation:
    """A generation as its manifest describes it; nothing of it changes any more."""

    path: Path
    facts: Mapping[str, Any]
    """The whole manifest."""

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

    def read_report(self) -> dict[str, Any]:
        return read_object(self.path / REPORT)

    def check(self, name: str, path: Path | None = None) -> None:
        """DamagedError unless the file, or another in its place, has the size and the hash of the manifest."""
        path, wanted = path or self.path / name, self.facts["files"].get(name)
        if wanted is None:
            raise DamagedError(f"its manifest names no {name}")
        if not path.is_file():
            raise DamagedError(f"it has no {name}")
        if describe_file(path) != wanted:
            raise DamagedError(f"{name} is not what the manifest says")


def write_manifest(folder: Path, number: int, facts: Mapping[str, Any]) -> None:
    """Describe all files of a folder; they are on the disk before the manifest is."""
    wanted = {name: facts[name] for name in ("champion", "previous", "promoted")}
    names = sorted(path.name for path in folder.iterdir() if path.name != MANIFEST)
    for name in names:
        sync(folder / name)
    files = {name: describe_file(folder / name) for name in names}
    manifest = {"form": FORM, "generation": number, **wanted, **facts, "files": files}
    manifest["seal"] = seal_of(manifest)
    write_whole(folder / MANIFEST, (json.dumps(manifest, indent=1) + "\n").encode())


def read_manifest(folder: Path) -> Generation:
    """The generation in a folder; its files are not looked at."""
    facts = read_object(folder / MANIFEST)
    if facts.get("form") != FORM or facts.get("seal") != seal_of(facts):
        raise DamagedError(f"{MANIFEST} is damaged, or of another version of anyzero")
    if facts["generation"] != int(folder.name):
        raise DamagedError(f"its manifest is that of generation {facts['generation']}")
    return Generation(folder, facts)


def read_whole(folder: Path) -> Generation:
    """The generation in a folder, if all of it is there and undamaged."""
    generation = read_manifest(folder)
    for name in generation.facts["files"]:
        generation.check(name)
    return generation


def read_object(path: Path) -> dict[str, Any]:
    """The JSON object in a file."""
    if not path.is_file():
        raise DamagedError(f"it has no {path.name}")
    try:
        with reading(path):
            found = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise DamagedError(f"{path.name} is damaged")
    return found


def describe_file(path: Path) -> dict[str, Any]:
    """Its size and hash."""
    with reading(path), path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
        return {"size": file.tell(), "sha256": found}


def seal_of(manifest: Mapping[str, Any]) -> str:
    """The hash of everything that a manifest says, so that a changed number is noticed too."""
    rest = {name: value for name, value in manifest.items() if name != "seal"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()
