"""The public functions: `match("hex:size=7", "rave:1000", "uct:1000", games=400)`, and `play_games`
below it.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np

from anyzero.core.base import stopping
from anyzero.core.base.errors import (
    BadOptionError,
    UnknownNameError,
    check_name,
    list_some,
    nearest_hint,
    text_of,
)
from anyzero.core.base.nouns import NamedValues, Values
from anyzero.core.base.report import Part, Sheet, Shown, percent
from anyzero.core.base.statistics import Interval, fit_ratings, mean_interval, named
from anyzero.core.game.game import Game
from anyzero.tools.arena.elo import Sprt
from anyzero.tools.arena.match import MatchResult
from anyzero.tools.arena.plan import Match, Plan, make_plan
from anyzero.tools.arena.record import Record, Results
from anyzero.tools.arena.standings import (
    Standings,
    forfeit_words,
    make_standings,
    pair_scores,
    points,
)
from anyzero.tools.arena.workers import Nodes, Workers, cluster_at
from anyzero.tools.players import Player
from anyzero.tools.progress import progress as bar

if TYPE_CHECKING:
    from anyzero.tools.figures import Figure


class MatchSettings(TypedDict, total=False):
    """Settings of a match or a tournament."""

    games: int  # per pair of players, 100 by default
    seed: int
    openings: (
        int | None
    )  # random moves before each pair of games; by default as many as suit the game
    limit_s: float | None  # maximum seconds per move
    workers: int | None  # processes; by default one per core
    cluster: str | None  # `auto` or the address of a Ray cluster, whose nodes play
    record: Path | str | None  # a file for finished games, from which a stopped run resumes
    progress: bool


def match(
    game: Game | str,
    first: Player | str,
    second: Player | str,
    *,
    sprt: Sprt | Sequence[float] | None = None,
    **settings: Unpack[MatchSettings],
) -> Standings:
    """Play two players against each other, in pairs of games with the same opening and the seats
    swapped.

    `settings`: games, seed, openings, limit_s; workers, cluster, record, progress. The same seed
    gives the same standings for any number of workers, as long as no player has a clock. `sprt`,
    two Elo differences, ends the match as soon as the test decides between them.

    >>> anyzero.match("hex:size=7", "rave:1000", "uct:1000", games=40)
    """
    game_settings, play_settings = split_settings(settings)
    plan = make_plan(game, (first, second), **game_settings)
    test = None if sprt is None else new_test(sprt)
    if test is not None and plan.has_one_seat():
        raise BadOptionError(f"{plan.game} has one seat: there is no Elo to test")

    def is_decided(results: Results) -> bool:
        """Feed the test the pairs it has not seen yet, in order."""
        if test is not None:
            test.add_until_decided(pair_scores(leading_pairs(results, sum(test.counts))))
        return test is not None and test.decision is not None

    results = play_games(plan, is_decided, **play_settings)
    counted = list(results.values())
    if test is not None and is_decided(results):
        counted = leading_pairs(results)[
            : 2 * sum(test.counts)
        ]  # so that their number does not depend on timing
    return replace(make_standings(counted), plan=plan, sprt=test)


def new_test(sprt: Sprt | Sequence[float]) -> Sprt:
    """A test that has seen nothing, of the two Elo differences or of another test's."""
    if isinstance(sprt, Sprt):
        return Sprt(sprt.elo0, sprt.elo1, sprt.alpha, sprt.beta)
    try:
        elo0, elo1 = map(float, sprt)
        return Sprt(elo0, elo1)
    except (TypeError, ValueError):
        raise BadOptionError(
            f"sprt needs two Elo differences, such as (0, 10), not {sprt!r}"
        ) from None


def split_settings(settings: NamedValues) -> tuple[Values, Values]:
    """Split into settings for `make_plan` (what is played) and for `play_games` (how)."""
    for name in settings:
        check_name("setting", name, MatchSettings.__annotations__)
    play_settings = {
        name: value
        for name, value in settings.items()
        if name in ("progress", "workers", "cluster", "record")
    }
    play_settings.setdefault("progress", True)
    game_settings = {name: value for name, value in settings.items() if name not in play_settings}
    return game_settings, play_settings


