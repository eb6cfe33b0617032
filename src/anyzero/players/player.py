"""What a player is: a text, and a function that chooses an action."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from anyzero.errors import BadOptionError
from anyzero.games.contract import OVER
from anyzero.games.game import Game, State
from anyzero.networks.find import find_network
from anyzero.search import Searcher, SearchResult
from anyzero.search.text import parse_search

Choose = Callable[[Game, State, int], int]
"""(game, state, seed) -> a legal action; the same seed gives the same action."""

Think = Callable[[Game, State, int], SearchResult]
"""The same for those who want to know more: `best_action` is what `choose` answers."""

LATE_FACTOR, LATE_S = 1.5, 1.0
"""A player with a budget of seconds may take this many times its budget, and so much on top: a busy machine is slow."""


def do_nothing(game: Game) -> None:
    """The preparation of a player that needs none."""


def keep_nothing() -> None:
    """What a player does between games if it has no memory."""


@dataclass(frozen=True)
class Player:
    """Chooses moves. What it keeps from one move to the next it forgets before every game."""

    text: str
    """What `parse_player` makes it from."""
    choose: Choose
    limit_s: float | None = None
    """Most seconds that a move may take; None: it has no clock."""
    prepare: Callable[[Game], None] = do_nothing
    """Done once before the first game, so that no clock runs while code is compiled."""
    forget: Callable[[], None] = keep_nothing
    """Done before every game: a game must not depend on the one before."""
    think: Think | None = None
    """`choose` with everything that the search found, for players that search."""


def random_player(text: str) -> Player:
    """Every legal action with the same chance."""
    return Player(text, choose_at_random)


def choose_at_random(game: Game, state: State, seed: int) -> int:
    actions = game.legal_actions(state)
    return actions[(seed % 2**64 * len(actions)) >> 64]


def search_player(text: str) -> Player:
    """The best move of a search: `rave:2000,bias=1e-5`, `uct:0.5s`, or with a trained network, `gumbel:64@hex7`."""
    search, at, network = text.partition("@")
    wanted = parse_search(search)
    path = find_network(network) if at else None
    if float(wanted.options.get("noise_fraction", 0.0)) > 0.0:
        raise BadOptionError(f"{text!r}: noise at the root is for self-play; a player that is measured has none")
    searchers: dict[Game, Searcher] = {}

    def searcher(game: Game) -> Searcher:
        if game not in searchers:
            searchers[game] = Searcher(game, **arguments(game))
        return searchers[game]

    @cache
    def arguments(game: Game) -> dict[str, Any]:
        return wanted.arguments if path is None else {**wanted.arguments, "evaluator": load_evaluator(game, path)}

    def choose(game: Game, state: State, seed: int) -> int:
        actions = game.legal_actions(state)
        return actions[0] if len(actions) == 1 else searcher(game).choose(state, seed)

    def think(game: Game, state: State, seed: int) -> SearchResult:
        return searcher(game).search(state, seed)

    def prepare(game: Game) -> None:
        state = first_decision(game)
        if state is not None:
            Searcher(game, **{**arguments(game), "simulations": 2, "seconds": None}).choose(state, 0)

    def forget() -> None:
        for known in searchers.values():
            known.forget()

    limit_s = None if wanted.seconds is None else LATE_FACTOR * wanted.seconds + LATE_S
    return Player(text, choose, limit_s, prepare, forget, think)


def load_evaluator(game: Game, path: Path) -> Any:
    """The network in a file, on one thread: a player has one position at a time, and an arena many players."""
    from anyzero.networks import NetworkEvaluator, load_network

    return NetworkEvaluator(game, load_network(path, game), precision="float32", threads=1)


def first_decision(game: Game) -> State | None:
    """The first position in which a seat is to move, whatever chance does before; None if there is none."""
    state = game.initial_state()
    while game.seat_to_move(state) < 0:
        if game.seat_to_move(state) == OVER:
            return None
        state = game.play(state, game.legal_actions(state)[0])
    return state
