"""Playing an experiment: all cells by the same workers, each finished game on the disk at once, stopped and gone on."""

import json
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from anyzero.arena.match import MatchResult
from anyzero.arena.plan import Match, Plan
from anyzero.arena.record import Journal
from anyzero.arena.workers import Task, play_all
from anyzero.errors import AnyzeroError, BadOptionError
from anyzero.experiments.grid import Experiment
from anyzero.experiments.results import Outcome, judge_cell, write_table
from anyzero.games.load import load
from anyzero.search.text import parse_search

FORM = "anyzero experiment 1"
WRITE_EVERY_S = 1.0
"""The table is written at most so often; the journal has every game anyway."""
SECONDS_PER_PLY = 2e-8
"""A guess at a rollout's time a ply; only the ratios of cells matter."""
SECONDS_PER_MOVE = 1e-4
"""A guess at what a move costs besides its simulations."""


class Reached(NamedTuple):
    """How far a run is."""

    games: int
    cells: int
    share: float
    """Of the work, from 0 to 1, as far as it can be guessed."""


Watch = Callable[[Reached], None]
Rows = list[dict[str, Any]]


class Games(Journal):
    """The finished games of all plans, in memory without their moves."""

    def __init__(self, path: Path, experiment: Experiment) -> None:
        self.numbers = {plan: number for number, plan in enumerate(experiment.plans)}
        self.plans = list(self.numbers)
        self.matches = [dict.fromkeys(plan.matches()) for plan in self.plans]
        self.results: list[dict[Match, MatchResult]] = [{} for _ in self.plans]
        super().__init__(path, {"form": FORM, **experiment.identity})

    def take(self, values: dict[str, Any]) -> None:
        number = values.pop("plan")
        result = MatchResult.from_json(values)
        seats = result.match.by_seat(len(result.players))
        if number not in range(len(self.plans)) or result.match not in self.matches[number]:
            raise ValueError("not a game of this experiment")
        if result.players != [self.plans[number].players[index] for index in seats]:
            raise ValueError("not the players of this cell")
        self.results[number][result.match] = replace(result, moves=[])

    def add(self, plan: Plan, result: MatchResult) -> None:
        number = self.numbers[plan]
        self.write(json.dumps({"plan": number, **result.to_json()}))
        self.results[number][result.match] = replace(result, moves=[])

    def is_finished(self, plan: Plan) -> bool:
        number = self.numbers[plan]
        return len(self.results[number]) == len(self.matches[number])

    def missing(self) -> list[Task]:
        """The games that are left, plan by plan."""
        return [
            Task(plan, match)
            for plan, matches, results in zip(self.plans, self.matches, self.results, strict=True)
            for match in matches
            if match not in results
        ]


def journal_path(results: Path) -> Path:
    """The file of finished games beside the table."""
    return results.with_suffix(".jsonl")


def run_experiment(
    experiment: Experiment, results: Path | str, *, workers: int | None = None, watch: Watch | None = None
) -> Rows:
    """Play what is not finished yet and keep the table up to date; returns its rows.

    `results` is a CSV file; the finished games are kept beside it, and a run that was stopped goes on from them. The
    same seed gives the same table (its seconds aside) whatever the number of workers and of stops.
    """
    results = Path(results)
    check_results(results)
    with closing(Games(journal_path(results), experiment)) as games:
        table = Table(experiment, games, results)
        try:
            play_missing(experiment, games, table, workers=workers, watch=watch)
        finally:
            table.write()
        return table.rows()


def play_missing(
    experiment: Experiment, games: Games, table: "Table", *, workers: int | None, watch: Watch | None
) -> None:
    gauge = Gauge(experiment, games)
    tell = watch or (lambda progress: None)
    tell(gauge.reached)
    with closing(play_all(games.missing(), workers)) as finished:
        for task, result in finished:
            games.add(task.plan, result)
            gauge.add(task.plan)
            if games.is_finished(task.plan) and time.monotonic() > table.written_at + WRITE_EVERY_S:
                table.write()
            tell(gauge.reached)


def check_results(results: Path) -> None:
    """Refuse a file that this run should not write."""
    if results.suffix.lower() != ".csv":
        raise BadOptionError(f"results go to a .csv file, not to {results}")
    if results.exists() and not journal_path(results).exists():
        raise AnyzeroError(
            f"{results} exists, but not {journal_path(results)} with the games that it was made of; nothing was changed"
        )


class Table:
    """The table of the finished cells, and its file."""

    def __init__(self, experiment: Experiment, games: Games, path: Path) -> None:
        self.experiment, self.games, self.path = experiment, games, path
        self.outcomes: dict[Plan, Outcome] = {}
        self.written_at = 0.0

    def rows(self) -> Rows:
        cells = [cell for cell in self.experiment.cells if self.games.is_finished(cell.plan)]
        return [{**cell.place, **self.experiment.describe(self.outcome(cell.plan))} for cell in cells]

    def outcome(self, plan: Plan) -> Outcome:
        """Computed once, as the games of a finished cell do not change."""
        if plan not in self.outcomes:
            self.outcomes[plan] = judge_cell(plan, self.games.results[self.games.numbers[plan]].values())
        return self.outcomes[plan]

    def write(self) -> None:
        write_table(self.path, self.experiment.columns, self.rows())
        self.written_at = time.monotonic()


class Gauge:
    """Counts games, cells and work."""

    def __init__(self, experiment: Experiment, games: Games) -> None:
        self.cells = Counter(cell.plan for cell in experiment.cells)
        self.games = games
        plies = {text: load(text).max_plies for text in {plan.game for plan in games.plans}}
        self.costs = {plan: guess_cost(plan, plies[plan.game]) for plan in games.plans}
        self.total = sum(self.costs[plan] * plan.games for plan in games.plans)
        played = [(plan, len(games.results[number])) for plan, number in games.numbers.items()]
        self.num_games = sum(num for _, num in played)
        self.work = sum(self.costs[plan] * num for plan, num in played)
        self.num_cells = sum(num for plan, num in self.cells.items() if games.is_finished(plan))

    def add(self, plan: Plan) -> None:
        """One game more, already among the results."""
        self.num_games += 1
        self.work += self.costs[plan]
        if self.games.is_finished(plan):
            self.num_cells += self.cells[plan]

    @property
    def reached(self) -> Reached:
        return Reached(self.num_games, self.num_cells, self.work / self.total)


def guess_cost(plan: Plan, plies: int) -> float:
    """About how long a game takes, in seconds: half of the moves a player, rollouts as long as the game."""
    return sum(plies / 2 * guess_move_cost(player, plies) for player in plan.players)


def guess_move_cost(player: str, plies: int) -> float:
    try:
        wanted = parse_search(player)
    except AnyzeroError:  # a player that does not search
        return SECONDS_PER_MOVE
    return SECONDS_PER_MOVE + (wanted.seconds or (wanted.simulations or 0) * plies * SECONDS_PER_PLY)
