"""`anyzero train`, `runs`, `doctor` and `nets`: networks that learn by playing themselves, and what became of them."""

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from anyzero.cli.output import ClusterAddress, Json, examples, print_json, print_parts, print_result

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
"""The knobs that people know by name, and what they set."""


def flag(text: str, meaning: str) -> Any:
    return typer.Option(text, help=f"{meaning} Sets {FLAGS[text.strip('-').replace('-', '_')]}.", show_default=False)


@examples(
    "anyzero train connect_four --minutes 3",
    "anyzero train --preset take-it-easy --run tie",
    "anyzero train hex:size=7 --set selfplay.simulations=64 --run hex7",
    "anyzero train --preset take-it-easy --sweep selfplay.noise_fraction=0,0.25 --generations 10",
)
def train(
    game: Annotated[
        str | None, typer.Argument(metavar="GAME", help="A game; optional with --preset or --config.")
    ] = None,
    preset: Annotated[str | None, typer.Option(help="A named recipe; see docs/training.md.")] = None,
    config: Annotated[Path | None, typer.Option(help="A .toml file of settings.")] = None,
    settings: Annotated[list[str] | None, typer.Option("--set", help="One setting: selfplay.simulations=64.")] = None,
    run: Annotated[str | None, typer.Option(help="The run's name (a folder in runs/) or a path.")] = None,
    minutes: Annotated[float | None, typer.Option(min=0.0, help="Stop after this many in total.")] = None,
    generations: Annotated[
        int | None, typer.Option("--generations", "--iterations", min=0, help="Stop after this many in total.")
    ] = None,
    begin_with: Annotated[str | None, flag("--from", "Start from a trained network: a run or a file.")] = None,
    device: Annotated[str | None, flag("--device", "cpu or cuda.")] = None,
    seed: Annotated[int | None, flag("--seed", "The random seed.")] = None,
    games: Annotated[int | None, flag("--games", "Self-play games per generation.")] = None,
    simulations: Annotated[int | None, flag("--simulations", "Simulations per move.")] = None,
    epochs: Annotated[float | None, flag("--epochs", "Passes over the replay buffer per generation.")] = None,
    batches: Annotated[int | None, flag("--batches", "Batches per generation, instead of epochs.")] = None,
    batch_size: Annotated[int | None, flag("--batch-size", "Samples per batch.")] = None,
    learning_rate: Annotated[float | None, flag("--learning-rate", "Learning rate of AdamW.")] = None,
    dirichlet_epsilon: Annotated[
        float | None, flag("--dirichlet-epsilon", "Share of Dirichlet noise at the root.")
    ] = None,
    dirichlet_alpha: Annotated[float | None, flag("--dirichlet-alpha", "Concentration of that noise.")] = None,
    convergence_threshold: Annotated[
        float | None, flag("--convergence-threshold", "Stop when the benchmark gains less than this.")
    ] = None,
    output: Annotated[Path | None, typer.Option(help="Also write training_history.csv here.")] = None,
    sweep: Annotated[
        str | None, typer.Option(metavar="SETTING=A,B,C", help="Train once per value and compare.")
    ] = None,
    match: Annotated[
        int, typer.Option(min=0, help="Games of the final match against the strongest anchor; 0 for none.")
    ] = 100,
    cluster: ClusterAddress = None,
    json: Json = False,
) -> None:
    """Train a network by self-play.

    The same command resumes a run that was stopped or killed.
    """
    given = {**locals(), "from": begin_with}
    # Torch's threads shall sleep while they wait: spinning, a step took 30 times as long on a busy machine. They read
    # this when torch is imported, which has not happened yet.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    from anyzero.learning.config import parse_setting

    changes = dict(parse_setting(text) for text in settings or [])
    changes |= {key: given[name] for name, key in FLAGS.items() if given[name] is not None}
    times = {"generations": generations, "minutes": minutes}
    recipe = {"run": run, "preset": preset, "config_file": config, "changes": changes}
    wanted = {**recipe, **times, "cluster": cluster, "progress": not json}
    if sweep is None:
        train_one(game, wanted, output=output, match=match, json=json)
    else:
        train_each(sweep, game, {**wanted, "match": match}, output=output, json=json)


def train_one(game: str | None, wanted: dict[str, Any], *, output: Path | None, match: int, json: bool) -> None:
    """One run, and how to play against what came out."""
    from anyzero.files import write_whole
    from anyzero.learning.history import HISTORY
    from anyzero.learning.train import train as run_train

    found = run_train(game, match=match, **wanted)
    if output is not None:
        write_whole(output, (found.path / HISTORY).read_bytes())
    if json:
        facts: dict[str, Any] = {"run": str(found.path), "game": found.config.game, "ended": found.ended}
        facts |= {"generations": found.generations or 0, "champion": found.champion_generation or 0}
        print_json(facts if found.match is None else facts | {"match": found.match})
    else:
        print_parts(found.ending())


def train_each(sweep: str, game: str | None, wanted: dict[str, Any], *, output: Path | None, json: bool) -> None:
    """One run for each value, and their comparison."""
    from anyzero.learning.train import sweep as run_sweep

    found = run_sweep(sweep, game, **wanted)
    if output is not None:
        found.write_history(output)
    print_result(found, json=json)


# --- how training goes, what is wrong with it, and the nets in the box


Root = Annotated[Path, typer.Option("--root", metavar="FOLDER", help="Where runs are.")]


@examples(
    "anyzero runs",
    "anyzero runs hex7 --plot hex7.png",
    "anyzero runs small large --by minutes --plot both.svg",
    "anyzero runs hex7 --verify",
)
def runs(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[RUN]...", help="Names or folders; several are compared.")
    ] = None,
    root: Root = Path("runs"),
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw their curves: .png, .svg or .pdf.")] = None,
    by: Annotated[str, typer.Option(help="The curves' horizontal axis: generations or minutes.")] = "generations",
    verify: Annotated[bool, typer.Option("--verify", help="Check every file: exit code 1 if one is damaged.")] = False,
    json: Json = False,
) -> None:
    """List all training runs, show one, or compare several."""
    from anyzero.learning.summary import runs as find

    if verify:
        from anyzero.learning.once import verify as check

        verified = check(*names or (), root=root)
        print_result(verified, json=json)
        raise typer.Exit(not verified.ok)
    found = find(*names or (), root=root)
    if plot is not None:
        found.plot(by=by, file=plot)
    print_result(found, json=json)
    if plot is not None and not json:
        print(f"drawn in {plot}")


@examples(
    "anyzero doctor hex7",
    "anyzero doctor runs/hex7 --json",
    "anyzero doctor connect_four",
    "anyzero doctor ./my_game.py:size=4",
)
def doctor(
    subject: Annotated[str, typer.Argument(metavar="RUN|GAME", help="A run by name or folder, or else a game.")],
    root: Root = Path("runs"),
    json: Json = False,
) -> None:
    """Examine a run, or a game before it is learnt.

    That takes about a minute, and a run is only read. The exit code is 1 if something is wrong.
    What is doubtful is worth a look, but does not change the exit code.
    """
    from anyzero.doctor.examine import examine

    found = examine(subject, root, progress=not json)
    print_result(found, json=json)
    raise typer.Exit(0 if found.is_well else 1)


@examples("anyzero nets", "anyzero play connect_four --seat1 gumbel:64@best")
def nets(json: Json = False) -> None:
    """List the trained nets that come with the package."""
    from anyzero.networks.find import nets as find_nets

    print_result(find_nets(), json=json)
