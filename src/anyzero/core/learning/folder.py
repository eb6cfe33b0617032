"""A run is a folder, and the folder is the only state. It survives a kill at any instant.

    config.toml                     everything resolved, with the seed
    seal.json                       the same settings, sealed: later edits are noticed
    games/0007-002.jsonl            finished games of a block
    samples/0007-002.safetensors    their samples
    generations/0007/               network, trainer, report and, written last, the manifest with
    the hash of each generations/0008.part/          the generation in progress: files of its
    finished stages champion.safetensors            a copy of the champion's network now.txt
    during training: what is running, in words

A generation counts once its folder has its final name; then it never changes, except that pruning
drops big files.
"""

import contextlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from anyzero.core.base.errors import AnyzeroError, BadOptionError, text_of, unknown_name
from anyzero.core.base.files import (
    file_state,
    numbers_in,
    put_aside,
    sync,
    take_lock,
    write_whole,
    writing,
)
from anyzero.core.base.nouns import NamedValues, Values
from anyzero.core.base.sealed import DamagedError, describe_file, read_sealed
from anyzero.core.learning import manifest
from anyzero.core.learning.config import RunConfig
from anyzero.core.learning.manifest import GENERATIONS, NETWORK, REPORT, Generation, Generations
from anyzero.core.learning.run_seal import (
    CONFIG,
    SEAL_FILE,
    open_config,
    settings_hash,
    write_settings,
)

END = "anyzero end 1"
END_FILE = "end.json"
LOCK = ".lock"
GAMES = "games"
SAMPLES = "samples"
NOW = "now.txt"
TEMPORARY = re.compile(r"\..+\.[0-9]+")  # what `write_whole` leaves when it is killed


class BlockFile(NamedTuple):
    """A block of games played in parallel: its shard of samples, or its file of games."""

    generation: int
    number: int
    path: Path


class OtherRunError(BadOptionError):
    """An existing run was started with another game or other settings than those given."""


