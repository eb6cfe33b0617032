"""Asking a player for a move: what it answers, how long it took, and what its search found."""

import operator
import time
from typing import NamedTuple

from anyzero.errors import AnyzeroError
from anyzero.games.game import Game
from anyzero.games.line import Line
from anyzero.players.player import Player
from anyzero.search import SearchResult


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
    start, result, state = time.perf_counter(), None, line.state
    try:
        if player.think is not None and len(game.legal_actions(state)) > 1:
            result = player.think(game, line.copy(), seed)
            answer = result.best_action
        else:
            answer = player.choose(game, line.copy(), seed)
        action = operator.index(answer)
    except AnyzeroError:
        raise
    except (Exception, SystemExit) as error:
        raise FailedPlayerError(f"{player.text} failed: {type(error).__name__}: {error}") from error
    if action not in game.legal_actions(state):
        raise FailedPlayerError(f"{player.text} answered the action {action}, which is not legal")
    return Answer(action, time.perf_counter() - start, result)
