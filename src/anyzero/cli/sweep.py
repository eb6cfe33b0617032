"""`anyzero train --sweep`: the same run once for each value of a setting, and their curves side by side."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anyzero.cli.output import print_json, print_table

if TYPE_CHECKING:
    from anyzero.learning.folder import RunFolder

SHOWN = ("generation", "policy_loss", "value_loss", "kl", "benchmark_score_mean", "elo")


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
    from anyzero.games.errors import BadOptionError
    from anyzero.learning.config_file import parse_setting
    from anyzero.learning.start import default_name, make_config

    key, equals, values = sweep.partition("=")
    if not equals or not values:
        raise BadOptionError(f"{sweep!r} is not of the form setting=a,b,c")
    made = make_config(game, preset=wanted["preset"], config_file=wanted["config_file"], changes=changes)
    base = run or default_name(made, wanted["preset"])
    folders = []
    for value in values.split(","):
        name, setting = parse_setting(f"{key}={value}")
        label = f"{base}-{key.rpartition('.')[2]}-{value.strip()}"
        folders.append(train_one(game, label, changes | {name: setting}, wanted, quiet=json)[0])
    compare(folders, key, output, json=json)


def compare(folders: "list[RunFolder]", key: str, output: Path | None, *, json: bool) -> None:
    from anyzero.learning.curves import RunCurves, draw_runs, save_figure
    from anyzero.learning.history import read_rows

    histories = [read_rows(folder) for folder in folders]
    picture = folders[0].path.parent / f"{folders[0].path.name.rpartition('-')[0]}.png"
    curves = [RunCurves(folder.path.name, folder.config, rows) for folder, rows in zip(folders, histories, strict=True)]
    save_figure(draw_runs(curves), picture)
    if output is not None:
        write_sweep(folders, output)
    runs = [{"run": str(folder.path), **last_known(rows)} for folder, rows in zip(folders, histories, strict=True)]
    if json:
        print_json({"sweep": key, "picture": str(picture), "runs": runs})
        return
    print_table(["run", *SHOWN], [[run["run"], *(show_number(run[name]) for name in SHOWN)] for run in runs])
    print(f"the curves are in {picture}")


def last_known(rows: "list[dict[str, Any]]") -> dict[str, Any]:
    """The newest figure of each kind: not every generation is rated."""
    return {name: next((row[name] for row in reversed(rows) if row[name] is not None), None) for name in SHOWN}


def write_sweep(folders: "list[RunFolder]", output: Path) -> None:
    """All histories in one table, with the run's name before each row."""
    from anyzero.games.files import write_whole

    lines: list[str] = []
    for folder in folders:
        head, *rows = (folder.path / "training_history.csv").read_text().splitlines()
        lines += [f"run,{head}"] if not lines else []
        lines += [f"{folder.path.name},{row}" for row in rows]
    write_whole(output, ("\n".join(lines) + "\n").encode())


def show_number(value: Any) -> str:
    return "" if value in (None, "") else f"{value:.4g}" if isinstance(value, float) else str(value)
