"""A run at a glance: its progress, strength and learning curves."""

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from anyzero.core.base.errors import AnyzeroError
from anyzero.core.base.files import reading, write_whole
from anyzero.core.base.nouns import Values
from anyzero.core.base.report import Part, Sheet, Shown, short
from anyzero.core.game.load import load
from anyzero.core.learning.config import RunConfig, flatten, format_setting
from anyzero.core.learning.folder import NOW, SAMPLES, RunFolder
from anyzero.core.learning.manifest import CHAMPION, GENERATIONS
from anyzero.tools.lab.history import HISTORY, Row, make_rows
from anyzero.tools.players.text import BY_VALUES

if TYPE_CHECKING:
    from anyzero.tools.figures import Figure

UNUSED: dict[str, dict[str, tuple[str, ...]]] = {
    "kind": {
        "residual": ("layers", "width"),
        "mlp": ("blocks", "channels", "pool_every", "policy"),
    },
    "value": {"scalar": ("bins",), "wdl": ("bins",)},
}
"""Settings that a network of this kind, or with this head, does not use."""
SHOWN = {
    "generation": "generation",
    "minutes": "minutes",
    "games": "games",
    "policy_loss": "policy loss",
    "kl": "KL",
    "value_loss": "value loss",
    "benchmark_score_mean": "benchmark",
    "elo": "Elo",
    "gate_score": "gate",
    "promoted": "promoted",
    "simulations_per_second": "sims/s",
}
"""The columns of one run, for people; empty ones are left out."""
LIMITS = {
    "benchmark_score_mean": ("benchmark_score_low", "benchmark_score_high"),
    "elo": ("elo_low", "elo_high"),
}
"""Columns with an interval, which determines how many digits are significant."""
FRESH_S = 60.0
LAST = 10  # generations shown
PLAYS = "gumbel:64"  # how a champion with a policy plays by default


def plot_runs(self: Any, *, by: str = "generations", file: Path | str | None = None) -> "Figure":
    """The curves over `generations` or `minutes`, as a matplotlib figure; also saved if a file is
    named.
    """
    from anyzero.tools.figures import keep
    from anyzero.tools.lab import plots

    runs: list[RunSummary] = getattr(self, "runs", [self])
    if not runs:
        raise AnyzeroError("there are no runs to draw")
    curves = [
        plots.RunCurves(run.name, run.config.game, run.config.gate.threshold, run.history)
        for run in runs
    ]
    return keep(plots.draw_runs(curves, by), file)


