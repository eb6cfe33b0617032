"""How runs went, as pictures: strength, losses and speed, one run in detail or several in comparison.

No global state of matplotlib is touched; colours are those of the other figures (Okabe and Ito 2008).
"""

import io
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator

from anyzero.errors import AnyzeroError, UnknownNameError, list_some
from anyzero.files import write_whole
from anyzero.learning.config import RunConfig
from anyzero.learning.history import Row

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES = ("solid", "dashed", "dotted")
"""Once the colours are used up."""
TITLE, LABEL, SMALL = 11, 9, 7
"""Sizes of type, in points."""
PANEL = (4.2, 2.5)
"""Inches."""
DOTS_PER_INCH = 150
FEW = 30
"""More points than that have no marks, and a band instead of bars."""
MOST_LETTERS = 40
"""Of a game's text in a title."""
AXES = {"generations": "generation", "minutes": "minutes of training"}
FORMATS: dict[str, dict[str, Any]] = {".png": {}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
"""With the metadata that keeps a file from changing with the day on which it was drawn."""


class RunCurves(NamedTuple):
    """A run, as far as it is drawn."""

    name: str
    config: RunConfig
    rows: Sequence[Row]


class Curve(NamedTuple):
    """A column of the history, and those of its interval."""

    label: str
    column: str
    interval: tuple[str, str] | None = None


class Panel(NamedTuple):
    """Curves that share an axis."""

    title: str
    unit: str
    curves: tuple[Curve, ...]
    logarithmic: bool = False
    from_zero: bool = False


ELO = Panel("Strength, with 95 % interval", "Elo", (Curve("", "elo", ("elo_low", "elo_high")),))
SCORES = Curve("", "benchmark_score_mean", ("benchmark_score_low", "benchmark_score_high"))
BENCHMARK = Panel("Benchmark, with 95 % interval", "mean score", (SCORES,))
GATE = Panel("Gate", "score of the candidate, %", (Curve("", "gate_score"),))
LOSS = (Curve("policy", "policy_loss"), Curve("KL to the search", "kl"), Curve("value", "value_loss"))
SPEED = (Curve("self-play, simulations", "simulations_per_second"), Curve("training, samples", "samples_per_second"))
DETAIL = (ELO, BENCHMARK, GATE, Panel("Losses", "loss", LOSS), Panel("Speed", "per second", SPEED, logarithmic=True))
"""The panels of one run."""
COMPARISON = (
    *(ELO, BENCHMARK),
    *(Panel(f"Loss: {curve.label}", "loss", (curve,)) for curve in LOSS),
    *(Panel(f"Speed: {curve.label}", "per second", (curve,), from_zero=True) for curve in SPEED),
)
"""The panels of several, one curve each."""


def draw_runs(runs: Sequence[RunCurves], by: str = "generations") -> Figure:
    """A panel for everything that was measured; for several runs, one colour a run and one panel a curve."""
    if by not in AXES:
        raise UnknownNameError(f"curves cannot be drawn by {by!r}; known: {list_some(AXES)}")
    panels = [panel for panel in (DETAIL if len(runs) == 1 else COMPARISON) if is_measured(panel, runs)]
    if not panels:
        raise AnyzeroError(f"there is nothing to draw yet in {list_some(run.name for run in runs)}")
    columns = min(len(panels), 2 if len(panels) < 5 else 3)
    lines = math.ceil(len(panels) / columns)
    size = PANEL[0] * columns + (1.6 if len(runs) > 1 else 0), PANEL[1] * lines + 0.5
    figure = Figure(figsize=size, layout="constrained")
    all_axes = figure.subplots(lines, columns, squeeze=False).ravel()
    for axes, panel in zip(all_axes, panels, strict=False):
        draw_panel(axes, panel, runs, by)
    for axes in all_axes[len(panels) :]:
        axes.set_axis_off()
    figure.suptitle(title_of(runs), fontsize=TITLE)
    if len(runs) > 1:
        add_legend(figure, runs)
    return figure


def is_measured(panel: Panel, runs: Sequence[RunCurves]) -> bool:
    return any(measured(run, curve) for run in runs for curve in panel.curves)


def measured(run: RunCurves, curve: Curve) -> list[Row]:
    """The generations in which the curve has a point."""
    return [row for row in run.rows if row[curve.column] is not None and math.isfinite(row[curve.column])]


def place_of(row: Row, by: str) -> float:
    return float(row["generation"] if by == "generations" else row["total_seconds"] / 60)


# --- one panel


def draw_panel(axes: Axes, panel: Panel, runs: Sequence[RunCurves], by: str) -> None:
    axes.set_title(panel.title, fontsize=LABEL)
    if panel is GATE:
        draw_gate(axes, runs[0], by)
    else:
        for number, (run, curve) in enumerate((run, curve) for run in runs for curve in panel.curves):
            draw_curve(axes, run, curve, by=by, number=number)
    if len(panel.curves) > 1:
        axes.legend(fontsize=SMALL, frameon=False)
    draw_axes(axes, panel, runs, by)


def draw_curve(axes: Axes, run: RunCurves, curve: Curve, *, by: str, number: int) -> None:
    rows = measured(run, curve)
    few, style = len(rows) <= FEW, style_of(number)
    colour = style["color"]
    if not few:
        del style["marker"]
    places, values = [place_of(row, by) for row in rows], [row[curve.column] for row in rows]
    axes.plot(places, values, label=curve.label or None, **style)
    if curve.interval is None:
        return
    low, high = curve.interval
    known = [row for row in rows if row[low] is not None and row[high] is not None]
    limits: Any = [place_of(row, by) for row in known], [row[low] for row in known], [row[high] for row in known]
    if few:
        axes.vlines(*limits, color=colour, linewidth=1)
    else:
        axes.fill_between(*limits, color=colour, alpha=0.2, linewidth=0)


def style_of(number: int) -> dict[str, Any]:
    """Of the curve with this number."""
    colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
    dashes = DASHES[number // len(COLOURS) % len(DASHES)]
    return {"color": colour, "marker": marker, "linestyle": dashes, "linewidth": 1.4, "markersize": 4}


def draw_gate(axes: Axes, run: RunCurves, by: str) -> None:
    """The score of each candidate, and the threshold above which it is promoted."""
    rows, colour, threshold = measured(run, GATE.curves[0]), COLOURS[0], 100 * run.config.gate.threshold
    points = [place_of(row, by) for row in rows], [100 * row["gate_score"] for row in rows]
    axes.plot(*points, color=colour, linewidth=0.6, alpha=0.6)
    fills = [colour if row["promoted"] else "white" for row in rows]
    axes.scatter(*points, s=16, color=fills, edgecolors=colour, linewidths=1, zorder=3)
    axes.axhline(threshold, color="#7f7f7f", linewidth=0.8, linestyle=(0, (4, 3)))
    axes.set_title(f"Gate: threshold {threshold:g} %, filled where promoted", fontsize=LABEL)


def draw_axes(axes: Axes, panel: Panel, runs: Sequence[RunCurves], by: str) -> None:
    """All panels have the same axis across."""
    end = max(place_of(run.rows[-1], by) for run in runs if run.rows)
    axes.set_xlim(0, 1.03 * end or 1)
    axes.xaxis.set_major_locator(MaxNLocator(7, integer=by == "generations", steps=[1, 2, 5, 10]))
    if panel.logarithmic:
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}" if value >= 10 else f"{value:g}")
        axes.yaxis.set_minor_locator(NullLocator())
    if panel.from_zero:
        axes.set_ylim(bottom=0)
    axes.set_xlabel(AXES[by], fontsize=LABEL)
    axes.set_ylabel(panel.unit, fontsize=LABEL)
    axes.tick_params(labelsize=LABEL)
    axes.grid(axis="y", color="#e5e5e5", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)


# --- around them


def title_of(runs: Sequence[RunCurves]) -> str:
    if len(runs) == 1:
        run, last = runs[0], runs[0].rows[-1]
        time = last["total_seconds"] / 60
        shown = f"{time:.0f}" if time >= 10 else f"{time:.1f}"
        return f"{short_game(run)}: run {run.name}, generation {last['generation']} after {shown} minutes"
    games = list(dict.fromkeys(short_game(run) for run in runs))
    return f"{' and '.join(games)}: {len(runs)} runs compared"


def short_game(run: RunCurves) -> str:
    """The game's text, without options where they are many."""
    text = run.config.game
    return text if len(text) <= MOST_LETTERS else text.partition(":")[0]


def add_legend(figure: Figure, runs: Sequence[RunCurves]) -> None:
    """Names beside the panels."""
    handles = [Line2D([], [], **style_of(number)) for number in range(len(runs))]
    figure.legend(handles, [run.name for run in runs], loc="outside right upper", fontsize=LABEL, frameon=False)


def save_figure(figure: Figure, path: Path) -> None:
    """Write a picture; its format is the end of its name."""
    if path.suffix not in FORMATS:
        raise UnknownNameError(f"a picture cannot be written to {path}; its name must end in {list_some(FORMATS)}")
    content = io.BytesIO()
    figure.savefig(content, format=path.suffix[1:], dpi=DOTS_PER_INCH, metadata=FORMATS[path.suffix])
    write_whole(path, content.getvalue())
