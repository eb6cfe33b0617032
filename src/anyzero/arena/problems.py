"""Problems: positions in which a mistake is possible, with the moves that keep the proven result.

`solve_problems("connect_four", "gumbel:64@best")` says how often a player finds one of these moves. The files in
`problems/` say how they were made.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from anyzero import stopping
from anyzero.arena.statistics import Interval, wilson_interval
from anyzero.errors import UnknownNameError, list_some
from anyzero.games.game import Game
from anyzero.games.line import Line
from anyzero.games.load import load
from anyzero.players import Player, parse_player
from anyzero.players.player import consult
from anyzero.progress import progress as bar
from anyzero.report import Part, Sheet, Shown, percent
from anyzero.seeds import draw_seed

FOLDER = Path(__file__).parent / "problems"
STAGE_PLIES = 6
"""Answers are counted by the stage of the game: so many plies each."""


class Problem(NamedTuple):
    board: str
    """The game with its options."""
    moves: tuple[str, ...]
    """From the start to the position."""
    best: frozenset[str]
    """The moves that keep the result; every other one makes it worse."""


@dataclass(frozen=True, repr=False)
class Solved(Shown):
    """How many problems a player solved."""

    player: str
    answers: dict[Problem, bool]
    """Whether its move was one of the best."""

    @property
    def share(self) -> Interval:
        """Of the problems, those that it solved."""
        return wilson_interval(sum(self.answers.values()) / len(self.answers), len(self.answers))

    def stages(self) -> dict[tuple[str, int], list[bool]]:
        """The answers by board and by the first ply of the stage."""
        found: dict[tuple[str, int], list[bool]] = {}
        for problem, right in self.answers.items():
            first = len(problem.moves) // STAGE_PLIES * STAGE_PLIES
            found.setdefault((problem.board, first), []).append(right)
        return dict(sorted(found.items()))

    def report(self) -> Iterator[Part]:
        rows = [
            (board, f"{first} to {first + STAGE_PLIES - 1}", len(right), percent(sum(right) / len(right)))
            for (board, first), right in self.stages().items()
        ]
        yield Sheet(("board", "plies played", "problems", "optimal moves"), rows)
        share, low, high = map(percent, self.share)
        yield f"{self.player}: {share} of {len(self.answers)} moves are optimal, 95 % {low} to {high}"

    def to_json(self) -> dict[str, Any]:
        share = dict(zip(("share", "share_low", "share_high"), self.share, strict=True))
        return {"player": self.player, "problems": len(self.answers), "solved": sum(self.answers.values()), **share}


def problem_games() -> list[str]:
    """The names of the games that have problems."""
    return sorted(path.stem for path in FOLDER.glob("*.txt"))


@cache
def read_problems(name: str) -> tuple[Problem, ...]:
    """The problems of a game, in the order of their file: `moves | best moves`, below the board's `[name]`."""
    if name not in problem_games():
        raise UnknownNameError(f"there are no problems for {name}; games that have some: {list_some(problem_games())}")
    found, board = [], name
    for line in (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            board = line.strip("[]")
        elif not line.startswith("#"):
            moves, best = (part.split() for part in line.split("|"))
            found.append(Problem(board, tuple(moves), frozenset(best)))
    return tuple(found)


def solve_problems(game: Game | str, player: Player | str, *, seed: int = 0, progress: bool = True) -> Solved:
    """Ask a player for its move in each problem of a game."""
    name = load(game).name if isinstance(game, str) else game.name
    asked, problems, answers = parse_player(player), read_problems(name), {}
    boards = {board: load(board) for board in {problem.board for problem in problems}}
    with bar("solving", len(problems), shown=progress) as tell:
        for number, problem in enumerate(problems):
            stopping.check()
            answers[problem] = solves(asked, boards[problem.board], problem, draw_seed("problem", seed, number))
            tell(number + 1, words=f"{sum(answers.values())} right")
    return Solved(asked.text, answers)


def solves(player: Player, game: Game, problem: Problem, seed: int) -> bool:
    """Whether the player's move is one of the best."""
    line = Line.begin(game)
    for move in problem.moves:
        line = line.play(game, game.parse_action(line.state, move))
    return game.format_action(line.state, consult(player, game, line, seed).action) in problem.best
