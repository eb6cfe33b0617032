"""Figures of a table of results: heat maps, curves by budget, tables of games.

Scores go from 0 to 100 %: blue if the player in question is ahead, red if it is behind, white at 50
%. The ends are distinguishable with any kind of colour vision, and every cell shows its number.
"""

import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from anyzero.core.game.definition import split_text
from anyzero.tools.figures import (
    GUIDE,
    LABEL,
    SMALL,
    Axes,
    Figure,
    Figures,
    Normalize,
    NullLocator,
    add_legend,
    draw_curve,
    finish_axes,
    matplotlib,
    new_figure,
    parse_formats,
    save_figures,
)
from anyzero.tools.lab.table import GridRow, read_rows

if TYPE_CHECKING:
    from matplotlib.image import AxesImage

COLOUR_MAP = "RdBu"
SCALE = Normalize(0.0, 100.0)
DODGE = (
    0.012  # offset between lines, as a share of the axis, so that their intervals do not overlap
)
MOST_COLUMNS = 8  # a wider table is split by pair of players

Key = TypeVar("Key", bound=Hashable)


# --- words


def group(rows: Iterable[GridRow], key: Callable[[GridRow], Key]) -> dict[Key, list[GridRow]]:
    """Rows by what they share, in order of appearance."""
    groups: dict[Key, list[GridRow]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


class GameNames:
    """Options that differ among the rows are part of a game's name, the others are listed once
    below the figure.
    """

    def __init__(self, rows: Iterable[GridRow]) -> None:
        self.varied: dict[str, set[str]] = {}
        for game, same_game in group(rows, lambda row: row.game).items():
            options = [_parse_options(text) for text in {row.options for row in same_game}]
            names = {name for values in options for name in values}
            self.varied[game] = {
                name for name in names if len({values.get(name) for values in options}) > 1
            }

    def game(self, row: GridRow) -> str:
        return ", ".join([short_game(row.game), *self.options(row, varied=True)])

    def line(self, row: GridRow) -> str:
        """Without the game if its options are enough."""
        return ", ".join(self.options(row, varied=True)) or short_game(row.game)

    def options(self, row: GridRow, *, varied: bool) -> list[str]:
        options = _parse_options(row.options).items()
        return [
            plain(f"{name} {value}")
            for name, value in options
            if (name in self.varied[row.game]) == varied
        ]

    def caption(self, whose: str, rows: Sequence[GridRow], intervals: str) -> str:
        """What is shown, from how many games, and its intervals."""
        few = min(row.tally.total for row in rows)
        many = max(row.tally.total for row in rows)
        games = f"n = {many} per cell" if few == many else f"n = {few} to {many} per cell"
        swapped = all(row.first_seat == "both" and row.games == row.tally.total for row in rows)
        games += ", each player moving first in half of them" if swapped else ""
        same = {short_game(row.game): ", ".join(self.options(row, varied=False)) for row in rows}
        fixed = "; ".join(f"{game}: {options}" for game, options in same.items() if options)
        about = (
            f"Score of {whose} in %, a draw as a half; {games}. {intervals}: "
            f"95\N{NO-BREAK SPACE}% Wilson interval."
        )
        return about + (f" {fixed}." if fixed else "")


def _parse_options(text: str) -> dict[str, str]:
    return dict(part.partition("=")[::2] for part in text.split(",") if part)


def plain(text: str) -> str:
    """A text in which no dollar sign starts a formula."""
    return text.replace("$", r"\$")


def short_game(game: str) -> str:
    return plain(Path(game).stem if game.endswith(".py") else game)


def name_player(text: str) -> str:
    """A player in a file is named after the file, without its folders."""
    name, options = split_text(text)
    return plain(f"{Path(name).name}{options and ':'}{options}" if name.endswith(".py") else text)


def name_players(row: GridRow) -> tuple[str, str]:
    """Two distinct names."""
    first = name_player(row.first)
    second = name_player(row.second)
    return (f"{first} (first)", f"{second} (second)") if first == second else (first, second)


def by_first_seat(rows: Sequence[GridRow], players: tuple[str, str]) -> dict[str, list[GridRow]]:
    """The rows of each panel by its title, which says who moves first; empty if both take turns in
    all games.
    """
    words = {
        "first": f"{players[0]} moves first",
        "second": f"{players[1]} moves first",
        "both": "the first move alternates",
    }
    panels = group(rows, lambda row: words[row.first_seat])
    return {"": list(rows)} if list(panels) == [words["both"]] else panels


def name_budgets(budgets: tuple[str, str]) -> str:
    return " / ".join(dict.fromkeys(filter(None, budgets)))


def budget_value(budget: str) -> float:
    """The sort key: simulations or seconds; a player without a budget comes first."""
    try:
        return float(budget.rstrip("s")) if budget else 0.0
    except ValueError:
        return 0.0


def is_even(row: GridRow) -> bool:
    """Whether both have the same budget, or only one has any."""
    return row.budgets[0] == row.budgets[1] or "" in row.budgets


def file_name(*parts: str) -> str:
    return "_".join(re.sub(r"[^A-Za-z0-9._]+", "-", part).strip("-")[:60] for part in parts)


# --- matrices of scores


class Matrix(NamedTuple):
    """The content of a matrix of scores: the place of each row, and the texts around it."""

    place: Callable[[GridRow], tuple[Hashable, Hashable]]  # up and across
    up: Mapping[Hashable, str]  # labels by place, the lowest first
    across: Mapping[Hashable, str]
    title: str
    says_up: str
    says_across: str
    players: tuple[str, str]  # the score is that of the first


def draw_matrix(matrix: Matrix, rows: Sequence[GridRow], names: GameNames) -> Figure:
    """A panel for each first seat, side by side, with one colour scale."""
    panels = by_first_seat(rows, matrix.players)
    grids = [{matrix.place(row): row for row in panel} for panel in panels.values()]
    missing = any(
        (up, across) not in grid for grid in grids for up in matrix.up for across in matrix.across
    )
    caption = names.caption(matrix.players[0], rows, "Small print") + " Grey: no games." * missing
    letters = max(len(line) for label in matrix.across.values() for line in label.split("\n"))
    width = len(panels) * (0.5 + max(0.8, 0.075 * letters) * len(matrix.across)) + 1.2
    width += 0.08 * max(map(len, matrix.up.values()))
    tallest = max(label.count("\n") + 1 for label in matrix.across.values())
    figure = new_figure(
        max(4.0, width), 1.7 + 0.56 * len(matrix.up) + 0.15 * tallest, matrix.title, caption
    )
    all_axes = figure.subplots(1, len(panels), squeeze=False, sharey=True)[0]
    for axes, title, grid in zip(all_axes, panels, grids, strict=True):
        image = draw_cells(
            axes, [[grid.get((up, across)) for across in matrix.across] for up in matrix.up]
        )
        axes.set_title(title, fontsize=LABEL)
        axes.set_xticks(range(len(matrix.across)), list(matrix.across.values()), fontsize=LABEL)
        axes.set_yticks(range(len(matrix.up)), list(matrix.up.values()), fontsize=LABEL)
        axes.set_xlabel(matrix.says_across, fontsize=LABEL)
    all_axes[0].set_ylabel(matrix.says_up, fontsize=LABEL)
    bar = figure.colorbar(
        image, ax=list(all_axes), ticks=[0, 25, 50, 75, 100], shrink=0.9, aspect=16
    )
    bar.ax.tick_params(labelsize=SMALL)
    bar.set_label("score, %", fontsize=SMALL)
    return figure


def draw_cells(axes: Axes, cells: Sequence[Sequence[GridRow | None]]) -> "AxesImage":
    """Colours, and in each cell its score with the interval in small print."""
    scores = [[np.nan if row is None else 100 * row.score.value for row in line] for line in cells]
    axes.set_facecolor(
        "#d9d9d9"
    )  # a cell without games is grey, which is not the colour of a score
    image = axes.imshow(
        np.ma.masked_invalid(scores), COLOUR_MAP, SCALE, aspect="auto", origin="lower"
    )
    for y, x, row in (
        (y, x, row) for y, line in enumerate(cells) for x, row in enumerate(line) if row is not None
    ):
        value, low, high = (
            f"{100 * limit:.{0 if row.tally.total < 1000 else 1}f}" for limit in row.score
        )
        ink = ink_on(100 * row.score.value)
        axes.text(x, y + 0.04, value, ha="center", va="bottom", fontsize=LABEL + 1, color=ink)
        axes.text(x, y - 0.08, f"{low} to {high}", ha="center", va="top", fontsize=SMALL, color=ink)
    axes.set_xticks(np.arange(0.5, len(cells[0]) - 1), minor=True)
    axes.set_yticks(np.arange(0.5, len(cells) - 1), minor=True)
    axes.grid(which="minor", color="white", linewidth=1.5)
    axes.tick_params(which="both", length=0)
    axes.spines[:].set_visible(False)
    return image


def ink_on(score: float) -> str:
    """Black or white, whichever is easier to read on the colour of a score."""
    red, green, blue, _ = matplotlib.colormaps[COLOUR_MAP](SCALE(score))
    return (
        "black" if 0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2 > 0.18 else "white"
    )


# --- the choice of figures


def plot_rows(rows: Sequence[GridRow]) -> Figures:
    """All figures for these rows; at least one."""
    names = GameNames(rows)
    for draw_all in (_heat_maps, _budget_curves, _game_tables):
        yield from draw_all(rows, names)


def _heat_maps(rows: Sequence[GridRow], names: GameNames) -> Figures:
    """One for each game with its options and each pair of players with unequal budgets, which are
    the axes.
    """
    for (_, _, first, second), cells in group(
        rows, lambda row: (row.game, row.options, row.first, row.second)
    ).items():
        if all(is_even(row) for row in cells):
            continue
        first_name, second_name = players = name_players(cells[0])
        up, across = (
            sorted({row.budgets[side] for row in cells}, key=budget_value) for side in (0, 1)
        )
        title = f"{names.game(cells[0])}: {first_name} against {second_name}"
        up_labels: dict[Hashable, str] = {budget: budget for budget in up}
        across_labels: dict[Hashable, str] = {budget: budget for budget in across}
        matrix = Matrix(
            lambda row: row.budgets,
            up_labels,
            across_labels,
            title,
            f"budget of {first_name}",
            f"budget of {second_name}",
            players,
        )
        yield (
            file_name("heat_map", names.game(cells[0]), first, second),
            draw_matrix(matrix, cells, names),
        )


def _budget_curves(rows: Sequence[GridRow], names: GameNames) -> Figures:
    """One for each game and pair of players with two budgets or more; a line per size."""
    even = [row for row in rows if is_even(row) and name_budgets(row.budgets)]
    for (game, first, second), cells in group(
        even, lambda row: (row.game, row.first, row.second)
    ).items():
        units = {name_budgets(row.budgets).endswith("s") for row in cells}
        if len(units) == 1 and len({row.budgets for row in cells}) > 1:
            name = file_name("budgets", short_game(game), first, second)
            yield name, _draw_budgets(cells, names, "seconds" if units.pop() else "simulations")


def _draw_budgets(rows: Sequence[GridRow], names: GameNames, unit: str) -> Figure:
    """Score against budget on a logarithmic axis, with intervals; a panel for each first seat."""
    players = name_players(rows[0])
    panels = by_first_seat(rows, players)
    budgets = sorted({budget_value(name_budgets(row.budgets)) for row in rows})
    owner = (
        "both players"
        if all(all(row.budgets) for row in rows)
        else players[0 if rows[0].budgets[0] else 1]
    )
    title = f"{short_game(rows[0].game)}: {players[0]} against {players[1]}"
    caption = names.caption(players[0], rows, "Bars")
    figure = new_figure(1.8 + len(panels) * max(3.2, 0.5 * len(budgets)), 3.4, title, caption)
    all_axes = figure.subplots(1, len(panels), squeeze=False, sharey=True)[0]
    for axes, (about, panel) in zip(all_axes, panels.items(), strict=True):
        lines = list(group(panel, lambda row: row.options).values())
        for number, line in enumerate(lines):
            shift = (budgets[-1] / budgets[0]) ** (DODGE * (number - (len(lines) - 1) / 2))
            places = [shift * budget_value(name_budgets(row.budgets)) for row in line]
            points = [
                (x, *(100 * limit for limit in row.score))
                for x, row in zip(places, line, strict=True)
            ]
            draw_curve(axes, number, sorted(points), names.line(line[0]))
        axes.axhline(50, **GUIDE)
        axes.set_xscale("log")
        axes.set_xticks(budgets, [f"{budget:g}" for budget in budgets])
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_ylim(-3, 103)  # so that marks at 0 and 100 are not cut off
        axes.set_yticks([0, 25, 50, 75, 100])
        finish_axes(axes, about, f"budget of {owner}, {unit} per move", "")
    all_axes[0].set_ylabel(f"score of {players[0]}, %", fontsize=LABEL)
    add_legend(figure, *all_axes[0].get_legend_handles_labels())
    return figure


def _game_tables(rows: Sequence[GridRow], names: GameNames) -> Figures:
    """Games as rows, pairs of players at equal budgets as columns; one table per pair if that is
    too wide.
    """
    even = [row for row in rows if is_even(row)] or list(rows)
    if len({(row.first, row.second, row.budgets) for row in even}) <= MOST_COLUMNS:
        yield "table", _draw_table(even, names)
        return
    for pair, cells in group(even, lambda row: (row.first, row.second)).items():
        yield file_name("table", *pair), _draw_table(cells, names)


def _draw_table(rows: Sequence[GridRow], names: GameNames) -> Figure:
    def place(row: GridRow) -> tuple[Hashable, Hashable]:
        return (row.game, row.options), (row.first, row.second, row.budgets)

    one_pair = len({(row.first, row.second) for row in rows}) == 1
    players = name_players(rows[0]) if one_pair else ("the first player", "the second")
    games = {place(row)[0]: names.game(row) for row in rows}
    up = dict(reversed(games.items()))  # the first one on top
    across = {place(row)[1]: name_budgets(row.budgets) for row in rows}
    if not one_pair:
        labels = (("\nv. ".join(name_players(row)), name_budgets(row.budgets)) for row in rows)
        across = {
            place(row)[1]: "\n".join(filter(None, label))
            for row, label in zip(rows, labels, strict=True)
        }
    title = f"{players[0]} against {players[1]}" if one_pair else "Scores by game and players"
    below = "budget of both players" if one_pair and all(all(row.budgets) for row in rows) else ""
    return draw_matrix(Matrix(place, up, across, title, "", below, players), rows, names)


# --- files


def plot(
    table: Path | str, folder: Path | str | None = None, formats: str = "png,svg"
) -> list[Path]:
    """Draw an experiment's table as heat maps, curves and tables, by default beside it; returns the
    files.

    >>> anyzero.plot("hex_rave.csv", formats="svg")
    """
    suffixes = parse_formats(formats)
    path = Path(table)
    folder = path.with_name(f"{path.stem}_plots") if folder is None else Path(folder)
    return save_figures(plot_rows(read_rows(path)), folder, suffixes)
