"""The config of an experiment, and its two file formats: TOML, and the JSON of Hex students."""

import json
import math
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import AfterValidator, BeforeValidator, ValidationInfo

from anyzero.core.base.errors import AnyzeroError, BadOptionError
from anyzero.core.base.files import reading
from anyzero.core.base.nouns import NamedValues, Values
from anyzero.core.base.schema import Schema, show_value
from anyzero.core.game.game import Game
from anyzero.core.game.load import load
from anyzero.core.search.methods import METHODS, parse_budget
from anyzero.tools.arena.match import MatchResult
from anyzero.tools.arena.plan import BOTH_LEGS, Plan, make_plan
from anyzero.tools.lab.table import GRID_COLUMNS, STUDENT_COLUMNS, describe_cell, describe_victories

BUDGET = "{budget}"  # placeholder for the budget in the text of a player
FIRST_SEATS = {"both": BOTH_LEGS, "first": (0,), "second": (1,)}
"""The games of a pair that are played, by who has the first seat."""
MOST_CELLS = 10_000
MOST_GAMES = 5_000_000

Pair = tuple[str, str]
Place = Values


@dataclass(frozen=True)
class GridCell:
    """One cell of the grid: its games, and the columns that identify it."""

    plan: Plan
    place: Place


@dataclass(frozen=True)
class Experiment:
    """All cells, in the order in which they are played and written."""

    identity: NamedValues  # the resolved config: results of another one do not belong to this
    cells: tuple[GridCell, ...]
    columns: tuple[str, ...]  # of the table: the place of a cell, then its results
    describe: Callable[[Plan, Sequence[MatchResult]], Values]  # the columns after the place

    @property
    def plans(self) -> list[Plan]:
        """Each plan once: cells that differ only in name share their games."""
        return list(dict.fromkeys(cell.plan for cell in self.cells))


