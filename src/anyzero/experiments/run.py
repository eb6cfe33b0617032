"""Playing an experiment: all cells by the same workers, each finished game on the disk at once, a stop loses none.

The door: `experiment("hex_rave.toml")`, and `run_experiment` below it.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from anyzero import stopping
from anyzero.arena.match import MatchResult, check_result
from anyzero.arena.plan import Match, Plan
from anyzero.arena.record import Journal
from anyzero.arena.workers import Task, Workers, play_all
from anyzero.cluster import Pool, opened
from anyzero.errors import AnyzeroError, BadOptionError
from anyzero.experiments.config import Experiment, load_experiment
from anyzero.experiments.table import JOURNAL_FORM, Outcome, judge_cell, read_rows, write_table
from anyzero.games.load import load
from anyzero.players.text import split_player
from anyzero.progress import SHARE
from anyzero.progress import progress as bar
from anyzero.report import Part, Sheet, Shown, count

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WRITE_EVERY_S = 1.0  # the table is written at most so often; the journal has every game anyway
SECONDS_PER_PLY, SECONDS_PER_MOVE = 2e-8, 1e-4
"""A guess at the time of a rollout's ply, and of a move besides its simulations; only the ratios of cells matter."""


class Reached(NamedTuple):
    games: int
    cells: int
    share: float  # of the work, from 0 to 1, as far as it can be guessed


Watch = Callable[[Reached], None]
Rows = list[dict[str, Any]]


@dataclass(frozen=True, repr=False)
class ExperimentResult(Shown):
    config: Path
    results: Path  # the CSV file that holds it
    rows: Rows
    games: int

    def plot(self) -> "dict[str, Figure]":
        """Its pictures by name: heat maps by both budgets, curves with intervals, cross tables."""
        from anyzero.experiments.score_plots import plot_rows

        return dict(plot_rows(read_rows(self.results)))

    def report(self) -> Iterator[Part]:
        """The columns that fit a terminal; Elo with its limits, which have no column of their own."""
        if self.rows:
            columns = [column for column in self.rows[0] if column not in ("elo_low", "elo_high", "seconds")]
            yield Sheet(columns, [[_show_cell(row, column) for column in columns] for row in self.rows])
        drawn = f"to draw them: anyzero plot {self.results}"
        yield f"{count(len(self.rows), 'cell')}, {self.games} games, in {self.results}; {drawn}"

    def to_json(self) -> dict[str, Any]:
        files = {"config": str(self.config), "results": str(self.results)}
        return {**files, "cells": len(self.rows), "games": self.games, "rows": self.rows}


def _show_cell(row: dict[str, Any], column: str) -> str:
    def show(value: Any) -> str:
        return "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)

    if column != "elo" or row[column] is None:
        return show(row[column])
    return f"{show(row['elo'])} ({show(row['elo_low'])} to {show(row['elo_high'])})"


def experiment(
    config: Path | str,
    results: Path | str | None = None,
    *,
    workers: int | None = None,
    cluster: str | None = None,
    progress: bool = True,
) -> ExperimentResult:
    """Play every cell of a grid of games, sizes, budgets and players from a file; a stopped run goes on where it was.

    The table goes to `results`, a CSV file named after the config if left out. With `cluster`, `auto` or the address of
    a Ray cluster, its nodes play.

    >>> anyzero.experiment("examples/hex_rave.toml", "rave.csv")
    """
    wanted = load_experiment(config)
    path = Path(Path(config).with_suffix(".csv").name) if results is None else Path(results)
    with opened(cluster) as pool, _watching(wanted, path, shown=progress, pool=pool) as watch:
        rows = run_experiment(wanted, path, workers=pool or workers, watch=watch)
    return ExperimentResult(Path(config), path, rows, sum(plan.games for plan in wanted.plans))


@contextmanager
def _watching(wanted: Experiment, path: Path, *, shown: bool, pool: Pool | None = None) -> Iterator[Watch]:
    """A bar by the share of the work; who stops it hears what was kept."""
    games, words = sum(plan.games for plan in wanted.plans), "0 games"
    kept = f"kept in {journal_path(path)}; the same command goes on from there"
    with stopping.telling(lambda: f"stopped after {words}, {kept}"), bar("", SHARE, shown=shown) as tell:

        def watch(now: Reached) -> None:
            nonlocal words
            words = f"{now.games} of {games} games, {now.cells} of {len(wanted.cells)} cells"
            tell(now.share, words=words if pool is None else f"{words} ({pool.describe()})")

        yield watch


