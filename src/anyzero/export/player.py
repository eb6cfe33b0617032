"""The search of a player as C and bots have it: one tree, begun anew for every move."""

from typing import NamedTuple

from anyzero.errors import BadOptionError
from anyzero.games.game import Game
from anyzero.networks.weights import StoredNetwork
from anyzero.players.search_player import SEARCHERS
from anyzero.players.text import split_player
from anyzero.search import Searcher
from anyzero.search.run import Run
from anyzero.search.settings import GUMBEL

MOST_TIMED = 4_000
"""Simulations that a search with a clock has room for; in plain Python none comes that far in a tenth of a second."""


class PlainSearch(NamedTuple):
    run: Run
    """Its method and its memory."""
    simulations: int
    """At most."""
    seconds: float
    """For a move; 0: as long as the simulations take."""


def plain_search(game: Game, player: str, network: StoredNetwork | None = None) -> PlainSearch:
    """The search that a player's text names, `network` being that behind its @; refuses what needs more than a tree."""
    wanted = split_player(player, SEARCHERS).in_game(game)
    if wanted.search is None:
        raise BadOptionError(f"{player} is no search, as uct:200 or puct:32@best are")
    seconds, simulations = wanted.search.seconds or 0.0, wanted.search.simulations or MOST_TIMED
    options = {**wanted.search.arguments, "simulations": simulations, "seconds": None}
    if network is not None:
        options["evaluator"] = lambda game, states: (states, states)  # only that there is one matters here
    searcher = Searcher(game, **options)
    settings = searcher.method.settings
    is_plain = searcher.trees == 1 and searcher.temperature == 0 and not searcher.reuse and not searcher.method.halves
    if not is_plain or searcher.final not in ("visits", "gumbel") or settings.leaves > 1:
        raise BadOptionError(
            f"{player}: an exported search has one tree, begins it anew, and plays its most visited move"
        )
    if seconds and settings.formula == GUMBEL:
        raise BadOptionError(f"{player}: gumbel plans its simulations and needs their number; with a clock, take puct")
    return PlainSearch(Run(game, searcher.method, room=searcher.room, simulations=simulations), simulations, seconds)
