"""The samples that a run trains on: those of the newest generations, on disk and in memory."""

from contextlib import suppress

import numpy as np

from anyzero.core.base.files import put_aside, writing
from anyzero.core.base.sealed import DamagedError
from anyzero.core.game.game import Game
from anyzero.core.learning.folder import SAMPLES, RunFolder
from anyzero.core.learning.samples import (
    BadShardError,
    Samples,
    join,
    load_shard,
    new_samples,
    save_shard,
    take,
)


class Window:
    """Samples are written as they come, if the run keeps samples; else when training stops."""

    def __init__(self, folder: RunFolder, game: Game) -> None:
        self.folder = folder
        self.config = folder.config
        self.game = game
        self.samples: Samples | None = None  # those in memory, whole generations
        self.oldest = 0  # the first generation whose samples are kept

    def keep(self, number: int, block: int, samples: Samples) -> None:
        """Write the samples of a block, or remember them."""
        path = self.folder.samples_path(number, block)
        if self.config.keep_samples:
            save_shard(path, self.game, samples)
            return
        if self.samples is None:
            self.newest(number - 1)  # left by the previous process
        path.unlink(missing_ok=True)  # of games that these replace
        self.samples = samples if self.samples is None else join([self.samples, samples])

    def newest(self, number: int) -> Samples:
        """The newest samples, including those of this generation."""
        parts: list[Samples] = [] if self.samples is None else [self.samples]
        last = self.last_generation
        for name in self.missing(last + 1, number):
            self.folder.note(f"{self.folder.path}: {name} is gone; training continues without it")
        for block in self.folder.blocks():
            if last < block.generation <= number:
                try:
                    parts.append(load_shard(block.path, self.game))
                except BadShardError as error:
                    self.folder.note(f"samples were set aside: {error}")
                    put_aside(block.path)
        joined = join(parts) if parts else new_samples(self.game, 0)
        window = take(joined, slice(max(0, joined.num - self.config.replay.window), None))
        if window.num:
            self.oldest = int(window.generations[0])
            # Whole generations, as a resumed run finds them.
            first = int(np.searchsorted(joined.generations, self.oldest))
            joined = take(joined, slice(first, None))
        self.samples = joined
        return window

    @property
    def last_generation(self) -> int:
        """The newest generation in memory; -1 if there is none."""
        if self.samples is None or self.samples.num == 0:
            return -1
        return int(self.samples.generations[-1])

    def missing(self, first: int, end: int) -> list[str]:
        """Missing shards of these generations that training before `end` still needed."""
        folder = self.folder
        names: list[str] = []
        with suppress(DamagedError):  # damage was noted where the file was read
            report = folder.generation(end - 1).read_report()
            for number in range(max(first, (report.get("replay") or {}).get("oldest", end)), end):
                names += folder.generation(number).facts.get("blocks", {})
        return [
            name for name in names if name.startswith(SAMPLES) and not (folder.path / name).exists()
        ]

    def prune(self, first_needed: int) -> None:
        """Drop the shards of generations before this one; their games stay."""
        with writing(self.folder.path / SAMPLES):
            for block in self.folder.blocks():
                if block.generation < first_needed:
                    block.path.unlink()

    def has(self, number: int) -> bool:
        """Whether a generation's samples are in memory or on disk."""
        return self.folder.samples_path(number, 0).exists() or self.last_generation == number

    def save(self) -> None:
        """Write samples that are only in memory, so that the run can resume with them."""
        if self.config.keep_samples or self.samples is None:
            return
        for number in np.unique(self.samples.generations).tolist():
            path = self.folder.samples_path(number, 0)
            if not path.exists():
                rows = self.samples.generations == number
                save_shard(path, self.game, take(self.samples, rows))