class GridJournal(Journal):
    """The finished games of all cells: on the disk, and in memory without their moves."""

    def __init__(self, path: Path, experiment: Experiment) -> None:
        self.experiment, self.plans = experiment, experiment.plans
        self.numbers = {plan: number for number, plan in enumerate(self.plans)}
        self.matches = [dict.fromkeys(plan.matches()) for plan in self.plans]
        self.results: list[dict[Match, MatchResult]] = [{} for _ in self.plans]
        self.outcomes: dict[Plan, Outcome] = {}
        self.games = {text: load(text) for text in {plan.game for plan in self.plans}}
        self.costs = [guess_cost(plan, self.games[plan.game].max_plies) for plan in self.plans]
        self.total = sum(cost * plan.games for cost, plan in zip(self.costs, self.plans, strict=True))
        self.num_cells = Counter(cell.plan for cell in experiment.cells)
        self.reached = Reached(0, 0, 0.0)
        super().__init__(path, {"form": JOURNAL_FORM, **experiment.identity})

    def take(self, values: dict[str, Any], *, is_sealed: bool) -> None:
        number = values.pop("plan")
        result = MatchResult.from_json(values)
        if number not in range(len(self.plans)) or result.match not in self.matches[number]:
            raise ValueError("it is not a game of this experiment")
        game = self.games[self.plans[number].game]
        replay = game.is_from_file or not is_sealed
        check_result(game, result, self.plans[number].players, replay=replay)
        self.note(number, result)

    def add(self, plan: Plan, result: MatchResult) -> None:
        number = self.numbers[plan]
        self.write_game({"plan": number, **result.to_json()})
        self.note(number, result)

    def note(self, number: int, result: MatchResult) -> None:
        plan, found, (games, cells, share) = self.plans[number], self.results[number], self.reached
        is_new = result.match not in found
        found[result.match] = replace(result, moves=[])
        if is_new and len(found) == len(self.matches[number]):
            self.outcomes[plan] = judge_cell(plan, found.values())
            cells += self.num_cells[plan]
        self.reached = Reached(games + is_new, cells, share + is_new * self.costs[number] / self.total)

    def missing(self) -> list[Task]:
        parts = zip(self.plans, self.matches, self.results, strict=True)
        return [Task(plan, match) for plan, matches, found in parts for match in matches if match not in found]

    def rows(self) -> Rows:
        describe = self.experiment.describe
        cells = [cell for cell in self.experiment.cells if cell.plan in self.outcomes]
        return [{**cell.place, **describe(self.outcomes[cell.plan])} for cell in cells]


def journal_path(results: Path) -> Path:
    return results.with_suffix(".jsonl")


def run_experiment(
    experiment: Experiment, results: Path | str, *, workers: Workers = None, watch: Watch | None = None
) -> Rows:
    """Play what is not finished yet and keep the table up to date; returns its rows.

    `results` is a CSV file; the finished games are kept beside it, and a run that was stopped goes on from them. The
    same seed gives the same table (its seconds aside) whatever the number of workers and of stops.
    """
    results, written_at = Path(results), 0.0
    if results.suffix.lower() != ".csv":
        raise BadOptionError(f"results go to a .csv file, not to {results}")
    if results.exists() and not journal_path(results).exists():
        games = f"{journal_path(results)} with the games that it was made of"
        raise AnyzeroError(f"{results} exists, but not {games}; nothing was changed")
    with closing(GridJournal(journal_path(results), experiment)) as journal:
        tell = watch or (lambda reached: None)
        tell(journal.reached)
        try:
            with closing(play_all(journal.missing(), workers)) as finished:
                for task, result in finished:
                    journal.add(task.plan, result)
                    if task.plan in journal.outcomes and time.monotonic() > written_at + WRITE_EVERY_S:
                        write_table(results, experiment.columns, journal.rows())
                        written_at = time.monotonic()
                    tell(journal.reached)
                    stopping.check()
        finally:
            write_table(results, experiment.columns, journal.rows())
        return journal.rows()


def guess_cost(plan: Plan, plies: int) -> float:
    """About how long a game takes, in seconds: half of the moves a player, rollouts as long as the game."""
    cost = 0.0
    for wanted in (split_player(player).search for player in plan.players):
        thought = 0.0 if wanted is None else wanted.seconds or (wanted.simulations or 0) * plies * SECONDS_PER_PLY
        cost += plies / 2 * (SECONDS_PER_MOVE + thought)
    return cost
