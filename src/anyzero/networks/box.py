"""The nets in the box: a trained network for each game, with a card that says how it was made and what it is worth.

`gumbel:64@best` plays the one of its game. Their weights are 16-bit numbers.
"""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from anyzero.errors import UnknownNameError, list_some
from anyzero.games.game import Game
from anyzero.report import Part, Sheet, Shown
from anyzero.schema import Schema, read_toml

BEST = "best"
FOLDER = Path(__file__).parent / "box"


class Result(Schema):
    """How `gumbel:64` with the net did, with the 95 % interval."""

    opponent: str
    games: int
    score: float
    low: float
    high: float

    def __str__(self) -> str:
        low, high = 100 * self.low, 100 * self.high
        return f"{100 * self.score:.1f} % ({low:.0f} to {high:.0f}) of {self.games} against {self.opponent}"


class Points(Schema):
    """Mean points in a game of one seat."""

    deals: int
    simulations: int
    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        effort = f"{self.deals:,} deals, {self.simulations} simulations"
        return f"{self.mean:.1f} points ({self.low:.1f} to {self.high:.1f}; {effort})"


class Card(Schema):
    noun = "a card"
    game: str
    """The board that the net was trained on; other sizes work where its layers allow that."""
    made: str
    commit: str
    results: tuple[Result, ...] = ()
    points: Points | None = None

    @property
    def strength(self) -> str:
        return "; ".join(map(str, (*self.results, *([self.points] if self.points else []))))


class Nets(Shown):
    """All nets in the box."""

    def __init__(self, cards: dict[str, Card]) -> None:
        self.cards = cards

    def report(self) -> Iterator[Part]:
        rows = [(name, f"{size_of(name) / 1e6:.1f} MB", card.strength, card.made) for name, card in self.cards.items()]
        yield Sheet(("game", "size", "strength", "made by"), rows)
        yield f"{sum(map(size_of, self.cards)) / 1e6:.1f} MB in all; play against one with gumbel:64@best"

    def to_json(self) -> dict[str, object]:
        return {name: {**card.to_dict(), "bytes": size_of(name)} for name, card in self.cards.items()}


@cache
def nets() -> Nets:
    """The trained nets that come with the package, and what each is worth.

    >>> anyzero.nets()
    """
    return Nets(
        {name: Card.parse(card, f"the card of {name}") for name, card in read_toml(FOLDER / "cards.toml").items()}
    )


def net_file(name: str) -> Path:
    return FOLDER / f"{name}.safetensors"


def size_of(name: str) -> int:
    return net_file(name).stat().st_size


def best_network(game: Game) -> Path:
    """The file of the net for this game."""
    known = nets().cards
    if game.name not in known:
        raise UnknownNameError(f"there is no net for {game.name} in the box; nets: {list_some(known)}")
    return net_file(game.name)
