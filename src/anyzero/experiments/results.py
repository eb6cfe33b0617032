"""What the games of a cell say, as the columns of a table, and the table as a file."""

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anyzero.arena.match import MatchResult
from anyzero.arena.plan import BOTH_LEGS, Plan
from anyzero.arena.standings import make_standings
from anyzero.arena.statistics import Interval, elo_difference, elo_within, wilson_interval
from anyzero.files import write_whole

GRID_COLUMNS = (
    *("game", "options", "first", "second", "budget_first", "budget_second", "first_seat", "games"),
    *("wins", "draws", "losses", "score", "score_low", "score_high", "elo", "elo_low", "elo_high", "seconds"),
)
"""Of the form of our own; wins, score and Elo are those of the player `first`."""
STUDENT_COLUMNS = (
    *("GridSize", "BudgetJ1", "BudgetJ2", "StrategieJ1", "StrategieJ2", "NbGames", "StartPlayer"),
    *("VictoiresJ1", "VictoiresJ2", "PourcentageJ1", "PourcentageJ2", "IntervalleBasJ1", "IntervalleHautJ1"),
)


@dataclass(frozen=True)
class Outcome:
    """How the first player of a cell did."""

    wins: int
    draws: int
    losses: int
    score: Interval
    elo: Interval | None
    """None in games of one seat."""
    seconds: float
    """Thinking time of both players."""


def judge_cell(plan: Plan, results: Iterable[MatchResult]) -> Outcome:
    """The outcome of all games of a plan."""
    played = list(results)
    standings = make_standings(played)
    tally = standings.tally
    score = wilson_interval((tally.wins + tally.draws / 2) / tally.total, tally.total)
    elo = standings.elo if plan.legs == BOTH_LEGS else elo_of(score, tally.total)
    seconds = sum(sum(result.seconds) for result in played)
    return Outcome(tally.wins, tally.draws, tally.losses, score, elo, seconds)


def elo_of(score: Interval, games: int) -> Interval:
    """A score and its limits as Elo, none nearer to 0 or 1 than half a game in one game more."""
    far = elo_difference(1.0 - 0.5 / (games + 1))
    return Interval(*(elo_within(limit, far) for limit in score))


def describe_outcome(outcome: Outcome) -> dict[str, Any]:
    """The columns of our own form from `wins` on."""
    score = [round(limit, 6) for limit in outcome.score]
    elo = [None] * 3 if outcome.elo is None else [round(limit, 2) for limit in outcome.elo]
    found = (outcome.wins, outcome.draws, outcome.losses, *score, *elo, round(outcome.seconds, 3))
    return dict(zip(GRID_COLUMNS[8:], found, strict=True))


def describe_victories(outcome: Outcome) -> dict[str, Any]:
    """The columns of the students' form from `VictoiresJ1` on; Hex has no draws."""
    value, low, high = (round(100 * limit, 2) for limit in outcome.score)
    found = (outcome.wins, outcome.losses, value, round(100 - value, 2), low, high)
    return dict(zip(STUDENT_COLUMNS[7:], found, strict=True))


# --- files


def write_table(path: Path, columns: Iterable[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """Put the table in the place of the old one, whole or not at all; one that is the same is left alone."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(columns), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    content = text.getvalue().encode()
    if not path.is_file() or path.read_bytes() != content:
        write_whole(path, content)
