"""Cards: the origin and the measured strength of a net, and the list of the bundled nets."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Literal

from anyzero.core.base.files import write_whole
from anyzero.core.base.report import Part, Sheet, Shown
from anyzero.core.base.schema import Schema, read_toml, write_toml
from anyzero.core.base.sealed import SEAL, DamagedError, seal_of
from anyzero.core.learning import find
from anyzero.core.learning.find import net_file


class CardResult(Schema):
    """The measured strength of a player with the net, with its 95 % interval."""

    kind: Literal["games", "moves", "points"] = "games"
    """Games against an opponent, moves in problems with a proven answer, or points in deals of a
    game of one seat.
    """
    player: str
    """The search, without its net: `gumbel:64`."""
    opponent: str = ""
    games: int
    """Number of games, problems or deals."""
    score: float
    """A share from 0 to 1, or mean points."""
    low: float
    high: float
    stopped: bool = False
    """The match was stopped early because it was clearly lost."""

    def is_same_measure(self, other: "CardResult") -> bool:
        return (self.kind, self.player, self.opponent) == (other.kind, other.player, other.opponent)

    def __str__(self) -> str:
        if self.kind == "points":
            return (
                f"{self.score:.1f} points ({self.low:.1f} to {self.high:.1f}) in "
                f"{self.games:,} deals, {self.player}"
            )
        score = 100 * self.score
        low = 100 * self.low
        high = 100 * self.high
        if self.kind == "moves":
            return (
                f"{score:.1f} % ({low:.1f} to {high:.1f}) of {self.games} moves optimal, "
                f"{self.player}"
            )
        return (
            f"{score:.1f} % ({low:.0f} to {high:.0f}) of {self.games} games, "
            f"{self.player} against {self.opponent}"
        )


class Made(Schema):
    noun = "how a net was made"
    command: str = ""
    commit: str = ""
    device: str = ""
    minutes: float = 0.0

    def __str__(self) -> str:
        return f"{self.minutes:g} minutes of {self.device}" if self.device else "not known"


class Card(Schema):
    noun = "a card"
    game: str
    """The board on which the net was trained; other sizes work if its layers allow it."""
    network: str
    """The beginning of the SHA-256 of the measured file."""
    date: str
    """When the last result was measured."""
    made: Made = Made()
    results: tuple[CardResult, ...] = ()

    @property
    def strength(self) -> str:
        """The most important results: the hardest opponent it beats, the first it does not, and
        exact measures.
        """
        played = [result for result in self.results if result.kind == "games"]
        beaten = [result for result in played if result.score > 0.5][-1:]
        unbeaten = [result for result in played if result.score <= 0.5][:1]
        exact = [result for result in self.results if result.kind != "games"]
        return "; ".join(map(str, (*beaten, *unbeaten, *exact)))


class Nets(Shown):
    def __init__(self, cards: dict[str, Card]) -> None:
        self.cards = cards

    def report(self) -> Iterator[Part]:
        rows = [
            (name, f"{size_of(name) / 1e6:.1f} MB", card.strength, card.made, card.date)
            for name, card in self.cards.items()
        ]
        yield Sheet(("game", "size", "strength", "made by", "measured"), rows)
        yield (
            f"{sum(map(size_of, self.cards)) / 1e6:.1f} MB in total; play against one "
            "with gumbel:64@best"
        )

    def to_json(self) -> dict[str, object]:
        return {
            name: {**card.to_dict(), "bytes": size_of(name)} for name, card in self.cards.items()
        }


@cache
def nets() -> Nets:
    """The trained nets that come with the package, and their measured strength.

    >>> anyzero.nets()
    """
    return Nets({path.stem: read_card(path) for path in sorted(find.FOLDER.glob("*.toml"))})


def read_card(path: Path) -> Card:
    values = read_toml(path)
    if values.pop(SEAL, None) != seal_of(values):
        raise DamagedError(
            f"{path} is not as anyzero rate wrote it; remove it, or if bundled, reinstall anyzero"
        )
    return Card.parse(values, str(path))


def write_card(path: Path, card: Card) -> None:
    values = card.to_dict()
    values["results"] = [
        {key: value for key, value in result.items() if value not in ("", False)}
        for result in values["results"]
    ]
    write_whole(path, write_toml({SEAL: seal_of(values), **values}).encode())


def size_of(name: str) -> int:
    return net_file(name).stat().st_size
