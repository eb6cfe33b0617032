"""`anyzero tournament`: everybody against everybody."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from anyzero.cli.match import Games, Limit, Openings, RecordFile, Seed, Workers, percent, progress
from anyzero.cli.output import GameText, Json, print_json, print_table

if TYPE_CHECKING:
    from anyzero.arena.tournament import Row, Tournament

EXAMPLES = (
    "Examples: anyzero tournament hex:size=7 random uct:500 rave:500 grave:500 --games 40    "
    "anyzero tournament atarigo uct:1000 rave:1000 grave:1000 --anchor uct:1000 --record games.jsonl"
)

RATED = ("rating", "95 %", "points", "games")
ONE_SEAT = ("mean score", "95 %", "deals won", "deals")


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
    from anyzero.arena import make_plan, play_games
    from anyzero.arena.tournament import find_anchor, judge_tournament

    plan = make_plan(game, players, games=games, seed=seed, openings=openings, limit_s=limit)
    number = find_anchor(plan, anchor)
    with progress(plan, record, quiet=json) as watch:
        results = play_games(plan, workers=workers, record=record, watch=watch)
    table = judge_tournament(plan, results, number)
    if json:
        print_json({"game": plan.game, "seed": seed, "openings": plan.openings, **table.to_json()})
    else:
        print_tournament(table)


def print_tournament(table: "Tournament") -> None:
    """For people: ratings or mean scores, then who scored what against whom."""
    measured = ONE_SEAT if table.anchor is None else RATED
    rows = [(place, *describe(row, table.anchor)) for place, row in enumerate(table.rows, start=1)]
    print_table(("", "player", *measured), rows)
    print()
    numbers = [str(place) for place in range(1, len(table.rows) + 1)]
    cross = zip(table.rows, table.cross(), numbers, strict=True)
    print_table(
        ("", "score against", *numbers), [(place, row.player, *map(percent, line)) for row, line, place in cross]
    )
    for forfeit in table.to_json()["forfeits"]:
        print(f"forfeit in pair {forfeit['pair']}: {forfeit['player']}: {forfeit['reason']}: {forfeit['detail']}")


def describe(row: "Row", anchor: str | None) -> tuple[Any, ...]:
    """The cells of a player: its rating, or its mean score where there is one seat."""
    value = interval = ""
    if row.rating is not None:
        fixed = row.player == anchor and row.rating.low == row.rating.high
        value = f"{row.rating.value:+.0f}"
        interval = "anchor" if fixed else f"{row.rating.low:+.0f} to {row.rating.high:+.0f}"
    elif row.mean_score is not None:
        value = f"{row.mean_score.value:.2f}"
        interval = f"{row.mean_score.low:.2f} to {row.mean_score.high:.2f}"
    return row.player, value, interval, f"{row.points:g}", row.games
