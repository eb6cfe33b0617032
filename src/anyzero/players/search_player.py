"""Players that search: `rave:2000`, `uct:0.5s`, `level:easy`, or with a trained network, `gumbel:64@hex7`."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from anyzero.errors import BadOptionError, MissingFunctionError
from anyzero.games.game import Game, State
from anyzero.games.line import Line, first_decision
from anyzero.games.load import position_of
from anyzero.networks.find import BEST, find_network
from anyzero.players.player import LATE_FACTOR, LATE_S, Player
from anyzero.players.text import LEVEL, SEARCH, PlayerText, split_player
from anyzero.search import Searcher, SearchResult

SEARCHERS = (SEARCH, LEVEL)  # the kinds of players that search


def search_player(wanted: PlayerText) -> Player:
    """The best move of a search. With the option `reuse` it keeps its tree from move to move of a game."""
    options = wanted.search.options if wanted.search is not None else {}
    if float(options.get("noise_fraction", 0.0)) > 0.0:
        raise BadOptionError(f"{wanted.text!r}: noise at the root is for self-play; a player that is measured has none")
    if wanted.network not in ("", BEST):
        find_network(wanted.network)  # says so if there is none
    arguments = cache(lambda game: search_arguments(wanted, game))
    searchers: dict[tuple[Game, bool], Searcher] = {}
    last: dict[Searcher, Line] = {}

    def searcher(game: Game, line: Line, seconds: float | None = None) -> Searcher:
        """The one for this budget; it has a tree only if the line goes on from its last search."""
        key = game, seconds is not None
        if key not in searchers:
            budget = {} if seconds is None else {"simulations": None, "seconds": seconds}
            searchers[key] = Searcher(game, **{**arguments(game), **budget})
        found = searchers[key]
        found.seconds = found.seconds if seconds is None else seconds
        if not line.extends(last.get(found)):
            found.forget()
        last[found] = line
        return found

    def choose(game: Game, line: Line, seed: int) -> int:
        actions = game.legal_actions(line.state)
        return actions[0] if len(actions) == 1 else searcher(game, line).choose(line.state, seed)

    def think(game: Game, line: Line, seed: int, seconds: float | None = None) -> SearchResult:
        return searcher(game, line, seconds).search(line.state, seed)

    @cache
    def prepare(game: Game) -> None:
        state = first_decision(game)
        if state is not None:
            Searcher(game, **{**arguments(game), "simulations": 2, "seconds": None}).choose(state, 0)

    budget_s = None if wanted.search is None else wanted.search.seconds
    limit_s = None if budget_s is None else LATE_FACTOR * budget_s + LATE_S
    return Player(wanted.text, choose, limit_s, prepare, think)


def search(
    game: Game | str, state: State | str | None = None, method: str = "uct", *, seed: int = 0, **options: Any
) -> SearchResult:
    """Search a position, the start if it is left out, until the budget is spent; what was found for each move.

    `method` is a player's text, budget and all, or only the name of a method with `simulations` or `seconds` as
    options. Further options: `max_nodes`, `final`, `evaluator`, `trees`, `temperature`, and those of the method.
    The same seed and number of simulations give the same result.

    >>> anyzero.search("hex:size=7", method="rave:2000")
    >>> anyzero.search(game, state, "gumbel", simulations=64, evaluator="uniform")
    """
    game, state = position_of(game, state)
    if ":" in method:
        options = {**search_arguments(split_player(method, SEARCHERS), game), **options}
    else:
        options["method"] = method
    return Searcher(game, **options).search(state, seed)


def search_arguments(wanted: PlayerText, game: Game, load: Callable[[Game, Path], Any] | None = None) -> dict[str, Any]:
    """What `Searcher` takes besides the game; `load` makes an evaluator of a network's file, by default compiled."""
    plain = wanted.in_game(game)
    if plain.search is None:
        raise MissingFunctionError(f"{wanted.text} does not search; name a method like uct:1000 or a level")
    if not plain.network:
        return plain.search.arguments
    return {**plain.search.arguments, "evaluator": (load or load_evaluator)(game, find_network(plain.network, game))}


def load_evaluator(game: Game, path: Path) -> Any:
    """The network in a file, on one thread: a player has one position at a time, and an arena many players."""
    from anyzero.networks.evaluator import NetworkEvaluator
    from anyzero.networks.weights import read_network

    return NetworkEvaluator(game, read_network(path, game), precision="float32", threads=1)
