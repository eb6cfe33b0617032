"""`anyzero match`: which of two players is stronger."""

from pathlib import Path
from typing import Annotated, Any

import typer

from anyzero.cli.output import GameText, Json, print_result

EXAMPLES = (
    "Examples: anyzero match hex:size=7 rave:1000 uct:1000 --games 400    "
    "anyzero match chess uct:1s random --games 20 --record games.jsonl    "
    "anyzero match connect_four uct:400 uct:200 --games 4000 --sprt 0 50"
)

Games = Annotated[int, typer.Option("--games", help="How many games two players play; an even number.")]
Seed = Annotated[int, typer.Option("--seed", help="The same seed gives the same openings and games.")]
Openings = Annotated[
    int | None, typer.Option("--openings", metavar="PLIES", help="Random moves before each pair of games.")
]
Workers = Annotated[int | None, typer.Option("--workers", min=1, max=1024, help="Processes; all cores if left out.")]
Limit = Annotated[
    float | None, typer.Option("--limit", metavar="SECONDS", help="Most seconds a move; a player that is late loses.")
]
RecordFile = Annotated[
    Path | None,
    typer.Option("--record", metavar="FILE", help="Keep finished games here; a stopped run goes on from it."),
]


def match(
    game: GameText,
    first: Annotated[
        str, typer.Argument(metavar="A", help="random, uct:2000, grave:0.5s, uci:stockfish,elo=1400, or a file.")
    ],
    second: Annotated[str, typer.Argument(metavar="B", help="The player that A is measured against.")],
    games: Games = 100,
    seed: Seed = 0,
    openings: Openings = None,
    workers: Workers = None,
    sprt: Annotated[
        tuple[float, float] | None,
        typer.Option("--sprt", metavar="ELO0 ELO1", help="Stop as soon as it is clear which is nearer to the truth."),
    ] = None,
    limit: Limit = None,
    record: RecordFile = None,
    json: Json = False,
) -> None:
    """Play two players against each other, in pairs of games with one opening and the seats swapped."""
    from anyzero.arena.arena import match as play

    settings: dict[str, Any] = {"games": games, "seed": seed, "openings": openings, "limit_s": limit}
    playing: dict[str, Any] = {"workers": workers, "record": record, "progress": not json}
    print_result(play(game, first, second, sprt=sprt, **settings, **playing), json=json)
