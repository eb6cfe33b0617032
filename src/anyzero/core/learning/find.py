"""From a name to a network's file: `gumbel:64@hex7` plays the champion of the run hex7, `@best` the
bundled net.
"""

import hashlib
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Literal

from anyzero.core.base.errors import UnknownNameError, list_some, unknown_name
from anyzero.core.base.files import is_file, reading, write_whole
from anyzero.core.base.report import Part, Sheet, Shown
from anyzero.core.base.schema import Schema, read_toml, write_toml
from anyzero.core.base.sealed import SEAL, DamagedError, seal_of
from anyzero.core.game.game import Game
from anyzero.core.learning.manifest import CHAMPION, GENERATIONS, NETWORK, Generations

BEST = "best"
RUNS = Path("runs")
MODELS = Path("models")
SUFFIX = ".safetensors"
MOST_DIGITS = 9  # of a generation number
COPIES: dict[str, str] = {}
"""In a process of a match: the files to read instead, by name, the same for all its processes."""


def find_network(name: str, game: Game | None = None) -> Path:
    """The file of a run's champion (`hex7`, `runs/hex7`), of one of its generations (`hex7/12`), or
    the file itself.

    Files of a run are checked against its manifest. If the game is known, `best` is its bundled
    net.
    """
    name = name.strip()
    if name in COPIES:
        return Path(COPIES[name])
    if name == BEST and game is not None:
        return best_network(game)
    for path in _possible_files(name):
        if is_file(path):
            return _as_the_run_wrote_it(path)
    more = f"; a path to a {SUFFIX} file works too"
    known = [BEST] * (name != BEST) + known_names()
    raise unknown_name("network", name, known, more, none="there are no runs or models here")


def _possible_files(name: str) -> list[Path]:
    """Possible paths of the network, likeliest first."""
    found = [Path(name)] if name.endswith(SUFFIX) else []
    found += [folder / CHAMPION for folder in (RUNS / name, Path(name))]
    head, _, tail = name.rpartition("/")
    if head and tail.isascii() and tail.isdigit() and len(tail) <= MOST_DIGITS:
        folders = RUNS / head, Path(head)
        found += [Generations(folder).generation_path(int(tail)) / NETWORK for folder in folders]
    return [*found, MODELS / f"{name}{SUFFIX}"]


def _as_the_run_wrote_it(path: Path) -> Path:
    """The file, or another with the bytes it should have; DamagedError if there is none."""
    number = path.parent.name
    generations = path.parent.parent
    found = path
    if path.name == CHAMPION:
        found = Generations(path.parent).champion_file()
    elif path.name == NETWORK and number.isdecimal() and generations.name == GENERATIONS:
        found = Generations(generations.parent).network(int(number))
    if found != path:
        print(f"anyzero: {path} is not what the run wrote; using {found} instead", file=sys.stderr)
    return found


def known_names() -> list[str]:
    runs = [path.parent.name for path in sorted(RUNS.glob(f"*/{CHAMPION}"))]
    return runs + [path.stem for path in sorted(MODELS.glob(f"*{SUFFIX}"))]


# --- the bundled nets: one per game, with a card of its origin and measured strength
# Their weights are 16-bit numbers.

FOLDER = Path(__file__).parents[2] / "games" / "nets"
HASH_DIGITS = 12


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
    return Nets({path.stem: read_card(path) for path in sorted(FOLDER.glob("*.toml"))})


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


def net_file(name: str) -> Path:
    return FOLDER / f"{name}.safetensors"


def size_of(name: str) -> int:
    return net_file(name).stat().st_size


def hash_of(path: Path) -> str:
    """The hash by which a card or a record identifies a net."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:HASH_DIGITS]


def best_network(game: Game) -> Path:
    known = nets().cards
    if game.name not in known:
        raise UnknownNameError(f"there is no bundled net for {game.name}; nets: {list_some(known)}")
    path = net_file(game.name)
    with reading(path):
        if hash_of(path) != known[game.name].network:
            raise DamagedError(f"{path} is not the net that its card describes; reinstall anyzero")
    return path
