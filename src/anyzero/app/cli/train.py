"""`anyzero train`, `runs`, `doctor` and `nets`: train networks by self-play, and examine the
results.
"""

import os
from pathlib import Path
from typing import Annotated, Any

import typer

import anyzero
from anyzero.app.cli.options import Cluster, Json, argument, examples, option
from anyzero.app.cli.output import answer, print_result
from anyzero.core.base.nouns import Values

FLAGS = {
    "games": "selfplay.games",
    "simulations": "selfplay.simulations",
    "epochs": "trainer.epochs",
    "batches": "trainer.batches",
    "batch_size": "trainer.batch_size",
    "learning_rate": "trainer.learning_rate",
    "dirichlet_epsilon": "selfplay.noise_fraction",
    "dirichlet_alpha": "selfplay.noise_concentration",
    "convergence_threshold": "benchmark.convergence_threshold",
    "from": "begin_with",
    "device": "device",
    "seed": "seed",
}
"""Flags for common settings, and the settings they change."""


OF_SEARCH = ("simulations", "dirichlet_epsilon", "dirichlet_alpha")
"""Flags for options of the search of self-play, which is one text."""


def flag(text: str, meaning: str) -> Any:
    name = text.strip("-").replace("-", "_")
    where = "Changes selfplay.search." if name in OF_SEARCH else f"Sets {FLAGS[name]}."
    return typer.Option(text, help=f"{meaning} {where}", show_default=False)


@examples(
    "anyzero train connect_four --minutes 3",
    "anyzero train --preset take-it-easy --run tie",
    "anyzero train hex:size=7 --set selfplay.simulations=64 --run hex7",
    "anyzero train --preset take-it-easy --sweep selfplay.noise_fraction=0,0.25 --generations 10",
)
def train_command(
    game: Annotated[
        str | None, argument("A game; optional with --preset or --config.", "GAME")
    ] = None,
    preset: Annotated[str | None, option("A named recipe; see docs/training.md.")] = None,
    config: Annotated[Path | None, option("A .toml file of settings.")] = None,
    settings: Annotated[
        list[str] | None, option("One setting: selfplay.simulations=64.", name="--set")
    ] = None,
    run: Annotated[str | None, option("The run's name (a folder in runs/) or a path.")] = None,
    minutes: Annotated[
        float | None, option("Stop after this many minutes in total.", min=0.0)
    ] = None,
    generations: Annotated[
        int | None,
        option(
            "Stop after this many generations in total.", name="--generations --iterations", min=0
        ),
    ] = None,
    begin_with: Annotated[
        str | None, flag("--from", "Start from a trained network: a run or a file.")
    ] = None,
    device: Annotated[str | None, flag("--device", "cpu or cuda.")] = None,
    seed: Annotated[int | None, flag("--seed", "The random seed.")] = None,
    games: Annotated[int | None, flag("--games", "Self-play games per generation.")] = None,
    simulations: Annotated[int | None, flag("--simulations", "Simulations per move.")] = None,
    epochs: Annotated[
        float | None, flag("--epochs", "Passes over the replay buffer per generation.")
    ] = None,
    batches: Annotated[
        int | None, flag("--batches", "Batches per generation, instead of epochs.")
    ] = None,
    batch_size: Annotated[int | None, flag("--batch-size", "Samples per batch.")] = None,
    learning_rate: Annotated[float | None, flag("--learning-rate", "The learning rate.")] = None,
    dirichlet_epsilon: Annotated[
        float | None, flag("--dirichlet-epsilon", "Root share of Dirichlet noise.")
    ] = None,
    dirichlet_alpha: Annotated[
        float | None, flag("--dirichlet-alpha", "Concentration of that noise.")
    ] = None,
    convergence_threshold: Annotated[
        float | None,
        flag("--convergence-threshold", "Stop when the benchmark improves by less than this."),
    ] = None,
    output: Annotated[Path | None, option("Also write training_history.csv here.")] = None,
    sweep: Annotated[
        str | None, option("Train once per value and compare.", "SETTING=A,B,C")
    ] = None,
    match: Annotated[
        int, option("Games in the final match against the strongest anchor; 0: no match.", min=0)
    ] = 100,
    cluster: Cluster = None,
    json: Json = False,
) -> None:
    """Train a network by self-play.

    The same command resumes a stopped or killed run.
    """
    arguments = {**locals(), "from": begin_with}
    # Torch's threads shall sleep while they wait: spinning, a step took 30 times as long on a busy
    # machine. They read this when torch is imported, which has not happened yet.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    from anyzero.core.learning.config import parse_setting

    changes = dict(parse_setting(text) for text in settings or [])
    changes |= {key: arguments[name] for name, key in FLAGS.items() if arguments[name] is not None}
    options: Values = {
        "run": run,
        "preset": preset,
        "config_file": config,
        "changes": changes,
        "generations": generations,
        "minutes": minutes,
        "cluster": cluster,
        "progress": not json,
    }
    if sweep is not None:
        compared = anyzero.sweep(sweep, game, match=match, **options)
        if output is not None:
            compared.write_history(output)
        print_result(compared, json=json)
        return
    result = anyzero.train(game, match=match, **options)
    if output is not None:
        result.write_history(output)
    facts: Values = {
        "run": str(result.path),
        "game": result.config.game,
        "ended": result.ended,
        "generations": result.generations or 0,
        "champion": result.champion_generation or 0,
    }
    answer(
        facts if result.match is None else facts | {"match": result.match},
        result.ending(),
        json=json,
    )


