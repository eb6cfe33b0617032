"""The facts of a game: what the rest of the package asks about it beside its rules.

They stand in the game's own file, as `Game(..., facts=Facts(...))`. All have defaults, so a game
needs none of them to be played, searched and trained.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Literal, NamedTuple

from anyzero.core.base.errors import BadGameError
from anyzero.core.base.nouns import NamedValues, State

NUM_LEVELS = 5
LEVELS = ("uct:10", "uct:100", "uct:1000", "uct:10000", "uct:5s")
GRAVE_LEVELS = ("uct:10", "rave:100", "grave:1000", "grave:10000", "grave:5s")
"""For games in which GRAVE is stronger than UCT and RAVE."""

Device = Literal["cpu", "cuda"]


class Recipe(NamedTuple):
    """How a game is trained: `anyzero train --preset NAME`. docs/training.md cites the sources."""

    meaning: str  # in one sentence
    changes: NamedValues  # what is special about the game, as changes of the default config
    laptop: NamedValues  # sizes for a few processor cores; a GPU's follow from it and the board
    board: NamedValues = MappingProxyType({})  # options of the game, if none are named
    default_on: tuple[Device, ...] = ("cpu", "cuda")  # where it is used if no recipe is named


class Uci(NamedTuple):
    """What UCI, the protocol of chess engines, needs to know of a game."""

    read_fen: Callable[[str], str]  # the FEN of a GUI as a text that `parse_state` reads
    play_on: Callable[[State], State]  # the position without a draw that a GUI need not claim


class Advisor(NamedTuple):
    """The page's advisor for a game of chance: it is told each outcome, and says the best move."""

    player: str  # who advises
    outcome: str  # a noun for what is drawn
    letters: tuple[str, ...]  # what each letter of an outcome's text means


@dataclass(frozen=True)
class Facts:
    """What levels, ladders, training, files, protocols and the page know of a game."""

    levels: tuple[str, ...] = LEVELS
    """The players of the five levels without a net, weakest first."""
    max_simulations: int = 400
    """Simulations of the level `max` with a net: about half a second a move on a laptop's core."""
    best_method: str = "uct"
    """The strongest method without a net; the ladder of a net has it with growing budgets."""
    engines: tuple[tuple[str, ...], ...] = ()
    """More flights of the ladder: players of other programs, weakest first."""
    problems: Path | None = None
    """A file of positions with proven best moves; `anyzero rate` asks a net for them."""
    recipes: Mapping[str, Recipe] = field(default_factory=dict)
    """Recipes for training by the name of their preset."""
    has_larger_nets: bool = False
    """On a laptop, larger boards are trained with larger residual nets and more games."""
    uci: Uci | None = None
    """Engines that speak UCI can play it, and `anyzero uci` serves it."""
    on_go_board: bool = False
    """GTP's columns skip the letter i, as on a Go board."""
    pgn: tuple[str, ...] = ()
    """The values of the tag Variant by which PGN files mean this game; none: it has no PGN."""
    sgf: int = 0
    """The number of the game in SGF files, their property GM; 0: it has no SGF."""
    judge: Literal["", "houses"] = ""
    """The input of a contest's judge that a one-file bot understands: Oware's houses."""
    advisor: Advisor | None = None
    """It has a page that advises a person who plays with real tiles."""

    def __post_init__(self) -> None:
        if len(self.levels) != NUM_LEVELS:
            raise BadGameError(f"a game has {NUM_LEVELS} levels, not {len(self.levels)}")