class RunFolder(Generations):
    """The folder of one run. Anyone may read; writing is allowed only within `locked`."""

    def __init__(self, path: Path | str) -> None:
        super().__init__(path)
        self.config: RunConfig
        self.notes: list[str] = []  # problems found and skipped, in words
        self.is_locked = False
        self.pruned: set[int] = set()  # generations with nothing left to drop
        self.read: dict[int, tuple[object, Values]] = {}  # reports, with the state of their files

    @classmethod
    def create(cls, path: Path | str, config: RunConfig) -> "RunFolder":
        """Create a run in a folder that is empty or does not exist yet."""
        folder = cls(path)
        folder.check_is_free()
        with writing(folder.path):
            for name in (GENERATIONS, GAMES, SAMPLES):
                (folder.path / name).mkdir(parents=True, exist_ok=True)
            sync(folder.path.parent)
        with folder.locked():
            folder.check_is_free()
            folder.write_config(config)
        return folder

    @classmethod
    def open(cls, path: Path | str) -> "RunFolder":
        folder = cls(path)
        if not is_run(folder.path):
            raise AnyzeroError(f"{path} is not a run: it has no {CONFIG}")
        folder.config, note = open_config(folder.path)
        folder.note(note)
        return folder

    def note(self, words: str) -> None:
        """Note something once; empty words are ignored."""
        if words and words not in self.notes:
            self.notes.append(words)

    def check_is_free(self) -> None:
        """Raise an error unless a new run may start here."""
        if is_run(self.path):
            raise AnyzeroError(f"{self.path} is a run already")
        if self.path.exists() and not self.path.is_dir():
            raise AnyzeroError(f"{self.path} is not a folder")
        our_files = {GENERATIONS, GAMES, SAMPLES, LOCK, SEAL_FILE}
        others = [path.name for path in self.path.iterdir()] if self.path.exists() else []
        if any(name not in our_files and not TEMPORARY.fullmatch(name) for name in others):
            raise AnyzeroError(f"{self.path} is not empty and not a run; nothing was changed")

    def write_config(self, config: RunConfig) -> None:
        write_settings(self.path, config)
        self.config = config

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Be the only process that writes here; the operating system releases the lock of a killed
        process.
        """
        with writing(self.path):
            number = os.open(self.path / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            take_lock(number, self.path, "is being trained by another process")
            self.is_locked = True
            parts = map(self.part_path, self.part_numbers())
            for folder in (self.path, self.path / GAMES, self.path / SAMPLES, *parts):
                for path in folder.glob(".*"):  # half-written files of killed processes
                    if TEMPORARY.fullmatch(path.name):
                        path.unlink(missing_ok=True)
            yield
        finally:
            self.is_locked = False
            os.close(number)

    # --- generations

    def part_numbers(self) -> list[int]:
        return numbers_in(self.path / GENERATIONS, r"([0-9]{4,})\.part")

    def newest(self) -> Generation | None:
        """The newest intact generation; `notes` names those skipped, which are moved aside if
        locked.

        None if there is no generation.
        """
        wrong: dict[int, str] = {}
        for number in reversed(self.numbers()):
            try:
                generation = self.generation(number)
                generation.check()
            except DamagedError as error:
                wrong[number] = str(error)
                continue
            self.pass_over(wrong, generation)
            return generation
        if wrong:
            number, reason = next(iter(wrong.items()))
            words = (
                f"no generation of {self.path} is intact, not even the newest ({number}: {reason})"
            )
            raise AnyzeroError(f"{words}; nothing was changed")
        return None

    def pass_over(self, wrong: Mapping[int, str], newest: Generation) -> None:
        """Move aside what is newer than the newest intact generation: damaged ones, and parts and
        blocks after them.
        """
        for number, reason in wrong.items():
            self.note(f"generation {number} of {self.path} was skipped: {reason}")
        for words in self.chain_faults(newest):
            self.note(words)
        if not self.is_locked:
            return
        last = (
            newest.number + 1 + (0 if wrong else self.config.selfplay.lag)
        )  # a cluster may have played ahead
        with writing(self.path):
            for number in wrong:
                put_aside(self.generation_path(number))
            for number in self.part_numbers():
                if number > last:
                    put_aside(self.part_path(number))
            for block in (*self.blocks(SAMPLES), *self.blocks(GAMES)):
                if block.generation > last:
                    put_aside(block.path)
        self.copy_champion()
        self.prune(newest)

    def chain_faults(self, newest: Generation) -> Iterator[str]:
        """Faults in the chain of generations up to this one, each made from the one before."""
        after: Generation | None = None
        for number in range(newest.number, min(self.numbers()) - 1, -1):
            try:
                generation = self.generation(number)
            except DamagedError as error:
                after = None
                yield (
                    f"generation {number} of {self.path} is damaged: {error}; its "
                    "measurements are left out"
                )
                continue
            if after is not None and after.facts.get("before") not in (None, generation.seal):
                yield (
                    f"generation {number} of {self.path} is not the one that generation "
                    f"{number + 1} was made from"
                )
            after = generation

    def part_path(self, number: int) -> Path:
        return self.path / GENERATIONS / f"{number:04d}.part"

    def part(self, number: int) -> Path:
        if self.generation_path(number).exists():
            raise AnyzeroError(f"generation {number} of {self.path} is finished already")
        path = self.part_path(number)
        if not path.is_dir():
            with writing(path):
                path.mkdir()
                sync(path.parent)
        return path

    def commit(self, number: int, facts: NamedValues) -> Generation:
        """Finish a generation: from here on it counts. `facts`: champion, previous (or None),
        promoted, and any others.

        All files of its part belong to it; a network and a report are required.
        """
        part = self.part(number)
        final = self.generation_path(number)
        for name in (NETWORK, REPORT):
            if not (part / name).is_file():
                raise AnyzeroError(
                    f"generation {number} of {self.path} cannot be finished without {name}"
                )
        champion = facts["champion"]
        numbers = (number, *self.numbers())
        is_known = champion in numbers and facts["previous"] in (None, *numbers)
        if not is_known or facts["promoted"] != (champion == number):
            raise AnyzeroError(
                f"generation {number} of {self.path} cannot have the champion {champion}"
            )
        with writing(final):
            manifest.write_manifest(part, number, {**facts, **self.links(part, number, champion)})
            part.rename(final)
            sync(final.parent)
        generation = self.generation(number)
        self.copy_champion()
        self.prune(generation)
        return generation

    def links(self, part: Path, number: int, champion: int) -> Values:
        """What a manifest records of the rest of the run: settings, previous generation, champion,
        and its games.
        """
        before = number - 1 if number - 1 in self.numbers() else None
        network = part / NETWORK if champion == number else self.network(champion)
        blocks = [
            block.path
            for kind in (GAMES, SAMPLES)
            for block in self.blocks(kind)
            if block.generation == number
        ]
        return {
            "settings": settings_hash(self.path),
            "before": None if before is None else self.generation(before).seal,
            "champion_network": describe_file(network),
            "blocks": {str(path.relative_to(self.path)): describe_file(path) for path in blocks},
        }

    def copy_champion(self) -> None:
        """Make sure that players find the champion's network."""
        source = self.champion_file()
        copy = self.path / manifest.CHAMPION
        if source != copy:
            write_whole(copy, source.read_bytes())

    def prune(self, newest: Generation) -> None:
        """Drop the big files of old generations: networks that were not promoted, and trainers;
        reports stay.
        """
        numbers = self.numbers()
        whole = set(numbers[-self.config.keep :])
        selfplay = self.config.selfplay
        late = (
            set(numbers[-selfplay.recent - selfplay.lag :]) if selfplay.recent_share > 0 else set()
        )
        for number in sorted(set(numbers) - whole - self.pruned):
            with contextlib.suppress(DamagedError), writing(self.path):
                promoted = self.generation(number).promoted
                is_kept = promoted or number in late | {newest.champion, newest.previous}
                kept = {manifest.MANIFEST, REPORT, *([NETWORK] if is_kept else [])}
                for path in self.generation_path(number).iterdir():
                    if path.name not in kept:
                        path.unlink()
                self.pruned |= {number} if promoted or not is_kept else set()

    def reports(self) -> list[Values]:
        """The reports of all finished generations, in order; `notes` names damaged ones, which are
        left out.

        A report is read again only if its files have changed: training reads all of them often.
        """
        reports = []
        for number in self.numbers():
            path = self.generation_path(number)
            state = [file_state(path / name) for name in (manifest.MANIFEST, REPORT)]
            try:
                if number not in self.read or self.read[number][0] != state:
                    self.read[number] = state, self.generation(number).read_report()
                reports.append(self.read[number][1])
            except DamagedError as error:
                self.note(
                    f"generation {number} of {self.path} is damaged: {error}; its "
                    "measurements are left out"
                )
        measured = {stop["generation"]: stop["measured"] for stop in self.stops()}
        return [report | measured.get(report["generation"], {}) for report in reports]

    def stops(self) -> list[Values]:
        """The measurements from each time training stopped, the last one last; none if the file is
        damaged.
        """
        with contextlib.suppress(DamagedError):
            end = read_sealed(self.path / END_FILE, END)
            return [*end.get("earlier", ()), end]
        return []

    # --- blocks of games and their samples

    def games_path(self, generation: int, block: int) -> Path:
        return self.path / GAMES / f"{generation:04d}-{block:03d}.jsonl"

    def samples_path(self, generation: int, block: int) -> Path:
        return self.path / SAMPLES / f"{generation:04d}-{block:03d}.safetensors"

    def blocks(self, kind: str = SAMPLES) -> list[BlockFile]:
        paths = (self.path / kind).glob("*.safetensors" if kind == SAMPLES else "*.jsonl")
        named = [(re.fullmatch(r"([0-9]{4,})-([0-9]{3,})", path.stem), path) for path in paths]
        return sorted(
            BlockFile(int(match[1]), int(match[2]), path) for match, path in named if match
        )


