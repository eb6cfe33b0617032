"""Who plays the games of a block: a network with a search, a search with rollouts, or chance."""

from typing import NamedTuple

from anyzero.core.game.game import Game
from anyzero.core.learning.config import RANDOM, SelfPlayConfig
from anyzero.core.learning.search_text import anchor_search, parse_self_play
from anyzero.core.search.methods import OUTSIDE, Evaluator, Method, adapt, find_method


class Contestant(NamedTuple):
    """A search and its evaluator; contestants with equal searches share their trees."""

    name: str
    method: Method  # as the game and the evaluator allow it
    simulations: int
    evaluator: Evaluator | None = None  # None: it is part of the search, or on a GPU


def network_contestant(
    game: Game,
    name: str,
    evaluator: Evaluator | None,
    config: SelfPlayConfig,
    *,
    noise: bool,
    simulations: int = 0,
) -> Contestant:
    """A network as used in self-play or a match, None: one that answers on a GPU; 0 simulations: as
    in self-play.
    """
    method = adapt(game, self_play_method(config, noise=noise), OUTSIDE)
    if config.method == "expectimax":
        return Contestant(name, method, game.num_actions, evaluator)
    return Contestant(name, method, simulations or config.simulations, evaluator)


def anchor_contestant(game: Game, text: str) -> Contestant:
    """A player that never changes: `random`, or a method and its simulations, `uct:1000`."""
    method, simulations = (find_method("uct", {}), 0) if text == RANDOM else anchor_search(text)
    return Contestant(text, adapt(game, method, "rollout"), simulations)


def self_play_method(config: SelfPlayConfig, *, noise: bool = True) -> Method:
    """The search of self-play; without noise, the search of matches."""
    return parse_self_play(config.search).method(noise=noise)
