"""Contests between contestants: pairs of games with one opening and the seats swapped, judged as in the arena."""

from typing import NamedTuple

import numpy as np

from anyzero.arena.match import NORMAL, MatchResult
from anyzero.arena.plan import Match, default_openings
from anyzero.arena.standings import Standings, make_standings
from anyzero.arena.statistics import Interval, wilson_interval
from anyzero.games.game import Game
from anyzero.learning.block import Block, BlockResult, Manner, Watch
from anyzero.learning.contestants import Contestant


class Contest(NamedTuple):
    """How the first contestant did."""

    standings: Standings
    score: float
    low: float
    high: float
    """From 0 to 1, with the 95 % interval."""
    same_games: int
    """Games that are a copy of another one."""


def contest(
    game: Game,
    first: Contestant,
    second: Contestant,
    *,
    games: int,
    seed: int,
    openings: int = -1,
    watch: Watch | None = None,
) -> Contest:
    """Play an even number of games; -1 openings: as many random moves as in matches. One seat: both play each deal."""
    plies = default_openings(game) if openings < 0 else openings
    pairs = games // 2
    sides = np.array([leg_sides(game, leg) for _ in range(pairs) for leg in (0, 1)])
    numbers = np.repeat(np.arange(pairs), 2)
    manner = Manner(least_opening=plies, most_opening=plies)
    return judge(Block(game, [first, second], sides, manner, seed=seed, numbers=numbers).play(watch))


def leg_sides(game: Game, leg: int) -> list[int]:
    return Match(0, 1, 0, leg).by_seat(game.num_seats)


def judge(block: BlockResult) -> Contest:
    """The standings of a block in which games 2n and 2n + 1 are a pair."""
    results = [as_match(block, row) for row in range(len(block.games))]
    standings = make_standings(results)
    distinct = {(line.start, *line.actions) for line in block.games}
    return Contest(standings, *score_interval(standings, len(distinct)), len(block.games) - len(distinct))


def as_match(block: BlockResult, row: int) -> MatchResult:
    """A game of a block in the arena's form."""
    line = block.games[row]
    scores = None if block.scores is None else [float(block.scores[row])] * len(line.payoffs)
    return MatchResult(
        Match(0, 1, row // 2, row % 2), line.names, 0, [], line.payoffs, scores, NORMAL, None, "", [0.0, 0.0]
    )


def score_interval(standings: Standings, distinct: int) -> Interval:
    """The score of the games, with Wilson's interval: pairs that all end alike do not make it certain.

    Games that are the same move by move say no more than one of them.
    """
    score = standings.tally.score
    return Interval(0.0, 0.0, 1.0) if score is None else wilson_interval(score, distinct)
