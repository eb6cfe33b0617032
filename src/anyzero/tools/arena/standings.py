"""The result of many games between two players: wins, draws and losses per seat, the score, Elo
with its interval.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from anyzero.core.base.nouns import Values
from anyzero.core.base.report import Part, Sheet, Shown, percent
from anyzero.core.base.statistics import (
    Interval,
    Tally,
    compare,
    mean_interval,
    named,
    tally_scores,
)
from anyzero.core.game.play import BY_THE_RULES
from anyzero.tools.arena.elo import Sprt, count_pairs, elo_interval, farthest_elo
from anyzero.tools.arena.match import MatchResult
from anyzero.tools.arena.plan import Plan


@dataclass(frozen=True, repr=False)
class Standings(Shown):
    """How the first of two players did against the second.

    In a game of one seat, both play the same deals: a win is a deal with more points, and there is
    no Elo.
    """

    tally: Tally
    seats: list[Tally]  # as first seat, and as second; empty for one seat
    pairs: list[int]  # finished pairs by score: 0, 1/4, 1/2, 3/4, 1
    games: int
    elo: Interval | None
    means: tuple[float, float] | None = None  # one seat: mean points of each player
    difference: Interval | None = (
        None  # one seat: the first player's mean minus the second's, paired by deal
    )
    forfeits: tuple[MatchResult, ...] = ()
    plan: Plan | None = None  # the games played
    sprt: Sprt | None = None  # the test for which the games were played

    def report(self) -> Iterator[Part]:
        """A line per seat, the score, and what it means."""
        first, second = (
            ("the first player", "the second") if self.plan is None else self.plan.players
        )
        seats = (
            ("first seat", "second seat")
            if self.plan is None
            else map(self.plan.seats_of_first, (0, 1))
        )
        tallies = [
            (f"{first} as {name}", tally) for name, tally in zip(seats, self.seats, strict=False)
        ]
        tallies.append((f"{first} against {second}", self.tally))
        rows = [
            (name, tally.wins, tally.draws, tally.losses, percent(tally.score))
            for name, tally in tallies
        ]
        yield Sheet(("", "wins", "draws", "losses", "score"), rows)
        if self.elo is not None:
            yield (
                f"Elo {self.elo.value:+.1f}, 95 % {elo_words(self.elo, sum(self.pairs))}, "
                f"from {self.games} games"
            )
            lost = sum(self.pairs[:2])
            shared = self.pairs[2]
            won = sum(self.pairs[3:])
            # a shared opening may be won for its seat, whoever plays
            yield f"openings, each with both seats: {won} won, {shared} shared, {lost} lost"
        if self.means is not None and self.difference is not None:
            value, low, high = self.difference
            means = f"mean scores {self.means[0]:.2f} and {self.means[1]:.2f}"
            yield f"{means}; difference {value:+.2f}, 95 % between {low:+.2f} and {high:+.2f}"
        yield from forfeit_words(self.forfeits)
        if self.sprt is not None:
            yield str(self.sprt)

    def records(self) -> list[Values]:
        """One row: the players and the result."""
        names = (
            {}
            if self.plan is None
            else dict(zip(("first", "second"), self.plan.players, strict=True))
        )
        return [
            {
                **names,
                **{
                    key: value
                    for key, value in self.to_json().items()
                    if not isinstance(value, list)
                },
            }
        ]

    def to_json(self) -> Values:
        about = {} if self.plan is None else self.plan.describe()
        values: Values = {
            **about,
            **self.tally.to_json(),
            "score": self.tally.score,
            "games": self.games,
            **named("elo", self.elo),
            "seats": [tally.to_json() for tally in self.seats],
            "pairs": self.pairs,
            "forfeits": [describe_forfeit(result) for result in self.forfeits],
        }
        if self.means is not None and self.difference is not None:
            values.update(mean_scores=list(self.means), **named("difference", self.difference))
        if self.sprt is not None:
            values["sprt"] = self.sprt.to_json()
        return values


def elo_words(elo: Interval, num_pairs: int) -> str:
    """An interval of Elo; an end that the games do not bound is open."""
    _, low, high = elo
    far = farthest_elo(num_pairs) - 0.01  # tables hold rounded limits
    if low > -far and high < far:
        return f"between {low:+.1f} and {high:+.1f}"
    return f"above {low:+.1f}" if low > -far else f"below {high:+.1f}" if high < far else "anywhere"


def forfeit_words(forfeits: Iterable[MatchResult]) -> Iterator[str]:
    for fault in map(describe_forfeit, forfeits):
        yield (
            f"forfeit in pair {fault['pair']}: {fault['player']}: {fault['reason']}: "
            f"{fault['detail']}"
        )


def describe_forfeit(result: MatchResult) -> Values:
    player = result.players[result.forfeited_by or 0]
    place = {"pair": result.match.pair, "leg": result.match.leg}
    return {"player": player, "reason": result.reason, "detail": result.detail, **place}


def make_standings(results: Sequence[MatchResult]) -> Standings:
    """The standings of one couple, from its games in any order."""
    forfeits = tuple(result for result in results if result.end != BY_THE_RULES)
    if results and len(results[0].payoffs) == 1:
        return one_seat_standings(results, forfeits)
    legs = [[game_score(result) for result in results if result.match.leg == leg] for leg in (0, 1)]
    pairs = count_pairs(pair_scores(results))
    seats = [tally_scores(leg) for leg in legs]
    elo = elo_interval(pairs)
    total = tally_scores(legs[0] + legs[1])
    return Standings(total, seats, pairs, len(results), elo, forfeits=forfeits)


def one_seat_standings(
    results: Sequence[MatchResult], forfeits: tuple[MatchResult, ...]
) -> Standings:
    deals = [tuple(map(points, pair)) for pair in finished_pairs(results)]
    scores = [compare(first, second) for first, second in deals]
    difference = mean_interval([first - second for first, second in deals])
    means = (
        (fmean(first for first, _ in deals), fmean(second for _, second in deals))
        if deals
        else None
    )
    return Standings(
        tally_scores(scores),
        [],
        count_pairs(scores),
        len(results),
        None,
        means,
        difference,
        forfeits,
    )


def points(result: MatchResult) -> float:
    """The points by which games of one seat are compared: the score if there is one, else the
    payoff.
    """
    return result.payoffs[0] if result.scores is None else result.scores[0]


def game_score(result: MatchResult) -> float:
    """1, 1/2 or 0 for the first player of the couple; with more than two seats, by the mean payoff
    of each player's.
    """
    even, odd = (sum(result.payoffs[side::2]) / len(result.payoffs[side::2]) for side in (0, 1))
    return compare(even, odd) if result.match.leg == 0 else compare(odd, even)


def finished_pairs(results: Iterable[MatchResult]) -> list[tuple[MatchResult, MatchResult]]:
    """The pairs whose games are both finished, in order."""
    legs: list[dict[int, MatchResult]] = [{}, {}]
    for result in results:
        legs[result.match.leg][result.match.pair] = result
    return [(legs[0][pair], legs[1][pair]) for pair in sorted(legs[0].keys() & legs[1].keys())]


def pair_scores(results: Iterable[MatchResult]) -> list[float]:
    """The first player's score in each finished pair, in order."""
    pairs = finished_pairs(results)
    if pairs and len(pairs[0][0].payoffs) == 1:
        return [compare(points(first), points(second)) for first, second in pairs]
    return [(game_score(first) + game_score(second)) / 2 for first, second in pairs]
