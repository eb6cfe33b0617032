"""The gate: whether a candidate becomes the champion."""

import math
from collections.abc import Sequence
from typing import Any

from anyzero.arena.sprt import Sprt
from anyzero.arena.standings import Standings
from anyzero.arena.statistics import PAIR_SCORES
from anyzero.games.game import Game
from anyzero.learning.block import Watch
from anyzero.learning.config import GateConfig
from anyzero.learning.contest import contest
from anyzero.learning.contestants import Contestant


def open_gate(
    game: Game,
    candidate: Contestant,
    champions: Sequence[Contestant],
    config: GateConfig,
    *,
    seed: int,
    watch: Watch | None = None,
) -> dict[str, Any]:
    """Play the candidate against each champion; it must reach the threshold against all of them."""
    against: list[dict[str, Any]] = []
    for number, champion in enumerate(champions):
        found = contest(
            game,
            candidate,
            champion,
            games=config.games,
            seed=seed + number,
            openings=config.opening_plies,
            watch=watch,
        )
        against.append(
            {
                "name": champion.name,
                "score": found.score,
                "low": found.low,
                "high": found.high,
                **found.standings.tally.to_json(),
                "same_games": found.same_games,
                "sprt": sprt_report(found.standings, config.threshold),
            }
        )
    first = against[0]
    promoted = all(entry["score"] >= config.threshold for entry in against)
    summary = {name: first[name] for name in ("score", "low", "high")}
    return {**summary, "games": config.games, "promoted": promoted, "against": against}


def sprt_report(standings: Standings, threshold: float) -> dict[str, Any] | None:
    """What the sequential test says of "even" against "as strong as the threshold asks for"; None without a question.

    The gate does not stop by it: it tells how much the games prove.
    """
    if not 0.5 < threshold < 1.0 or sum(standings.pairs) == 0:
        return None
    test = Sprt(0.0, -400.0 * math.log10(1.0 / threshold - 1.0))
    for score, count in zip(PAIR_SCORES, standings.pairs, strict=True):
        for _ in range(count):
            test.add(score)
    return test.to_json()