def is_run(path: Path) -> bool:
    return (path / CONFIG).is_file()


def list_runs(root: Path | str = "runs") -> list[Path]:
    root = Path(root)
    return sorted(path for path in root.iterdir() if is_run(path)) if root.is_dir() else []


def run_path(text: str, root: Path | str = "runs") -> Path:
    """The path of a run of this name; text with a separator is a path."""
    text = text_of("the run", text)
    if "/" in text or os.sep in text:
        return Path(text)
    if not text or text.startswith(".") or not text.isprintable() or len(text.encode()) > 200:
        raise AnyzeroError(
            f"a run cannot be called {text!r}; names are words like hex7, without a dot at "
            "the start"
        )
    return Path(root) / text


def find_run(text: str, root: Path | str = "runs") -> Path:
    """The folder of a run, by path or by name under `root`; the error for an unknown name suggests
    the nearest.
    """
    text = text_of("the run", text)
    named = text not in ("", ".", "..") and "/" not in text and os.sep not in text
    for path in (Path(root) / text, Path(text)) if named else (Path(text),):
        with contextlib.suppress(OSError, ValueError):
            if is_run(path):
                return path
    raise unknown_name(
        "run", text, [path.name for path in list_runs(root)], none=f"there are none in {root}"
    )


def read_games(path: Path) -> list[Values]:
    """The games of a block, as plain values."""
    try:
        games = [json.loads(line) for line in path.read_text().splitlines()]
    except (OSError, ValueError) as error:
        raise AnyzeroError(f"the games in {path} cannot be read: {error}") from None
    fields = {"names", "start", "actions", "payoffs", "end"}
    if not all(isinstance(line, dict) and line.keys() >= fields for line in games):
        raise AnyzeroError(f"the games in {path} cannot be read: a line is not a game")
    return games