def play_games(
    plan: Plan,
    is_over: Callable[[Results], bool] = lambda results: False,
    *,
    workers: Workers = None,
    cluster: str | None = None,
    record: Path | str | None = None,
    progress: bool = False,
) -> Results:
    """Play the games missing from the record, until `is_over`; results in the order of the plan.

    The progress bar shows the running score.
    """
    matches = plan.matches()

    def score() -> str:
        tally = make_standings(list(results.values())).tally if len(plan.players) == 2 else None
        return "playing" if tally is None else f"+{tally.wins} ={tally.draws} -{tally.losses}"

    with (
        cluster_at(cluster) as pool,
        bar_of_games(len(matches), record, shown=progress, pool=pool) as tell,
        closing(Record([plan], record)) as book,
        closing(book.play(pool or workers)) as finished,
    ):
        earlier_results = book.results[plan]
        results = {match: earlier_results[match] for match in matches if match in earlier_results}
        tell(len(results), f"{len(results)} of {len(matches)} games", score)
        while not is_over(results) and (task := next(finished, None)) is not None:
            results[task.match] = earlier_results[task.match]
            tell(len(results), f"{len(results)} of {len(matches)} games", score)
    return {match: results[match] for match in matches if match in results}


Tell = Callable[[float, str, Callable[[], str]], None]
"""The amount done, the current place, and the bar's text."""


@contextmanager
def bar_of_games(
    total: float, kept: Path | str | None, *, shown: bool, pool: Nodes | None
) -> Iterator[Tell]:
    """A progress bar while games are played; a user who stops them is told the progress and what
    was saved.
    """
    reached = "0 games"
    unkept = "; with --record FILE a stopped match can be resumed"
    later = unkept if kept is None else f", saved in {kept}; the same command resumes from there"
    with (
        stopping.telling(lambda: f"stopped after {reached}{later}"),
        bar("playing", total, shown=shown) as show,
    ):

        def tell(done: float, now: str, words: Callable[[], str]) -> None:
            nonlocal reached
            reached = now
            show(done, words=lambda: words() if pool is None else f"{words()} ({pool.describe()})")

        yield tell


def leading_pairs(results: Results, start: int = 0) -> list[MatchResult]:
    """The games of all pairs from pair `start` to the first unfinished one."""
    leading: list[MatchResult] = []
    while True:
        pair = start + len(leading) // 2
        legs = [results.get(Match(0, 1, pair, leg)) for leg in (0, 1)]
        if legs[0] is None or legs[1] is None:
            return leading
        leading += [legs[0], legs[1]]


# --- tournaments: a cross table, and a rating for each player; its mean score in games of one seat


RATED = ("rating", "95 %", "points", "games")


@dataclass(frozen=True)
class Row:
    player: str
    number: int  # its index in the list of players
    rating: Interval | None  # None for one seat
    points: float  # wins, with a draw as half
    games: int  # games that count: deals in a game of one seat
    mean_score: Interval | None  # one seat: mean points over all its games

    @property
    def strength(self) -> Interval | None:
        """The measure for ranking: the rating, or the mean score if there is none."""
        return self.rating or self.mean_score


@dataclass(frozen=True, repr=False)
class Tournament(Shown):
    rows: list[Row]  # best first
    couples: dict[
        tuple[int, int], Standings
    ]  # of every two players, by index in the list, smaller first
    anchor: str | None  # the player whose rating is 0; None for one seat
    plan: Plan  # the games played

    def cross(self) -> list[list[float | None]]:
        """The score of each player (rows, in order) against each other (columns)."""
        scores = {couple: standings.tally.score for couple, standings in self.couples.items()}
        scores |= {
            (b, a): None if score is None else 1.0 - score for (a, b), score in scores.items()
        }
        order = [row.number for row in self.rows]
        return [[scores.get((a, b)) for b in order] for a in order]

    def report(self) -> Iterator[Part]:
        """Ratings or mean scores, then the cross table."""
        columns = ("mean score", "95 %", "deals won", "deals") if self.anchor is None else RATED
        rows = [(place, *self.describe(row)) for place, row in enumerate(self.rows, start=1)]
        yield Sheet(("", "player", *columns), rows)
        yield ""
        numbers = [str(place) for place in range(1, len(self.rows) + 1)]
        cross = zip(numbers, self.rows, self.cross(), strict=True)
        lines = [(place, row.player, *map(percent, line)) for place, row, line in cross]
        yield Sheet(("", "score against", *numbers), lines)
        for couple in self.couples.values():
            yield from forfeit_words(couple.forfeits)

    def plot(self, file: Path | str | None = None) -> "Figure":
        """Each player's rating, or its mean score, with the 95 % interval; also saved if a file is
        named.
        """
        from anyzero.tools.figures import draw_ranking, keep

        unit = "mean score" if self.anchor is None else f"Elo ({self.anchor} = 0)"
        strengths = [(row.player, row.strength) for row in self.rows]
        return keep(draw_ranking(strengths, title=f"{self.plan.game}: tournament", unit=unit), file)

    def describe(self, row: "Row") -> tuple[Any, ...]:
        """A player's cells: its rating, or its mean score in a game of one seat."""
        form, (value, low, high) = "+z.0f" if row.rating else ".2f", row.strength or (0.0, 0.0, 0.0)
        is_fixed = row.player == self.anchor and low == high
        interval = "anchor" if is_fixed else f"{low:{form}} to {high:{form}}"
        return row.player, f"{value:{form}}", interval, f"{row.points:g}", row.games

    def to_json(self) -> Values:
        forfeits = [
            forfeit for couple in self.couples.values() for forfeit in couple.to_json()["forfeits"]
        ]
        games = sum(couple.games for couple in self.couples.values())
        players = {
            "games": games,
            "players": [describe_row(row) for row in self.rows],
            "cross": self.cross(),
        }
        return {**self.plan.describe(), "anchor": self.anchor, **players, "forfeits": forfeits}


