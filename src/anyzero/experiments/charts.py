"""How figures look: a matrix of scores and curves with intervals. No global state of matplotlib is touched.

Scores are always drawn from 0 to 100 %, blue where the player in question is ahead and red where it is behind, white at
50 %: the ends are told apart by people with any kind of colour vision, and every cell has its number.
"""

import textwrap
from collections.abc import Sequence
from typing import Any, NamedTuple

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from anyzero.experiments.rows import Row

COLOUR_MAP = "RdBu"
SCALE = Normalize(0.0, 100.0)
LINES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000")
"""Colours of Okabe and Ito 2008."""
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
TITLE, LABEL, SMALL = 11, 9, 7
"""Sizes of type, in points."""
CELL = (0.72, 0.56)
"""Inches."""
DODGE = 0.012
"""Lines stand this far apart, as a share of the axis, so that their intervals do not cover each other."""
CHARACTER = 0.058
"""Inches of a character of small print, about."""


class Panel(NamedTuple):
    """One of the matrices of a figure."""

    title: str
    cells: Sequence[Sequence[Row | None]]


class Line(NamedTuple):
    """A row at each budget."""

    label: str
    points: Sequence[tuple[float, Row]]


class Words(NamedTuple):
    """What is written around a figure."""

    title: str
    across: str
    down: str
    caption: str


# --- matrices


def draw_matrices(panels: Sequence[Panel], columns: Sequence[str], rows: Sequence[str], words: Words) -> Figure:
    """Panels side by side, first row below, with one scale of colours."""
    longest = max(len(label) for label in rows)
    tallest = max(label.count("\n") + 1 for label in columns)
    cell_width = max(CELL[0], 0.075 * max(len(line) for label in columns for line in label.split("\n")))
    width = max(4.0, len(panels) * (0.5 + cell_width * len(columns)) + 0.08 * longest + 1.2)
    height = 1.7 + CELL[1] * len(rows) + 0.15 * tallest + 0.14 * num_lines(words.caption, width)
    figure = Figure(figsize=(width, height), layout="constrained")
    all_axes = figure.subplots(1, len(panels), squeeze=False, sharey=True)[0]
    for axes, panel in zip(all_axes, panels, strict=True):
        image = draw_matrix(axes, panel)
        axes.set_xticks(range(len(columns)), columns, fontsize=LABEL)
        axes.set_yticks(range(len(rows)), rows, fontsize=LABEL)
        axes.set_xlabel(words.across, fontsize=LABEL)
    all_axes[0].set_ylabel(words.down, fontsize=LABEL)
    bar = figure.colorbar(image, ax=list(all_axes), ticks=[0, 25, 50, 75, 100], shrink=0.9, aspect=16)
    bar.ax.tick_params(labelsize=SMALL)
    bar.set_label("score, %", fontsize=SMALL)
    missing = any(row is None for panel in panels for line in panel.cells for row in line)
    write_around(figure, words._replace(caption=words.caption + " Grey: no games." * missing), width)
    return figure


def draw_matrix(axes: Axes, panel: Panel) -> Any:
    scores = [[np.nan if row is None else 100 * row.score.value for row in line] for line in panel.cells]
    axes.set_facecolor("#d9d9d9")  # a cell without games is grey, which is no score
    image = axes.imshow(np.ma.masked_invalid(scores), COLOUR_MAP, SCALE, aspect="auto", origin="lower")
    for y, line in enumerate(panel.cells):
        for x, row in enumerate(line):
            if row is not None:
                annotate(axes, x, y, row)
    axes.set_xticks(np.arange(0.5, len(panel.cells[0]) - 1), minor=True)
    axes.set_yticks(np.arange(0.5, len(panel.cells) - 1), minor=True)
    axes.grid(which="minor", color="white", linewidth=1.5)
    axes.tick_params(which="both", length=0)
    axes.spines[:].set_visible(False)
    axes.set_title(panel.title, fontsize=LABEL)
    return image


def annotate(axes: Axes, x: int, y: int, row: Row) -> None:
    """The score, and in small print half of its interval."""
    value, low, high = (100 * limit for limit in row.score)
    digits = 0 if row.tally.total < 1000 else 1
    colour = ink_on(value)
    style: Any = {"ha": "center", "color": colour}
    axes.text(x, y + 0.04, f"{value:.{digits}f}", va="bottom", fontsize=LABEL + 1, **style)
    axes.text(x, y - 0.08, f"±{(high - low) / 2:.1f}", va="top", fontsize=SMALL, **style)


def ink_on(score: float) -> str:
    """Black or white, whichever is easier to read on the colour of a score."""
    red, green, blue, _ = matplotlib.colormaps[COLOUR_MAP](SCALE(score))
    return "black" if 0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2 > 0.18 else "white"


# --- curves


def draw_curves(panels: Sequence[tuple[str, Sequence[Line]]], words: Words) -> Figure:
    """Score against budget on a logarithmic axis, with 95 % intervals."""
    budgets = sorted({budget for _, lines in panels for line in lines for budget, _ in line.points})
    width = 1.8 + len(panels) * max(3.2, 0.5 * len(budgets))
    figure = Figure(figsize=(width, 3.4 + 0.14 * num_lines(words.caption, width)), layout="constrained")
    all_axes = figure.subplots(1, len(panels), squeeze=False, sharey=True)[0]
    for axes, (title, lines) in zip(all_axes, panels, strict=True):
        axes.axhline(50, color="#7f7f7f", linewidth=0.8, linestyle=(0, (4, 3)))
        for number, line in enumerate(lines):
            draw_line(axes, line, number, (budgets[-1] / budgets[0]) ** (DODGE * (number - (len(lines) - 1) / 2)))
        axes.set_xscale("log")
        axes.set_xticks(budgets, [f"{budget:g}" for budget in budgets], fontsize=LABEL)
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_ylim(-3, 103)  # marks at 0 and 100 are whole
        axes.set_yticks([0, 25, 50, 75, 100])
        axes.tick_params(labelsize=LABEL)
        axes.grid(axis="y", color="#e5e5e5", linewidth=0.6)
        axes.spines[["top", "right"]].set_visible(False)
        axes.set_xlabel(words.across, fontsize=LABEL)
        axes.set_title(title, fontsize=LABEL)
    all_axes[0].set_ylabel(words.down, fontsize=LABEL)
    handles, labels = all_axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right upper", fontsize=LABEL, frameon=False)
    write_around(figure, words, width)
    return figure


def draw_line(axes: Axes, line: Line, number: int, shift: float) -> None:
    budgets = [budget * shift for budget, _ in line.points]
    scores = np.array([row.score for _, row in line.points]) * 100
    value, low, high = scores.T
    style: Any = {"color": LINES[number % len(LINES)], "marker": MARKERS[number % len(MARKERS)], "label": line.label}
    reach = [value - low, high - value]
    axes.errorbar(budgets, value, reach, capsize=2.5, linewidth=1.4, markersize=5, elinewidth=1, **style)


# --- around them


def write_around(figure: Figure, words: Words, width: float) -> None:
    figure.suptitle(words.title, fontsize=TITLE)
    lines = textwrap.wrap(words.caption, wrap_at(width))
    figure.supxlabel("\n".join(lines), x=0.01, ha="left", fontsize=SMALL, color="#404040")


def wrap_at(width: float) -> int:
    return int(width / CHARACTER) - 3


def num_lines(caption: str, width: float) -> int:
    return len(textwrap.wrap(caption, wrap_at(width)))
