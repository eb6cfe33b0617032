"""Several runs: listed or compared, with the settings in which they differ. The public function:
`runs("small", "large")`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anyzero.core.base.errors import AnyzeroError
from anyzero.core.base.nouns import Values
from anyzero.core.base.report import Part, Sheet, Shown, short
from anyzero.core.learning.config import format_setting
from anyzero.core.learning.folder import find_run, list_runs
from anyzero.tools.lab.summary import (
    LIMITS,
    OVERVIEW,
    RunSummary,
    ago,
    differences,
    plot_runs,
    summarise_run,
)


@dataclass(frozen=True, repr=False)
class Runs(Shown):
    """All runs of a folder, or the named ones, side by side."""

    root: Path
    runs: list[RunSummary]
    broken: dict[str, str]  # faults of unreadable runs, by name
    named: bool  # whether the runs were named

    def __getitem__(self, key: int | str) -> RunSummary:
        return self.runs[key] if isinstance(key, int) else {run.name: run for run in self.runs}[key]

    def __len__(self) -> int:
        return len(self.runs)

    plot = plot_runs

    def report(self) -> Iterator[Part]:
        """All runs in a list, one run in detail, or several compared."""
        if not self.named:
            yield from self.list_all()
        elif len(self.runs) == 1:
            yield from self.runs[0].report()
        else:
            yield from self.compare()

    def list_all(self) -> Iterator[Part]:
        if self.runs:
            yield Sheet(
                (*OVERVIEW, "last change"), [[*run.overview, ago(run.changed)] for run in self.runs]
            )
        yield from (note for run in self.runs for note in run.notes)
        yield from (f"cannot be read: {error}" for error in self.broken.values())
        if not self.runs and not self.broken:
            yield f"there are no runs in {self.root}; anyzero train makes one"

    def compare(self) -> Iterator[Part]:
        measured = ("policy_loss", "value_loss", "simulations_per_second")
        rows = [
            [*run.overview, run.promotions, *(short(run.last(name)) for name in measured)]
            for run in self.runs
        ]
        yield Sheet((*OVERVIEW, "promotions", "policy loss", "value loss", "sims/s"), rows)
        if self.differences:
            yield ""
            lines = [
                [key, *("" if value is None else format_setting(value) for value in values)]
                for key, values in self.differences.items()
            ]
            yield Sheet(("setting", *(run.name for run in self.runs)), lines)

    @property
    def differences(self) -> dict[str, list[Any]]:
        return differences([run.config for run in self.runs]) if self.runs else {}

    def records(self) -> list[Values]:
        """A row per run: its progress, and its newest measurements with their intervals."""
        names = ("name", "game", "generations", "champion", "promotions", "minutes")
        measured = [
            (column, name) for column, limits in LIMITS.items() for name in (column, *limits)
        ]
        return [
            {name: run.to_json()[name] for name in names}
            | {name: run.last(column, name) for column, name in measured}
            for run in self.runs
        ]

    def to_json(self) -> Values:
        values: Values = {"root": str(self.root)}
        if not self.named:
            broken = [{"name": name, "error": error} for name, error in self.broken.items()]
            return values | {"runs": [run.to_json() for run in self.runs], "broken": broken}
        runs = [
            {**run.to_json(), "config": run.config.to_dict(), "history": run.history}
            for run in self.runs
        ]
        return (
            values | {"runs": runs} | ({"differences": self.differences} if len(runs) > 1 else {})
        )


def runs(*names: str, root: Path | str = "runs") -> Runs:
    """Training runs by name or folder, or all in `root`: their progress, strength and differences.

    >>> anyzero.runs()
    >>> anyzero.runs("small", "large").plot(by="minutes")
    """
    root = Path(root)
    if names:
        return Runs(
            root,
            [summarise_run(find_run(name, root)) for name in dict.fromkeys(map(str, names))],
            {},
            named=True,
        )
    readable = []
    broken = {}
    for path in list_runs(root):
        try:
            readable.append(summarise_run(path))
        except AnyzeroError as error:
            broken[path.name] = str(error)
    return Runs(root, readable, broken, named=False)
