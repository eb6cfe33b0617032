"""`anyzero runs`: how training goes and went."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anyzero.cli.output import Json, print_json, print_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anyzero.learning.summary import RunSummary

EXAMPLES = (
    "Examples: anyzero runs    anyzero runs hex7    anyzero runs hex7 --plot hex7.png    "
    "anyzero runs small large --by minutes --plot both.svg"
)

SHOWN = {
    "generation": "generation",
    "minutes": "minutes",
    "games": "games",
    "policy_loss": "policy loss",
    "kl": "KL",
    "value_loss": "value loss",
    "benchmark_score_mean": "benchmark",
    "elo": "Elo",
    "gate_score": "gate",
    "promoted": "promoted",
    "simulations_per_second": "sims/s",
}
"""The columns of one run, for people; those that are empty are left out."""
LIMITS = {
    "benchmark_score_mean": ("benchmark_score_low", "benchmark_score_high"),
    "elo": ("elo_low", "elo_high"),
}
"""Columns that have an interval, which says how many of their digits mean something."""
LAST = 10


def runs(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[RUN]...", help="Names or folders; several are compared.")
    ] = None,
    root: Annotated[Path, typer.Option("--root", metavar="FOLDER", help="Where runs are.")] = Path("runs"),
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw their curves: .png, .svg or .pdf.")
    ] = None,
    by: Annotated[
        str, typer.Option("--by", help="What curves are drawn over: generations or minutes.")
    ] = "generations",
    json: Json = False,
) -> None:
    """List all runs, show one, or compare several."""
    from anyzero.learning.folder import find_run
    from anyzero.learning.summary import summarise

    wanted = list(dict.fromkeys(names or []))
    found = [summarise(find_run(name, root)) for name in wanted]
    if plot is not None:
        draw(found or list_all(root)[0], plot, by)
    if not found:
        print_list(root, json)
    elif json:
        print_json({"root": str(root), "runs": [describe(run) for run in found], **compared(found)})
    elif len(found) == 1:
        print_run(found[0])
    else:
        print_comparison(found)
    if plot is not None and not json:
        print(f"drawn in {plot}")


def draw(found: "Sequence[RunSummary]", path: Path, by: str) -> None:
    from anyzero.errors import AnyzeroError
    from anyzero.experiments.plots import RunCurves, draw_runs, save_figure

    if not found:
        raise AnyzeroError("there are no runs to draw")
    curves = [RunCurves(run.name, run.config.game, run.config.gate.threshold, run.rows) for run in found]
    save_figure(draw_runs(curves, by), path)


# --- all runs


def list_all(root: Path) -> "tuple[list[RunSummary], dict[str, str]]":
    """The runs that can be read, and what is wrong with the others."""
    from anyzero.errors import AnyzeroError
    from anyzero.learning.folder import list_runs
    from anyzero.learning.summary import summarise

    found, wrong = [], {}
    for path in list_runs(root):
        try:
            found.append(summarise(path))
        except AnyzeroError as error:
            wrong[path.name] = str(error)
    return found, wrong


def print_list(root: Path, json: bool) -> None:
    found, wrong = list_all(root)
    if json:
        broken = [{"name": name, "error": error} for name, error in wrong.items()]
        print_json({"root": str(root), "runs": [run.to_json() for run in found], "broken": broken})
        return
    if found:
        columns = ("run", "game", "generations", "champion", "strength", "minutes", "last change")
        print_table(columns, [[*overview(run), ago(run.changed)] for run in found])
    for error in wrong.values():
        print(f"cannot be read: {error}")
    if not found and not wrong:
        print(f"there are no runs in {root}; anyzero train makes one")


def overview(run: "RunSummary") -> list[str]:
    numbers = [show(run.generations), show(run.champion), strength(run), show(run.minutes)]
    return [run.name, run.config.game, *numbers]


def strength(run: "RunSummary") -> str:
    """The last rating, or the last benchmark, with half of its interval, and whose it is if not the champion's."""
    measured = (("Elo", run.elo, run.elo_generation), ("score", run.benchmark, run.benchmark_generation))
    for name, found, generation in measured:
        if found is not None:
            value, low, high = found
            half = half_width(low, high)
            around = "" if half is None else f" ±{show_measured(half, half)}"
            whose = "" if generation == run.champion else f" at generation {generation}"
            return f"{name} {show_measured(value, half)}{around}{whose}"
    return ""


