"""What the engine says about its search: info lines from what a search has found."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from anyzero.games.game import Game, State
from anyzero.search.result import Child

MOST_CENTIPAWNS = 2000
PROVEN_CENTIPAWNS = 10_000


class Report(NamedTuple):
    """A move that is reported: its statistics, and the line that begins with it."""

    child: Child
    line: list[str]


class Progress(NamedTuple):
    """How far a search is."""

    simulations: int
    seconds: float
    depth: int


def info_lines(game: Game, state: State, reports: Sequence[Report], progress: Progress, *, wdl: bool) -> list[str]:
    """One line a reported move, the best first."""
    nodes, time_ms = progress.simulations, round(1000 * progress.seconds)
    speed = f"nodes {nodes} nps {round(nodes / max(progress.seconds, 1e-3))} time {time_ms}"
    return [
        f"info depth {len(report.line)} seldepth {max(progress.depth, len(report.line))} multipv {number} "
        f"score {score_text(game, state, report)}{wdl_text(report.child) if wdl else ''} {speed} "
        f"pv {' '.join(report.line)}"
        for number, report in enumerate(reports, start=1)
    ]


def score_text(game: Game, state: State, report: Report) -> str:
    """`cp` for the side to move, or `mate` where a proven line ends with it."""
    child = report.child
    if child.proven in ("win", "loss"):
        sign = 1 if child.proven == "win" else -1
        mates = ends_the_game(game, state, report.line)
        return f"mate {sign * ((len(report.line) + 1) // 2)}" if mates else f"cp {sign * PROVEN_CENTIPAWNS}"
    return f"cp {centipawns(child.value or 0.0)}"


def ends_the_game(game: Game, state: State, line: list[str]) -> bool:
    for move in line:
        state = game.play(state, move)
    return game.is_over(state)


def centipawns(value: float) -> int:
    """The lead whose expected score on the Elo curve is that of the value: a pawn is 100 points of Elo."""
    if abs(value) >= 1.0:
        return int(math.copysign(MOST_CENTIPAWNS, value))
    wanted = round(400 * math.log10((1 + value) / (1 - value)))
    return max(-MOST_CENTIPAWNS, min(MOST_CENTIPAWNS, wanted))


def wdl_text(child: Child) -> str:
    """Wins, draws and losses in a thousand. A mean cannot tell draws from even chances: only a proven draw is one."""
    if child.proven == "draw":
        return " wdl 0 1000 0"
    wins = round(500 * (1 + (child.value or 0.0)))
    return f" wdl {wins} 0 {1000 - wins}"
