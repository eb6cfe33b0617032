"""Results read back for drawing: the two tables of experiments, and the record of a match or a tournament."""

import csv
import json
from collections.abc import Callable, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from anyzero.arena.match import MatchResult
from anyzero.arena.record import FORM as RECORD_FORM
from anyzero.arena.standings import Tally, make_standings
from anyzero.arena.statistics import Interval, wilson_interval
from anyzero.errors import AnyzeroError, BadOptionError
from anyzero.experiments.results import GRID_COLUMNS, STUDENT_COLUMNS
from anyzero.experiments.run import FORM as JOURNAL_FORM
from anyzero.files import parse_object
from anyzero.games.load import split_text


class GridRow(NamedTuple):
    """How one player did against another in one cell."""

    game: str
    options: str
    first: str
    """The first player without its budget."""
    second: str
    budgets: tuple[str, str]
    """Empty where a player has none."""
    first_seat: str
    """Who moves first: both in turn, the first player or the second."""
    tally: Tally
    """Of the first player."""

    @property
    def score(self) -> Interval:
        """With its 95 % limits (Wilson)."""
        return wilson_interval(self.tally.score or 0.0, self.tally.total)

    def mirrored(self) -> "GridRow":
        """The same games seen by the second player."""
        tally = Tally(self.tally.losses, self.tally.draws, self.tally.wins)
        seat = {"first": "second", "second": "first"}.get(self.first_seat, self.first_seat)
        return GridRow(self.game, self.options, self.second, self.first, self.budgets[::-1], seat, tally)


def read_rows(path: Path) -> list[GridRow]:
    """The rows of a file of results; an error says what is wrong with it."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise AnyzeroError(f"cannot read {path}: {error.strerror}") from None
    except ValueError:
        raise BadOptionError(f"{path} is not a text") from None
    rows = read_record(path, text) if text.startswith("{") else read_table(path, text)
    if not rows:
        raise BadOptionError(f"{path} holds no finished cell yet")
    return rows


# --- tables


def read_table(path: Path, text: str) -> list[GridRow]:
    """Commas or, as some spreadsheets write them, semicolons."""
    header = text.partition("\n")[0]
    reader = csv.DictReader(text.splitlines(), delimiter=";" if header.count(";") > header.count(",") else ",")
    columns = reader.fieldnames or []
    for needed, read_line in TABLES.items():
        if set(needed) <= set(columns):
            return [read_checked(path, number, values, read_line) for number, values in enumerate(reader, start=2)]
    raise BadOptionError(f"{path} is neither the table of an experiment nor a record of games")


def read_checked(path: Path, number: int, values: Mapping[str, Any], read_line: Callable[..., GridRow]) -> GridRow:
    try:
        row = read_line(values)
    except (TypeError, ValueError, AttributeError) as error:
        raise BadOptionError(f"{path}: line {number} is not a row of results: {error}") from None
    if min(row.tally.wins, row.tally.draws, row.tally.losses) < 0 or row.tally.total == 0:
        raise BadOptionError(f"{path}: line {number} has no games")
    return row


def read_grid_line(values: Mapping[str, str]) -> GridRow:
    budgets = (values["budget_first"], values["budget_second"])
    first, second = without_budget(values["first"], budgets[0]), without_budget(values["second"], budgets[1])
    tally = Tally(int(values["wins"]), int(values["draws"]), int(values["losses"]))
    if values["first_seat"] not in ("both", "first", "second"):
        raise ValueError(f"first_seat is {values['first_seat']!r}")
    return GridRow(values["game"], values["options"], first, second, budgets, values["first_seat"], tally)


def read_student_line(values: Mapping[str, str]) -> GridRow:
    seat = {"1": "first", "2": "second"}[values["StartPlayer"]] if values["StartPlayer"] in ("1", "2") else "both"
    first, second = f"{values['StrategieJ1'].strip()} (J1)", f"{values['StrategieJ2'].strip()} (J2)"
    tally = Tally(int(values["VictoiresJ1"]), 0, int(values["VictoiresJ2"]))
    budgets = (values["BudgetJ1"].strip(), values["BudgetJ2"].strip())
    return GridRow("hex", f"size={int(values['GridSize'])}", first, second, budgets, seat, tally)


TABLES: dict[tuple[str, ...], Callable[..., GridRow]] = {
    GRID_COLUMNS[:11]: read_grid_line,
    STUDENT_COLUMNS[:9]: read_student_line,
}
"""How a line is read, by the columns that it needs: the places, and the counts from which the rest is computed."""


def without_budget(player: str, budget: str) -> str:
    """`rave:1000,bias=1e-5` as `rave,bias=1e-5`."""
    return player.replace(f":{budget}", "", 1) if budget else player


# --- records


def read_record(path: Path, text: str) -> list[GridRow]:
    """A row for every couple of players that has finished games."""
    lines = text.splitlines()
    header = parse_object(lines[0]) or {}
    if header.get("form") == JOURNAL_FORM:
        raise BadOptionError(f"{path} holds the games of an experiment; its table is {path.with_suffix('.csv')}")
    if header.get("form") != RECORD_FORM:
        raise BadOptionError(f"{path} is neither the table of an experiment nor a record of games")
    try:
        results = [MatchResult.from_json(json.loads(line)) for line in lines[1:]]
        game, _ = split_text(header["game"])
        return couples_of(game, header["game"][len(game) + 1 :], header["players"], results)
    except (TypeError, ValueError, KeyError, AttributeError, IndexError):
        raise BadOptionError(f"{path} is a broken record of games; the command that wrote it mends it") from None


def couples_of(game: str, options: str, players: list[str], results: list[MatchResult]) -> list[GridRow]:
    rows = []
    for couple in combinations(range(len(players)), 2):
        tally = make_standings([result for result in results if result.match[:2] == couple]).tally
        if tally.total:
            rows.append(GridRow(game, options, players[couple[0]], players[couple[1]], ("", ""), "both", tally))
    return rows
