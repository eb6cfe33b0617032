"""`anyzero match`, `tournament`, `rate`, `experiment`, `plot` and `estimate`: who is stronger, and
by how much.
"""

from pathlib import Path
from typing import Annotated

import anyzero
from anyzero.app.cli.options import (
    PLAYERS,
    Cluster,
    GameText,
    Json,
    MovesText,
    StateText,
    argument,
    examples,
    option,
)
from anyzero.app.cli.output import answer, load_position, print_result
from anyzero.core.base.nouns import Values

Games = Annotated[int, option("Games per pair of players; an even number.")]
Seed = Annotated[int, option("The same seed gives the same openings and games.")]
Openings = Annotated[
    int | None, option("Random moves at the start of each pair of games.", "PLIES")
]
Workers = Annotated[
    int | None, option("Worker processes; by default one per core.", min=1, max=1024)
]
Limit = Annotated[
    float | None, option("Time limit per move; a player that exceeds it loses.", "SECONDS")
]
RecordFile = Annotated[
    Path | None, option("Store finished games here, to resume a stopped match.", "FILE")
]


@examples(
    "anyzero match hex:size=7 rave:1000 uct:1000 --games 400",
    "anyzero match chess uct:1s random --games 20 --record games.jsonl",
    "anyzero match connect_four uct:400 uct:200 --games 4000 --sprt 0 50",
    about=PLAYERS,
)
def match_command(
    game: GameText,
    first: Annotated[str, argument("random, uct:2000, grave:0.5s, gumbel:64@RUN, ...", "A")],
    second: Annotated[str, argument("The player that A is measured against.", "B")],
    games: Games = 100,
    seed: Seed = 0,
    openings: Openings = None,
    workers: Workers = None,
    cluster: Cluster = None,
    sprt: Annotated[
        tuple[float, float] | None,
        option("Stop early by a sequential test of two Elo differences.", "ELO0 ELO1"),
    ] = None,
    limit: Limit = None,
    record: RecordFile = None,
    json: Json = False,
) -> None:
    """Play two players against each other.

    Games come in pairs with the same opening and the seats swapped.
    """
    settings: Values = {
        "games": games,
        "seed": seed,
        "openings": openings,
        "limit_s": limit,
        "workers": workers,
        "cluster": cluster,
        "record": record,
        "progress": not json,
    }
    print_result(anyzero.match(game, first, second, sprt=sprt, **settings), json=json)


@examples(
    "anyzero tournament hex:size=7 random uct:500 rave:500 grave:500 --games 40",
    "anyzero tournament atarigo uct:1000 rave:1000 grave:1000 --anchor uct:1000 --record "
    "games.jsonl",
    about=PLAYERS,
)
def tournament_command(
    game: GameText,
    players: Annotated[list[str], argument("Two players or more.", "A B C ...")],
    games: Games = 20,
    seed: Seed = 0,
    openings: Openings = None,
    workers: Workers = None,
    cluster: Cluster = None,
    limit: Limit = None,
    anchor: Annotated[str | None, option("The player rated 0; by default the first.")] = None,
    record: RecordFile = None,
    json: Json = False,
) -> None:
    """Play a round-robin tournament and rate all players."""
    settings: Values = {
        "games": games,
        "seed": seed,
        "openings": openings,
        "limit_s": limit,
        "workers": workers,
        "cluster": cluster,
        "record": record,
        "progress": not json,
    }
    print_result(anyzero.tournament(game, players, anchor=anchor, **settings), json=json)


