"""How every picture looks and is written; the pictures of training runs and of estimates.

No global state of matplotlib is changed. `score_plots` draws the results of experiments with the same parts.
"""

import io
import math
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator

from anyzero.errors import AnyzeroError, UnknownNameError, list_some
from anyzero.files import write_whole

if TYPE_CHECKING:
    from anyzero.experiments.estimate import Study

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000")
"""Of Okabe and Ito 2008."""
MARKERS, DASHES = ("o", "s", "^", "D", "v", "P", "X"), ("solid", "dashed", "dotted")
"""Dashes change once the colours are used up."""
TITLE, LABEL, SMALL = 11, 9, 7
"""Font sizes, in points."""
CHARACTER = 0.055
"""Width of a character of small print, in inches, about."""
FEW = 30
"""More points than that have no marks, and a band instead of bars."""
GUIDE: dict[str, Any] = {"color": "#7f7f7f", "linewidth": 0.8, "linestyle": (0, (4, 3))}
"""A line that is no curve."""
FORMATS: dict[str, dict[str, Any]] = {".png": {}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
"""With the metadata that keeps a file from changing with the day on which it was drawn."""
DOTS_PER_INCH = 150


# --- what all figures share


def new_figure(width: float, height: float, title: str, caption: str = "") -> Figure:
    """A figure with its title above and its caption below, which makes it taller."""
    lines = textwrap.wrap(caption, int(width / CHARACTER) - 3)
    figure = Figure(figsize=(width, height + 0.14 * len(lines)), layout="constrained")
    figure.suptitle(title, fontsize=TITLE)
    if lines:
        figure.supxlabel("\n".join(lines), x=0.01, ha="left", fontsize=SMALL, color="#404040")
    return figure


def style_of(number: int) -> dict[str, Any]:
    """Of the curve with this number."""
    colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
    dashes = DASHES[number // len(COLOURS) % len(DASHES)]
    return {"color": colour, "marker": marker, "linestyle": dashes, "linewidth": 1.4, "markersize": 4}


def draw_curve(axes: Axes, number: int, points: Sequence[Sequence[Any]], label: str = "") -> None:
    """A line through points (x, value, low, high), with their intervals where low and high are not None."""
    x, value, low, high = np.array([tuple(point) for point in points], float).reshape(-1, 4).T
    style, known = style_of(number), np.isfinite(low) & np.isfinite(high)
    if len(points) > FEW:
        style["marker"] = ""
    axes.plot(x, value, label=label or None, **style)
    limits, colour = (x[known], low[known], high[known]), style["color"]
    if known.any() and len(points) <= FEW:
        axes.vlines(*limits, color=colour, linewidth=1)
    elif known.any():
        axes.fill_between(*limits, color=colour, alpha=0.2, linewidth=0)


def finish(axes: Axes, title: str, across: str, up: str) -> None:
    """The words of a panel of curves, and a light grid."""
    axes.set_title(title, fontsize=LABEL)
    axes.set_xlabel(across, fontsize=LABEL)
    axes.set_ylabel(up, fontsize=LABEL)
    axes.tick_params(labelsize=LABEL)
    axes.grid(axis="y", color="#e5e5e5", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def add_legend(figure: Figure, handles: Sequence[Any], labels: Sequence[str]) -> None:
    figure.legend(handles, labels, loc="outside right upper", fontsize=LABEL, frameon=False)


def check_picture(path: Path) -> None:
    """Before the work rather than after it: the file's format is known and its folder is there."""
    if path.suffix.lower() not in FORMATS:
        raise UnknownNameError(f"a picture cannot be written to {path}; its name must end in {list_some(FORMATS)}")
    if not path.parent.is_dir():
        raise AnyzeroError(f"cannot write {path}: there is no folder {path.parent}")


def save_figure(figure: Figure, path: Path) -> None:
    """Write a picture, whole or not at all; the suffix of its name says the format."""
    check_picture(path)
    suffix, content = path.suffix.lower(), io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "anyzero"}):  # the same figure gives the same file
        figure.savefig(content, format=suffix[1:], dpi=DOTS_PER_INCH, metadata=FORMATS[suffix])
    write_whole(path, content.getvalue())


# --- training runs


class RunCurves(NamedTuple):
    """A training run, as far as it is drawn."""

    name: str
    game: str
    threshold: float
    """Of its gate."""
    rows: Sequence[dict[str, Any]]
    """Its history: the columns of every generation, None where nothing was measured."""


class RunPanel(NamedTuple):
    """Curves that share an axis."""

    title: str
    unit: str
    curves: Mapping[str, tuple[str, ...]]
    """By label: the column, and those of its interval."""
    logarithmic: bool = False
    from_zero: bool = False


ELO = RunPanel("Strength, with 95 % interval", "Elo", {"": ("elo", "elo_low", "elo_high")})
SCORES = {"": ("benchmark_score_mean", "benchmark_score_low", "benchmark_score_high")}
BENCHMARK = RunPanel("Benchmark, with 95 % interval", "mean score", SCORES)
GATE = RunPanel("Gate: threshold {:g} %, filled where promoted", "score of the candidate, %", {"": ("gate_score",)})
LOSS = {"policy": ("policy_loss",), "KL to the search": ("kl",), "value": ("value_loss",)}
SPEED = {"self-play, simulations": ("simulations_per_second",), "training, samples": ("samples_per_second",)}
DETAIL = (
    *(ELO, BENCHMARK, GATE, RunPanel("Losses", "loss", LOSS)),
    RunPanel("Speed", "per second", SPEED, logarithmic=True),
)
"""The panels of one run."""
COMPARISON = (
    *(ELO, BENCHMARK),
    *(RunPanel(f"Loss: {label}", "loss", {"": columns}) for label, columns in LOSS.items()),
    *(RunPanel(f"Speed: {label}", "per second", {"": columns}, from_zero=True) for label, columns in SPEED.items()),
)
"""The panels of several, one curve each."""
RUN_AXES = {"generations": "generation", "minutes": "minutes of training"}


def draw_runs(runs: Sequence[RunCurves], by: str = "generations") -> Figure:
    """A panel for everything that was measured; for several runs, one colour a run and one panel a curve."""
    if by not in RUN_AXES:
        raise UnknownNameError(f"curves cannot be drawn by {by!r}; known: {list_some(RUN_AXES)}")
    panels = [
        panel
        for panel in (DETAIL if len(runs) == 1 else COMPARISON)
        if any(_points(run, columns, by) for run in runs for columns in panel.curves.values())
    ]
    if not panels:
        raise AnyzeroError(f"there is nothing to draw yet in {list_some(run.name for run in runs)}")
    columns = min(len(panels), 2 if len(panels) < 5 else 3)
    lines = math.ceil(len(panels) / columns)
    figure = new_figure(4.2 * columns + (1.6 if len(runs) > 1 else 0), 2.5 * lines + 0.5, _run_title(runs))
    all_axes = figure.subplots(lines, columns, squeeze=False).ravel()
    for axes, panel in zip(all_axes, panels, strict=False):
        _draw_run_panel(axes, panel, runs, by)
    for axes in all_axes[len(panels) :]:
        axes.set_axis_off()
    if len(runs) > 1:
        add_legend(figure, [Line2D([], [], **style_of(number)) for number in range(len(runs))], [r.name for r in runs])
    return figure


def _points(run: RunCurves, columns: Sequence[str], by: str) -> list[tuple[Any, ...]]:
    """The generations in which a curve has a point, as `draw_curve` takes them."""
    column, low, high = columns if len(columns) == 3 else (columns[0], "", "")
    found = [row for row in run.rows if row[column] is not None and math.isfinite(row[column])]
    return [(_place(row, by), row[column], row.get(low), row.get(high)) for row in found]


def _place(row: dict[str, Any], by: str) -> float:
    return float(row["generation"] if by == "generations" else row["total_seconds"] / 60)


def _draw_run_panel(axes: Axes, panel: RunPanel, runs: Sequence[RunCurves], by: str) -> None:
    """All panels have the same axis across."""
    title = panel.title
    if panel is GATE:
        title = title.format(100 * runs[0].threshold)
        _draw_gate(axes, runs[0], by)
    else:
        curves = [(run, label, columns) for run in runs for label, columns in panel.curves.items()]
        for number, (run, label, columns) in enumerate(curves):
            draw_curve(axes, number, _points(run, columns, by), label)
    if len(panel.curves) > 1:
        axes.legend(fontsize=SMALL, frameon=False)
    axes.set_xlim(0, 1.03 * max(_place(run.rows[-1], by) for run in runs if run.rows) or 1)
    axes.xaxis.set_major_locator(MaxNLocator(7, integer=by == "generations", steps=[1, 2, 5, 10]))
    if panel.logarithmic:
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}" if value >= 10 else f"{value:g}")
        axes.yaxis.set_minor_locator(NullLocator())
    if panel.from_zero:
        axes.set_ylim(bottom=0)
    finish(axes, title, RUN_AXES[by], panel.unit)


