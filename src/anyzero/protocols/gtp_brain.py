"""Who answers `genmove`: a player by its text, whose budget gives way to the clock where there is one."""

from anyzero.errors import MissingFunctionError
from anyzero.games.game import Game
from anyzero.games.line import Line
from anyzero.networks.find import find_network
from anyzero.players import parse_player
from anyzero.players.levels import level_text
from anyzero.players.player import load_evaluator
from anyzero.search import Searcher, SearchResult
from anyzero.search.methods import METHODS
from anyzero.search.text import parse_search


class Brain:
    """A player of one game."""

    def __init__(self, game: Game, text: str) -> None:
        self.game, self.player = game, parse_player(text)
        kind, _, rest = self.player.text.partition(":")
        search, at, network = (level_text(game, rest) if kind == "level" else self.player.text).partition("@")
        self.wanted = parse_search(search) if search.partition(":")[0] in METHODS else None
        self.evaluator = load_evaluator(game, find_network(network)) if at and self.wanted is not None else None

    def think(self, line: Line, seed: int, seconds: float | None) -> SearchResult | None:
        """What a search finds, within so many seconds where they are given; None for players that do not search."""
        if self.wanted is None:
            return None
        arguments = dict(self.wanted.arguments)
        if seconds is not None:
            arguments |= {"simulations": None, "seconds": seconds}
        if self.evaluator is not None:
            arguments["evaluator"] = self.evaluator
        return Searcher(self.game, **arguments).search(line.state, seed)

    def choose(self, line: Line, seed: int, seconds: float | None) -> tuple[int, float | None]:
        """The action to play and its value; None where nobody knows it."""
        found = self.think(line, seed, seconds)
        if found is None:
            return self.player.choose(self.game, line.copy(), seed), None
        return found.best_action, found.value

    def analyse(self, line: Line, seed: int, seconds: float | None) -> SearchResult:
        found = self.think(line, seed, seconds)
        if found is None:
            raise MissingFunctionError(f"{self.player.text} does not search: there is nothing to show")
        return found
