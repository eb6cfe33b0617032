"""A player is a text and a function that chooses an action; also, how to ask it."""

import operator
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import NamedTuple, Protocol

from anyzero.core.base.errors import (
    AnyzeroError,
    BadOptionError,
    UnknownNameError,
    whole,
)
from anyzero.core.base.files import from_home, is_file
from anyzero.core.game.game import Game, State
from anyzero.core.game.load import load_file, parse_options, position_of
from anyzero.core.game.play import Play, first_decision
from anyzero.core.learning.find import BEST, find_network
from anyzero.core.search import Searcher, SearchResult
from anyzero.tools.players.text import PlayerText, search_arguments

Choose = Callable[[Game, Play, int], int]
"""(game, the game so far, seed) -> a legal action; the same line and seed give the same action."""

LATE_FACTOR = 1.5
LATE_S = 1.0
"""A player with a budget of seconds may take this many times its budget, plus this much: a busy
machine is slow.
"""


class Think(Protocol):
    """`choose` with the full search result; `seconds` replaces the player's own budget."""

    def __call__(
        self, game: Game, line: Play, seed: int, seconds: float | None = None
    ) -> SearchResult: ...


@dataclass(frozen=True, repr=False)
class Player:
    """Chooses moves. State kept between moves is used only while a line is extended: see
    `Play.extends`.
    """

    text: str  # the text from which `parse_player` makes it
    choose: Choose
    limit_s: float | None = None  # maximum seconds per move; None: it has no clock
    prepare: Callable[[Game], None] = lambda game: None
    """Called before every game, while no clock is running: to compile code, or to start an engine.
    """
    think: Think | None = None  # `choose` with the full search result, for players that search
    check: Callable[[Game], object] = lambda game: None
    """An error if it cannot play this game; nothing is compiled or started."""

    def __repr__(self) -> str:
        return f"<Player {self.text}>"

    def move(self, game: Game | str, state: State | str | None = None, *, seed: int = 0) -> str:
        """Its move in a position, by default the initial one, as text; the same seed gives the same
        move.
        """
        game, state = position_of(game, state)
        if game.seat_to_move(state) < 0:
            raise AnyzeroError(
                f"{game.name}: there is no move to choose, the game is over or it is chance's turn"
            )
        return game.format_action(
            state, consult(self, game, Play.begin(game, state), whole("seed", seed)).action
        )


class Answer(NamedTuple):
    action: int
    seconds: float
    result: SearchResult | None
    """None if there was no search: a player that does not search, or only one legal move."""


class FailedPlayerError(AnyzeroError):
    """A player failed, or returned something other than a legal action."""


class ResignedError(FailedPlayerError):
    """A player resigned."""


def consult(player: Player, game: Game, line: Play, seed: int) -> Answer:
    """The player's move with its search result; FailedPlayerError says what it did instead."""
    start = time.perf_counter()
    result = None
    legal = game.legal_actions(line.state)
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
        raise FailedPlayerError(f"{player.text} chose action {action}, which is illegal")
    return Answer(action, time.perf_counter() - start, result)


def choose_at_random(game: Game, line: Play, seed: int) -> int:
    """Every legal action with equal probability."""
    actions = game.legal_actions(line.state)
    return actions[(seed % 2**64 * len(actions)) >> 64]


def load_player(text: str, name: str, options: str) -> Player:
    """The player returned by `make(**options)` in a file; options are typed by their defaults, as
    for games.
    """
    if not is_file(from_home(name)):
        raise UnknownNameError(f"cannot read the player file {name}")
    make = getattr(load_file(Path(name)), "make", None)
    if not callable(make):
        raise AnyzeroError(f"{name} has no function make() that returns a Player")
    player = make(**parse_options(name, make, options))
    if not isinstance(player, Player):
        raise AnyzeroError(f"{name}: make() returned {type(player).__name__}, not a Player")
    return replace(player, text=text)


# --- players that search


def search_player(wanted: PlayerText, threads: int | None) -> Player:
    """The best move of a search. With the option `reuse` it keeps its tree from move to move of a
    game.
    """
    options = wanted.search.options if wanted.search is not None else {}
    if float(options.get("noise_fraction", 0.0)) > 0.0:
        raise BadOptionError(
            f"{wanted.text!r}: noise at the root is for self-play; measured players have none"
        )
    if wanted.network not in ("", BEST):
        find_network(wanted.network)  # raises an error if there is none
    arguments = cache(lambda game: search_arguments(wanted, game, threads=threads))
    searchers: dict[tuple[Game, bool], Searcher] = {}

    def searcher(game: Game, seconds: float | None = None) -> Searcher:
        """The searcher for its own budget, or for any budget of seconds."""
        key = game, seconds is not None
        if key not in searchers:
            budget = {} if seconds is None else {"simulations": None, "seconds": seconds}
            searchers[key] = Searcher(game, **{**arguments(game), **budget})
        return searchers[key]

    def choose(game: Game, line: Play, seed: int) -> int:
        actions = game.legal_actions(line.state)
        return actions[0] if len(actions) == 1 else searcher(game).choose(line.state, seed, line)

    def think(game: Game, line: Play, seed: int, seconds: float | None = None) -> SearchResult:
        return searcher(game, seconds).search(line.state, seed, line, seconds=seconds)

    @cache
    def prepare(game: Game) -> None:
        state = first_decision(game)
        if state is not None:
            Searcher(game, **{**arguments(game), "simulations": 2, "seconds": None}).choose(
                state, 0
            )

    budget_s = None if wanted.search is None else wanted.search.seconds
    limit_s = None if budget_s is None else LATE_FACTOR * budget_s + LATE_S
    return Player(
        wanted.text, choose, limit_s, prepare, think, lambda game: Searcher(game, **arguments(game))
    )
