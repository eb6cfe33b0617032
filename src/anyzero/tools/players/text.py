"""The text of a player and its parts: `rave:2000,bias=1e-5`, `gumbel:64@hex7`, `level:easy`,
`uci:stockfish`.
"""

from collections.abc import Callable, Collection
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from anyzero.core.base.errors import (
    BadOptionError,
    MissingFunctionError,
    UnknownNameError,
    check_name,
    text_of,
)
from anyzero.core.base.nouns import Values
from anyzero.core.game.definition import split_text
from anyzero.core.game.game import Game
from anyzero.core.learning.find import BEST, find_network, net_file
from anyzero.core.search.methods import METHODS, SearchText, parse_search

LEVELS = ("beginner", "easy", "medium", "hard", "max")  # weakest first

TEMPERATURES = (10, 4, 2)
"""The three weaker levels do not search: they sample from the net's policy, flattened by the
temperature.
"""
HARD = 32
MOST_NETWORKS = 4  # that are kept
BY_VALUES = "expectimax:8000"  # how a net without a policy plays by default


def net_method(path: Path) -> str:
    """The method that suits the net in a file."""
    return _method(path, path.stat().st_mtime_ns)


@cache
def _method(path: Path, changed_ns: int) -> str:
    from anyzero.core.nets.weights import read_header

    return "gumbel" if read_header(path)["network"].get("has_policy", True) else "expectimax"


def level_text(game: Game, level: str) -> str:
    texts = game.facts.levels
    if has_net(game):
        texts = net_levels(game, net_method(net_file(game.name)))
    return texts[LEVELS.index(level)]


def has_net(game: Game) -> bool:
    """Whether the package has a net that was trained, and its levels measured, on this board."""
    name = game.source or game.name
    if game.is_from_file or not net_file(name).exists():
        return False
    return net_board(name) == dict(game.options)


def net_levels(game: Game, method: str, net: str = BEST) -> tuple[str, ...]:
    """The levels of a game with a net that this method suits, weakest first."""
    facts = game.facts
    if method == "expectimax":
        return *facts.levels[:-1], f"{BY_VALUES}@{net}"
    weaker = (f"gumbel:1,temperature={temperature}@{net}" for temperature in TEMPERATURES)
    return *weaker, f"gumbel:{HARD}@{net}", f"gumbel:{facts.max_simulations}@{net}"


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
        names = [word for word, its_kind in KIND_OF.items() if its_kind in kinds]
        check_name(
            "player", name, names, ", or a path to a .py file with make()" if FILE in kinds else ""
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


# --- the search that a text names

SEARCHERS = (SEARCH, LEVEL)  # the kinds of players that search


def search_arguments(
    wanted: PlayerText,
    game: Game,
    load: Callable[[Game, Path], Any] | None = None,
    threads: int | None = None,
) -> Values:
    """The arguments of `Searcher` besides the game.

    `load` makes an evaluator of a network file. By default it is compiled and uses so many threads,
    None: one a core, unless the text says how many.
    """
    plain = wanted.in_game(game)
    if plain.search is None:
        raise MissingFunctionError(
            f"{wanted.text} does not search; name a method like uct:1000 or a level"
        )
    if not plain.network:
        return plain.search.arguments
    path = network_path(plain, game)
    arguments = plain.search.arguments
    threads = arguments.pop("threads", threads)
    load = load or partial(load_evaluator, threads=threads)
    return {**arguments, "evaluator": load(game, path)}


def network_path(wanted: PlayerText, game: Game) -> Path:
    """The file of a player's network; an error if its search needs a policy that the network does
    not have.
    """
    path = find_network(wanted.network, game)
    name = wanted.network
    if wanted.search is not None and net_method(path) == "expectimax" != wanted.search.method:
        raise BadOptionError(
            f"the network {name} has no policy for {wanted.text!r}; play {BY_VALUES}@{name}"
        )
    return path


def load_evaluator(game: Game, path: Path, threads: int | None) -> Any:
    """The network in a file; the last few are kept, since to load a large one takes half a
    second.
    """
    return _evaluator(game, path, path.stat().st_mtime_ns, threads)


@lru_cache(MOST_NETWORKS)
def _evaluator(game: Game, path: Path, changed_ns: int, threads: int | None) -> Any:
    from anyzero.core.nets.evaluator import NetworkEvaluator
    from anyzero.core.nets.weights import read_network

    return NetworkEvaluator(game, read_network(path, game), threads=threads)