# --- the progress of training, its problems, and the bundled nets


Root = Annotated[Path, option("The folder that holds runs.", "FOLDER", "--root")]


@examples(
    "anyzero runs",
    "anyzero runs hex7 --plot hex7.png",
    "anyzero runs small large --by minutes --plot both.svg",
    "anyzero runs hex7 --verify",
)
def runs_command(
    names: Annotated[
        list[str] | None, argument("Names or folders; several are compared.", "[RUN]...")
    ] = None,
    root: Root = Path("runs"),
    plot: Annotated[Path | None, option("Plot their curves: .png, .svg or .pdf.", "FILE")] = None,
    by: Annotated[
        str, option("The curves' horizontal axis: generations or minutes.")
    ] = "generations",
    verify: Annotated[
        bool, option("Check every file: exit code 1 if one is damaged.", name="--verify")
    ] = False,
    json: Json = False,
) -> None:
    """List all training runs, show one, or compare several."""
    if verify:
        verified = anyzero.verify(*names or (), root=root)
        print_result(verified, json=json)
        raise typer.Exit(not verified.ok)
    overview = anyzero.runs(*names or (), root=root)
    if plot is not None:
        overview.plot(by=by, file=plot)
    print_result(overview, json=json)
    if plot is not None and not json:
        print(f"plot written to {plot}")


@examples(
    "anyzero doctor hex7",
    "anyzero doctor runs/hex7 --json",
    "anyzero doctor connect_four",
    "anyzero doctor ./my_game.py:size=4",
)
def doctor_command(
    subject: Annotated[str, argument("A run by name or folder, or else a game.", "RUN|GAME")],
    root: Root = Path("runs"),
    json: Json = False,
) -> None:
    """Examine a run, or a game before training.

    It says what is wrong and suggests what to try. This takes about a minute and changes nothing.
    The exit code is 1 if something is wrong. A doubtful result is worth a look, but does not change
    the exit code.
    """
    examination = anyzero.examine(subject, root, progress=not json)
    print_result(examination, json=json)
    raise typer.Exit(0 if examination.is_well else 1)


@examples("anyzero nets", "anyzero play connect_four --seat1 gumbel:64@best")
def nets_command(json: Json = False) -> None:
    """List the trained nets that come with the package."""
    print_result(anyzero.nets(), json=json)
