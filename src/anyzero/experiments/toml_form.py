"""The form of our own: games with options, pairs of players, budgets, seats; `docs/experiments.md` describes it."""

import math
from itertools import product
from typing import Any

from anyzero.arena.plan import make_plan
from anyzero.errors import BadOptionError
from anyzero.experiments.fields import Fields, distinct
from anyzero.experiments.grid import BUDGET, FIRST_SEATS, Cell, Experiment, check_size, fill_in, shown_budget
from anyzero.experiments.grid import player_template as template
from anyzero.experiments.results import GRID_COLUMNS, describe_outcome
from anyzero.games.game import Game
from anyzero.games.load import load

KEYS = (
    "games",
    "pairs",
    "budgets",
    "budgets_first",
    "budgets_second",
    "games_per_cell",
    "first_seat",
    "seed",
    "openings",
)
Pair = tuple[str, str]


def read_toml_form(source: str, values: Any) -> Experiment:
    """The experiment that the values of a file describe."""
    fields = Fields(source, values, KEYS)
    settings = {"games": fields.integer("games_per_cell", 100), "seed": fields.integer("seed", 0)}
    settings |= {"openings": fields.integer("openings")} if "openings" in fields else {}
    pairs = distinct([read_pair(source, pair) for pair in fields.items("pairs")])
    budgets = read_budgets(fields, pairs)
    seats = fields.choices("first_seat", list(FIRST_SEATS)) if "first_seat" in fields else ["both"]
    games = read_games(fields)
    check_size(source, len(games) * len(pairs) * len(budgets) * len(seats), settings["games"])
    cells = [
        make_cell(game, pair, budget, seat, settings)
        for game, pair, budget, seat in product(games, pairs, budgets, seats)
    ]
    identity = {
        "kind": "grid",
        "games": [game.text for game in games],
        "pairs": [list(pair) for pair in pairs],
        "budgets": [list(budget) for budget in budgets],
        "first_seat": seats,
        "games_per_cell": settings["games"],
        "seed": settings["seed"],
        "openings": settings.get("openings"),
    }
    unique = {tuple(cell.place.items()): cell for cell in cells}  # two budgets are one cell to a player without any
    return Experiment(identity, tuple(unique.values()), GRID_COLUMNS, describe_outcome)


def make_cell(game: Game, pair: Pair, budgets: Pair, seat: str, settings: dict[str, int]) -> Cell:
    players = [fill_in(player, budget) for player, budget in zip(pair, budgets, strict=True)]
    plan = make_plan(game, players, legs=FIRST_SEATS[seat], **settings)
    shown = [shown_budget(budget) if BUDGET in player else "" for player, budget in zip(pair, budgets, strict=True)]
    options = game.text[len(game.source) + 1 :]
    place: dict[str, Any] = {
        "game": game.source,
        "options": options,
        "first": plan.players[0],
        "second": plan.players[1],
    }
    place |= {"budget_first": shown[0], "budget_second": shown[1], "first_seat": seat, "games": plan.games}
    return Cell(plan, place)


# --- games


def read_games(fields: Fields) -> list[Game]:
    """Every game with every combination of the options that are lists."""
    texts: list[str] = []
    for entry in fields.items("games"):
        if isinstance(entry, str):
            texts.append(entry)
        elif isinstance(entry, dict) and isinstance(entry.get("name"), str):
            texts += option_texts(fields.source, entry)
        else:
            raise BadOptionError(
                f"{fields.source}: games wants texts like 'hex:size=7', or tables with a name and lists of options, "
                f"not {entry!r}"
            )
    return list({game.text: game for game in map(load, texts)}.values())


def option_texts(source: str, entry: dict[str, Any]) -> list[str]:
    name, options = entry["name"], {key: value for key, value in entry.items() if key != "name"}
    lists = [value if isinstance(value, list) else [value] for value in options.values()]
    check_size(source, math.prod(map(len, lists)), 1)
    texts = []
    for values in product(*lists):
        written = ",".join(
            f"{key}={option_value(source, key, value)}" for key, value in zip(options, values, strict=True)
        )
        colon = "," if ":" in name and not name.endswith(".py") else ":"
        texts.append(f"{name}{colon}{written}" if written else name)
    if not texts:
        raise BadOptionError(f"{source}: a list of options of {name} is empty")
    return texts


def option_value(source: str, key: str, value: Any) -> str:
    if not isinstance(value, int | float | str):
        raise BadOptionError(f"{source}: the option {key} cannot be {value!r}")
    return str(value).lower() if isinstance(value, bool) else str(value)


# --- players and budgets


def read_pair(source: str, pair: Any) -> Pair:
    """Two players, as a list of two texts or as a table with the keys first and second."""
    if isinstance(pair, dict):
        fields = Fields(f"{source}: pairs", pair, ("first", "second"))
        pair = [fields.require("first"), fields.require("second")]
    if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(player, str) for player in pair):
        raise BadOptionError(
            f"{source}: pairs wants two players each, like ['rave:{BUDGET}', 'uct:{BUDGET}'], not {pair!r}"
        )
    return template(pair[0]), template(pair[1])


def read_budgets(fields: Fields, pairs: list[Pair]) -> list[Pair]:
    """The budgets of both players: the same for both, or every combination of two lists."""
    lists = [key for key in ("budgets_first", "budgets_second") if key in fields]
    if "budgets" in fields and lists:
        raise BadOptionError(
            f"{fields.source}: give either budgets, for both players, or budgets_first and budgets_second"
        )
    if len(lists) == 1:
        other = "budgets_second" if lists == ["budgets_first"] else "budgets_first"
        raise BadOptionError(f"{fields.source}: {lists[0]} needs {other} beside it")
    if lists:
        firsts, seconds = fields.budgets("budgets_first"), fields.budgets("budgets_second")
        check_size(fields.source, len(firsts) * len(seconds), 1)
        return list(product(firsts, seconds))
    if "budgets" in fields:
        return [(budget, budget) for budget in fields.budgets("budgets")]
    for player in (player for pair in pairs for player in pair if BUDGET in player):
        raise BadOptionError(f"{fields.source}: {player!r} wants a budget, but the key budgets is missing")
    return [("", "")]
