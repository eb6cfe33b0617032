"""The result of `estimate`: three estimates of every move, their errors, a table and a figure."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from anyzero.core.base.nouns import Values
from anyzero.core.base.report import Part, Sheet, Shown, signed
from anyzero.core.base.statistics import Interval

if TYPE_CHECKING:
    from anyzero.tools.figures import Axes, Figure

ESTIMATES = ("flat", "amaf", "rave")


class Errors(NamedTuple):
    """The error of an estimate against the reference; means over repetitions with 95 %
    intervals.
    """

    root_mean_square: Interval
    mean_absolute: Interval
    rank_correlation: (
        Interval  # Spearman's: 1 if the moves are in the right order, 0 if the order is random
    )


@dataclass(frozen=True)
class Point:
    """The estimates after a number of simulations."""

    simulations: int
    errors: dict[str, Errors]
    estimates: dict[str, np.ndarray]  # [moves]: those of the first repetition, by name
    visits: np.ndarray
    amaf_visits: np.ndarray

    def to_json(self) -> Values:
        values: Values = {
            "simulations": self.simulations,
            "visits": self.visits.tolist(),
            "amaf_visits": self.amaf_visits.tolist(),
        }
        for name, errors in self.errors.items():
            intervals = {key: interval._asdict() for key, interval in errors._asdict().items()}
            values[name] = {**intervals, "estimates": self.estimates[name].tolist()}
        return values

    def error_words(self) -> Iterator[str]:
        """The error of each estimate with its interval, then the rank correlations."""
        for field, digits in (("root_mean_square", 3), ("rank_correlation", 2)):
            for name in ESTIMATES:
                value, low, high = (
                    f"{limit:.{digits}f}" for limit in getattr(self.errors[name], field)
                )
                yield f"{value} ({low} to {high})"


@dataclass(frozen=True, repr=False)
class Study(Shown):
    """Three estimates of every move of a position, as the number of simulations grows."""

    game: str
    state: str
    seed: int
    moves: list[str]
    reference: np.ndarray  # [moves]: the value of each, for the seat to move
    reference_rollouts: int  # per move
    repeats: int
    bias: float
    points: list[Point]

    @property
    def telling(self) -> Point:
        """The first point at which every move has started ten rollouts; the last one if there is
        none.
        """
        points = (point for point in self.points if point.simulations >= 10 * len(self.moves))
        return next(points, self.points[-1])

    def plot(self, file: Path | str | None = None) -> "Figure":
        """Estimates against the reference, their error and their rank correlation; also saved if a
        file is named.
        """
        from anyzero.tools.figures import keep

        return keep(_draw_study(self), file)

    def report(self, most: int = 10) -> Iterator[Part]:
        """The best moves, then the errors as the number of simulations grows."""
        point = self.telling
        yield (
            f"{self.game} after {point.simulations:,} simulations, the first of "
            f"{self.repeats} repetitions"
        )
        flat, amaf, rave = (point.estimates[name] for name in ESTIMATES)
        rows = [
            (
                *(
                    self.moves[move],
                    signed(self.reference[move]),
                    signed(flat[move]),
                    point.visits[move],
                ),
                *(signed(amaf[move]), point.amaf_visits[move], signed(rave[move])),
            )
            for move in np.argsort(-self.reference, kind="stable")[:most]
        ]
        yield Sheet(("move", "reference", "flat", "rollouts", "AMAF", "rollouts", "RAVE"), rows)
        yield ""
        yield (
            f"root mean square error against {self.reference_rollouts:,} rollouts per "
            "move, and rank correlation"
        )
        columns = ("simulations", "flat", "AMAF", "RAVE", "rank: flat", "AMAF", "RAVE")
        yield Sheet(
            columns, [(f"{point.simulations:,}", *point.error_words()) for point in self.points]
        )

    def to_json(self) -> Values:
        plain = {
            key: value for key, value in vars(self).items() if key not in ("reference", "points")
        }
        points = [point.to_json() for point in self.points]
        return {**plain, "reference": self.reference.tolist(), "points": points}


# --- its figure


def _draw_study(study: Study) -> "Figure":
    """Three panels: estimates against the reference, root mean square error, rank correlation."""
    from anyzero.tools import figures

    caption = (
        "Payoffs from -1 to 1 for the seat to move. Reference: "
        f"{study.reference_rollouts:,} rollouts that begin with "
        f"each move. Left: the first repetition after {study.telling.simulations:,} "
        "simulations. Middle and right: "
        f"means of {study.repeats} repetitions with 95\N{NO-BREAK SPACE}% intervals. RAVE "
        f"with bias {study.bias:g}."
    )
    figure = figures.new_figure(
        11.0, 3.5, f"{study.game}: estimates of the {len(study.moves)} moves", caption
    )
    moves, errors, order = figure.subplots(1, 3)
    _draw_moves(moves, study)
    names = {"flat": "flat Monte Carlo", "amaf": "AMAF", "rave": "RAVE"}
    for axes, field in ((errors, "root_mean_square"), (order, "rank_correlation")):
        for number, (name, label) in enumerate(names.items()):
            points = [
                (point.simulations, *getattr(point.errors[name], field)) for point in study.points
            ]
            figures.draw_curve(axes, number, points, label)
        axes.set_xscale("log")
    errors.set_yscale("log")
    errors.legend(fontsize=figures.LABEL, frameon=False, loc="lower left")
    order.axhline(0.0, **figures.GUIDE)
    order.set_ylim(top=1.0)
    figures.finish_axes(errors, "root mean square error", "simulations", "")
    figures.finish_axes(order, "rank correlation with the reference", "simulations", "")
    return figure


def _draw_moves(axes: "Axes", study: Study) -> None:
    """Each move twice: its reference on the x axis, its flat and AMAF estimates on the y axis,
    ideally on the line.
    """
    from anyzero.tools import figures

    point = study.telling
    truth = study.reference
    ends = [float(truth.min()), float(truth.max())]
    axes.plot(ends, ends, color="#404040", linewidth=0.8, zorder=3)
    for number, name in enumerate(("flat", "amaf")):
        style = figures.style_of(number) | {"linestyle": "", "markersize": 3.5}
        axes.plot(truth, point.estimates[name], alpha=0.8, **style)
    figures.finish_axes(
        axes, f"each move after {point.simulations:,} simulations", "reference", "estimate"
    )
