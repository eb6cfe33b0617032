"""`anyzero match`: which of two players is stronger."""

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anyzero.cli.output import GameText, Json, print_json, print_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from anyzero.arena import Plan, Sprt, Standings
    from anyzero.arena.arena import Results, Watch

EXAMPLES = (
    "Examples: anyzero match hex:size=7 rave:1000 uct:1000 --games 400    "
    "anyzero match chess uct:1s random --games 20 --record games.jsonl    "
    "anyzero match connect_four uct:400 uct:200 --games 4000 --sprt 0 50"
)

SHOW_EVERY_S = 0.2

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
    from anyzero.arena import Sprt, make_plan
    from anyzero.arena.arena import judge_couple, play_match_plan

    plan = make_plan(game, (first, second), games=games, seed=seed, openings=openings, limit_s=limit)
    test = None if sprt is None else Sprt(*sprt)
    with progress(plan, record, quiet=json) as watch:
        results = play_match_plan(plan, test, workers=workers, record=record, watch=watch)
    standings = judge_couple(results, test)
    if json:
        described = {"game": plan.game, "players": list(plan.players), "seed": seed, "openings": plan.openings}
        print_json({**described, **standings.to_json(), **({} if test is None else {"sprt": test.to_json()})})
    else:
        print_standings(plan, standings, test)


@contextmanager
def progress(plan: "Plan", record: Path | None, *, quiet: bool) -> "Iterator[Watch]":
    """A bar with the running score on a terminal; on Ctrl-C, what was kept and how to go on."""
    import sys
    import time

    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    total, done, shown = len(plan.matches()), 0, 0.0
    is_shown = sys.stderr.isatty() and not quiet
    try:
        with Progress(*columns, console=console, transient=True, disable=not is_shown) as bar:
            task = bar.add_task("playing", total=total)

            def watch(results: "Results") -> None:
                nonlocal done, shown
                done = len(results)
                if not bar.disable and (done == total or time.monotonic() - shown > SHOW_EVERY_S):
                    shown = time.monotonic()
                    bar.update(task, completed=done, description=running_score(plan, results))

            yield watch
    except KeyboardInterrupt:
        print(say_how_to_go_on(done, total, record), file=sys.stderr)
        raise typer.Exit(130) from None


def running_score(plan: "Plan", results: "Results") -> str:
    from anyzero.arena.standings import make_standings

    if len(plan.players) > 2 or not results:
        return "playing"
    tally = make_standings(list(results.values())).tally
    return f"+{tally.wins} ={tally.draws} -{tally.losses}"


def limit_words(low: float, high: float, far: float) -> str:
    """An interval of Elo; where the games allow any score, that end is open."""
    if low > -far and high < far:
        return f"between {low:+.1f} and {high:+.1f}"
    return f"above {low:+.1f}" if low > -far else f"below {high:+.1f}" if high < far else "anywhere"


def say_how_to_go_on(done: int, total: int, record: Path | None) -> str:
    if record is None:
        return f"stopped after {done} of {total} games; with --record FILE a stopped run can go on later"
    return f"stopped after {done} of {total} games, kept in {record}; the same command goes on from there"


def print_standings(plan: "Plan", standings: "Standings", test: "Sprt | None") -> None:
    """For people: a line a seat, the score, and what it means."""
    from anyzero.arena.statistics import farthest_elo

    tally, first, second = standings.tally, *plan.players
    rows: list[tuple[Any, ...]] = [
        (f"{first} in seat {number}", seat.wins, seat.draws, seat.losses, percent(seat.score))
        for number, seat in enumerate(standings.seats)
    ]
    rows.append((f"{first} against {second}", tally.wins, tally.draws, tally.losses, percent(tally.score)))
    print_table((plan.game, "wins", "draws", "losses", "score"), rows)
    if standings.elo is not None:
        value, low, high = standings.elo
        far = farthest_elo(sum(standings.pairs))
        print(f"Elo {value:+.1f}, 95 % {limit_words(low, high, far)}, from {standings.games} games")
    if standings.means is not None and standings.difference is not None:
        value, low, high = standings.difference
        means = f"mean scores {standings.means[0]:.2f} and {standings.means[1]:.2f}"
        print(f"{means}; difference {value:+.2f}, 95 % between {low:+.2f} and {high:+.2f}")
    for forfeit in standings.to_json()["forfeits"]:
        print(f"forfeit in pair {forfeit['pair']}: {forfeit['player']}: {forfeit['reason']}: {forfeit['detail']}")
    if test is not None:
        lower, upper = test.bounds
        words = {"elo0": f"Elo {test.elo0:g} accepted", "elo1": f"Elo {test.elo1:g} accepted", None: "not decided"}
        print(f"SPRT: {words[test.decision]} (log likelihood ratio {test.llr:.2f}, bounds {lower:.2f} and {upper:.2f})")


def percent(score: float | None) -> str:
    return "" if score is None else f"{100 * score:.1f} %"
