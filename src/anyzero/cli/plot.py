"""`anyzero plot`: results as pictures."""

from pathlib import Path
from typing import Annotated

import typer

from anyzero.cli.output import Json, print_json

EXAMPLES = (
    "Examples: anyzero plot hex_rave.csv    anyzero plot hex_rave.csv --out pictures --format svg    "
    "anyzero plot games.jsonl"
)


def plot(
    results: Annotated[
        Path,
        typer.Argument(metavar="RESULTS", help="The table of an experiment, or a record of a match or tournament."),
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FOLDER", help="Where the pictures go; if left out, beside RESULTS."),
    ] = None,
    formats: Annotated[str, typer.Option("--format", help="png, svg or pdf, or several: png,svg.")] = "png,svg",
    json: Json = False,
) -> None:
    """Draw heat maps by both budgets, curves with intervals, and cross tables."""
    from anyzero.experiments.score_plots import parse_formats, plot_rows, save_figures
    from anyzero.experiments.table import read_rows

    wanted = parse_formats(formats)
    figures = plot_rows(read_rows(results))
    folder = results.with_name(f"{results.stem}_plots") if out is None else out
    files = save_figures(figures, folder, wanted)
    if json:
        print_json({"results": str(results), "folder": str(folder), "files": [path.name for path in files]})
        return
    for path in files:
        print(path)
