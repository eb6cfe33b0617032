"""Stages that run once and are then read: each result with the hashes of the files it made.

Anything damaged is reported, removed and made again; on the CPU the result is identical.
"""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from anyzero.core.base.files import put_aside
from anyzero.core.base.nouns import Values
from anyzero.core.base.sealed import (
    DamagedError,
    check_file,
    describe_file,
    read_sealed,
    write_sealed,
)
from anyzero.core.compile.clock import clock
from anyzero.core.learning.folder import RunFolder
from anyzero.core.learning.run_seal import settings_hash

STAGE = "anyzero stage 1"
ANCHORS = "anyzero anchors 1"
ANCHORS_FILE = "anchors.json"

Result = Values
Points = list[list[float]]


def block_name(block: int) -> str:
    return f"block-{block:03d}"


def once(
    folder: RunFolder, part: Path, name: str, make: Callable[[], Result], files: Sequence[Path] = ()
) -> Result:
    """Run a stage, or read its result if it and the files it made are intact."""
    path = part / f"{name}.json"
    stage = {"stage": f"{part.name}/{name}", "settings": settings_hash(folder.path)}
    content = None
    if path.exists():
        try:
            content = read_stage(path, stage)
        except DamagedError as error:
            folder.note(f"{part}: {error}; that stage runs again")
            path.unlink()
    if content is None:
        start = clock()
        result = make()
        result = {**result, "seconds": result.get("seconds", clock() - start)}
        file_list = {os.path.relpath(file, part): describe_file(file) for file in files}
        content = write_sealed(path, STAGE, {**stage, "result": result, "files": file_list})
    return json.loads(json.dumps(content["result"]))  # type: ignore[no-any-return]  # lists for tuples, as if it was read


def read_stage(path: Path, stage: Mapping[str, str]) -> Result:
    """The result of a finished stage; DamagedError if it or the files it made have changed."""
    content = read_sealed(path, STAGE)
    if not stage.items() <= content.items():
        raise DamagedError(f"{path.name} belongs to another stage or run")
    for name, description in content["files"].items():
        check_file(path.parent / name, description, path.name)
    return content


def anchor_points(folder: RunFolder, make: Callable[[], Points]) -> Points:
    config = folder.config.league
    path = folder.path / ANCHORS_FILE
    played = {"anchors": list(config.anchors), "games": config.games, "seed": folder.config.seed}
    if path.exists():
        try:
            content = read_sealed(path, ANCHORS)
            if played.items() <= content.items():
                return content["points"]  # type: ignore[no-any-return]
            raise DamagedError(f"{path.name} belongs to another run")
        except DamagedError as error:
            folder.note(f"{folder.path}: {error}; it was set aside, and the anchors play again")
            put_aside(path)
    return write_sealed(path, ANCHORS, {**played, "points": make()})["points"]  # type: ignore[no-any-return]
