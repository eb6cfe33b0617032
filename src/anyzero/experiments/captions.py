"""The words of a figure: short names of games and players, and what stands below it."""

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from anyzero.experiments.rows import Row
from anyzero.games.load import split_text

Key = TypeVar("Key")


def group(rows: Iterable[Row], key: Callable[[Row], Key]) -> dict[Key, list[Row]]:
    """Rows by what they share, in the order in which they come."""
    found: dict[Key, list[Row]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return found


# --- games


class Labels:
    """Names of games: the options that differ among the rows stand in the name, the others once below the figure."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self.varied: dict[str, list[str]] = {}
        for game, found in group(rows, lambda row: row.game).items():
            options = [parse_options(text) for text in {row.options for row in found}]
            names = dict.fromkeys(name for values in options for name in values)
            self.varied[game] = [name for name in names if len({values.get(name) for values in options}) > 1]

    def game(self, row: Row) -> str:
        return ", ".join([short_game(row.game), *self.options(row, varied=True)])

    def line(self, row: Row) -> str:
        """Without the game where its options say enough."""
        return ", ".join(self.options(row, varied=True)) or short_game(row.game)

    def fixed(self, row: Row) -> str:
        """What the name leaves out; empty if that is nothing."""
        options = self.options(row, varied=False)
        return f"{short_game(row.game)}: {', '.join(options)}" if options else ""

    def options(self, row: Row, *, varied: bool) -> list[str]:
        values = parse_options(row.options)
        return [plain(f"{key} {value}") for key, value in values.items() if (key in self.varied[row.game]) == varied]


def parse_options(text: str) -> dict[str, str]:
    return dict(part.partition("=")[::2] for part in text.split(",") if part)


def short_game(game: str) -> str:
    return plain(Path(game).stem if game.endswith(".py") else game)


def plain(text: str) -> str:
    """A text in which no dollar sign begins a formula."""
    return text.replace("$", r"\$")


# --- players


def name_player(text: str) -> str:
    """A player in a file is called by the file's name, without its folders."""
    name, options = split_text(text)
    return plain(f"{Path(name).name}{options and ':'}{options}" if name.endswith(".py") else text)


def name_players(row: Row) -> tuple[str, str]:
    """Two names that differ."""
    first, second = name_player(row.first), name_player(row.second)
    return (f"{first} (first)", f"{second} (second)") if first == second else (first, second)


def name_seat(row: Row, players: tuple[str, str] | None = None) -> str:
    """Who moves first; empty if that is each in turn."""
    first, second = name_players(row) if players is None else players
    return {"first": f"{first} moves first", "second": f"{second} moves first"}.get(row.first_seat, "")


# --- budgets


def budget_value(budget: str) -> float:
    """For the order: simulations, or seconds; a player without a budget comes first."""
    try:
        return float(budget.rstrip("s")) if budget else 0.0
    except ValueError:
        return 0.0


def name_budgets(budgets: tuple[str, str]) -> str:
    return " / ".join(dict.fromkeys(filter(None, budgets)))


def is_even(row: Row) -> bool:
    """Whether both have the same budget, or only one has any."""
    return row.budgets[0] == row.budgets[1] or "" in row.budgets


# --- below and beside


def caption(about: str, rows: Sequence[Row], labels: Labels, small_print: str) -> str:
    """What is drawn, from how many games, and how sure it is."""
    swapped = all(row.first_seat == "both" for row in rows)
    games = say_games(rows) + (", each player moving first in half of them" if swapped else "")
    fixed = "; ".join(dict.fromkeys(filter(None, map(labels.fixed, rows))))
    return f"{about}, a draw as a half; {games}. {small_print}" + (f" {fixed}." if fixed else "")


def say_games(rows: Iterable[Row]) -> str:
    totals = [row.tally.total for row in rows]
    few, many = min(totals), max(totals)
    return f"n = {many} a cell" if few == many else f"n = {few} to {many} a cell"


def file_name(*parts: str) -> str:
    return "_".join(re.sub(r"[^A-Za-z0-9._]+", "-", part).strip("-")[:60] for part in parts)
