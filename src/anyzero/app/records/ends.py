"""How games end: the terminations of a record, their payoffs, and the error for invalid records."""

from collections.abc import Iterator
from contextlib import contextmanager

from anyzero.core.base.errors import AnyzeroError
from anyzero.core.game.game import Game, State

RULES = "rules"
RESIGN = "resign"
FORFEIT = "forfeit"
AGREEMENT = "agreement"
UNFINISHED = "unfinished"
"""How a game ended: only the last has no payoffs."""


class BadRecordError(AnyzeroError):
    """A file or object that is not a valid game record."""


@contextmanager
def within(place: str) -> Iterator[None]:
    """Errors raised in this block name the place of the fault."""
    try:
        yield
    except AnyzeroError as error:
        raise BadRecordError(f"{place}: {error}") from None


def rule_payoffs(game: Game, last: State) -> tuple[float, ...]:
    """The payoffs by the rules, without negative zeros."""
    return tuple((game.payoffs(last) + 0.0).tolist())


def loss_payoffs(num_seats: int, loser: int) -> tuple[float, ...]:
    """The worst payoff for the seat that resigned or forfeited; the others share its loss."""
    return tuple(-1.0 if seat == loser else 1.0 / (num_seats - 1) for seat in range(num_seats))
