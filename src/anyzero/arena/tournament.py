"""Everybody against everybody: a cross table, and a rating for each player; its mean score where there is one seat."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from anyzero.arena.arena import play_games
from anyzero.arena.match import MatchResult
from anyzero.arena.plan import Match, Plan, make_plan
from anyzero.arena.ratings import rate
from anyzero.arena.standings import Standings, make_standings, points
from anyzero.arena.statistics import Interval, mean_interval
from anyzero.errors import BadOptionError, UnknownNameError, list_some, nearest_hint


@dataclass(frozen=True)
class Row:
    """One player of a tournament."""

    player: str
    number: int
    """Its place on the list of players."""
    rating: Interval | None
    """None for one seat."""
    points: float
    """Wins, a draw as a half."""
    games: int
    """Games that count: in a game of one seat, deals."""
    mean_score: Interval | None
    """One seat: mean points over all its games."""

    @property
    def strength(self) -> float:
        """What players are ranked by: the rating, or the mean score where there is none."""
        found = self.rating or self.mean_score
        return 0.0 if found is None else found.value


@dataclass(frozen=True)
class Tournament:
    rows: list[Row]
    """Best first."""
    couples: dict[tuple[int, int], Standings]
    """Of every two players, by their places on the list, the smaller first."""
    anchor: str | None
    """Whose rating is 0; None for one seat."""

    def cross(self) -> list[list[float | None]]:
        """The score of each player (down, in the order of the rows) against each other (across)."""
        order = [row.number for row in self.rows]
        return [[None if a == b else self.score(a, b) for b in order] for a in order]

    def score(self, a: int, b: int) -> float | None:
        score = self.couples[min(a, b), max(a, b)].tally.score
        return score if score is None or a < b else 1.0 - score

    def to_json(self) -> dict[str, Any]:
        """The stable fields that programs read."""
        forfeits = [forfeit for couple in self.couples.values() for forfeit in couple.to_json()["forfeits"]]
        games = sum(couple.games for couple in self.couples.values())
        players = [describe_row(row) for row in self.rows]
        return {"anchor": self.anchor, "games": games, "players": players, "cross": self.cross(), "forfeits": forfeits}


def describe_row(row: Row) -> dict[str, Any]:
    value, low, high = row.rating or (None,) * 3
    found: dict[str, Any] = {"player": row.player, "rating": value, "rating_low": low, "rating_high": high}
    found |= {"points": row.points, "games": row.games, "score": row.points / row.games if row.games else None}
    if row.mean_score is not None:
        names = ("mean_score", "mean_score_low", "mean_score_high")
        found |= dict(zip(names, row.mean_score, strict=True))
    return found


def play_tournament(game: Any, players: list[str], *, anchor: str | None = None, **settings: Any) -> Tournament:
    """A round robin; `settings` are those of `make_plan`, and `workers`, `record` and `watch` of `play_games`."""
    playing = {name: settings.pop(name) for name in ("workers", "record", "watch") if name in settings}
    plan = make_plan(game, players, **settings)
    number = find_anchor(plan, anchor)
    return judge_tournament(plan, play_games(plan, **playing), number)


def find_anchor(plan: Plan, anchor: str | None) -> int:
    """The place of the player whose rating is 0; the first one if none is named."""
    if anchor is None:
        return 0
    if plan.has_one_seat():
        raise BadOptionError(f"{plan.game} has one seat: there are no ratings, and no anchor")
    if anchor.strip() not in plan.players:
        hint = nearest_hint(anchor, plan.players)
        raise UnknownNameError(f"the anchor {anchor!r} does not play; {hint}players: {list_some(plan.players)}")
    return plan.players.index(anchor.strip())


def judge_tournament(plan: Plan, results: Mapping[Match, MatchResult], anchor: int = 0) -> Tournament:
    """The table of these games."""
    numbers = range(len(plan.players))
    couples = {couple: judge(results, couple) for couple in combinations(numbers, 2)}
    scored = [[0.0 if a == b else points_against(couples, a, b) for b in numbers] for a in numbers]
    alone = plan.has_one_seat()
    ratings = [None for _ in numbers] if alone else rate(scored, anchor)
    rows = []
    for number in numbers:
        played = sum(tally.total for tally in (couples[couple].tally for couple in couples if number in couple))
        mean = mean_interval(own_points(results, number))
        rows.append(Row(plan.players[number], number, ratings[number], sum(scored[number]), played, mean))
    rows.sort(key=lambda row: -row.strength)
    return Tournament(rows, couples, None if alone else plan.players[anchor])


def judge(results: Mapping[Match, MatchResult], couple: tuple[int, int]) -> Standings:
    return make_standings([result for match, result in results.items() if match[:2] == couple])


def points_against(couples: Mapping[tuple[int, int], Standings], a: int, b: int) -> float:
    """Wins of a against b, a draw as a half."""
    tally = couples[min(a, b), max(a, b)].tally
    return (tally.wins if a < b else tally.losses) + tally.draws / 2


def own_points(results: Mapping[Match, MatchResult], number: int) -> list[float]:
    """One seat: what this player scored in each of its games. Empty for other games."""
    mine = [result for match, result in results.items() if match.by_seat(1) == [number]]
    return [points(result) for result in mine if len(result.payoffs) == 1]
