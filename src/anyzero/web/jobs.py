"""One search in the worker: made from its text, driven in short turns, stopped when it is no longer wanted."""

import json
import math
import threading
import time
from collections.abc import Callable
from functools import cached_property
from typing import Any

from anyzero.child import Child, listen, python_command, read_lines
from anyzero.compile.cache import NotCompiledError, loading_only
from anyzero.games.game import Game, State
from anyzero.games.line import Line
from anyzero.games.load import load
from anyzero.players.player import choose_at_random
from anyzero.players.search_player import search_arguments
from anyzero.players.text import split_player
from anyzero.search import Searcher, SearchResult
from anyzero.search.run import Run
from anyzero.search.search import room
from anyzero.search.stream import PIECE_S, LiveSearch
from anyzero.web.forms import cells_of, state_of
from anyzero.web.turns import Turns

LOOK_EVERY_S = 0.25
LATE_S = 0.5
"""A search by the clock that had to wait for its turns ends this much after its time, with what it has."""
NODES_A_SECOND = 4_000_000
"""No game's tree grows faster."""
MOST_GHOSTS = 6
"""Moves of the expected line that are drawn."""

Send = Callable[[dict[str, Any]], None]
GiveWay = Callable[[], object]

COMPILING = threading.Lock()


class StoppedError(Exception):
    """Nobody waits for this search any more."""


class Job:
    """What is wanted; `stopped` may be set at any time."""

    def __init__(self, wanted: dict[str, Any], game: Game) -> None:
        self.number, self.client = int(wanted["job"]), str(wanted["client"])
        self.game, self.player, self.seed = game, str(wanted["player"]), int(wanted["seed"])
        self.live, self.max_nodes = bool(wanted["live"]), int(wanted["max_nodes"])
        self.wanted, self.end = wanted, time.perf_counter() + LATE_S
        self.state = state_of(game, bytes.fromhex(wanted["state"]))
        self.stopped = threading.Event()
        self.ghosts: tuple[list[str], list[list[str]]] | None = None

    def run(self, turns: Turns, send: Send) -> dict[str, Any]:
        """Search to the end, or to the stop: what was found by then."""
        if self.player == "random":
            return {"action": choose_at_random(self.game, Line.begin(self.game, self.state), self.seed), "result": None}
        if not self.is_compiled(turns):
            self.compile()
        with turns.turn(self.client) as give_way:
            searcher = self.searcher()
            self.end += searcher.seconds or math.inf
            shown = self.halve(searcher, give_way) if searcher.method.halves else self.grow(searcher, give_way, send)
        return {"action": shown["best_action"], "result": shown}

    def grow(self, searcher: Searcher, give_way: GiveWay, send: Send) -> dict[str, Any]:
        """Search piece by piece, and tell what was found so far where somebody looks on."""
        search = LiveSearch(searcher, self.state, self.seed)
        shown, going = self.go_on(search, False)
        look = time.perf_counter() + LOOK_EVERY_S / 4
        while going:
            give_way()
            shown, going = self.go_on(search, self.live and time.perf_counter() >= look)
            if going and shown is not None:
                send({"result": shown})
                look = time.perf_counter() + LOOK_EVERY_S
        assert shown is not None
        return shown

    @property
    def wanted_nodes(self) -> int:
        """How large its tree can become."""
        if self.player == "random":
            return 0
        budget = split_player(self.player).in_game(self.game).search
        assert budget is not None  # it searches
        if budget.simulations is None:
            return min(self.max_nodes, int(NODES_A_SECOND * (budget.seconds or 0.0)))
        return room(self.game, budget.simulations, self.max_nodes)

    @cached_property
    def arguments(self) -> dict[str, Any]:
        """What makes the searcher that the player's text names; the text was checked before."""
        return search_arguments(split_player(self.player), self.game)

    def searcher(self, **changes: Any) -> Searcher:
        return Searcher(self.game, **{**self.arguments, "max_nodes": self.max_nodes, **changes})

    def try_out(self) -> None:
        """Run every kernel once."""
        self.searcher(simulations=2, seconds=None).choose(self.state, 0)

    def is_compiled(self, turns: Turns) -> bool:
        """Load what is compiled; False if something is missing."""
        try:
            with turns.turn(self.client), loading_only():
                self.try_out()
        except NotCompiledError:
            return False
        return True

    def compile(self) -> None:
        """Compile in a process of its own, as the searches of others would stand still; the clock stands still too."""
        start = time.perf_counter()
        with COMPILING:
            child = Child(python_command("anyzero.web.jobs", "compile_wanted"))
            child.send(json.dumps(self.wanted))
            child.read_all()
            child.wait(None)
        self.end += time.perf_counter() - start

    def go_on(self, search: LiveSearch, look: bool) -> tuple[dict[str, Any] | None, bool]:
        """One turn: what was found, if somebody looks or it is the end, and whether there is more to do."""
        end, going = time.perf_counter() + PIECE_S, True
        while going and (left := end - time.perf_counter()) > 0.0:
            going = search.advance(left)
        going = going and not self.stopped.is_set() and time.perf_counter() < self.end
        return self.values(search.result()) if look or not going else None, going

    def values(self, result: SearchResult) -> dict[str, Any]:
        """The result as plain values, and the cells of the expected line; those are worked out again if it changes."""
        line = result.principal_variation[:MOST_GHOSTS]
        if self.ghosts is None or self.ghosts[0] != line:
            self.ghosts = line, ghost_cells(self.game, self.state, line)
        return {**result.to_json(), "ghosts": self.ghosts[1]}

    def halve(self, searcher: Searcher, give_way: GiveWay) -> dict[str, Any]:
        """Halving has nothing to show before its end, but it waits for its turns as well."""
        run = searcher.last = searcher.new_run()
        simulate = run.simulate

        def paced(num: int, *forced: int) -> int:
            if self.stopped.is_set():
                raise StoppedError
            give_way()
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


def compile_wanted() -> None:
    """The process that compiles: a job comes in, its code is on the disk at the end."""
    wanted = json.loads(next(read_lines()))
    listen()
    Job(wanted, load(wanted["game"])).try_out()


def ghost_cells(game: Game, state: State, line: list[str]) -> list[list[str]]:
    """For each move of the line, the cells that it names; empty for a game without a picture."""
    cells: list[list[str]] = []
    for move in line if game.has("scene") else ():
        action = game.parse_action(state, move)
        cells.append(cells_of(game, state, action))
        state = game.play(state, action)
    return cells
