"""Run an experiment: all cells by the same workers, each finished game on disk at once; stopping
loses none.

The public function: `experiment("hex_rave.toml")`, and `run_experiment` below it.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from anyzero.core.base import stopping
from anyzero.core.base.errors import AnyzeroError, BadOptionError
from anyzero.core.base.nouns import Values
from anyzero.core.base.report import Part, Sheet, Shown, count
from anyzero.core.base.statistics import Interval
from anyzero.core.game.load import load
from anyzero.tools.arena.arena import bar_of_games
from anyzero.tools.arena.match import MatchResult
from anyzero.tools.arena.plan import Plan
from anyzero.tools.arena.record import Record
from anyzero.tools.arena.standings import elo_words
from anyzero.tools.arena.workers import Workers, cluster_at
from anyzero.tools.lab.config import Experiment, load_experiment
from anyzero.tools.lab.table import read_rows, write_table
from anyzero.tools.players.text import split_player
from anyzero.tools.progress import SHARE

if TYPE_CHECKING:
    from anyzero.tools.figures import Figure

WRITE_EVERY_S = (
    1.0  # minimum interval between writes of the table; the journal has every game anyway
)
SECONDS_PER_PLY = 2e-8
SECONDS_PER_MOVE = 1e-4
"""A guess at the time of a rollout's ply, and of a move besides its simulations; only the ratios of
cells matter.
"""


class Reached(NamedTuple):
    games: int
    cells: int
    share: float  # of the work, from 0 to 1, estimated


Watch = Callable[[Reached], None]
Rows = list[Values]


@dataclass(frozen=True, repr=False)
class ExperimentResult(Shown):
    config: Path
    results: Path  # its CSV file
    rows: Rows
    games: int

    def plot(self) -> "dict[str, Figure]":
        """Its figures by name: heat maps by both budgets, curves with intervals, tables."""
        from anyzero.tools.figures import named_apart
        from anyzero.tools.lab.score_plots import plot_rows

        return dict(named_apart(plot_rows(read_rows(self.results))))

    def report(self) -> Iterator[Part]:
        """The columns that fit a terminal; Elo includes its limits, which have no separate
        column.
        """
        if self.rows:
            columns = [
                column
                for column in self.rows[0]
                if column not in ("elo_low", "elo_high", "seconds")
            ]
            yield Sheet(
                columns, [[_show_cell(row, column) for column in columns] for row in self.rows]
            )
        drawn = f"plot them with anyzero plot {self.results}"
        yield f"{count(len(self.rows), 'cell')}, {self.games} games, in {self.results}; {drawn}"

    def to_json(self) -> Values:
        files = {"config": str(self.config), "results": str(self.results)}
        return {**files, "cells": len(self.rows), "games": self.games, "rows": self.rows}


def _show_cell(row: Values, column: str) -> str:
    value = row[column]
    if column == "elo" and value is not None:
        return (
            f"{value:+.1f} "
            f"({elo_words(Interval(value, row['elo_low'], row['elo_high']), row['games'] / 2)})"
        )
    return "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


def experiment(
    config: Path | str,
    results: Path | str | None = None,
    *,
    workers: int | None = None,
    cluster: str | None = None,
    progress: bool = True,
) -> ExperimentResult:
    """Play every cell of a grid of games, sizes, budgets and players from a file; a stopped
    experiment resumes.

    The table is written to `results`, by default a CSV file named after the config. With `cluster`,
    `auto` or the address of a Ray cluster, its nodes play.

    >>> anyzero.experiment("examples/hex_rave.toml", "rave.csv")
    """
    grid = load_experiment(config)
    path = Path(Path(config).with_suffix(".csv").name) if results is None else Path(results)
    games = sum(plan.games for plan in grid.plans)
    with (
        cluster_at(cluster) as pool,
        bar_of_games(SHARE, journal_path(path), shown=progress, pool=pool) as tell,
    ):

        def watch(now: Reached) -> None:
            words = f"{now.games} of {games} games, {now.cells} of {len(grid.cells)} cells"
            tell(now.share, words, lambda: words)

        rows = run_experiment(grid, path, workers=pool or workers, watch=watch)
    return ExperimentResult(Path(config), path, rows, games)


class GridRecord(Record):
    """The finished games of all cells, and the results of the finished cells."""

    def __init__(self, path: Path, experiment: Experiment) -> None:
        self.experiment = experiment
        self.reached = Reached(0, 0, 0.0)
        plies = {text: load(text).max_plies for text in {plan.game for plan in experiment.plans}}
        self.costs = {plan: guess_cost(plan, plies[plan.game]) for plan in experiment.plans}
        self.total = sum(cost * plan.games for plan, cost in self.costs.items())
        self.num_cells = Counter(cell.plan for cell in experiment.cells)
        self.outcomes: dict[Plan, Values] = {}  # columns of the table
        super().__init__(experiment.plans, path, dict(experiment.identity))

    def note(self, plan: Plan, result: MatchResult) -> None:
        results = self.results[plan]
        games, cells, share = self.reached
        is_new = result.match not in results
        super().note(plan, result)
        if is_new and len(results) == plan.games:
            self.outcomes[plan] = self.experiment.describe(plan, list(results.values()))
            cells += self.num_cells[plan]
        self.reached = Reached(
            games + is_new, cells, share + is_new * self.costs[plan] / self.total
        )

    def rows(self) -> Rows:
        cells = [cell for cell in self.experiment.cells if cell.plan in self.outcomes]
        return [{**cell.place, **self.outcomes[cell.plan]} for cell in cells]


def journal_path(results: Path) -> Path:
    return results.with_suffix(".jsonl")


def run_experiment(
    experiment: Experiment,
    results: Path | str,
    *,
    workers: Workers = None,
    watch: Watch = lambda reached: None,
) -> Rows:
    """Play unfinished games and keep the table up to date; returns its rows.

    `results` is a CSV file; the finished games are stored next to it, and a stopped run resumes
    from them. The same seed gives the same table (except its seconds) for any number of workers and
    stops.
    """
    results = Path(results)
    written_at = 0.0
    if results.suffix.lower() != ".csv":
        raise BadOptionError(f"results go to a .csv file, not to {results}")
    if results.exists() and not journal_path(results).exists():
        games = f"{journal_path(results)} with its games"
        raise AnyzeroError(f"{results} exists, but not {games}; nothing was changed")
    with closing(GridRecord(journal_path(results), experiment)) as record:
        watch(record.reached)
        try:
            with closing(record.play(workers)) as finished:
                for task in finished:
                    if (
                        task.plan in record.outcomes
                        and time.monotonic() > written_at + WRITE_EVERY_S
                    ):
                        write_table(results, experiment.columns, record.rows())
                        written_at = time.monotonic()
                    watch(record.reached)
                    stopping.check()
        finally:
            write_table(results, experiment.columns, record.rows())
        return record.rows()


def guess_cost(plan: Plan, plies: int) -> float:
    """Estimated seconds per game: half of the moves per player, rollouts as long as the game."""
    cost = 0.0
    for search in (split_player(player).search for player in plan.players):
        thought = (
            0.0
            if search is None
            else search.seconds or (search.simulations or 0) * plies * SECONDS_PER_PLY
        )
        cost += plies / 2 * (SECONDS_PER_MOVE + thought)
    return cost
