"""Figures of training runs; `score_plots` has those of experiments."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from anyzero.core.base.errors import AnyzeroError, UnknownNameError, list_some
from anyzero.core.base.nouns import Values
from anyzero.tools.figures import (
    COLOURS,
    GUIDE,
    Axes,
    Figure,
    Line2D,
    MaxNLocator,
    add_legend,
    draw_curve,
    finish_axes,
    new_figure,
    style_of,
)

# --- training runs


class RunCurves(NamedTuple):
    """The part of a training run that is drawn."""

    name: str
    game: str
    threshold: float  # of its gate
    rows: Sequence[Values]  # its history: the columns of every generation, None if not measured


class RunPanel(NamedTuple):
    """A panel with a curve for every run."""

    title: str
    unit: str
    columns: tuple[str, ...]  # the curve, and the limits of its interval
    from_zero: bool = False


GATE = RunPanel(
    "Gate: threshold {:g} %, filled where promoted", "score of the candidate, %", ("gate_score",)
)
"""For a single run only."""
SCORES = ("benchmark_score_mean", "benchmark_score_low", "benchmark_score_high")
PANELS = (
    RunPanel("Strength, with 95 % interval", "Elo", ("elo", "elo_low", "elo_high")),
    RunPanel("Benchmark, with 95 % interval", "mean score", SCORES),
    GATE,
    RunPanel("Loss: policy", "loss", ("policy_loss",)),
    RunPanel("Loss: KL to the search", "loss", ("kl",)),
    RunPanel("Loss: value", "loss", ("value_loss",)),
    RunPanel(
        "Speed: self-play, simulations", "per second", ("simulations_per_second",), from_zero=True
    ),
    RunPanel("Speed: training, samples", "per second", ("samples_per_second",), from_zero=True),
)
RUN_AXES = {"generations": "generation", "minutes": "minutes of training"}


def draw_runs(runs: Sequence[RunCurves], by: str = "generations") -> Figure:
    """A panel for each measure, and a colour for each run."""
    if by not in RUN_AXES:
        raise UnknownNameError(f"curves cannot be drawn by {by!r}; known: {list_some(RUN_AXES)}")
    panels = [
        panel
        for panel in PANELS
        if (panel is not GATE or len(runs) == 1)
        and any(_points(run, panel.columns, by) for run in runs)
    ]
    if not panels:
        raise AnyzeroError(f"there is nothing to draw yet in {list_some(run.name for run in runs)}")
    columns = min(len(panels), 2 if len(panels) < 5 else 3)
    lines = math.ceil(len(panels) / columns)
    figure = new_figure(
        4.2 * columns + (1.6 if len(runs) > 1 else 0), 2.5 * lines + 0.5, _run_title(runs)
    )
    all_axes = figure.subplots(lines, columns, squeeze=False).ravel()
    for axes, panel in zip(all_axes, panels, strict=False):
        _draw_run_panel(axes, panel, runs, by)
    for axes in all_axes[len(panels) :]:
        axes.set_axis_off()
    if len(runs) > 1:
        add_legend(
            figure,
            [Line2D([], [], **style_of(number)) for number in range(len(runs))],
            [r.name for r in runs],
        )
    return figure


def _points(run: RunCurves, columns: Sequence[str], by: str) -> list[tuple[float | None, ...]]:
    """The points of a curve, in the form of `draw_curve`."""
    column, low, high = columns if len(columns) == 3 else (columns[0], "", "")
    rows = [row for row in run.rows if row[column] is not None and math.isfinite(row[column])]
    return [(_place(row, by), row[column], row.get(low), row.get(high)) for row in rows]


def _place(row: Values, by: str) -> float:
    return float(row["generation"] if by == "generations" else row["total_seconds"] / 60)


def _draw_run_panel(axes: Axes, panel: RunPanel, runs: Sequence[RunCurves], by: str) -> None:
    """All panels share the same horizontal axis."""
    if panel is GATE:
        _draw_gate(axes, runs[0], by)
    else:
        for number, run in enumerate(runs):
            draw_curve(axes, number, _points(run, panel.columns, by))
    axes.set_xlim(0, 1.03 * max(_place(run.rows[-1], by) for run in runs if run.rows) or 1)
    axes.xaxis.set_major_locator(MaxNLocator(7, integer=by == "generations", steps=[1, 2, 5, 10]))
    if panel.from_zero:
        axes.set_ylim(bottom=0)
    finish_axes(axes, panel.title.format(100 * runs[0].threshold), RUN_AXES[by], panel.unit)


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
