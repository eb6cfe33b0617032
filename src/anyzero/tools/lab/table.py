"""The table of an experiment: the results of each cell, written as CSV, and read back."""

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from anyzero.core.base.errors import BadOptionError
from anyzero.core.base.files import reading, write_whole
from anyzero.core.base.nouns import NamedValues, Values
from anyzero.core.base.statistics import Interval, Tally, wilson_interval
from anyzero.tools.arena.elo import elo_difference, elo_within
from anyzero.tools.arena.match import MatchResult
from anyzero.tools.arena.plan import BOTH_LEGS, Plan
from anyzero.tools.arena.standings import make_standings

GRID_COLUMNS = (
    *("game", "options", "first", "second", "budget_first", "budget_second", "first_seat", "games"),
    *(
        "wins",
        "draws",
        "losses",
        "score",
        "score_low",
        "score_high",
        "elo",
        "elo_low",
        "elo_high",
        "seconds",
    ),
)
"""Columns of the TOML format; wins, score and Elo are for the player `first`."""
STUDENT_COLUMNS = (
    *("GridSize", "BudgetJ1", "BudgetJ2", "StrategieJ1", "StrategieJ2", "NbGames", "StartPlayer"),
    *(
        "VictoiresJ1",
        "VictoiresJ2",
        "PourcentageJ1",
        "PourcentageJ2",
        "IntervalleBasJ1",
        "IntervalleHautJ1",
    ),
)


def describe_cell(plan: Plan, results: Sequence[MatchResult]) -> Values:
    """The columns of the TOML format from `wins` on; games of one seat have no Elo."""
    standings = make_standings(results)
    score = wilson_interval(standings.tally.score or 0.0, standings.tally.total)
    elo = standings.elo if plan.legs == BOTH_LEGS else elo_of(score, standings.tally.total)
    elos = [None] * 3 if elo is None else [round(limit, 2) for limit in elo]
    seconds = sum(sum(result.seconds) for result in results)
    outcomes = (
        *standings.tally.to_json().values(),
        *(round(limit, 6) for limit in score),
        *elos,
        round(seconds, 3),
    )
    return dict(zip(GRID_COLUMNS[8:], outcomes, strict=True))


def elo_of(score: Interval, games: int) -> Interval:
    """A score and its limits as Elo, clipped at half a game from 0 and 1 in one more game."""
    far = elo_difference(1.0 - 0.5 / (games + 1))
    return Interval(*(elo_within(limit, far) for limit in score))


def describe_victories(plan: Plan, results: Sequence[MatchResult]) -> Values:
    """The columns of the students' format from `VictoiresJ1` on; Hex has no draws."""
    tally = make_standings(results).tally
    value, low, high = (
        round(100 * limit, 2) for limit in wilson_interval(tally.score or 0.0, tally.total)
    )
    outcomes = tally.wins, tally.losses, value, round(100 - value, 2), low, high
    return dict(zip(STUDENT_COLUMNS[7:], outcomes, strict=True))


def write_table(path: Path, columns: Iterable[str], rows: Iterable[NamedValues]) -> None:
    """Replace the table atomically, unless unchanged."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(columns), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    content = text.getvalue().encode()
    if not path.is_file() or path.read_bytes() != content:
        write_whole(path, content)


# --- read back


class GridRow(NamedTuple):
    """One player's results against another in one cell."""

    game: str
    options: str
    first: str  # the first player without its budget
    second: str
    budgets: tuple[str, str]  # empty if a player has none
    first_seat: str  # who moves first: both in turn, the first player or the second
    tally: Tally  # of the first player
    games: int  # more than the tally counts if both players play each deal

    @property
    def score(self) -> Interval:
        """With its 95 % limits (Wilson)."""
        return wilson_interval(self.tally.score or 0.0, self.tally.total)


def read_rows(path: Path | str) -> list[GridRow]:
    """The rows of an experiment's table, separated by commas or, as in some spreadsheets,
    semicolons.

    >>> anyzero.results("hex_rave.csv")[0].score
    """
    path = Path(path)
    with reading(path):
        try:
            text = path.read_text(encoding="utf-8-sig")
        except ValueError:
            raise BadOptionError(f"{path} is not a text") from None
    header = text.partition("\n")[0]
    if header.startswith("{"):
        raise BadOptionError(f"{path} holds games; the table of an experiment is a .csv file")
    reader = csv.DictReader(
        text.splitlines(), delimiter=";" if header.count(";") > header.count(",") else ","
    )
    forms = [
        read_line
        for needed, read_line in TABLES.items()
        if set(needed) <= set(reader.fieldnames or [])
    ]
    if not forms:
        raise BadOptionError(f"{path} is not the table of an experiment")
    rows = []
    for number, values in enumerate(reader, start=2):
        try:
            rows.append(forms[0](values))
        except (TypeError, ValueError, AttributeError) as error:
            raise BadOptionError(
                f"{path}: line {number} is not a row of results: {error}"
            ) from None
        if min(rows[-1].tally.to_json().values()) < 0 or rows[-1].tally.total == 0:
            raise BadOptionError(f"{path}: line {number} has no games")
    if not rows:
        raise BadOptionError(f"{path} holds no finished cell yet")
    return rows


def _read_grid_line(values: Mapping[str, str]) -> GridRow:
    budgets = (values["budget_first"], values["budget_second"])
    first, second = [  # `rave:1000,bias=1e-5` as `rave,bias=1e-5`
        values[name].replace(f":{budget}", "", 1) if budget else values[name]
        for name, budget in zip(("first", "second"), budgets, strict=True)
    ]
    if (seat := values["first_seat"]) not in ("both", "first", "second"):
        raise ValueError(f"first_seat is {seat!r}")
    tally = Tally(int(values["wins"]), int(values["draws"]), int(values["losses"]))
    return GridRow(
        values["game"], values["options"], first, second, budgets, seat, tally, int(values["games"])
    )


def _read_student_line(values: Mapping[str, str]) -> GridRow:
    seat = {"1": "first", "2": "second"}.get(values["StartPlayer"], "both")
    players = f"{values['StrategieJ1'].strip()} (J1)", f"{values['StrategieJ2'].strip()} (J2)"
    tally = Tally(int(values["VictoiresJ1"]), 0, int(values["VictoiresJ2"]))
    budgets = (values["BudgetJ1"].strip(), values["BudgetJ2"].strip())
    return GridRow(
        "hex", f"size={int(values['GridSize'])}", *players, budgets, seat, tally, tally.total
    )


TABLES: dict[tuple[str, ...], Callable[..., GridRow]] = {
    GRID_COLUMNS[:11]: _read_grid_line,
    STUDENT_COLUMNS[:9]: _read_student_line,
}
"""The reader of a line, by the columns it needs: the place, and the counts from which the rest is
computed.
"""
