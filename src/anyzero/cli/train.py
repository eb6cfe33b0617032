"""`anyzero train`: a network that learns a game from nothing by playing itself."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anyzero.cli.output import Json, print_json
from anyzero.cli.sweep import train_sweep
from anyzero.cli.train_progress import Bars

if TYPE_CHECKING:
    from anyzero.learning.folder import RunFolder

EXAMPLES = (
    "Examples: anyzero train connect_four --minutes 3    anyzero train --preset take-it-easy --run tie    "
    "anyzero train hex:size=7 --set selfplay.simulations=64 --run hex7    "
    "anyzero train --preset take-it-easy --sweep selfplay.noise_fraction=0,0.25,0.5 --generations 10"
)

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


def train(
    game: Annotated[str | None, typer.Argument(metavar="GAME", help="A game; may be left out with --preset.")] = None,
    preset: Annotated[str | None, typer.Option("--preset", help="A recipe by name.")] = None,
    config: Annotated[Path | None, typer.Option("--config", help="A .toml file of settings.")] = None,
    settings: Annotated[list[str] | None, typer.Option("--set", help="One setting: selfplay.simulations=64.")] = None,
    run: Annotated[str | None, typer.Option("--run", help="The run's name, under runs/, or a path.")] = None,
    minutes: Annotated[float | None, typer.Option("--minutes", min=0.0, help="End after so many, in all.")] = None,
    generations: Annotated[
        int | None, typer.Option("--generations", "--iterations", min=0, help="End after so many, in all.")
    ] = None,
    begin_with: Annotated[str | None, flag("--from", "Begin with this network's weights: a run, a file.")] = None,
    device: Annotated[str | None, flag("--device", "cpu or cuda.")] = None,
    seed: Annotated[int | None, flag("--seed", "Of all randomness.")] = None,
    games: Annotated[int | None, flag("--games", "Games a generation.")] = None,
    simulations: Annotated[int | None, flag("--simulations", "For each move.")] = None,
    epochs: Annotated[float | None, flag("--epochs", "Passes over the replay a generation.")] = None,
    batches: Annotated[int | None, flag("--batches", "Batches a generation instead.")] = None,
    batch_size: Annotated[int | None, flag("--batch-size", "Samples a batch.")] = None,
    learning_rate: Annotated[float | None, flag("--learning-rate", "Of AdamW.")] = None,
    dirichlet_epsilon: Annotated[float | None, flag("--dirichlet-epsilon", "Share of noise at the root.")] = None,
    dirichlet_alpha: Annotated[float | None, flag("--dirichlet-alpha", "Concentration of that noise.")] = None,
    convergence_threshold: Annotated[
        float | None, flag("--convergence-threshold", "End when the benchmark gains less.")
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", help="Also write training_history.csv here.")] = None,
    sweep: Annotated[
        str | None, typer.Option("--sweep", metavar="SETTING=A,B,C", help="Train once for each value, and compare.")
    ] = None,
    match: Annotated[int, typer.Option("--match", min=0, help="Games of the match at the end.")] = 100,
    json: Json = False,
) -> None:
    """Train a network by self-play; the same command goes on with a run that was stopped or killed."""
    given = {**locals(), "from": begin_with}
    share_the_machine()
    from anyzero.learning.config_file import parse_setting

    changes = dict(parse_setting(text) for text in settings or [])
    changes |= {key: given[name] for name, key in FLAGS.items() if given[name] is not None}
    wanted = {"preset": preset, "config_file": config, "generations": generations, "minutes": minutes}
    if sweep is not None:
        train_sweep(train_one, game, run, sweep, changes, wanted, output=output, json=json)
        return
    folder, reason = train_one(game, run, changes, wanted, quiet=json)
    finish(folder, reason, output=output, match=match, json=json)


def share_the_machine() -> None:
    """Torch's threads shall sleep while they wait: spinning, a step took 30 times as long on a busy machine.

    They read this when torch is imported, which has not happened yet.
    """
    import os

    os.environ.setdefault("OMP_WAIT_POLICY", "passive")


def train_one(
    game: str | None, run: str | None, changes: dict[str, Any], wanted: dict[str, Any], *, quiet: bool
) -> "tuple[RunFolder, str]":
    """One run, with its progress on the terminal."""
    import sys

    from anyzero.learning.start import open_run, train_on

    folder = open_run(game, run=run, preset=wanted["preset"], config_file=wanted["config_file"], changes=changes)
    show = Bars(folder, quiet=quiet)
    show.begin()
    kept = f"stopped; all that is finished is in {folder.path}, the same command goes on from there"
    try:
        times = {name: wanted[name] for name in ("generations", "minutes")}
        return folder, train_on(folder, **times, progress=show)
    except KeyboardInterrupt:
        print(kept, file=sys.stderr)
        raise typer.Exit(130) from None
    finally:
        show.close()


# --- the end of a run


def finish(folder: "RunFolder", reason: str, *, output: Path | None, match: int, json: bool) -> None:
    """What came out: where it is, what it scores, and how to play with it."""
    copy_history(folder, output)
    newest = folder.newest()
    facts: dict[str, Any] = {
        "run": str(folder.path),
        "game": folder.config.game,
        "ended": reason,
        "generations": 0 if newest is None else newest.number,
        "champion": 0 if newest is None else newest.champion,
    }
    rivals = [text for text in folder.config.league.anchors[-1:] if "," not in text]
    if match and rivals and newest is not None and newest.number > 0:
        facts["match"] = final_match(folder, match - match % 2, quiet=json)
    if json:
        print_json(facts)
        return
    print(f"{reason}; the champion is generation {facts['champion']} of {folder.path}")
    if "match" in facts:
        print(facts["match"]["text"])
    print(way_to_play(folder))


def way_to_play(folder: "RunFolder") -> str:
    """The command that lets a person play against the champion, or watch it where there is one seat."""
    does, seat = ("to watch it play", 0) if is_for_one(folder) else ("to play against it", 1)
    return f"{does}: anyzero play {folder.config.game} --seat{seat} gumbel:64@{run_name(folder)}"


def is_for_one(folder: "RunFolder") -> bool:
    from anyzero.games.load import load

    return load(folder.config.game).num_seats == 1


def run_name(folder: "RunFolder") -> str:
    return folder.path.name if folder.path.parent.name == "runs" else str(folder.path)


def copy_history(folder: "RunFolder", output: Path | None) -> None:
    if output is not None:
        from anyzero.files import write_whole

        write_whole(output, (folder.path / "training_history.csv").read_bytes())


def final_match(folder: "RunFolder", games: int, *, quiet: bool) -> dict[str, Any]:
    """The champion against the strongest anchor, or in a game of one seat against random play."""
    from anyzero.learning.start import prove

    show = Bars(folder, quiet=quiet)
    try:
        rival = "random" if is_for_one(folder) else None
        name, found = prove(folder, games=games, rival=rival, progress=show)
    finally:
        show.close()
    standings = found.standings
    facts = {"against": name, "games": standings.games, "score": found.score, "low": found.low, "high": found.high}
    if standings.means is not None:
        mine, theirs = standings.means
        text = f"the champion scores {mine:.1f} points, {name} {theirs:.1f}, on the same {games // 2} deals"
    else:
        interval = f"[{100 * found.low:.0f}, {100 * found.high:.0f}]"
        text = f"the champion scores {100 * found.score:.0f} % {interval} against {name} in {games} games"
    return facts | {"text": text}