@dataclass(frozen=True, repr=False)
class RunSummary(Shown):
    """A training run as found on disk."""

    name: str
    path: Path
    config: RunConfig
    history: list[Row]  # one row per generation, as in training_history.csv; None if not measured
    generations: int | None  # the number of the newest; None before the first
    champion_generation: int | None
    changed: float  # time of the last change, in seconds since 1970
    now: str = ""  # the current stage, in words, while it is training
    notes: tuple[str, ...] = ()  # damage found in the parts that were read
    ended: str = ""  # why training ended, if it just did
    match: Values | None = None
    """The champion's score in the match when training last stopped, if there was one."""
    match_generation: int | None = None  # the newest generation at that time

    @property
    def champion(self) -> str:
        """The champion as a player, for `match`, `tournament`, `search` and `player`:
        `gumbel:64@hex7`.
        """
        plays = BY_VALUES if self.config.selfplay.method == "expectimax" else PLAYS
        return f"{plays}@{self.net}"

    @property
    def net(self) -> str:
        """The champion as a network: the run's name, or its folder if that is elsewhere."""
        return self.path.name if self.path.parent == Path("runs") else str(self.path)

    @property
    def match_text(self) -> str:
        """The score of that match, with its generation if the run has continued since."""
        if self.match is None:
            return ""
        since = (
            ""
            if self.match_generation == self.generations
            else f" at generation {self.match_generation}"
        )
        return f"{self.match['brief']}{since}"

    @property
    def minutes(self) -> float:
        return self.history[-1]["total_seconds"] / 60 if self.history else 0.0

    @property
    def promotions(self) -> int:
        return sum(row["promoted"] is True for row in self.history)

    def last(self, column: str, beside: str = "") -> Any:
        """The newest value of a column of the history, or of column `beside` in that row; None if
        never measured.
        """
        return next(
            (row[beside or column] for row in reversed(self.history) if row[column] is not None),
            None,
        )

    def interval(self, column: str) -> list[float] | None:
        limits = [self.last(column, name) for name in (column, *LIMITS[column])]
        return None if limits[0] is None else limits

    @property
    def strength(self) -> str:
        """The last rating or benchmark, with half its interval, and its generation if not the
        champion's.
        """
        for name, column in (("Elo", "elo"), ("score", "benchmark_score_mean")):
            interval = self.interval(column)
            if interval is not None:
                value = interval[0]
                half = half_width(*interval[1:])
                around = "" if half is None else f" ±{show_measured(half, half)}"
                generation = self.last(column, "generation")
                whose = (
                    "" if generation == self.champion_generation else f" at generation {generation}"
                )
                return f"{name} {show_measured(value, half)}{around}{whose}"
        return ""

    plot = plot_runs

    def to_json(self) -> Values:
        return {
            "name": self.name,
            "path": str(self.path),
            "game": self.config.game,
            "generations": self.generations,
            "champion": self.champion_generation,
            "promotions": self.promotions,
            "elo": self.interval("elo"),
            "elo_generation": self.last("elo", "generation"),
            "benchmark": self.interval("benchmark_score_mean"),
            "benchmark_generation": self.last("benchmark_score_mean", "generation"),
            "match": self.match,
            "minutes": self.minutes,
            "changed": self.changed,
            "now": self.now,
            "notes": list(self.notes),
        }

    def records(self) -> list[Values]:
        return [dict(row) for row in self.history]

    def write_history(self, output: Path) -> None:
        """A copy of its training_history.csv."""
        write_whole(output, (self.path / HISTORY).read_bytes())

    def report(self) -> Iterator[Part]:
        """Its game, settings that differ from the defaults, its last generations, and its
        champion.
        """
        yield (
            f"{self.name}: {self.config.game}, {describe_network(self.config)}, seed "
            f"{self.config.seed}"
        )
        changed = differences(
            [self.config, RunConfig(game=self.config.game, seed=self.config.seed)]
        )
        named = [
            f"{key}={format_setting(value)}"
            for key, (value, _) in changed.items()
            if "network." not in key
        ]
        if named:
            yield f"not the defaults: {', '.join(named)}"
        if self.generations is None:
            yield "no generation is finished yet"
        else:
            rows = [{**row, "minutes": row["total_seconds"] / 60} for row in self.history[-LAST:]]
            columns = [column for column in SHOWN if any(row[column] is not None for row in rows)]
            cells = [[show_cell(row, column) for column in columns] for row in rows]
            yield Sheet([SHOWN[column] for column in columns], cells)
            champion = f"generation {self.champion_generation} is the champion"
            yield ", ".join(
                filter(None, (champion, self.strength, f"{short(self.minutes)} minutes in total"))
            )
            yield f"its network: {self.path / CHAMPION}"
        if self.now:
            yield f"in progress: {self.now}"
        yield from self.notes
        yield from self.ending() if self.ended else ()

    def ending(self) -> Iterator[str]:
        """Why training ended, the champion's score, and next steps."""
        if not self.generations:
            yield (
                f"{self.ended}, and nothing was learnt yet: the same command with more "
                "minutes or generations resumes"
            )
            return
        yield f"{self.ended}; the champion is generation {self.champion_generation} of {self.path}"
        if self.match is not None and self.match_generation == self.generations:
            yield self.match["text"]
        game = load(self.config.game)
        text = quote(self.config.game)
        champion = quote(self.champion)
        does, seat = ("watch it play", 0) if game.num_seats == 1 else ("play against it", 1)
        yield f"{does}: anyzero play {text} --seat{seat} {champion}"
        yield "in the browser: anyzero serve, where it is listed as a player"
        yield (
            f"measure it: anyzero match {text} {champion} "
            f"{'random' if game.num_seats == 1 else 'uct:10000'}"
        )
        if game.num_values == 1:
            yield (
                f"use it elsewhere: anyzero export {text} --net {quote(self.net)} --onnx "
                f"{quote(self.name)}.onnx"
            )

    @property
    def overview(self) -> list[Any]:
        figures = (
            short(self.generations),
            short(self.champion_generation),
            self.strength,
            short(self.minutes),
        )
        return [self.name, self.config.game, *figures, self.match_text]


