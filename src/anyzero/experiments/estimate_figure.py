"""The picture of a study of estimates: each move once, then the errors and the order of moves as rollouts come in."""

from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from anyzero.errors import AnyzeroError, UnknownNameError, list_some, nearest_hint
from anyzero.experiments.charts import LABEL, LINES, MARKERS, Words, num_lines, write_around
from anyzero.experiments.estimate import ESTIMATES, Errors, Study
from anyzero.experiments.plots import DOTS_PER_INCH, FORMATS, UNDATED

NAMES = {"flat": "flat Monte Carlo", "amaf": "AMAF", "rave": "RAVE"}
WIDTH = 11.0


def check_picture(path: Path) -> None:
    """Before the work rather than after it: the file's kind is known and its folder is there."""
    form = path.suffix.removeprefix(".").lower()
    if form not in FORMATS:
        known = list_some(f".{known}" for known in FORMATS)
        raise UnknownNameError(
            f"cannot draw {path}; {nearest_hint(form, FORMATS)}the file's name ends in one of {known}"
        )
    if not path.parent.is_dir():
        raise AnyzeroError(f"cannot write {path}: there is no folder {path.parent}")


def save_study(study: Study, path: Path) -> None:
    form = path.suffix.removeprefix(".").lower()
    try:
        with matplotlib.rc_context({"svg.hashsalt": "anyzero"}):  # the same study gives the same file
            draw_study(study).savefig(path, format=form, dpi=DOTS_PER_INCH, metadata=UNDATED[form])
    except OSError as error:
        raise AnyzeroError(f"cannot write {path}: {error.strerror}") from None


def draw_study(study: Study) -> Figure:
    """Three panels: estimates against the reference, root mean square error, rank correlation."""
    words = Words(f"{study.game}: estimates of the {len(study.moves)} moves", "simulations", "", describe(study))
    figure = Figure(figsize=(WIDTH, 3.5 + 0.14 * num_lines(words.caption, WIDTH)), layout="constrained")
    moves, errors, order = figure.subplots(1, 3)
    draw_moves(moves, study)
    for axes, field, title in (
        (errors, "root_mean_square", "root mean square error"),
        (order, "rank_correlation", "rank correlation with the reference"),
    ):
        draw_curves(axes, study, field)
        axes.set_title(title, fontsize=LABEL)
    errors.set_yscale("log")
    order.axhline(0.0, color="#7f7f7f", linewidth=0.8)
    order.set_ylim(top=1.0)
    errors.legend(fontsize=LABEL, frameon=False, loc="lower left")
    write_around(figure, words, WIDTH)
    return figure


def describe(study: Study) -> str:
    reference = f"Reference: {study.reference_rollouts:,} rollouts that begin with each move."
    left = f"Left: the first repetition after {study.telling.simulations:,} simulations."
    others = f"Middle and right: means of {study.repeats} repetitions with their 95\N{NO-BREAK SPACE}% intervals."
    return f"Payoffs from -1 to 1 for the seat to move. {reference} {left} {others} RAVE with bias {study.bias:g}."


def style(name: str) -> dict[str, Any]:
    number = ESTIMATES.index(name)
    return {"color": LINES[number], "marker": MARKERS[number], "label": NAMES[name]}


def draw_moves(axes: Axes, study: Study) -> None:
    """Each move twice: its reference across, what flat and AMAF make of it up; right would be on the line."""
    point, truth = study.telling, study.reference
    low, high = float(truth.min()), float(truth.max())
    axes.plot([low, high], [low, high], color="#404040", linewidth=0.8, zorder=3)
    for name in ("flat", "amaf"):
        axes.plot(truth, point.estimates[name], linestyle="", markersize=3.5, alpha=0.8, **style(name))
    axes.set_xlabel("reference", fontsize=LABEL)
    axes.set_ylabel("estimate", fontsize=LABEL)
    axes.set_title(f"each move after {point.simulations:,} simulations", fontsize=LABEL)
    tidy(axes)


def draw_curves(axes: Axes, study: Study, field: str) -> None:
    budgets = [point.simulations for point in study.points]
    for name in ESTIMATES:
        found = [getattr(errors, field) for errors in errors_of(study, name)]
        axes.plot(budgets, [one.value for one in found], linewidth=1.4, markersize=4, **style(name))
        low, high = [one.low for one in found], [one.high for one in found]
        axes.fill_between(budgets, low, high, color=style(name)["color"], alpha=0.2, linewidth=0)
    axes.set_xscale("log")
    axes.set_xlabel("simulations", fontsize=LABEL)
    tidy(axes)


def errors_of(study: Study, name: str) -> list[Errors]:
    return [point.errors[name] for point in study.points]


def tidy(axes: Axes) -> None:
    axes.tick_params(labelsize=LABEL)
    axes.grid(color="#e5e5e5", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