def _draw_gate(axes: Axes, run: RunCurves, by: str) -> None:
    """The score of each candidate, and the threshold above which it is promoted."""
    rows = [row for row in run.rows if row["gate_score"] is not None]
    points = [_place(row, by) for row in rows], [100 * row["gate_score"] for row in rows]
    axes.plot(*points, color=COLOURS[0], linewidth=0.6, alpha=0.6)
    fills = [COLOURS[0] if row["promoted"] else "white" for row in rows]
    axes.scatter(*points, s=16, color=fills, edgecolors=COLOURS[0], linewidths=1, zorder=3)
    axes.axhline(100 * run.threshold, **GUIDE)


def _run_title(runs: Sequence[RunCurves]) -> str:
    games = [run.game if len(run.game) <= 40 else run.game.partition(":")[0] for run in runs]
    if len(runs) > 1:
        return f"{' and '.join(dict.fromkeys(games))}: {len(runs)} runs compared"
    last = runs[0].rows[-1]
    time = last["total_seconds"] / 60
    shown = f"{time:.0f}" if time >= 10 else f"{time:.1f}"
    return f"{games[0]}: run {runs[0].name}, generation {last['generation']} after {shown} minutes"


# --- studies of estimates


def draw_study(study: "Study") -> Figure:
    """Three panels: estimates against the reference, root mean square error, rank correlation."""
    caption = (
        f"Payoffs from -1 to 1 for the seat to move. Reference: {study.reference_rollouts:,} rollouts that begin with "
        f"each move. Left: the first repetition after {study.telling.simulations:,} simulations. Middle and right: "
        f"means of {study.repeats} repetitions with 95\N{NO-BREAK SPACE}% intervals. RAVE with bias {study.bias:g}."
    )
    figure = new_figure(11.0, 3.5, f"{study.game}: estimates of the {len(study.moves)} moves", caption)
    moves, errors, order = figure.subplots(1, 3)
    _draw_moves(moves, study)
    names = {"flat": "flat Monte Carlo", "amaf": "AMAF", "rave": "RAVE"}
    for axes, field in ((errors, "root_mean_square"), (order, "rank_correlation")):
        for number, (name, label) in enumerate(names.items()):
            points = [(point.simulations, *getattr(point.errors[name], field)) for point in study.points]
            draw_curve(axes, number, points, label)
        axes.set_xscale("log")
    errors.set_yscale("log")
    errors.legend(fontsize=LABEL, frameon=False, loc="lower left")
    order.axhline(0.0, **GUIDE)
    order.set_ylim(top=1.0)
    finish(errors, "root mean square error", "simulations", "")
    finish(order, "rank correlation with the reference", "simulations", "")
    return figure


def _draw_moves(axes: Axes, study: "Study") -> None:
    """Each move twice: its reference across, what flat and AMAF make of it up; right would be on the line."""
    point, truth = study.telling, study.reference
    ends = [float(truth.min()), float(truth.max())]
    axes.plot(ends, ends, color="#404040", linewidth=0.8, zorder=3)
    for number, name in enumerate(("flat", "amaf")):
        style = style_of(number) | {"linestyle": "", "markersize": 3.5}
        axes.plot(truth, point.estimates[name], alpha=0.8, **style)
    finish(axes, f"each move after {point.simulations:,} simulations", "reference", "estimate")
