"""The gate: whether its games are different, and what differences it can see."""

import math
from typing import Any

import numpy as np

from anyzero.arena.plan import default_openings
from anyzero.doctor.case import Case
from anyzero.doctor.finding import DOUBTFUL, WELL, WRONG, Finding, percent, skipped

COPIES, POWER = "games of the gate", "power of the gate"
LATE = 5
"""Generations whose gates are looked at."""
FEW_DIFFERENT, HARDLY_DIFFERENT = 0.45, 0.2
"""Two networks that think alike play both games of a pair alike, so that half of the games may be copies for good."""
BETTER = 0.6
"""The score of a candidate that a gate should let pass."""
LUCKY, SELDOM, NEVER = 0.25, 0.5, 0.1
"""Chances to pass: too great for an equal candidate, too small and far too small for a better one."""
STUCK = 10
"""Gates in a row that let nobody pass."""
NO_GATE = "there is no gate: every candidate is promoted"


def check_copies(case: Case) -> Finding:
    """Copies among the games of the newest gates, and whether openings can make them different."""
    config, game = case.config.gate, case.game
    if config.games == 0:
        return skipped(COPIES, NO_GATE)
    plies = default_openings(game) if config.opening_plies < 0 else config.opening_plies
    share, games = different_share(case)
    seen = f"openings of {plies} random moves"
    if share is not None:
        seen += f"; {percent(share)} of {games} games in the newest gates are different"
    advice = f"gate.opening_plies={max(4, plies + 2)}, so that there are more openings than pairs of games"
    if game.num_outcomes == 0 and plies == 0:
        return Finding(COPIES, WRONG, "the gate plays the same two games again and again", seen, advice)
    if share is not None and share < FEW_DIFFERENT:
        verdict = WRONG if share < HARDLY_DIFFERENT else DOUBTFUL
        return Finding(COPIES, verdict, "many games of the gate are copies of each other", seen, advice)
    return Finding(COPIES, WELL, "the gate's games are different", seen)


def different_share(case: Case) -> tuple[float | None, int]:
    """Of the games of the newest gates, and how many there were; None where there were none."""
    entries = gate_entries(case)
    games = sum(count_games(entry) for entry in entries)
    same = sum(entry["same_games"] for entry in entries)
    return (1.0 - same / games if games else None), games


def gate_entries(case: Case) -> list[dict[str, Any]]:
    """How candidates did against champions in the newest gates."""
    return [entry for gate in case.late("gate", LATE) for entry in gate["against"]]


def count_games(entry: dict[str, Any]) -> int:
    return int(entry["wins"] + entry["draws"] + entry["losses"])


def check_power(case: Case) -> Finding:
    """The chances that an equal and a better candidate have to pass."""
    config = case.config.gate
    if config.games == 0:
        return skipped(POWER, NO_GATE)
    entries = gate_entries(case)
    games, share = sum(count_games(entry) for entry in entries), different_share(case)[0]
    draws = sum(entry["draws"] for entry in entries) / games if games else 0.0
    num = max(2, round(config.games * (1.0 if share is None else min(1.0, 2.0 * share))))
    equal, better = (pass_chance(num, config.threshold, score, draws) for score in (0.5, BETTER))
    seen = (
        f"{num} different games with {percent(draws)} draws, threshold {percent(config.threshold)}: "
        f"an equal candidate passes with {percent(equal)}, one that scores {percent(BETTER)} with {percent(better)}"
    )
    advice = f"{games_needed(config.threshold)}, or gate.games=0 and no gate at all"
    if better < NEVER:
        return Finding(POWER, WRONG, "next to nobody can pass the gate", seen, "a lower gate.threshold, such as 0.55")
    if better < SELDOM:
        return Finding(POWER, DOUBTFUL, "the gate turns better candidates away", seen, advice)
    late = [gate["promoted"] for gate in case.late("gate", STUCK)]
    if len(late) == STUCK and not any(late):
        hint = "the run has stopped to learn: a lower learning rate, a larger network, or no gate (gate.games=0)"
        return Finding(POWER, DOUBTFUL, f"nobody has passed the last {STUCK} gates", seen, hint)
    if equal > LUCKY:
        return Finding(POWER, DOUBTFUL, "luck passes the gate", seen, advice)
    return Finding(POWER, WELL, "the gate sees a difference", seen)


def pass_chance(games: int, threshold: float, score: float, draws: float = 0.0) -> float:
    """The chance to reach the threshold in so many independent games with this expected score and share of draws."""
    draws = min(draws, 2.0 * min(score, 1.0 - score))
    one = np.array([1.0 - score - draws / 2, draws, score - draws / 2])  # chances of 0, 1 and 2 half points
    halves = np.ones(1)
    for _ in range(games):
        halves = np.convolve(halves, one)
    least = math.ceil(2.0 * games * threshold - 1e-9)
    return float(halves[least:].sum())


def games_needed(threshold: float) -> str:
    """A setting at which an equal candidate seldom passes and a better one mostly does."""
    for games in (32, 64, 128, 256):
        if pass_chance(games, threshold, 0.5) <= LUCKY and pass_chance(games, threshold, BETTER) >= SELDOM:
            return f"gate.games={games}"
    return "gate.threshold=0.55 and gate.games=64"