@examples(
    "anyzero rate @best --game connect_four",
    "anyzero rate runs/hex11 --games 100 --card hex.toml",
    "anyzero rate net.safetensors --most 10000",
)
def rate_command(
    net: Annotated[str, argument("A net's file, a run, or @best with --game.", "NET")],
    game: Annotated[
        str | None, option("The board to play on; by default the one it was trained on.")
    ] = None,
    simulations: Annotated[int, option("The net's simulations per move.", min=1)] = 64,
    games: Annotated[int, option("Games per opponent; an even number.")] = 40,
    most: Annotated[int, option("Leave out opponents with more simulations.", min=1)] = 100_000,
    against: Annotated[
        list[str] | None, option("Play this opponent instead of the ladder.", "PLAYER")
    ] = None,
    seed: Seed = 0,
    workers: Workers = None,
    folder: Annotated[
        Path, option("Store finished games here, to resume a stopped rating.")
    ] = Path("ratings"),
    card: Annotated[
        Path | None, option("Where to write the card; by default in the folder.", "FILE")
    ] = None,
    command: Annotated[str, option("For the card: the command that trained the net.")] = "",
    commit: Annotated[str, option("For the card: the commit it was trained with.")] = "",
    device: Annotated[str, option("For the card: what it was trained on.")] = "",
    minutes: Annotated[float, option("For the card: how long it was trained.", min=0.0)] = 0.0,
    json: Json = False,
) -> None:
    """Measure a net against the fixed ladder of its game.

    The result is also written as the net's card. The ladder: positions with proven best moves,
    random play, searches with growing budgets; for chess Stockfish. It ends where opponents become
    too strong. The same command resumes a stopped rating.
    """
    from anyzero.tools.arena.cards import Made

    given: Values = {
        "command": command,
        "commit": commit,
        "device": device,
        "minutes": minutes,
    }
    provenance = Made(**given) if any(given.values()) else None
    playing: Values = {"seed": seed, "workers": workers, "progress": not json}
    limits: Values = {
        "simulations": simulations,
        "games": games,
        "most": most,
        "against": against or (),
    }
    print_result(
        anyzero.rate(net, game, made=provenance, folder=folder, card=card, **limits, **playing),
        json=json,
    )


# --- grids of matches, their plots, and a study of AMAF estimates


@examples(
    "anyzero experiment examples/hex_students.json",
    "anyzero experiment examples/hex_rave.toml --results rave.csv",
    "anyzero plot rave.csv",
)
def experiment_command(
    config: Annotated[Path, argument("A .toml file, or a .json file of the Hex study.", "CONFIG")],
    results: Annotated[
        Path | None, option("The table; by default named after CONFIG, in this folder.", "FILE.csv")
    ] = None,
    workers: Workers = None,
    cluster: Cluster = None,
    json: Json = False,
) -> None:
    """Play a grid of games, sizes, budgets and players from a file.

    The same command resumes a stopped experiment.
    """
    print_result(
        anyzero.experiment(config, results, workers=workers, cluster=cluster, progress=not json),
        json=json,
    )


@examples("anyzero plot hex_rave.csv", "anyzero plot hex_rave.csv --out pictures --format svg")
def plot_command(
    results: Annotated[Path, argument("An experiment's table.", "RESULTS")],
    out: Annotated[
        Path | None, option("Where to write the plots; by default beside RESULTS.", "FOLDER")
    ] = None,
    formats: Annotated[
        str, option("png, svg or pdf, or several: png,svg.", name="--format")
    ] = "png,svg",
    json: Json = False,
) -> None:
    """Draw results as heat maps, curves and tables."""
    files = anyzero.plot(results, out, formats)
    values = {
        "results": str(results),
        "folder": str(files[0].parent),
        "files": [path.name for path in files],
    }
    answer(values, map(str, files), json=json)


@examples(
    "anyzero estimate hex:size=7",
    "anyzero estimate connect_four --simulations 100,10000 --plot c4.svg",
)
def estimate_command(
    game: GameText,
    state: StateText = None,
    moves: MovesText = "",
    simulations: Annotated[
        str, option("Compare after these numbers of simulations.", "N,N,...")
    ] = "30,100,300,1000,3000,10000,30000,100000",
    reference: Annotated[int, option("Rollouts per move for the reference values.", "N")] = 100_000,
    repeats: Annotated[int, option("Repetitions for the confidence intervals.", "N")] = 32,
    bias: Annotated[float, option("The squared bias of AMAF that RAVE assumes.")] = 1e-3,
    seed: Annotated[int, option("The same seed gives the same study.")] = 0,
    plot: Annotated[Path | None, option("Draw it: .svg, .png or .pdf.", "FILE.svg")] = None,
    most: Annotated[int, option("How many moves to show.", name="--top", min=1)] = 10,
    json: Json = False,
) -> None:
    """Compare flat Monte Carlo, AMAF and RAVE move by move.

    Their estimates are compared with reference values from many rollouts.
    """
    loaded, position = load_position(game, state, moves)
    study = anyzero.estimate(
        loaded,
        position,
        simulations=simulations,
        reference=reference,
        repeats=repeats,
        bias=bias,
        seed=seed,
        plot=plot,
        progress=not json,
    )
    print_result(study, {"plot": None if plot is None else str(plot)}, json=json, most=most)
