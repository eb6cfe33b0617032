"""Runs at a glance: how far each is, how strong, and in which settings they differ."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anyzero.errors import AnyzeroError
from anyzero.learning.config import RunConfig, flatten
from anyzero.learning.folder import GENERATIONS, SAMPLES, RunFolder
from anyzero.learning.history import Row, read_rows
from anyzero.learning.manifest import read_manifest

UNUSED: dict[str, dict[str, tuple[str, ...]]] = {
    "kind": {"residual": ("layers", "width"), "mlp": ("blocks", "channels", "pool_every", "policy")},
    "value": {"scalar": ("bins",), "wdl": ("bins",)},
}
"""What a network of this kind, or with this head, has no use for."""


@dataclass(frozen=True)
class RunSummary:
    """A run as it stands on the disk."""

    name: str
    path: Path
    config: RunConfig
    rows: list[Row]
    generations: int | None
    """The number of the newest; None before the first."""
    champion: int | None
    changed: float
    """When something was last written, in seconds since 1970."""

    @property
    def minutes(self) -> float:
        return self.rows[-1]["total_seconds"] / 60 if self.rows else 0.0

    @property
    def promotions(self) -> int:
        return sum(row["promoted"] is True for row in self.rows)

    def last(self, column: str) -> Any:
        """The newest value of a column of the history; None if it was never measured."""
        return last_of(self.rows, column, column)

    def interval(self, column: str, *limits: str) -> list[float] | None:
        """The newest value with its interval."""
        found = [last_of(self.rows, column, name) for name in (column, *limits)]
        return None if found[0] is None else found

    @property
    def elo(self) -> list[float] | None:
        return self.interval("elo", "elo_low", "elo_high")

    @property
    def elo_generation(self) -> int | None:
        """Whose rating that is: not every generation is rated, and the champion may be another one."""
        found: int | None = last_of(self.rows, "elo", "generation")
        return found

    @property
    def benchmark(self) -> list[float] | None:
        return self.interval("benchmark_score_mean", "benchmark_score_low", "benchmark_score_high")

    @property
    def benchmark_generation(self) -> int | None:
        found: int | None = last_of(self.rows, "benchmark_score_mean", "generation")
        return found

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "path": str(self.path),
            "game": self.config.game,
            "generations": self.generations,
            "champion": self.champion,
            "promotions": self.promotions,
            "elo": self.elo,
            "elo_generation": self.elo_generation,
            "benchmark": self.benchmark,
            "benchmark_generation": self.benchmark_generation,
            "minutes": self.minutes,
            "changed": self.changed,
        }


def last_of(rows: Sequence[Row], measured: str, column: str) -> Any:
    """A column of the newest row in which something was measured; None if it never was."""
    return next((row[column] for row in reversed(rows) if row[measured] is not None), None)


def summarise(path: Path) -> RunSummary:
    """Read a run; nothing is changed, and files are not checked beyond what is read."""
    folder = RunFolder.open(path)
    numbers = folder.numbers()
    try:
        newest = read_manifest(folder.generation_path(numbers[-1])) if numbers else None
    except AnyzeroError as error:
        raise AnyzeroError(f"{path}: generation {numbers[-1]}: {error}") from None
    return RunSummary(
        name=path.resolve().name,
        path=path,
        config=folder.config,
        rows=read_rows(folder),
        generations=None if newest is None else newest.number,
        champion=None if newest is None else newest.champion,
        changed=max(place.stat().st_mtime for place in (path, path / GENERATIONS, path / SAMPLES) if place.exists()),
    )


def differences(configs: Sequence[RunConfig]) -> dict[str, list[Any]]:
    """The settings that are not the same in all configs, each with its values; None where one has no use for it."""
    flat = [used_settings(config) for config in configs]
    return {
        key: [values[key] for values in flat] for key in flat[0] if any(values[key] != flat[0][key] for values in flat)
    }


def used_settings(config: RunConfig) -> dict[str, Any]:
    """All settings by their names; None for those that its network has no use for."""
    values = flatten(config.to_dict())
    for key, unused in UNUSED.items():
        names = unused.get(values[f"network.{key}"], ())
        values |= dict.fromkeys([f"network.{name}" for name in names])
    return values