def half_width(low: float | None, high: float | None) -> float | None:
    return None if low is None or high is None else (high - low) / 2


def show_measured(value: float, half: float | None) -> str:
    """A measured figure, down to the second digit of half its interval, and never short of whole points."""
    import math

    if half is None or half == 0 or not math.isfinite(half):
        return f"{value:g}"
    return f"{value:.{max(0, 1 - math.floor(math.log10(half)))}f}"


def ago(time: float) -> str:
    """How long ago, in the unit that a person would use."""
    import time as clock

    seconds = max(0.0, clock.time() - time)
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit} ago"
    return f"{seconds:.0f} s ago"


# --- one run


def describe(run: "RunSummary") -> dict[str, Any]:
    return {**run.to_json(), "config": run.config.to_dict(), "history": run.rows}


def print_run(run: "RunSummary") -> None:
    """What it plays, where it leaves the defaults, its last generations, and its champion."""
    from anyzero.learning.config import RunConfig
    from anyzero.learning.config_file import format_setting
    from anyzero.learning.summary import differences

    print(f"{run.name}: {run.config.game}, {network(run)}, seed {run.config.seed}")
    changed = differences([run.config, RunConfig(game=run.config.game, seed=run.config.seed)])
    settings = [
        f"{key}={format_setting(values[0])}" for key, values in changed.items() if not key.startswith("network.")
    ]
    if settings:
        print(f"not the defaults: {', '.join(settings)}")
    if run.generations is None:
        print("no generation is finished yet")
        return
    print_generations(run)
    words = [f"generation {run.champion} is the champion", strength(run), f"{show(run.minutes)} minutes in all"]
    print(", ".join(filter(None, words)))
    print(f"its network: {run.path / 'champion.safetensors'}")


def network(run: "RunSummary") -> str:
    """The size of the network, as its text."""
    config = run.config.network
    if config.kind == "mlp":
        return f"mlp {config.layers}x{config.width}"
    return f"{config.kind} network {config.blocks}x{config.channels}"


def print_generations(run: "RunSummary") -> None:
    rows = [{**row, "minutes": row["total_seconds"] / 60} for row in run.rows[-LAST:]]
    columns = [column for column in SHOWN if any(row[column] is not None for row in rows)]
    print_table([SHOWN[column] for column in columns], [[show_cell(row, column) for column in columns] for row in rows])


def show_cell(row: dict[str, Any], column: str) -> str:
    if column in LIMITS and row[column] is not None:
        return show_measured(row[column], half_width(*(row[limit] for limit in LIMITS[column])))
    return show(row[column])


# --- several


def compared(found: "Sequence[RunSummary]") -> dict[str, Any]:
    from anyzero.learning.summary import differences

    return {"differences": differences([run.config for run in found])} if len(found) > 1 else {}


def print_comparison(found: "Sequence[RunSummary]") -> None:
    """A line a run, then the settings in which they differ."""
    from anyzero.learning.config_file import format_setting

    columns = ("run", "game", "generations", "champion", "strength", "minutes")
    more = ("promotions", "policy loss", "value loss", "sims/s")
    measured = ("policy_loss", "value_loss", "simulations_per_second")
    rows = [[*overview(run), run.promotions, *(show(run.last(column)) for column in measured)] for run in found]
    print_table((*columns, *more), rows)
    settings = compared(found)["differences"]
    if settings:
        print()
        lines = [
            [key, *("" if value is None else format_setting(value) for value in values)]
            for key, values in settings.items()
        ]
        print_table(("setting", *(run.name for run in found)), lines)


def show(value: Any) -> str:
    """Short enough for a table."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return "" if value is None else str(value)
