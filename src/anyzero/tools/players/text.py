"""The text of a player and its parts: `rave:2000,bias=1e-5`, `gumbel:64@hex7`, `level:easy`,
`uci:stockfish`.
"""

from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from anyzero.core.base.errors import BadOptionError, UnknownNameError, check_name, text_of
from anyzero.core.base.nouns import Values
from anyzero.core.game.game import Game
from anyzero.core.game.load import split_text
from anyzero.core.learning.find import BEST, net_file
from anyzero.core.search.methods import METHODS, SearchText, parse_search

LEVELS = ("beginner", "easy", "medium", "hard", "max")  # weakest first

PLAIN = ("uct:10", "uct:100", "uct:1000", "uct:10000", "uct:5s")
"""For games without a table entry, including users' own."""
GRAVE_GAMES = (
    "knightthrough",
    "domineering",
    "atarigo",
)  # where GRAVE is stronger than UCT and RAVE

BY_GAME: Mapping[str, tuple[str, ...]] = {
    "tic_tac_toe": ("flat:3", "flat:20", "uct:30", "uct:200", "uct:2000"),
    "connect_four": ("uct:10", "uct:50", "uct:300", "uct:3000", "uct:5s"),
    **dict.fromkeys(GRAVE_GAMES, ("uct:10", "rave:100", "grave:1000", "grave:10000", "grave:5s")),
    "hex": ("uct:20", "rave:100", "rave:1000", "rave:10000", "rave:5s"),
    "take_it_easy": (
        "flat:20",
        "uct:100",
        *(f"uct:{budget},evaluator=guided" for budget in ("100", "1000", "5s")),
    ),
}
"""Levels without a net, by the name of the game."""

TEMPERATURES = (10, 4, 2)
"""The three weaker levels do not search: they sample from the net's policy, flattened by the
temperature.
"""
HARD = 32
MOST: Mapping[str, int] = {
    "tic_tac_toe": 500,
    **dict.fromkeys(("connect_four", *GRAVE_GAMES), 1200),
    "breakthrough": 700,
    "hex": 500,
    "oware": 1000,
    "chess": 200,
    "take_it_easy": 200,
}
"""Simulations of `max` with the bundled net: about half a second per move on one laptop core."""
USUAL_MOST = 400  # the same for games without a measurement
BY_VALUES = "expectimax:8000"  # how a net without a policy plays by default


def net_method(path: Path) -> str:
    """The method that suits the net in a file."""
    return _method(path, path.stat().st_mtime_ns)


@cache
def _method(path: Path, changed_ns: int) -> str:
    from anyzero.core.nets.weights import read_header

    return "gumbel" if read_header(path)["network"].get("has_policy", True) else "expectimax"


def level_text(game: Game, level: str) -> str:
    name = game.source or game.name
    # whether the package has a net trained, and its levels measured, on exactly this board
    has_net = name in MOST and net_board(name) == dict(game.options)
    texts = net_levels(name, net_method(net_file(name))) if has_net else BY_GAME.get(name, PLAIN)
    return texts[LEVELS.index(level)]


def net_levels(name: str, method: str, net: str = BEST) -> tuple[str, ...]:
    """The levels of a game with a net that this method suits, weakest first."""
    if method == "expectimax":
        return *BY_GAME.get(name, PLAIN)[:-1], f"{BY_VALUES}@{net}"
    weaker = (f"gumbel:1,temperature={temperature}@{net}" for temperature in TEMPERATURES)
    return *weaker, f"gumbel:{HARD}@{net}", f"gumbel:{MOST.get(name, USUAL_MOST)}@{net}"


@cache
def net_board(name: str) -> Values:
    """The options of the game that the bundled net was trained on."""
    from anyzero.core.nets.weights import read_header

    return dict(read_header(net_file(name))["options"])


RANDOM = "random"
SEARCH = "search"
LEVEL = "level"
FILE = "file"
ENGINE = "engine"
"""The kinds of players. The last two run other people's code."""
OWN_KINDS = (RANDOM, SEARCH, LEVEL)
KIND_OF = {
    RANDOM: RANDOM,
    **dict.fromkeys(METHODS, SEARCH),
    LEVEL: LEVEL,
    "uci": ENGINE,
    "gtp": ENGINE,
}
"""By the first word of a text; a path to a .py file is a player too."""


class PlayerText(NamedTuple):
    """The parsed text of a player; nothing has been looked up on disk."""

    text: str
    kind: str
    name: str  # its first part: a method, a path, `level`, `uci`, ...
    rest: str  # the part after the colon: a budget, a level, options, a command
    search: SearchText | None = None  # for a search: the method, its budget and its options
    network: str = ""  # for a search: the part after the @

    def in_game(self, game: Game) -> "PlayerText":
        """The same player; a level becomes the search that it means in this game."""
        return split_player(level_text(game, self.rest)) if self.kind == LEVEL else self


def split_player(text: str, kinds: Collection[str] = (*OWN_KINDS, FILE, ENGINE)) -> PlayerText:
    """The parts of a text that names a player of one of these kinds; errors name the fault."""
    text = text_of("the player", text).strip()
    name, _, rest = text.partition(":")
    if KIND_OF.get(name) != ENGINE:  # an engine's command may contain anything
        name, rest = split_text(text)
    kind = FILE if name.endswith(".py") else KIND_OF.get(name, "")
    if kind not in kinds:
        if name in LEVELS:
            raise UnknownNameError(f"there is no player {name!r}; did you mean level:{name}?")
        known = [known for known, its_kind in KIND_OF.items() if its_kind in kinds]
        check_name(
            "player", name, known, ", or a path to a .py file with make()" if FILE in kinds else ""
        )
    if kind == RANDOM and text != name:
        raise BadOptionError(f"{text!r}: random play has neither a budget nor options")
    if kind == LEVEL:
        check_name("level", rest, LEVELS)
    if kind != SEARCH:
        return PlayerText(text, kind, name, rest)
    search, at, network = text.partition("@")
    if at and not network.strip():
        raise BadOptionError(f"{text!r}: there is no network after the @")
    return PlayerText(text, kind, name, rest, parse_search(search), network.strip())