def load_experiment(path: Path | str) -> Experiment:
    """The experiment in a config file; all errors are raised here, before a game is played."""
    path = Path(path)
    forms: dict[str, tuple[Callable[[str], Values], type[GridConfig | StudentConfig]]]
    forms = {".toml": (tomllib.loads, GridConfig), ".json": (json.loads, StudentConfig)}
    if path.suffix.lower() not in forms:
        raise BadOptionError(f"{path}: an experiment is a .toml or a .json file")
    read, form = forms[path.suffix.lower()]
    try:
        with reading(path):
            values = read(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise BadOptionError(f"{path} is not {path.suffix[1:].upper()}: {error}") from None
    try:
        return form.parse(values).experiment()
    except AnyzeroError as error:
        raise type(error)(f"{path}: {error}") from None


# --- values common to both formats

Item = TypeVar("Item")


def _listed(value: object, info: ValidationInfo) -> tuple[object, ...]:
    entries = value if isinstance(value, tuple) else (value,)
    if not entries:
        raise BadOptionError(f"{info.field_name} is empty")
    return entries


def _check_budget(value: object, info: ValidationInfo) -> str:
    if type(value) not in (int, str):
        form = "numbers of simulations, or seconds like '2s'"
        raise BadOptionError(f"{info.field_name} must be {form}, not {show_value(value)}")
    text = str(value).strip()
    parse_budget(str(info.field_name), text)
    return text


def _read_pairs(entries: object, info: ValidationInfo) -> tuple[Pair, ...]:
    """Pairs as lists of two, as tables of two, or as texts like `rave - mcts`; a single pair needs
    no list.
    """
    entries = _listed(entries, info)
    if len(entries) == 2 and all(
        isinstance(entry, str) and len(_split_pair(entry)) == 1 for entry in entries
    ):
        entries = (entries,)
    return tuple(_read_pair(entry, str(info.field_name)) for entry in entries)


def _read_pair(entry: object, field: str) -> Pair:
    names = entry
    if isinstance(entry, str):
        names = _split_pair(entry)
    elif isinstance(entry, dict) and {key.lower() for key in entry} in (
        {"first", "second"},
        {"j1", "j2"},
    ):
        names = [entry[key] for key in sorted(entry, key=str.lower)]
    if (
        not isinstance(names, list | tuple)
        or len(names) != 2
        or not all(isinstance(name, str) for name in names)
    ):
        raise BadOptionError(
            f"{field} must be pairs of players like ['rave', 'uct'], not {show_value(entry)}"
        )
    return names[0].strip(), names[1].strip()


def _split_pair(text: str) -> list[str]:
    """`rave vs uct`, `rave - uct` and `rave-uct` as two; a dash in the name of a run, file or
    program is kept.
    """
    alone = rf"{SHORT_PLAYER}-{SHORT_PLAYER}"
    between = "-" if re.fullmatch(alone, text.strip()) else r"\s+(?:vs\.?|contre|-)\s+"
    return re.split(between, text.strip(), flags=re.IGNORECASE)


SHORT_PLAYER = r"(?!uci:|gtp:)\w+(?::[\w.{}]+)?"  # `rave`, `rave:100`, `rave:{budget}`


_DISTINCT = AfterValidator(lambda values: tuple(dict.fromkeys(values)))
Several = Annotated[tuple[Item, ...], BeforeValidator(_listed), _DISTINCT]
"""A nonempty list of distinct values; a single value is a list of one."""
Budgets = Several[Annotated[str, BeforeValidator(_check_budget)]]
Pairs = Annotated[tuple[Pair, ...], BeforeValidator(_read_pairs), _DISTINCT]


def _template(player: str) -> str:
    """The text of a player with a placeholder for its budget; a method's bare name is short for
    that.
    """
    return f"{player}:{BUDGET}" if player in METHODS else player


def _shown(budget: str) -> int | str:
    """Simulations as a number, anything else unchanged."""
    return int(budget) if budget.isdecimal() else budget


def _check_size(num_cells: int, games_per_cell: int = 1) -> None:
    """A mistake in a config must not fill the memory."""
    if num_cells > MOST_CELLS:
        raise BadOptionError(f"the grid has {num_cells:,} cells; the maximum is {MOST_CELLS:,}")
    if num_cells * games_per_cell > MOST_GAMES:
        raise BadOptionError(
            f"the grid has {num_cells * games_per_cell:,} games; the maximum is {MOST_GAMES:,}"
        )


Placed = Callable[[Plan, Game, Pair, Pair, str], Place]
"""The columns of a place from its plan, game, players, budgets and first seat."""


def _make_cells(
    grid: tuple[Sequence[Game], Mapping[Pair, Pair], Sequence[Pair], Sequence[str]],
    placed: Placed,
    **settings: Any,
) -> tuple[GridCell, ...]:
    """Every combination of games, pairs (as written, with placeholders), budgets and first
    seats.
    """
    _check_size(math.prod(map(len, grid)), settings["games"])
    cells = {}
    for game, pair, budgets, seat in product(*grid):
        players = [
            text.replace(BUDGET, budget)
            for text, budget in zip(grid[1][pair], budgets, strict=True)
        ]
        plan = make_plan(game, players, legs=FIRST_SEATS[seat], **settings)
        place = placed(plan, game, pair, budgets, seat)
        cells[tuple(place.values())] = GridCell(
            plan, place
        )  # for a player without a budget, two budgets are one cell
    return tuple(cells.values())


# --- the TOML format


class GridConfig(Schema):
    """Games with options, pairs of players, budgets and seats; `docs/experiments.md` describes
    it.
    """

    noun: ClassVar[str] = "the experiment"
    games: Annotated[tuple[object, ...], BeforeValidator(_listed)]
    """Texts like `hex:size=7`, or tables with a name and options, each a value or a list of values.
    """
    pairs: Pairs
    """Two players each."""
    budgets: Budgets = ()
    """Simulations, or seconds as text; both players get the same."""
    budgets_first: Budgets = ()
    """Instead of `budgets`: every combination with `budgets_second`."""
    budgets_second: Budgets = ()
    """Instead of `budgets`."""
    games_per_cell: int = 100
    """Number of games per cell."""
    first_seat: Several[Literal["both", "first", "second"]] = ("both",)
    """Who moves first: both in turn, always the first player, or always the second."""
    seed: int = 0
    """The same seed gives the same games."""
    openings: int | None = None
    """Random plies before each pair of games; by default as in a match."""

    def experiment(self) -> Experiment:
        """Cells in the order of games, pairs, budgets and seats."""
        pairs = list(
            dict.fromkeys((_template(first), _template(second)) for first, second in self.pairs)
        )
        budgets = self._all_budgets(pairs)
        games = {game.text: game for entry in self.games for game in _load_games(entry)}
        grid = list(games.values()), dict(zip(pairs, pairs, strict=True)), budgets, self.first_seat
        rest = {"games_per_cell": self.games_per_cell, "seed": self.seed, "openings": self.openings}
        identity = {"kind": "grid", "games": list(games), "pairs": pairs, "budgets": budgets}
        cells = _make_cells(
            grid, _grid_place, games=self.games_per_cell, seed=self.seed, openings=self.openings
        )
        return Experiment(
            identity | {"first_seat": self.first_seat} | rest, cells, GRID_COLUMNS, describe_cell
        )

    def _all_budgets(self, pairs: Sequence[Pair]) -> list[Pair]:
        first = self.budgets_first
        second = self.budgets_second
        if self.budgets and (first or second):
            raise BadOptionError(
                "give either budgets, for both players, or budgets_first and budgets_second"
            )
        if bool(first) != bool(second):
            names = (
                ("budgets_first", "budgets_second")
                if first
                else ("budgets_second", "budgets_first")
            )
            raise BadOptionError(f"{names[0]} needs {names[1]} too")
        missing = [player for pair in pairs for player in pair if BUDGET in player]
        if missing and not (self.budgets or first):
            raise BadOptionError(f"{missing[0]!r} needs a budget, but the key budgets is missing")
        _check_size(len(first) * len(second))
        return (
            list(product(first, second))
            or [(budget, budget) for budget in self.budgets]
            or [("", "")]
        )


def _grid_place(plan: Plan, game: Game, pair: Pair, budgets: Pair, seat: str) -> Place:
    shown = [
        _shown(budget) if BUDGET in player else ""
        for player, budget in zip(pair, budgets, strict=True)
    ]
    values = game.source, game.text[len(game.source) + 1 :], *plan.players, *shown, seat, plan.games
    return dict(zip(GRID_COLUMNS[:8], values, strict=True))


def _load_games(entry: object) -> Iterator[Game]:
    """A game with every combination of the options given as lists."""
    entry = {"name": entry} if isinstance(entry, str) else entry
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
        form = "texts like 'hex:size=7', or tables with a name and lists of options"
        raise BadOptionError(f"games must be {form}, not {show_value(entry)}")
    options = {
        key: value if isinstance(value, tuple) else (value,)
        for key, value in entry.items()
        if key != "name"
    }
    num = math.prod(map(len, options.values()))
    _check_size(num)
    if num == 0:
        raise BadOptionError(f"a list of options of {entry['name']} is empty")
    for values in product(*options.values()):
        yield load(entry["name"], **dict(zip(options, map(str, values), strict=True)))


# --- the JSON format


class StudentConfig(Schema):
    """Hex in the students' format: two players, J1 and J2, on boards of several sizes."""

    noun: ClassVar[str] = "the experiment"
    grid_sizes: Several[int]
    """Sizes of the board."""
    budget_j1: Budgets
    """Budgets of the first player."""
    budget_j2: Budgets
    """Budgets of the second; every combination is played."""
    starting_players: Several[int]
    """Which of them moves first: 1, 2 or both."""
    strategie: Pairs
    """J1 and J2."""
    nb_games: int
    """Number of games per cell."""
    seed: int = 0
    """The same seed gives the same games."""
    openings: int | None = None
    """Random plies before each game; by default as in a match."""

    def experiment(self) -> Experiment:
        """One leg per cell, as the first seat is part of it."""
        if not set(self.starting_players) <= {1, 2}:
            raise BadOptionError(
                f"starting_players must be 1 or 2, not {show_value(list(self.starting_players))}"
            )
        _check_size(len(self.grid_sizes))
        games = [load("hex", size=size) for size in self.grid_sizes]
        pairs = {pair: (_translate(pair[0]), _translate(pair[1])) for pair in self.strategie}
        seats = [("first", "second")[number - 1] for number in self.starting_players]
        grid = games, pairs, list(product(self.budget_j1, self.budget_j2)), seats
        cells = _make_cells(
            grid, _student_place, games=self.nb_games, seed=self.seed, openings=self.openings
        )
        return Experiment(
            {"kind": "hex students", **self.to_dict()}, cells, STUDENT_COLUMNS, describe_victories
        )


def _translate(player: str) -> str:
    """Students call uct mcts, and vary the spelling of names."""
    lower = player.lower()
    is_builtin = lower in METHODS or lower == "random"
    return _template("uct" if lower == "mcts" else lower if is_builtin else player)


def _student_place(plan: Plan, game: Game, pair: Pair, budgets: Pair, seat: str) -> Place:
    values = (
        game.options["size"],
        *map(_shown, budgets),
        *pair,
        plan.games,
        {"first": 1, "second": 2}[seat],
    )
    return dict(zip(STUDENT_COLUMNS[:7], values, strict=True))
