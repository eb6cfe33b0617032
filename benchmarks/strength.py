"""How strong a recipe has become after so many minutes, drawn from the histories of runs in
docs/experiments/data.

.venv/bin/python benchmarks/strength.py [--plot docs/pictures/strength.svg]
"""

import argparse
import csv
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

DATA = Path("docs/experiments/data")
ELO, POINTS = (
    ("elo", "elo_low", "elo_high"),
    ("benchmark_score_mean", "benchmark_score_low", "benchmark_score_high"),
)
PANELS = {
    "breakthrough, 5x5": {"two cores": "training_bt"},
    "hex, 5x5": {"two cores": "training_hex2"},
    "connect-four": {
        "two cores": "training_c43",
        "two cores, again": "training_c44",
        "two faster cores, rate held": "training_c45",
    },
    "oware-cgzero": {"two cores": "training_oware"},
    "take-it-easy": {"two cores": "training_tie", "H200, shared": "box_take_it_easy"},
    "take-it-easy-expectimax": {
        "H200, shared": "expectimax_tie",
        "H200, shared, again": "expectimax_tie2",
        "H200, shared, a third time": "expectimax_tie3",
        "two cores": "expectimax_tie_cpu",
    },
    "chess-gumbel": {"H200, shared": "chess_stockfish"},
    "general: tic-tac-toe": {"one core": "box_tic_tac_toe"},
}
"""What was trained, on what, and the file of its history."""


def read_points(name: str) -> list[tuple[float, float, float, float]]:
    """Minutes, strength and its limits, of all generations that were measured."""
    points = []
    for row in csv.DictReader((DATA / f"{name}.csv").open()):
        columns = next(
            (each for each in (ELO, POINTS, ("score", "low", "high")) if row.get(each[0])), None
        )
        if columns is not None:
            minutes = (
                float(row["minutes"]) if "minutes" in row else float(row["total_seconds"]) / 60
            )
            middle, low, high = (float(row[column]) for column in columns)
            points.append((minutes, middle, low, high))
    return points


def draw_panel(axes: Axes, title: str, runs: dict[str, str]) -> None:
    for label, name in runs.items():
        minutes, middle, low, high = zip(*read_points(name), strict=True)
        axes.plot(minutes, middle, marker="o", markersize=3, label=label)
        axes.fill_between(minutes, low, high, alpha=0.2)
    what = (
        "points"
        if "easy" in title
        else "% against elo=1350"
        if "chess" in title
        else "Elo over random play"
    )
    axes.set(title=title, xlabel="minutes", ylabel=what, xlim=(0, None))
    axes.legend(loc="lower right", fontsize="small")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", type=Path, default=Path("docs/pictures/strength.svg"))
    mpl.rcParams["svg.hashsalt"] = "anyzero"
    figure = Figure(figsize=(13, 6), layout="constrained")
    for axes, (title, runs) in zip(figure.subplots(2, 4).flat, PANELS.items(), strict=True):
        draw_panel(axes, title, runs)
    figure.savefig(parser.parse_args().plot, metadata={"Date": None})


if __name__ == "__main__":
    main()
