"""Stages that run once and are then read: each result with the hashes of the files it made; and the
time they take.

Anything damaged is reported, removed and made again; on the CPU the result is identical.
"""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from anyzero.core.base import stopping
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


# --- the time of a run: interruptions do not count

Tell = Callable[[int], None]  # called with what is done of a stage


class OutOfTimeError(Exception):
    """The time is up; the generation in progress stays as it is."""


class Timer:
    def __init__(self, folder: RunFolder, meanwhile: Callable[[], None] = lambda: None) -> None:
        """`meanwhile` is called whenever someone looks at the time."""
        self.folder = folder
        self.meanwhile = meanwhile
        self.started = clock()  # shifted as if the run had never been interrupted
        self.deadline = float("inf")

    def start(self, minutes: float | None = None) -> None:
        """Count on from what the run took so far; `minutes` in total end it."""
        self.started = clock() - self.seconds_so_far()
        if minutes is not None:
            self.deadline = self.started + 60.0 * minutes

    def seconds_so_far(self) -> float:
        """Seconds of the finished generations, and of the finished stages of the current one."""
        total = float(sum(sum(report["seconds"].values()) for report in self.folder.reports()))
        for part in map(self.folder.part_path, self.folder.part_numbers()):
            for path in part.glob("*.json"):
                with suppress(DamagedError):
                    total += read_sealed(path, STAGE)["result"]["seconds"]
        return total

    def passed(self) -> float | None:
        """The share of the run's minutes that has passed; None if none are planned."""
        planned = 60.0 * self.folder.config.minutes
        return (clock() - self.started) / planned if planned else None

    def look(self) -> None:
        """Raise an error if the time is up, or if someone asked to stop."""
        stopping.check()
        self.meanwhile()
        if clock() >= self.deadline:
            raise OutOfTimeError

    def watch(self, tell: Tell, before: int = 0) -> Callable[[int, int], None]:
        """The callback of a block or a trainer; `before` was done already."""

        def look(done: int, _more: int) -> None:
            tell(before + done)
            self.look()

        return look
