"""What a player is: a text, and a function that chooses an action."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from anyzero.errors import BadOptionError
from anyzero.games.contract import OVER
from anyzero.games.game import Game, State
from anyzero.games.line import Line
from anyzero.networks.find import find_network
from anyzero.search import Searcher, SearchResult
from anyzero.search.text import parse_search

Choose = Callable[[Game, Line, int], int]
"""(game, the game so far, seed) -> a legal action; the same line and seed give the same action."""

Think = Callable[[Game, Line, int], SearchResult]
"""The same for those who want to know more: `best_action` is what `choose` answers."""

LATE_FACTOR, LATE_S = 1.5, 1.0
"""A player with a budget of seconds may take this many times its budget, and so much on top: a busy machine is slow."""


def do_nothing(game: Game) -> None:
    """The preparation of a player that needs none."""


@dataclass(frozen=True)
class Player:
    """Chooses moves. What it keeps from one move to the next it uses only while a line goes on: see `Line.extends`."""

    text: str
    """What `parse_player` makes it from."""
    choose: Choose
    limit_s: float | None = None
    """Most seconds that a move may take; None: it has no clock."""
    prepare: Callable[[Game], None] = do_nothing
    """Called before every game, while no clock runs: to compile code, or to start an engine."""
    think: Think | None = None
    """`choose` with everything that the search found, for players that search."""


def random_player(text: str) -> Player:
    """Every legal action with the same chance."""
    return Player(text, choose_at_random)


def choose_at_random(game: Game, line: Line, seed: int) -> int:
    actions = game.legal_actions(line.state)
    return actions[(seed % 2**64 * len(actions)) >> 64]


def search_player(text: str) -> Player:
    """The best move of a search: `rave:2000,bias=1e-5`, `uct:0.5s`, or with a trained network, `gumbel:64@hex7`."""
    search, at, network = text.partition("@")
    wanted = parse_search(search)
    path = find_network(network) if at else None
    if float(wanted.options.get("noise_fraction", 0.0)) > 0.0:
        raise BadOptionError(f"{text!r}: noise at the root is for self-play; a player that is measured has none")
    searchers: dict[Game, Searcher] = {}
    last: dict[Game, Line] = {}

    def searcher(game: Game, line: Line) -> Searcher:
        if game not in searchers:
            searchers[game] = Searcher(game, **arguments(game))
        if not line.extends(last.get(game)):
            searchers[game].forget()
        last[game] = line
        return searchers[game]

    @cache
    def arguments(game: Game) -> dict[str, Any]:
        return wanted.arguments if path is None else {**wanted.arguments, "evaluator": load_evaluator(game, path)}

    def choose(game: Game, line: Line, seed: int) -> int:
        actions = game.legal_actions(line.state)
        return actions[0] if len(actions) == 1 else searcher(game, line).choose(line.state, seed)

    def think(game: Game, line: Line, seed: int) -> SearchResult:
        return searcher(game, line).search(line.state, seed)

    @cache
    def prepare(game: Game) -> None:
        state = first_decision(game)
        if state is not None:
            Searcher(game, **{**arguments(game), "simulations": 2, "seconds": None}).choose(state, 0)

    limit_s = None if wanted.seconds is None else LATE_FACTOR * wanted.seconds + LATE_S
    return Player(text, choose, limit_s, prepare, think)


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
