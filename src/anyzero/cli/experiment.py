"""`anyzero experiment`: a whole grid of matches from a file."""

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anyzero.cli.match import Workers
from anyzero.cli.output import Json, print_json, print_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.progress import Progress

    from anyzero.experiments import Experiment, Reached
    from anyzero.experiments.run import Rows, Watch

EXAMPLES = (
    "Examples: anyzero experiment examples/hex_students.json    "
    "anyzero experiment examples/hex_rave.toml --results rave.csv    anyzero plot rave.csv"
)

SHOW_EVERY_S = 0.2
PARTS = 1_000_000
"""Of the work, for the bar."""
REMEMBER_S = 600
"""The speed is that of the last so many seconds."""


def experiment(
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="A .toml file, or the .json file of Hex students.")],
    results: Annotated[
        Path | None,
        typer.Option(
            "--results", metavar="FILE.csv", help="The table; if left out, named after CONFIG, in this folder."
        ),
    ] = None,
    workers: Workers = None,
    json: Json = False,
) -> None:
    """Play every cell of a grid of games, sizes, budgets and players; a stopped run goes on where it was."""
    from anyzero.experiments import load_experiment, run_experiment

    wanted = load_experiment(config)
    path = Path(config.with_suffix(".csv").name) if results is None else results
    with progress(wanted, path, quiet=json) as watch:
        rows = run_experiment(wanted, path, workers=workers, watch=watch)
    games = sum(plan.games for plan in wanted.plans)
    if json:
        print_json({"config": str(config), "results": str(path), "cells": len(rows), "games": games, "rows": rows})
        return
    print_rows(rows)
    print(f"{len(rows)} cell{'s' * (len(rows) > 1)}, {games} games, in {path}; to draw them: anyzero plot {path}")


@contextmanager
def progress(wanted: "Experiment", path: Path, *, quiet: bool) -> "Iterator[Watch]":
    """A bar with the time that is left on a terminal; on Ctrl-C, what was kept and how to go on."""
    import sys
    import time

    from anyzero.experiments.run import Reached, journal_path

    last, shown = Reached(0, 0, 0.0), 0.0
    total = Reached(sum(plan.games for plan in wanted.plans), len(wanted.cells), 1.0)
    kept = f"kept in {journal_path(path)}; the same command goes on from there"
    try:
        with make_bar(disable=quiet or not sys.stderr.isatty()) as bar:

            def watch(now: "Reached") -> None:
                nonlocal last, shown
                last = now
                if not bar.task_ids:  # what was finished before says nothing of the speed
                    bar.add_task("", total=PARTS, completed=int(PARTS * now.share))
                if time.monotonic() - shown > SHOW_EVERY_S:
                    shown = time.monotonic()
                    bar.update(bar.task_ids[0], completed=int(PARTS * now.share), description=describe(now, total))

            yield watch
    except KeyboardInterrupt:
        print(f"stopped after {describe(last, total)}, {kept}", file=sys.stderr)
        raise typer.Exit(130) from None


def make_bar(*, disable: bool) -> "Progress":
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    times = (TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn())
    columns = (TextColumn("{task.description}"), BarColumn(), *times)
    console = Console(stderr=True)
    return Progress(*columns, console=console, transient=True, disable=disable, speed_estimate_period=REMEMBER_S)


def describe(now: "Reached", total: "Reached") -> str:
    return f"{now.games} of {total.games} games, {now.cells} of {total.cells} cells"


def print_rows(rows: "Rows") -> None:
    """For people: the columns of the table that fit a terminal."""
    if rows:
        columns = [column for column in rows[0] if column not in ("elo_low", "elo_high", "seconds")]
        print_table(columns, [[show_cell(row, column) for column in columns] for row in rows])


def show_cell(row: dict[str, Any], column: str) -> str:
    """A value; Elo with its limits, which have no column of their own."""
    if column != "elo" or row[column] is None:
        return show(row[column])
    return f"{show(row['elo'])} ({show(row['elo_low'])} to {show(row['elo_high'])})"


def show(value: Any) -> str:
    return "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)
