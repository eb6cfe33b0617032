"""The form of a JSON file that Hex students use: two players, J1 and J2, on boards of several sizes."""

import re
from itertools import product
from typing import Any

from anyzero.arena.plan import make_plan
from anyzero.errors import BadOptionError
from anyzero.experiments.fields import Fields, distinct
from anyzero.experiments.grid import Cell, Experiment, check_size, fill_in, player_template, shown_budget
from anyzero.experiments.results import STUDENT_COLUMNS, describe_victories
from anyzero.games.game import Game
from anyzero.games.load import load
from anyzero.search.methods import METHODS

KEYS = (
    "grid_sizes",
    "budget_j1",
    "budget_j2",
    "starting_players",
    "strategie",
    "nb_games",
    "seed",
    "openings",
)
OTHER_NAMES = {"mcts": "uct"}
"""What students call a method, where we call it something else."""
BETWEEN = re.compile(r"\s+(?:vs\.?|contre|-)\s+", re.IGNORECASE)


def read_json_form(source: str, values: Any) -> Experiment:
    """The experiment that the values of a file describe; one leg a cell, as the first seat is part of it."""
    fields = Fields(source, values, KEYS)
    settings = {"games": fields.integer("nb_games"), "seed": fields.integer("seed", 0)}
    settings |= {"openings": fields.integer("openings")} if "openings" in fields else {}
    pairs = read_pairs(fields)
    budgets = [fields.budgets("budget_j1"), fields.budgets("budget_j2")]
    starts = fields.choices("starting_players", (1, 2))
    sizes = fields.integers("grid_sizes")
    check_size(source, len(sizes) * len(pairs) * len(budgets[0]) * len(budgets[1]) * len(starts), settings["games"])
    games = {size: load("hex", size=size) for size in sizes}
    cells = tuple(
        make_cell(games[size], pair, (budget_1, budget_2), start, settings)
        for size, pair, budget_1, budget_2, start in product(sizes, pairs, *budgets, starts)
    )
    identity: dict[str, Any] = {
        "kind": "hex students",
        "grid_sizes": sizes,
        "budget_j1": budgets[0],
        "budget_j2": budgets[1],
    }
    identity |= {"starting_players": starts, "strategie": [list(pair) for pair in pairs], "nb_games": settings["games"]}
    identity |= {"seed": settings["seed"], "openings": settings.get("openings")}
    return Experiment(identity, cells, STUDENT_COLUMNS, describe_victories)


def make_cell(
    game: Game, pair: tuple[str, str], budgets: tuple[str, str], start: int, settings: dict[str, int]
) -> Cell:
    players = [fill_in(strategy(name), budget) for name, budget in zip(pair, budgets, strict=True)]
    plan = make_plan(game, players, legs=(start - 1,), **settings)
    place: dict[str, Any] = {"GridSize": game.options["size"]}
    place |= {"BudgetJ1": shown_budget(budgets[0]), "BudgetJ2": shown_budget(budgets[1])}
    place |= {"StrategieJ1": pair[0], "StrategieJ2": pair[1], "NbGames": plan.games, "StartPlayer": start}
    return Cell(plan, place)


def strategy(name: str) -> str:
    """The player of ours that a student's word means."""
    lower = name.lower()
    return player_template(OTHER_NAMES.get(lower, lower if lower in METHODS or lower == "random" else name))


def read_pairs(fields: Fields) -> list[tuple[str, str]]:
    """Pairs as lists of two, as tables of two, or as texts like `rave - mcts`; one pair alone may stand by itself."""
    entries = fields.items("strategie")
    if len(entries) == 2 and all(isinstance(entry, str) and len(split_pair(entry)) == 1 for entry in entries):
        entries = [entries]
    return distinct([read_pair(fields.source, entry) for entry in entries])


def read_pair(source: str, entry: Any) -> tuple[str, str]:
    found: Any = entry
    if isinstance(entry, str):
        found = split_pair(entry)
    elif isinstance(entry, dict) and [key[-1:] for key in sorted(entry)] == ["1", "2"]:
        found = [entry[key] for key in sorted(entry)]  # j1 and j2
    if not isinstance(found, list) or len(found) != 2 or not all(isinstance(name, str) for name in found):
        raise BadOptionError(f'{source}: strategie wants pairs like ["rave", "mcts"], not {entry!r}')
    return found[0].strip(), found[1].strip()


def split_pair(text: str) -> list[str]:
    """`rave vs mcts`, `rave - mcts` and `rave-mcts` as two; a dash inside of options does not count."""
    parts = BETWEEN.split(text.strip())
    return text.strip().split("-") if len(parts) == 1 and "," not in text else parts
