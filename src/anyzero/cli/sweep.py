"""`anyzero train --sweep`: the same run once for each value of a setting, and their curves side by side."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anyzero.cli.output import print_json, print_table

if TYPE_CHECKING:
    from anyzero.learning.folder import RunFolder

SHOWN = ("generation", "policy_loss", "value_loss", "kl", "benchmark_score_mean", "elo")
MEASURED = {"benchmark_score_mean": "benchmark_generation", "elo": "elo_generation"}
"""What not every generation has, and the field that says which one had it last."""


def train_sweep(
    train_one: "Callable[..., tuple[RunFolder, str]]",
    game: str | None,
    run: str | None,
    sweep: str,
    changes: dict[str, Any],
    wanted: dict[str, Any],
    *,
    output: Path | None,
    json: bool,
) -> None:
    """The same run once for each value; ends with a table and the compared curves."""
    from anyzero.errors import BadOptionError
    from anyzero.learning.start import default_name, make_config

    key, equals, values = sweep.partition("=")
    if not equals or not values:
        raise BadOptionError(f"{sweep!r} is not of the form setting=a,b,c")
    made = make_config(game, preset=wanted["preset"], config_file=wanted["config_file"], changes=changes)
    base = run or default_name(made, wanted["preset"])
    stem = f"{base}-{key.rpartition('.')[2]}"
    runs = {f"{stem}-{value.strip()}": f"{key}={value}" for value in values.split(",")}
    settings = check_runs(game, runs, changes, wanted)
    folders = [train_one(game, label, setting, wanted, quiet=json)[0] for label, setting in settings.items()]
    compare(folders, key, folders[0].path.parent / f"{stem}.png", output, json=json)


def check_runs(
    game: str | None, runs: dict[str, str], changes: dict[str, Any], wanted: dict[str, Any]
) -> dict[str, dict[str, Any]]:
    """The changes of each run; one sentence if one of them cannot be trained, before any is."""
    from anyzero.learning.config_file import parse_setting
    from anyzero.learning.folder import RunFolder, is_run, run_path
    from anyzero.learning.start import fill_in, make_config, open_run

    recipe = {name: wanted[name] for name in ("preset", "config_file")}
    settings = {label: changes | dict([parse_setting(text)]) for label, text in runs.items()}
    begun = [label for label in settings if is_run(run_path(label))]
    for label, setting in settings.items():
        if label not in begun:
            RunFolder(run_path(label)).check_is_free()
            fill_in(make_config(game, **recipe, changes=setting))
    for label in begun:  # last, as what may change in a run that is there is written at once
        open_run(game, run=label, **recipe, changes=settings[label])
    return settings


def compare(folders: "list[RunFolder]", key: str, picture: Path, output: Path | None, *, json: bool) -> None:
    """The curves in one picture, and where each run stands."""
    from anyzero.experiments.plots import RunCurves, draw_runs, save_figure
    from anyzero.learning.history import read_rows

    histories = [read_rows(folder) for folder in folders]
    curves = [
        RunCurves(folder.path.name, folder.config.game, folder.config.gate.threshold, rows)
        for folder, rows in zip(folders, histories, strict=True)
    ]
    save_figure(draw_runs(curves), picture)
    if output is not None:
        write_sweep(folders, output)
    runs = [{"run": str(folder.path), **last_known(rows)} for folder, rows in zip(folders, histories, strict=True)]
    if json:
        print_json({"sweep": key, "picture": str(picture), "runs": runs})
        return
    print_table(["run", *SHOWN], [[run["run"], *(show_known(run, name) for name in SHOWN)] for run in runs])
    print(f"the curves are in {picture}")


def last_known(rows: "list[dict[str, Any]]") -> dict[str, Any]:
    """The newest figure of each kind, and the generations of those that not every generation has."""
    from anyzero.learning.summary import last_of

    found = {name: last_of(rows, name, name) for name in SHOWN}
    return found | {field: last_of(rows, name, "generation") for name, field in MEASURED.items()}


def show_known(known: dict[str, Any], name: str) -> str:
    """A figure, and the generation that it belongs to if that is not the newest."""
    text, generation = show_number(known[name]), known[MEASURED.get(name, "generation")]
    return text if generation in (None, known["generation"]) else f"{text} at generation {generation}"


def write_sweep(folders: "list[RunFolder]", output: Path) -> None:
    """All histories in one table, with the run's name before each row."""
    from anyzero.files import write_whole

    lines: list[str] = []
    for folder in folders:
        head, *rows = (folder.path / "training_history.csv").read_text().splitlines()
        lines += [f"run,{head}"] if not lines else []
        lines += [f"{folder.path.name},{row}" for row in rows]
    write_whole(output, ("\n".join(lines) + "\n").encode())


def show_number(value: Any) -> str:
    return "" if value in (None, "") else f"{value:.4g}" if isinstance(value, float) else str(value)
