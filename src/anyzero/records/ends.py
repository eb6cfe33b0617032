"""How games end: the terminations of a record, the payoffs that belong to them, and the error of what is no record."""

from collections.abc import Iterator
from contextlib import contextmanager

from anyzero.errors import AnyzeroError
from anyzero.games.game import Game, State

RULES, RESIGN, FORFEIT, AGREEMENT, UNFINISHED = "rules", "resign", "forfeit", "agreement", "unfinished"
"""How a game came to its end: only the last one has no payoffs."""


class BadRecordError(AnyzeroError):
    """A file or object that is not the record of a game."""


@contextmanager
def within(place: str) -> Iterator[None]:
    """What is wrong with a record in this block is said with the place where it stands."""
    try:
        yield
    except AnyzeroError as error:
        raise BadRecordError(f"{place}: {error}") from None


def rule_payoffs(game: Game, last: State) -> tuple[float, ...]:
    """What the rules give each seat, without the sign that a zero may have."""
    return tuple((game.payoffs(last) + 0.0).tolist())


def loss_payoffs(num_seats: int, loser: int) -> tuple[float, ...]:
    """The worst payoff for the seat that resigned or forfeited; the others share what it lost."""
    return tuple(-1.0 if seat == loser else 1.0 / (num_seats - 1) for seat in range(num_seats))
