"""`anyzero match` and `tournament`: who is stronger."""

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
