"""`anyzero match`, `tournament` and `rate`: who is stronger, and what a net is worth."""

from pathlib import Path
from typing import Annotated, Any

import typer

from anyzero.cli.output import PLAYERS, ClusterAddress, GameText, Json, examples, print_result

MATCH_EXAMPLES = examples(
    "anyzero match hex:size=7 rave:1000 uct:1000 --games 400",
    "anyzero match chess uct:1s random --games 20 --record games.jsonl",
    "anyzero match connect_four uct:400 uct:200 --games 4000 --sprt 0 50",
    about=PLAYERS,
)
TOURNAMENT_EXAMPLES = examples(
    "anyzero tournament hex:size=7 random uct:500 rave:500 grave:500 --games 40",
    "anyzero tournament atarigo uct:1000 rave:1000 grave:1000 --anchor uct:1000 --record games.jsonl",
    about=PLAYERS,
)
RATE_EXAMPLES = examples(
    "anyzero rate @best --game connect_four",
    "anyzero rate runs/hex11 --games 100 --card hex.toml",
    "anyzero rate net.safetensors --most 10000",
)

Games = Annotated[int, typer.Option("--games", help="Games per pair of players; an even number.")]
Seed = Annotated[int, typer.Option("--seed", help="The same seed gives the same openings and games.")]
Openings = Annotated[
    int | None, typer.Option("--openings", metavar="PLIES", help="Random moves at the start of each pair of games.")
]
Workers = Annotated[
    int | None, typer.Option("--workers", min=1, max=1024, help="Worker processes; by default one per core.")
]
Limit = Annotated[
    float | None,
    typer.Option("--limit", metavar="SECONDS", help="Time limit per move; a player that exceeds it loses."),
]
RecordFile = Annotated[
    Path | None,
    typer.Option("--record", metavar="FILE", help="Keep finished games here, to resume a stopped run."),
]


def match(
    game: GameText,
    first: Annotated[str, typer.Argument(metavar="A", help="random, uct:2000, grave:0.5s, gumbel:64@RUN, ...")],
    second: Annotated[str, typer.Argument(metavar="B", help="The player that A is measured against.")],
    games: Games = 100,
    seed: Seed = 0,
    openings: Openings = None,
    workers: Workers = None,
    cluster: ClusterAddress = None,
    sprt: Annotated[
        tuple[float, float] | None,
        typer.Option(
            "--sprt", metavar="ELO0 ELO1", help="Stop early by a sequential test between two Elo differences."
        ),
    ] = None,
    limit: Limit = None,
    record: RecordFile = None,
    json: Json = False,
) -> None:
    """Play two players against each other.

    Games come in pairs with the same opening and the seats swapped.
    """
    from anyzero.arena.arena import match as play

    settings: dict[str, Any] = {"games": games, "seed": seed, "openings": openings, "limit_s": limit}
    playing: dict[str, Any] = {"workers": workers, "cluster": cluster, "record": record, "progress": not json}
    print_result(play(game, first, second, sprt=sprt, **settings, **playing), json=json)


def tournament(
    game: GameText,
    players: Annotated[list[str], typer.Argument(metavar="A B C ...", help="Two players or more.")],
    games: Games = 20,
    seed: Seed = 0,
    openings: Openings = None,
    workers: Workers = None,
    cluster: ClusterAddress = None,
    limit: Limit = None,
    anchor: Annotated[str | None, typer.Option("--anchor", help="Whose rating is 0; by default the first.")] = None,
    record: RecordFile = None,
    json: Json = False,
) -> None:
    """Play every two players against each other and rate them all."""
    from anyzero.arena.tournament import tournament as play

    settings: dict[str, Any] = {"games": games, "seed": seed, "openings": openings, "limit_s": limit}
    playing: dict[str, Any] = {"workers": workers, "cluster": cluster, "record": record, "progress": not json}
    print_result(play(game, players, anchor=anchor, **settings, **playing), json=json)


def rate(
    net: Annotated[str, typer.Argument(metavar="NET", help="A net's file, a run, or @best with --game.")],
    game: Annotated[
        str | None, typer.Option("--game", help="The board to play on; by default the one that it was trained on.")
    ] = None,
    simulations: Annotated[int, typer.Option("--simulations", min=1, help="Simulations per move of the net.")] = 64,
    games: Annotated[int, typer.Option("--games", help="Games per opponent; an even number.")] = 40,
    most: Annotated[int, typer.Option("--most", min=1, help="Leave out opponents with more simulations.")] = 100_000,
    against: Annotated[
        list[str] | None, typer.Option("--against", metavar="PLAYER", help="Play this opponent, not the ladder's.")
    ] = None,
    seed: Seed = 0,
    workers: Workers = None,
    folder: Annotated[
        Path, typer.Option("--folder", help="Keep finished games here, to resume a stopped rating.")
    ] = Path("ratings"),
    card: Annotated[
        Path | None, typer.Option("--card", metavar="FILE", help="Where the card is written; by default in the folder.")
    ] = None,
    command: Annotated[str, typer.Option("--command", help="For the card: the command that trained the net.")] = "",
    commit: Annotated[str, typer.Option("--commit", help="For the card: the commit that it was trained with.")] = "",
    device: Annotated[str, typer.Option("--device", help="For the card: what it was trained on.")] = "",
    minutes: Annotated[float, typer.Option("--minutes", min=0.0, help="For the card: how long it was trained.")] = 0.0,
    json: Json = False,
) -> None:
    """Measure a net against the fixed ladder of its game and write its card.

    The ladder: positions with proven best moves, random play, searches with rising budgets; for chess Stockfish.
    Opponents that are too strong end it. The same command resumes a rating that was stopped.
    """
    from anyzero.arena.ladder import rate as measure
    from anyzero.networks.find import Made

    given: dict[str, Any] = {"command": command, "commit": commit, "device": device, "minutes": minutes}
    made = Made(**given) if any(given.values()) else None
    playing: dict[str, Any] = {"seed": seed, "workers": workers, "progress": not json}
    limits: dict[str, Any] = {"simulations": simulations, "games": games, "most": most, "against": against or ()}
    print_result(measure(net, game, made=made, folder=folder, card=card, **limits, **playing), json=json)
