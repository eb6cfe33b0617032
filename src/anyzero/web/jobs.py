"""One search in the worker: made from its text, driven in short turns, stopped when it is no longer wanted."""

import threading
import time
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from anyzero.games.game import Game, State
from anyzero.networks.find import find_network
from anyzero.players.levels import level_text
from anyzero.players.player import choose_at_random, load_evaluator
from anyzero.search import Searcher, SearchResult
from anyzero.search.run import Run
from anyzero.search.stream import PIECE_S, LiveSearch
from anyzero.search.text import parse_search
from anyzero.web.turns import Turnstile

LOOK_EVERY_S = 0.25
MOST_GHOSTS = 6
"""Moves of the expected line that are drawn."""

Send = Callable[[dict[str, Any]], None]


class StoppedError(Exception):
    """Nobody waits for this search any more."""


class Job:
    """What is wanted; `stopped` may be set at any time."""

    def __init__(self, wanted: dict[str, Any], game: Game) -> None:
        self.number, self.client = int(wanted["job"]), str(wanted["client"])
        self.game, self.player, self.seed = game, str(wanted["player"]), int(wanted["seed"])
        self.live, self.max_nodes = bool(wanted["live"]), int(wanted["max_nodes"])
        self.state = parse_bytes(game, wanted["state"])
        self.stopped = threading.Event()
        self.ghosts: tuple[list[str], list[list[str]]] | None = None

    def run(self, turns: Turnstile, send: Send) -> dict[str, Any]:
        """Search to the end, or to the stop: what was found by then."""
        if self.player == "random":
            return {"action": choose_at_random(self.game, self.state, self.seed), "result": None}
        with turns.turn(self.client):
            searcher = self.prepare()
            search = None if searcher.method.halves else LiveSearch(searcher, self.state, self.seed)
            shown, going = self.go_on(search, False) if search is not None else (None, False)
        if search is None:
            shown = self.halve(searcher, turns)
        look = time.perf_counter() + LOOK_EVERY_S / 4
        while going and search is not None:
            with turns.turn(self.client):
                shown, going = self.go_on(search, self.live and time.perf_counter() >= look)
            if going and shown is not None:
                send({"result": shown})
                look = time.perf_counter() + LOOK_EVERY_S
        assert shown is not None
        return {"action": shown["best_action"], "result": shown}

    def prepare(self) -> Searcher:
        """The searcher, with everything compiled before its clock runs; a moment where that is done."""
        arguments = search_arguments(self.game, self.player, self.max_nodes)
        Searcher(self.game, **{**arguments, "simulations": 2, "seconds": None}).choose(self.state, 0)
        return Searcher(self.game, **arguments)

    def go_on(self, search: LiveSearch, look: bool) -> tuple[dict[str, Any] | None, bool]:
        """One turn: what was found, if somebody looks or it is the end, and whether there is more to do."""
        end, going = time.perf_counter() + PIECE_S, True
        while going and (left := end - time.perf_counter()) > 0.0:
            going = search.advance(left)
        going = going and not self.stopped.is_set()
        return self.values(search.result()) if look or not going else None, going

    def values(self, result: SearchResult) -> dict[str, Any]:
        """The result as plain values, and the cells of the expected line; those are worked out again if it changes."""
        line = result.principal_variation[:MOST_GHOSTS]
        if self.ghosts is None or self.ghosts[0] != line:
            self.ghosts = line, ghost_cells(self.game, self.state, line)
        return {**result.to_json(), "ghosts": self.ghosts[1]}

    def halve(self, searcher: Searcher, turns: Turnstile) -> dict[str, Any]:
        """Halving has nothing to show before its end, but it waits for its turns as well."""
        run = searcher.last = searcher.new_run()
        simulate = run.simulate

        def paced(num: int, *forced: int) -> int:
            if self.stopped.is_set():
                raise StoppedError
            with turns.turn(self.client):
                return simulate(num, *forced)

        run.simulate = in_pieces(run, paced)  # type: ignore[method-assign]
        return self.values(searcher.search(self.state, self.seed))


def in_pieces(run: Run, simulate: Callable[..., int]) -> Callable[..., int]:
    """Simulations in pieces of about one turn each."""
    piece = 1

    def simulate_all(num: int, *forced: int) -> int:
        nonlocal piece
        done = found = 0
        while done < num:
            start, now = time.perf_counter(), min(piece, num - done)
            found += simulate(now, *forced)
            done += now
            rate = now / max(time.perf_counter() - start, 1e-7)
            piece = max(1, min(2 * now, int(rate * PIECE_S)))
        return found

    return simulate_all


def search_arguments(game: Game, text: str, max_nodes: int) -> dict[str, Any]:
    """What makes the searcher that a player's text names; the text was checked before."""
    kind, _, level = text.partition(":")
    search, at, network = (level_text(game, level) if kind == "level" else text).partition("@")
    arguments = {**parse_search(search).arguments, "max_nodes": max_nodes}
    return {**arguments, "evaluator": load_evaluator(game, find_network(network))} if at else arguments


# --- forms


def state_text(state: State) -> str:
    """A state on its way to a process of the same program."""
    return str(state.tobytes().hex())


def parse_bytes(game: Game, text: str) -> State:
    return np.frombuffer(bytes.fromhex(text), game.state_dtype).copy().view(np.recarray)[0]


def ghost_cells(game: Game, state: State, line: list[str]) -> list[list[str]]:
    """For each move of the line, the cells that it names; empty for a game without a picture."""
    cells: list[list[str]] = []
    for move in line if game.has("scene") else ():
        action = game.parse_action(state, move)
        cells.append(clicks_of(game, state.tobytes()).get(action, []))
        state = game.play(state, action)
    return cells


@lru_cache(1024)
def clicks_of(game: Game, content: bytes) -> dict[int, list[str]]:
    """The cells of each action; expected lines change at their end, so that most of it is known."""
    scene = game.scene(parse_bytes(game, content.hex()))
    return {action: list(names) for action, names in scene.clicks.items()}
