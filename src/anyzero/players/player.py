"""What a player is: a text, and a function that chooses an action; and how it is asked."""

import operator
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, Protocol

from anyzero.errors import AnyzeroError, UnknownNameError
from anyzero.files import from_home, is_file
from anyzero.games.game import Game, State
from anyzero.games.line import Line
from anyzero.games.load import load_file, parse_options, position_of
from anyzero.search import SearchResult

Choose = Callable[[Game, Line, int], int]
"""(game, the game so far, seed) -> a legal action; the same line and seed give the same action."""

LATE_FACTOR, LATE_S = 1.5, 1.0
"""A player with a budget of seconds may take this many times its budget, and so much on top: a busy machine is slow."""


class Think(Protocol):
    """`choose` for those who want to know more; `seconds` replaces the player's own budget."""

    def __call__(self, game: Game, line: Line, seed: int, seconds: float | None = None) -> SearchResult: ...


def do_nothing(game: Game) -> None:
    """The preparation of a player that needs none."""


@dataclass(frozen=True, repr=False)
class Player:
    """Chooses moves. What it keeps from one move to the next it uses only while a line goes on: see `Line.extends`."""

    text: str  # what `parse_player` makes it from
    choose: Choose
    limit_s: float | None = None  # most seconds that a move may take; None: it has no clock
    prepare: Callable[[Game], None] = do_nothing
    """Called before every game, while no clock runs: to compile code, or to start an engine."""
    think: Think | None = None  # `choose` with everything that the search found, for players that search

    def __repr__(self) -> str:
        return f"<Player {self.text}>"

    def move(self, game: Game | str, state: State | str | None = None, *, seed: int = 0) -> str:
        """The move that it makes in a position, the start if left out, as text; the same seed, the same move."""
        game, state = position_of(game, state)
        return game.format_action(state, consult(self, game, Line.begin(game, state), seed).action)


class Answer(NamedTuple):
    action: int
    seconds: float
    result: SearchResult | None
    """None where there was no search: a player that does not search, or only one legal move."""


class FailedPlayerError(AnyzeroError):
    """A player that broke off, or answered what is no legal action."""


class ResignedError(FailedPlayerError):
    """A player that gives its game up."""


def consult(player: Player, game: Game, line: Line, seed: int) -> Answer:
    """The player's move with all that is known about it; FailedPlayerError says what it did instead."""
    start, result, legal = time.perf_counter(), None, game.legal_actions(line.state)
    try:
        if player.think is not None and len(legal) > 1:
            result = player.think(game, line.copy(), seed)
            answer = result.best_action
        else:
            answer = player.choose(game, line.copy(), seed)
        action = operator.index(answer)
    except AnyzeroError:
        raise
    except (Exception, SystemExit) as error:
        raise FailedPlayerError(f"{player.text} failed: {type(error).__name__}: {error}") from error
    if action not in legal:
        raise FailedPlayerError(f"{player.text} answered the action {action}, which is not legal")
    return Answer(action, time.perf_counter() - start, result)


def choose_at_random(game: Game, line: Line, seed: int) -> int:
    """Every legal action with the same chance."""
    actions = game.legal_actions(line.state)
    return actions[(seed % 2**64 * len(actions)) >> 64]


def load_player(text: str, name: str, options: str) -> Player:
    """The player that `make(**options)` in a file returns; options are typed by their defaults, as a game's are."""
    if not is_file(from_home(name)):
        raise UnknownNameError(f"cannot read the player file {name}")
    make = getattr(load_file(Path(name)), "make", None)
    if not callable(make):
        raise AnyzeroError(f"{name} has no function make() that returns a Player")
    player = make(**parse_options(name, make, options))
    if not isinstance(player, Player):
        raise AnyzeroError(f"{name}: make() returned {type(player).__name__}, not a Player")
    return replace(player, text=text)
