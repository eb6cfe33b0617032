"""Contests between contestants: pairs of games, the gate, the league of anchors, and the benchmark.

A pair shares one opening, with seats swapped, and is judged as in the arena. The anchors never
change and play each other once per run, so every generation is measured on the same scale.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from statistics import fmean
from typing import NamedTuple

import numpy as np

from anyzero.core.base.nouns import Values
from anyzero.core.base.seeds import draw_seed
from anyzero.core.base.statistics import (
    Interval,
    Tally,
    compare,
    fit_ratings,
    mean_interval,
    named,
    tally_scores,
    wilson_interval,
)
from anyzero.core.game.game import Game
from anyzero.core.learning.block import Block, BlockResult, Contestant, Watch
from anyzero.core.learning.config import BenchmarkConfig, GateConfig
from anyzero.core.learning.games import Manner, Pairings, default_openings

CONVERGENCE = 5  # benchmarks whose mean is compared with the mean of as many before

Anchors = list[list[float]]  # points[a][b]: the points anchor a scored against anchor b


class Contest(NamedTuple):
    """How the first of two contestants did against the second."""

    tally: Tally  # of its games; with one seat, of the deals that both played
    seats: list[Tally]  # as first seat, and as second; empty for one seat
    score: float
    low: float
    high: float  # from 0 to 1, with the 95 % interval
    games: int
    same_games: int  # games that are copies of another game
    means: tuple[float, float] | None = None  # one seat: mean points of each contestant

    @property
    def shares(self) -> dict[str, float]:
        return {"score": self.score, "low": self.low, "high": self.high}


Meet = Callable[..., Contest]  # `contest` with everything but the contestants filled in


def contest(
    game: Game,
    first: Contestant,
    second: Contestant,
    *,
    games: int,
    seed: int,
    openings: int = -1,
    threads: int = 1,
    watch: Watch | None = None,
) -> Contest:
    """Play an even number of games; -1 opening plies: as in matches. With one seat, both
    contestants play each deal.
    """
    plies = default_openings(game) if openings < 0 else openings
    sides = [[(seat + leg) % 2 for seat in range(game.num_seats)] for leg in (0, 1)]
    pairings = Pairings(np.array(sides), np.zeros(2))
    manner = Manner(least_opening=plies, most_opening=plies)
    block = Block(
        game, [first, second], pairings, manner, games=games // 2 * 2, seed=seed, threads=threads
    )
    played = block.play(watch)
    distinct = len({(line.start, *line.actions) for line in played.games})
    seats: list[Tally] = []
    means = None
    if game.num_seats == 1:
        points = points_of_games(played)
        tally = tally_scores(list(map(compare, points[0::2], points[1::2])))
        means = (fmean(points[0::2]), fmean(points[1::2])) if points else None
    else:
        scores = list(map(first_seats_score, played.payoffs.tolist()))
        legs = [scores[0::2], [1.0 - score for score in scores[1::2]]]
        seats = list(map(tally_scores, legs))
        tally = tally_scores(legs[0] + legs[1])
    num = len(played.games)
    return Contest(tally, seats, *score_interval(tally, distinct), num, num - distinct, means)


def points_of_games(played: BlockResult) -> list[float]:
    """What games of one seat are compared by: the score if there is one, else the payoff."""
    scores = played.payoffs[:, 0] if played.scores is None else played.scores
    return scores.tolist()  # type: ignore[no-any-return]


def first_seats_score(payoffs: Sequence[float]) -> float:
    """1, 1/2 or 0 for the contestant in the first seat, by the mean payoff of each one's seats."""
    even, odd = (sum(payoffs[side::2]) / len(payoffs[side::2]) for side in (0, 1))
    return compare(even, odd)


def score_interval(tally: Tally, distinct: int) -> Interval:
    """The score with Wilson's interval, which does not become certain when all pairs end alike.

    Games identical move by move count only once.
    """
    score = tally.score
    return Interval(0.0, 0.0, 1.0) if score is None else wilson_interval(score, distinct)


def open_gate(contests: Mapping[str, Contest], config: GateConfig) -> Values:
    """The gate's verdict from the candidate's contests with each champion; it must reach the
    threshold against all.
    """
    against: list[Values] = []
    for name, meeting in contests.items():
        tally = meeting.tally.to_json()
        against.append({"name": name, **meeting.shares, **tally, "same_games": meeting.same_games})
    promoted = all(entry["score"] >= config.threshold for entry in against)
    summary = {name: against[0][name] for name in ("score", "low", "high")}
    return {**summary, "games": config.games, "promoted": promoted, "against": against}


def play_anchors(meet: Meet, anchors: Sequence[Contestant], games: int) -> Anchors:
    points = np.zeros((len(anchors), len(anchors)))
    for a, b in combinations(range(len(anchors)), 2):
        points[a, b] = meet(anchors[a], anchors[b]).score * games
        points[b, a] = games - points[a, b]
    return points.tolist()


def rate_generation(
    meet: Meet,
    contestant: Contestant,
    anchors: Sequence[Contestant],
    among_anchors: Anchors,
    games: int,
) -> Values:
    """The contestant's Elo; the first anchor is fixed at 0."""
    num = len(anchors)
    scores = {}
    points = np.zeros((num + 1, num + 1))
    points[:num, :num] = among_anchors
    for number, anchor in enumerate(anchors):
        meeting = meet(contestant, anchor)
        points[num, number] = meeting.score * games
        points[number, num] = games - points[num, number]
        scores[anchor.name] = meeting.shares
    ratings = fit_ratings(points.tolist())
    elo, low, high = ratings[num]
    by_anchor = {
        name: {**scores[name], "elo": ratings[number].value} for number, name in enumerate(scores)
    }
    return {"elo": elo, "low": low, "high": high, "games": games, "anchors": by_anchor}


def benchmark(
    game: Game,
    contestant: Contestant,
    config: BenchmarkConfig,
    at_once: int,
    watch: Watch | None = None,
) -> Values:
    """One seat: the mean score over deals that are the same for every generation of every run."""
    pairings = Pairings(np.zeros((1, 1), np.int64), np.zeros(1))
    seed = draw_seed("benchmark")
    block = Block(
        game, [contestant], pairings, Manner(), games=config.deals, at_once=at_once, seed=seed
    )
    played = block.play(watch)
    scores = points_of_games(played)
    mean, low, high = named("mean", mean_interval(scores)).values()
    return {"mean": mean, "low": low, "high": high, "deals": len(scores), "best": max(scores)}


def has_converged(means: Sequence[float], threshold: float) -> bool:
    """Whether the last benchmarks improve on those before by less than the threshold."""
    if threshold <= 0.0 or len(means) < 2 * CONVERGENCE:
        return False
    late = means[-CONVERGENCE:]
    early = means[-2 * CONVERGENCE : -CONVERGENCE]
    return sum(late) / CONVERGENCE - sum(early) / CONVERGENCE < threshold
