"""`anyzero experiment`, `plot` and `estimate`: grids of matches, their pictures, and a study of what AMAF estimates."""

from pathlib import Path
from typing import Annotated, Any

import typer

from anyzero.cli.arena import Workers
from anyzero.cli.output import (
    ClusterAddress,
    GameText,
    Json,
    MovesText,
    StateText,
    examples,
    load_position,
    print_json,
    print_parts,
    print_result,
)

EXPERIMENT_EXAMPLES = examples(
    "anyzero experiment examples/hex_students.json",
    "anyzero experiment examples/hex_rave.toml --results rave.csv",
    "anyzero plot rave.csv",
)
PLOT_EXAMPLES = examples(
    "anyzero plot hex_rave.csv",
    "anyzero plot hex_rave.csv --out pictures --format svg",
    "anyzero plot games.jsonl",
)
ESTIMATE_EXAMPLES = examples(
    "anyzero estimate hex:size=7",
    "anyzero estimate connect_four --simulations 100,10000 --plot c4.svg",
)


def experiment(
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="A .toml file, or a .json file of the Hex study.")],
    results: Annotated[
        Path | None,
        typer.Option("--results", metavar="FILE.csv", help="The table; by default named after CONFIG, in this folder."),
    ] = None,
    workers: Workers = None,
    cluster: ClusterAddress = None,
    json: Json = False,
) -> None:
    """Play a grid of games, sizes, budgets and players from a file.

    Run it again to resume an experiment that was stopped.
    """
    from anyzero.experiments import experiment as run

    print_result(run(config, results, workers=workers, cluster=cluster, progress=not json), json=json)


def plot(
    results: Annotated[
        Path, typer.Argument(metavar="RESULTS", help="The table of an experiment, or the record of a match.")
    ],
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FOLDER", help="Where the pictures go; by default beside RESULTS.")
    ] = None,
    formats: Annotated[str, typer.Option("--format", help="png, svg or pdf, or several: png,svg.")] = "png,svg",
    json: Json = False,
) -> None:
    """Draw results as heat maps, curves and cross tables."""
    from anyzero.experiments.score_plots import parse_formats, plot_rows, save_figures
    from anyzero.experiments.table import read_rows

    wanted = parse_formats(formats)
    figures = plot_rows(read_rows(results))
    folder = results.with_name(f"{results.stem}_plots") if out is None else out
    files = save_figures(figures, folder, wanted)
    if json:
        print_json({"results": str(results), "folder": str(folder), "files": [path.name for path in files]})
    else:
        print_parts(map(str, files))


def estimate(
    game: GameText,
    state: StateText = None,
    moves: MovesText = "",
    simulations: Annotated[
        str, typer.Option("--simulations", metavar="N,N,...", help="Compare after these numbers of simulations.")
    ] = "30,100,300,1000,3000,10000,30000,100000",
    reference: Annotated[
        int, typer.Option("--reference", metavar="N", help="Rollouts per move for the reference values.")
    ] = 100_000,
    repeats: Annotated[int, typer.Option("--repeats", metavar="N", help="Repetitions for the intervals.")] = 32,
    bias: Annotated[float, typer.Option("--bias", help="The squared bias of AMAF that RAVE assumes.")] = 1e-3,
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same study.")] = 0,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE.svg", help="Draw it: .svg, .png or .pdf.")
    ] = None,
    most: Annotated[int, typer.Option("--top", min=1, help="How many moves to show.")] = 10,
    json: Json = False,
) -> None:
    """Compare flat Monte Carlo, AMAF and RAVE move by move.

    Their estimates are held against those of very many rollouts.
    """
    from anyzero.experiments import estimate as module
    from anyzero.figures import check_picture

    budgets = module.parse_simulations(simulations)
    if plot is not None:
        check_picture(plot)
    loaded, position = load_position(game, state, moves)
    numbers: dict[str, Any] = {"simulations": budgets, "reference": reference, "repeats": repeats, "bias": bias}
    found = module.estimate(loaded, position, **numbers, seed=seed, progress=not json)
    if plot is not None:
        found.plot(plot)
    if json:
        print_json({**found.to_json(), "plot": None if plot is None else str(plot)})
    else:
        print_parts(found.report(most))
