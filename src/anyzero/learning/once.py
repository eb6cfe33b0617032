"""What a run makes once and then reads: each stage's result with the hashes of the files that it made.

What is not as it was written is said, removed and made again; on the CPU it comes out the same.
"""

import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from anyzero.files import put_aside, write_whole
from anyzero.learning.folder import RunFolder
from anyzero.sealed import DamagedError, check_file, describe_file, read_sealed, write_sealed

STAGE, ANCHORS = "anyzero stage 1", "anyzero anchors 1"
ANCHORS_FILE = "anchors.json"

Result = dict[str, Any]
Points = list[list[float]]


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    write_whole(path, (json.dumps(content, indent=1) + "\n").encode())


def block_name(block: int) -> str:
    """The stage that plays a block."""
    return f"block-{block:03d}"


def once(folder: RunFolder, part: Path, name: str, make: Callable[[], Result], files: Sequence[Path] = ()) -> Result:
    """A stage: its result is read if it and the files that it made are whole, else made and written."""
    path = part / f"{name}.json"
    stage = {"stage": f"{part.name}/{name}", "settings": folder.settings}
    found = None
    if path.exists():
        try:
            found = read_stage(path, stage)
        except DamagedError as error:
            folder.note(f"{part}: {error}; that stage is done again")
            path.unlink()
    if found is None:
        start = time.monotonic()
        result = make()
        result = {**result, "seconds": result.get("seconds", time.monotonic() - start)}
        made = {os.path.relpath(file, part): describe_file(file) for file in files}
        found = write_sealed(path, STAGE, {**stage, "result": result, "files": made})
    return json.loads(json.dumps(found["result"]))  # type: ignore[no-any-return]  # lists for tuples, as if it was read


def read_stage(path: Path, stage: Mapping[str, str]) -> Result:
    """What a finished stage wrote; DamagedError unless that and the files that it made are as they were."""
    found = read_sealed(path, STAGE)
    if not stage.items() <= found.items():
        raise DamagedError(f"{path.name} is of another stage or run")
    for name, wanted in found["files"].items():
        check_file(path.parent / name, wanted, path.name)
    return found


def read_seconds(part: Path) -> float:
    """What the finished stages of a generation under way took."""
    total = 0.0
    for path in part.glob("*.json"):
        with suppress(DamagedError):
            total += read_sealed(path, STAGE)["result"]["seconds"]
    return total


def anchor_points(folder: RunFolder, make: Callable[[], Points]) -> Points:
    """What the anchors scored against each other."""
    config, path = folder.config.league, folder.path / ANCHORS_FILE
    played = {"anchors": list(config.anchors), "games": config.games, "seed": folder.config.seed}
    if path.exists():
        try:
            found = read_sealed(path, ANCHORS)
            if played.items() <= found.items():
                return found["points"]  # type: ignore[no-any-return]
            raise DamagedError(f"{path.name} is of another run")
        except DamagedError as error:
            folder.note(f"{folder.path}: {error}; it was put aside, and the anchors play again")
            put_aside(path)
    return write_sealed(path, ANCHORS, {**played, "points": make()})["points"]  # type: ignore[no-any-return]
