"""`anyzero estimate`: how good the estimates of flat Monte Carlo, AMAF and RAVE are, move by move."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anyzero import stopping
from anyzero.cli.output import GameText, Json, MovesText, StateText, load_position, print_json, print_table

if TYPE_CHECKING:
    from anyzero.arena.statistics import Interval
    from anyzero.experiments.estimate import Study

EXAMPLES = (
    "Examples: anyzero estimate hex:size=7    anyzero estimate connect_four --simulations 100,10000 --plot c4.svg"
)


def estimate(
    game: GameText,
    state: StateText = None,
    moves: MovesText = "",
    simulations: Annotated[
        str, typer.Option("--simulations", metavar="N,N,...", help="After how many simulations to look.")
    ] = "30,100,300,1000,3000,10000,30000,100000",
    reference: Annotated[
        int, typer.Option("--reference", metavar="N", help="Rollouts for each move that stand for the truth.")
    ] = 100_000,
    repeats: Annotated[int, typer.Option("--repeats", metavar="N", help="Repetitions for the intervals.")] = 32,
    bias: Annotated[float, typer.Option("--bias", help="The squared bias of AMAF that RAVE reckons with.")] = 1e-3,
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same study.")] = 0,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE.svg", help="Draw it: .svg, .png or .pdf.")
    ] = None,
    most: Annotated[int, typer.Option("--top", min=1, help="How many moves to show.")] = 10,
    json: Json = False,
) -> None:
    """Compare what flat Monte Carlo, AMAF and RAVE say about each move with a long-run reference."""
    import sys

    from rich.console import Console

    from anyzero.experiments.estimate import parse_simulations, study

    budgets = parse_simulations(simulations)
    if plot is not None:
        from anyzero.experiments.plots import check_picture, draw_study, save_figure

        check_picture(plot)
    loaded, position = load_position(game, state, moves)
    console = Console(stderr=True, quiet=json or not sys.stderr.isatty())
    with console.status("playing rollouts") as status:

        def watch(share: float) -> None:
            stopping.check()
            status.update(f"playing rollouts, {100 * share:.0f} %")

        found = study(
            loaded,
            position,
            simulations=budgets,
            reference=reference,
            repeats=repeats,
            seed=seed,
            bias=bias,
            watch=watch,
        )
    if plot is not None:
        save_figure(draw_study(found), plot)
    if json:
        print_json({**found.to_json(), "plot": None if plot is None else str(plot)})
    else:
        print_study(found, most)


def print_study(study: "Study", most: int) -> None:
    """For people: the moves once, then the errors as simulations come in."""
    point = study.telling
    print(f"{study.game} after {point.simulations:,} simulations, the first of {study.repeats} repetitions")
    best_first = sorted(range(len(study.moves)), key=lambda index: -study.reference[index])
    columns = ("move", "reference", "flat", "rollouts", "AMAF", "rollouts", "RAVE")
    flat, amaf, rave = (point.estimates[name] for name in ("flat", "amaf", "rave"))
    print_table(
        columns,
        [
            (
                *(study.moves[move], f"{study.reference[move]:+.3f}", f"{flat[move]:+.3f}", point.visits[move]),
                *(f"{amaf[move]:+.3f}", point.amaf_visits[move], f"{rave[move]:+.3f}"),
            )
            for move in best_first[:most]
        ],
    )
    print()
    print_errors(study)


def print_errors(study: "Study") -> None:
    print(f"root mean square error to {study.reference_rollouts:,} rollouts a move, and rank correlation with them")
    rows = []
    for point in study.points:
        errors = [point.errors[name] for name in ("flat", "amaf", "rave")]
        rows.append(
            (
                f"{point.simulations:,}",
                *(show(one.root_mean_square) for one in errors),
                *(show(one.rank_correlation, 2) for one in errors),
            )
        )
    columns = ("simulations", "flat", "AMAF", "RAVE", "rank: flat", "AMAF", "RAVE")
    print_table(columns, rows)


def show(interval: "Interval", digits: int = 3) -> str:
    value, low, high = (f"{limit:.{digits}f}" for limit in interval)
    return f"{value} ({low} to {high})"