OVERVIEW = ("run", "game", "generations", "champion", "strength", "minutes", "end match")


def summarise_run(path: Path) -> RunSummary:
    """Read a run without changing it; only what is read is checked: `verify` checks the rest."""
    folder = RunFolder.open(path)
    numbers = folder.numbers()
    try:
        newest = folder.generation(numbers[-1]) if numbers else None
    except AnyzeroError as error:
        raise AnyzeroError(f"{path}: generation {numbers[-1]}: {error}") from None
    history = make_rows(folder.reports())
    if newest is not None and folder.champion_file() != path / CHAMPION:
        folder.note(
            f"{path / CHAMPION} is not the champion that the run wrote; anyzero train mends it"
        )
    end = (folder.stops() or [{}])[-1]
    now = ""
    with suppress(OSError, ValueError):  # the note of a killed process is out of date
        now = (
            (path / NOW).read_text() if time.time() - (path / NOW).stat().st_mtime < FRESH_S else ""
        )
    with reading(path):  # it may have been moved in the meantime
        places = (
            path,
            *(place for place in (path / GENERATIONS, path / SAMPLES) if place.exists()),
        )
        changed = max(place.stat().st_mtime for place in places)
    return RunSummary(
        name=path.resolve().name,
        path=path,
        config=folder.config,
        history=history,
        generations=None if newest is None else newest.number,
        champion_generation=None if newest is None else newest.champion,
        changed=changed,
        now=now,
        match=end.get("match"),
        match_generation=end.get("generation"),
        notes=tuple(folder.notes),
    )


def describe_network(config: RunConfig) -> str:
    network = config.network
    if network.kind == "mlp":
        return f"mlp {network.layers}x{network.width}"
    return f"{network.kind} network {network.blocks}x{network.channels}"


def differences(configs: Sequence[RunConfig]) -> dict[str, list[Any]]:
    """The settings that differ between configs, each with its values; None if a config does not use
    it.
    """
    flat = [flatten(config.to_dict()) for config in configs]
    for values, (key, unused) in product(flat, UNUSED.items()):
        values |= dict.fromkeys(
            f"network.{name}" for name in unused.get(values[f"network.{key}"], ())
        )
    by_key = {key: [values[key] for values in flat] for key in flat[0]}
    return {
        key: values for key, values in by_key.items() if any(value != values[0] for value in values)
    }


def show_cell(row: Row, column: str) -> str:
    if column in LIMITS and row[column] is not None:
        return show_measured(row[column], half_width(*(row[limit] for limit in LIMITS[column])))
    return short(row[column])


def half_width(low: float | None, high: float | None) -> float | None:
    return None if low is None or high is None else (high - low) / 2


def show_measured(value: float, half: float | None) -> str:
    """A measured number, rounded to the second digit of its half-width, but at least to whole
    points.
    """
    if half is None or half == 0 or not math.isfinite(half):
        return f"{value:g}"
    return f"{value:.{max(0, 1 - math.floor(math.log10(half)))}f}"


def ago(changed: float) -> str:
    return f"{span(time.time() - changed)} ago"


def span(seconds: float) -> str:
    """A duration in the unit that a person would use."""
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit}"
    return f"{max(0.0, seconds):.0f} s"
