"""What an experiment is: cells, each a plan of games and the columns that say which cell it is."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from anyzero.arena.plan import BOTH_LEGS, Plan
from anyzero.errors import BadOptionError
from anyzero.search.methods import METHODS

if TYPE_CHECKING:
    from anyzero.experiments.results import Outcome

BUDGET = "{budget}"
"""Stands for the budget in the text of a player."""
FIRST_SEATS = {"both": BOTH_LEGS, "first": (0,), "second": (1,)}
"""Which games of a pair are played, by who has the first seat."""
MOST_CELLS = 10_000
MOST_GAMES = 5_000_000


@dataclass(frozen=True)
class Cell:
    """One place of the grid."""

    plan: Plan
    place: Mapping[str, Any]
    """The columns that say which cell it is."""


@dataclass(frozen=True)
class Experiment:
    """All cells, in the order in which they are played and written down."""

    identity: Mapping[str, Any]
    """The config with everything filled in: results of another one do not belong to this."""
    cells: tuple[Cell, ...]
    columns: tuple[str, ...]
    """Of the table: the place of a cell, then how its games went."""
    describe: "Callable[[Outcome], dict[str, Any]]"
    """The columns behind those of the place."""

    @property
    def plans(self) -> list[Plan]:
        """Each once: cells that differ in name only share their games."""
        return list(dict.fromkeys(cell.plan for cell in self.cells))


def player_template(text: str) -> str:
    """The text of a player with a place for its budget; a method's bare name is short for that."""
    text = text.strip()
    return f"{text}:{BUDGET}" if text in METHODS else text


def fill_in(template: str, budget: str) -> str:
    return template.replace(BUDGET, budget)


def shown_budget(budget: str) -> int | str:
    """Simulations as a number, anything else as it is."""
    return int(budget) if budget.isdecimal() else budget


def check_size(source: str, num_cells: int, games_per_cell: int) -> None:
    """An honest mistake in a config must not fill the memory."""
    if num_cells > MOST_CELLS:
        raise BadOptionError(f"{source}: the grid has {num_cells:,} cells; most are {MOST_CELLS:,}")
    if num_cells * games_per_cell > MOST_GAMES:
        raise BadOptionError(f"{source}: the grid has {num_cells * games_per_cell:,} games; most are {MOST_GAMES:,}")
