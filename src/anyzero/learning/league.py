"""The league: what a generation scores against players that never change, as Elo with its interval.

The anchors play each other once a run, so that every generation is measured on the same scale.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from anyzero.arena.ratings import rate
from anyzero.arena.statistics import mean_interval
from anyzero.games.game import Game
from anyzero.learning.block import Block, Manner, Watch
from anyzero.learning.config import BenchmarkConfig, LeagueConfig
from anyzero.learning.contest import contest
from anyzero.learning.contestants import Contestant, anchor_contestant
from anyzero.seeds import draw_seed

CONVERGENCE = 5
"""Benchmarks whose mean is compared with that of as many before."""

Anchors = list[list[float]]
"""points[a][b]: what anchor a scored against anchor b."""


def make_anchors(game: Game, config: LeagueConfig, threads: int) -> list[Contestant]:
    return [anchor_contestant(game, text, at_once=config.games, threads=threads) for text in config.anchors]


def play_anchors(
    game: Game, anchors: Sequence[Contestant], config: LeagueConfig, seed: int, watch: Watch | None = None
) -> Anchors:
    """What the anchors score against each other."""
    points = np.zeros((len(anchors), len(anchors)))
    for a, b in combinations(range(len(anchors)), 2):
        found = contest(game, anchors[a], anchors[b], games=config.games, seed=draw_seed("anchors", seed), watch=watch)
        points[a, b] = found.score * config.games
        points[b, a] = config.games - points[a, b]
    return points.tolist()


def rate_generation(
    game: Game,
    contestant: Contestant,
    anchors: Sequence[Contestant],
    among_anchors: Anchors,
    config: LeagueConfig,
    seed: int,
    watch: Watch | None = None,
) -> dict[str, Any]:
    """The contestant's Elo; the first anchor stands at 0."""
    num, scores = len(anchors), {}
    points = np.zeros((num + 1, num + 1))
    points[:num, :num] = among_anchors
    for number, anchor in enumerate(anchors):
        found = contest(game, contestant, anchor, games=config.games, seed=draw_seed("league", seed), watch=watch)
        points[num, number] = found.score * config.games
        points[number, num] = config.games - points[num, number]
        scores[anchor.name] = {"score": found.score, "low": found.low, "high": found.high}
    ratings = rate(points.tolist())
    elo, low, high = ratings[num]
    known = {name: {**scores[name], "elo": ratings[number].value} for number, name in enumerate(scores)}
    return {"elo": elo, "low": low, "high": high, "games": config.games, "anchors": known}


def benchmark(
    game: Game, contestant: Contestant, config: BenchmarkConfig, at_once: int, watch: Watch | None = None
) -> dict[str, Any]:
    """One seat: the mean score over deals that are the same for every generation of every run."""
    scores: list[float] = []
    for first in range(0, config.deals, at_once):
        numbers = np.arange(first, min(first + at_once, config.deals))
        sides = np.zeros((len(numbers), 1), np.int64)
        played = Block(game, [contestant], sides, Manner(), seed=draw_seed("benchmark"), numbers=numbers).play(watch)
        found = played.payoffs[:, 0] if played.scores is None else played.scores
        scores += found.tolist()
    mean = mean_interval(scores)
    value, low, high = mean if mean is not None else (None, None, None)
    return {"mean": value, "low": low, "high": high, "deals": len(scores), "best": max(scores, default=None)}


def has_converged(means: Sequence[float], threshold: float) -> bool:
    """Whether the last benchmarks are better than those before by less than the threshold."""
    if threshold <= 0.0 or len(means) < 2 * CONVERGENCE:
        return False
    late, early = means[-CONVERGENCE:], means[-2 * CONVERGENCE : -CONVERGENCE]
    return sum(late) / CONVERGENCE - sum(early) / CONVERGENCE < threshold
