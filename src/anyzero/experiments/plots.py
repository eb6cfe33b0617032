"""Which figures a set of results gives: heat maps by both budgets, curves by budget, tables of games and of players."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from anyzero.errors import AnyzeroError, UnknownNameError
from anyzero.experiments.captions import (
    Labels,
    budget_value,
    caption,
    file_name,
    group,
    is_even,
    name_budgets,
    name_player,
    name_players,
    name_seat,
    short_game,
)
from anyzero.experiments.charts import Line, Panel, Words, draw_curves, draw_matrices
from anyzero.experiments.rows import Row

FORMATS = ("png", "svg", "pdf")
DOTS_PER_INCH = 200
MOST_COLUMNS = 8
"""A table of more is split by the pair of players."""
SMALL_PRINT = "Small print: half of the 95\N{NO-BREAK SPACE}% Wilson interval, in points."

Figures = Iterator[tuple[str, Figure]]
"""Each with the name of its file, without the end."""


def plot_rows(rows: Sequence[Row]) -> Figures:
    """All figures that these rows give, one after the other; at least one."""
    labels = Labels(rows)
    yield from plot_heat_maps(rows, labels)
    yield from plot_curves(rows, labels)
    yield from plot_tables(rows, labels)
    yield from plot_crosses(rows, labels)


# --- heat maps


def plot_heat_maps(rows: Sequence[Row], labels: Labels) -> Figures:
    """One for each game with its options and each pair of players that has unequal budgets."""
    for (_, _, first, second), found in group(rows, lambda row: (row.game, row.options, row.first, row.second)).items():
        if not all(is_even(row) for row in found):
            yield file_name("heat_map", labels.game(found[0]), first, second), heat_map(found, labels)


def heat_map(rows: Sequence[Row], labels: Labels) -> Figure:
    """The score of the first player by its budget (up) and that of the second (across)."""
    first, second = name_players(rows[0])
    down, across = (sorted({row.budgets[side] for row in rows}, key=budget_value) for side in (0, 1))
    panels = []
    for found in group(rows, lambda row: row.first_seat).values():
        by_budgets = {row.budgets: row for row in found}
        cells = [[by_budgets.get((one, two)) for two in across] for one in down]
        panels.append(Panel(name_seat(found[0]), cells))
    words = Words(
        f"{labels.game(rows[0])}: {first} against {second}",
        f"budget of {second}",
        f"budget of {first}",
        caption(f"Score of {first} in %", rows, labels, SMALL_PRINT),
    )
    return draw_matrices(panels, across, down, words)


# --- curves


def plot_curves(rows: Sequence[Row], labels: Labels) -> Figures:
    """One for each game and pair of players with at least two budgets; a line for each size."""
    even = [row for row in rows if is_even(row) and name_budgets(row.budgets)]
    for (game, first, second), found in group(even, lambda row: (row.game, row.first, row.second)).items():
        units = {name_budgets(row.budgets).endswith("s") for row in found}
        if len(units) == 1 and len({row.budgets for row in found}) > 1:
            name = file_name("budgets", short_game(game), first, second)
            yield name, curves(found, labels, "seconds" if units.pop() else "simulations")


def curves(rows: Sequence[Row], labels: Labels, unit: str) -> Figure:
    first, second = name_players(rows[0])
    panels = []
    for found in group(rows, lambda row: row.first_seat).values():
        lines = [
            Line(labels.line(line[0]), sorted((budget_value(name_budgets(row.budgets)), row) for row in line))
            for line in group(found, lambda row: row.options).values()
        ]
        panels.append((name_seat(found[0]), lines))
    words = Words(
        f"{short_game(rows[0].game)}: {first} against {second}",
        f"budget of {name_owner(rows)}, {unit} a move",
        f"score of {first}, %",
        caption(f"Score of {first} in %", rows, labels, "Bars: 95\N{NO-BREAK SPACE}% Wilson interval."),
    )
    return draw_curves(panels, words)


def name_owner(rows: Sequence[Row]) -> str:
    """Whose budget it is that both share, or that only one has."""
    if all(all(row.budgets) for row in rows):
        return "both players"
    return name_players(rows[0])[0 if rows[0].budgets[0] else 1]


# --- tables of games


def plot_tables(rows: Sequence[Row], labels: Labels) -> Figures:
    """Games down, pairs of players at equal budgets across; by pair where that is too wide."""
    even = [row for row in rows if is_even(row)] or list(rows)
    if not any(name_budgets(row.budgets) for row in rows) and round_robin(rows):
        return  # the record of a tournament: the cross table says it all
    if len({(row.first, row.second, row.budgets) for row in even}) <= MOST_COLUMNS:
        yield "table", table(even, labels)
        return
    for pair, found in group(even, lambda row: (row.first, row.second)).items():
        yield file_name("table", *pair), table(found, labels)


def table(rows: Sequence[Row], labels: Labels) -> Figure:
    down = list(group(rows, lambda row: (row.game, row.options)).values())[::-1]  # the first one on top
    across = list(group(rows, lambda row: (row.first, row.second, row.budgets)).values())
    one_pair = len({(row.first, row.second) for row in rows}) == 1
    first, second = name_players(rows[0]) if one_pair else ("the first player", "the second")
    panels = []
    for found in group(rows, lambda row: row.first_seat).values():
        by_place = {place_of(row): row for row in found}
        cells = [
            [by_place.get((*place_of(line[0])[:2], *place_of(column[0])[2:])) for column in across] for line in down
        ]
        panels.append(Panel(name_seat(found[0], (first, second)), cells))
    words = Words(
        f"{first} against {second}" if one_pair else "Scores by game and players",
        "budget of both players" if one_pair and all(all(row.budgets) for row in rows) else "",
        "",
        caption(f"Score of {first} in %", rows, labels, SMALL_PRINT),
    )
    columns = [name_budgets(column[0].budgets) if one_pair else name_column(column[0]) for column in across]
    return draw_matrices(panels, columns, [labels.game(line[0]) for line in down], words)


def place_of(row: Row) -> tuple[Any, ...]:
    """Which game, and who plays it: the two sides of the table."""
    return row.game, row.options, row.first, row.second, row.budgets


def name_column(row: Row) -> str:
    first, second = name_players(row)
    return "\n".join(filter(None, [first, f"v. {second}", name_budgets(row.budgets)]))


# --- cross tables of players


def round_robin(rows: Iterable[Row]) -> dict[tuple[str, str], Row]:
    """By row and column, if there are three players or more and every two have met; else empty."""
    met = {(row.first, row.second): row for row in rows if row.first_seat == "both" and row.first != row.second}
    met = {(second, first): row.mirrored() for (first, second), row in met.items()} | met
    players = dict.fromkeys(player for couple in met for player in couple)
    complete = len(players) > 2 and all(couple in met for couple in combinations(players, 2))
    return met if complete else {}


def plot_crosses(rows: Sequence[Row], labels: Labels) -> Figures:
    """Everybody against everybody, for each game and budget where that was played."""
    even = [row for row in rows if is_even(row)]
    for (_, _, budgets), found in group(even, lambda row: (row.game, row.options, row.budgets)).items():
        met = round_robin(found)
        if met:
            title = ", ".join(filter(None, [labels.game(found[0]), name_budgets(budgets)]))
            yield file_name("cross", title), cross(met, title, labels)


def cross(met: Mapping[tuple[str, str], Row], title: str, labels: Labels) -> Figure:
    """Players in the order of their mean score, the best on top."""
    players = list(dict.fromkeys(first for first, _ in met))
    scores = {player: sum(row.score.value for (first, _), row in met.items() if first == player) for player in players}
    players.sort(key=lambda player: -scores[player])
    cells = [[met.get((one, two)) for two in players] for one in reversed(players)]
    names = [name_player(player) for player in players]
    about = caption("Score of the player of the row in %", list(met.values()), labels, SMALL_PRINT)
    return draw_matrices([Panel("", cells)], names, names[::-1], Words(title, "against", "score of", about))


# --- files


def parse_formats(text: str) -> list[str]:
    formats = [part.strip().lower() for part in text.split(",")]
    for name in formats:
        if name not in FORMATS:
            raise UnknownNameError(f"there is no format {name!r}; known: {', '.join(FORMATS)}")
    return list(dict.fromkeys(formats))


def save_figures(figures: Iterable[tuple[str, Figure]], folder: Path, formats: Sequence[str]) -> list[Path]:
    """Write each figure in each format as it comes; returns the files."""
    files: list[Path] = []
    names: set[str] = set()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, figure in figures:
            while name in names:
                name += "-2"
            names.add(name)
            for form in formats:
                files.append(folder / f"{name}.{form}")
                figure.savefig(files[-1], format=form, dpi=DOTS_PER_INCH, metadata=UNDATED[form])
    except OSError as error:
        raise AnyzeroError(f"cannot write to {folder}: {error.strerror}") from None
    return files


UNDATED: dict[str, dict[str, Any]] = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
"""Files do not differ because of the day on which they were drawn."""