def describe_row(row: Row) -> Values:
    values: Values = {
        "player": row.player,
        **named("rating", row.rating),
        "points": row.points,
    }
    values |= {"games": row.games, "score": row.points / row.games if row.games else None}
    return values if row.mean_score is None else values | named("mean_score", row.mean_score)


def tournament(
    game: Game | str,
    players: Sequence[Player | str],
    *,
    anchor: str | None = None,
    **settings: Unpack[MatchSettings],
) -> Tournament:
    """Play a round robin and rate all players; the rating of `anchor`, by default the first, is 0.

    The other arguments are those of `match`; `games` is per pair of players.

    >>> anyzero.tournament("hex:size=5", ["uct:500", "rave:500", "grave:500"], games=20)
    """
    game_settings, play_settings = split_settings(settings)
    plan = make_plan(game, players, **game_settings)
    if anchor is not None and plan.has_one_seat():
        raise BadOptionError(f"{plan.game} has one seat: there are no ratings, and no anchor")
    if anchor is not None and text_of("the anchor", anchor).strip() not in plan.players:
        hint = nearest_hint(anchor, plan.players)
        raise UnknownNameError(
            f"the anchor {anchor!r} does not play; {hint}players: {list_some(plan.players)}"
        )
    results = play_games(plan, **play_settings)
    return judge_tournament(
        plan, results, 0 if anchor is None else plan.players.index(anchor.strip())
    )


def judge_tournament(plan: Plan, results: Results, anchor: int = 0) -> Tournament:
    numbers = range(len(plan.players))
    couples = {
        couple: make_standings([result for match, result in results.items() if match[:2] == couple])
        for couple in combinations(numbers, 2)
    }
    scored = np.zeros((len(numbers), len(numbers)))
    for (a, b), standings in couples.items():
        tally = standings.tally
        scored[a, b] = tally.wins + tally.draws / 2
        scored[b, a] = tally.losses + tally.draws / 2
    alone = plan.has_one_seat()
    ratings = [None for _ in numbers] if alone else fit_ratings(scored.tolist(), anchor)
    rows = []
    for number in numbers:
        played = sum(pair.tally.total for couple, pair in couples.items() if number in couple)
        total = float(scored[number].sum())
        means = deal_means(results, number) if alone else []
        rows.append(
            Row(plan.players[number], number, ratings[number], total, played, mean_interval(means))
        )
    rows.sort(key=lambda row: -(row.strength or (0.0,))[0])
    return Tournament(rows, couples, None if alone else plan.players[anchor], plan)


def deal_means(results: Results, number: int) -> list[float]:
    """One seat: a player's mean points on each deal. It plays a deal once per opponent, and the
    luck of the deal is the same each time, so that only deals are independent.
    """
    deals: dict[int, list[float]] = {}
    for match, result in results.items():
        if match.by_seat(1) == [number]:
            deals.setdefault(match.pair, []).append(points(result))
    return [fmean(deal) for deal in deals.values()]
