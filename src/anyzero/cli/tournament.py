"""`anyzero tournament`: everybody against everybody."""

from typing import Annotated, Any

import typer

from anyzero.cli.match import Games, Limit, Openings, RecordFile, Seed, Workers
from anyzero.cli.output import GameText, Json, print_result

EXAMPLES = (
    "Examples: anyzero tournament hex:size=7 random uct:500 rave:500 grave:500 --games 40    "
    "anyzero tournament atarigo uct:1000 rave:1000 grave:1000 --anchor uct:1000 --record games.jsonl"
)


def tournament(
    game: GameText,
    players: Annotated[list[str], typer.Argument(metavar="A B C ...", help="Two players or more.")],
    games: Games = 20,
    seed: Seed = 0,
    openings: Openings = None,
    workers: Workers = None,
    limit: Limit = None,
    anchor: Annotated[str | None, typer.Option("--anchor", help="Whose rating is 0; the first if left out.")] = None,
    record: RecordFile = None,
    json: Json = False,
) -> None:
    """Play every two players against each other and rate them all."""
    from anyzero.arena.tournament import tournament as play

    settings: dict[str, Any] = {"games": games, "seed": seed, "openings": openings, "limit_s": limit}
    playing: dict[str, Any] = {"workers": workers, "record": record, "progress": not json}
    print_result(play(game, players, anchor=anchor, **settings, **playing), json=json)
