"""The process that searches: it reads jobs from standard input, a JSON object a line, and writes what they find.

The server's own process never searches and never compiles, so that it always answers at once. Each job is a thread
here; compiled code lets others run, and turns are handed out fairly. The process ends when the server does.
"""

import heapq
import json
import math
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, cached_property, lru_cache, partial
from typing import Any

from anyzero.child import Child, Send, count_cores, listen, python_command, read_lines, take_output
from anyzero.compile.cache import NotCompiledError, loading_only
from anyzero.errors import words_of
from anyzero.games.game import Game
from anyzero.games.line import Line
from anyzero.games.load import load
from anyzero.networks.forward import numpy_evaluator
from anyzero.networks.weights import read_network
from anyzero.players import parse_player
from anyzero.players.player import choose_at_random, consult, search_arguments
from anyzero.players.text import RANDOM, split_player
from anyzero.search import LiveSearch, Searcher, SearchResult
from anyzero.search.search import room
from anyzero.web.catalog import load_interpreted
from anyzero.web.forms import cells_of, state_of

MOST_GAMES = 16
NICE = 10
"""The server and the browser come first, then searches, then their compilers, and what nobody waits for comes last."""
SWITCH_S = 5e-4  # a search that has something to say in Python holds up the others no longer than this
LOOK_EVERY_S = 0.25
NOTICE_AFTER_S = 0.7  # who waits longer for code that is not compiled is told so
QUICK_S = 2.5  # until it is compiled, a move is what plain Python finds in this time
LATE_S = 0.5  # a search by the clock that had to wait for its turns ends this much after its time, with what it has
NODES_A_SECOND = 4_000_000  # no game's tree grows faster
MOST_GHOSTS = 6  # moves of the expected line that are drawn
LEAST_NODES = 5_000  # every search gets at least so large a tree
FAILED = "the search failed: "

Tell = Callable[[dict[str, Any]], None]
Found = tuple[dict[str, Any], bool]  # what a search found, and whether that was all of its budget
COMPILING, ENGINES = threading.Lock(), threading.Lock()
find_player = cache(parse_player)
load_game = lru_cache(MOST_GAMES)(load)
load_plain = lru_cache(MOST_GAMES)(load_interpreted)


class Turns:
    """Who may compute next: short turns, round robin by client.

    Laws: no more turns at a time than there are slots; in a round every client that waits has one turn, however many
    searches it has; who comes new to a round is next.
    """

    def __init__(self, slots: int) -> None:
        self.free, self.lock = slots, threading.Lock()
        self.round, self.number = 0, 0
        self.waiting: list[tuple[int, int, threading.Event]] = []
        """The round of each turn that is waited for, and a number that counts down."""
        self.rounds: dict[str, int] = {}  # by client, the first round in which it may have another turn

    @contextmanager
    def turn(self, client: str) -> Iterator[Callable[[], object]]:
        """Wait for a turn; what comes back is called between two pieces of work, and waits for the next turn."""
        self.queue(client).wait()
        try:
            yield lambda: self.queue(client, ended=1).wait()
        finally:
            self.end()

    def queue(self, client: str, ended: int = 0) -> threading.Event:
        """A place in the queue; who ends a turn is in it before the next one is called."""
        called = threading.Event()
        with self.lock:
            place = max(self.round, self.rounds.get(client, 0))
            self.rounds = {other: first for other, first in self.rounds.items() if first > self.round}
            self.rounds[client], self.number = place + 1, self.number - 1
            heapq.heappush(self.waiting, (place, self.number, called))
            self.free += ended
            self.call_next()
        return called

    def end(self) -> None:
        with self.lock:
            self.free += 1
            self.call_next()

    def call_next(self) -> None:
        while self.free > 0 and self.waiting:
            self.round, _, called = heapq.heappop(self.waiting)
            called.set()
            self.free -= 1


class NodePool:
    """Memory for the trees of all searches together: one that comes late gets a smaller tree, but always some."""

    def __init__(self, num_nodes: int) -> None:
        self.left, self.lock = num_nodes, threading.Lock()

    @contextmanager
    def share(self, wanted: int) -> Iterator[int]:
        """As many nodes as are wanted, at most a quarter of what is left, until the end of the block."""
        with self.lock:
            num_nodes = max(LEAST_NODES, min(wanted, self.left // 4))
            self.left -= num_nodes
        try:
            yield num_nodes
        finally:
            with self.lock:
                self.left += num_nodes


class Job:
    """One search, in short turns; `stopped` may be set at any time."""

    def __init__(self, wanted: dict[str, Any]) -> None:
        self.wanted, self.client, self.max_nodes = wanted, str(wanted["client"]), int(wanted["max_nodes"])
        self.game: Game = load_game(wanted["game"])
        self.player = split_player(wanted["player"]).in_game(self.game)
        self.state = state_of(self.game, bytes.fromhex(wanted["state"]))
        self.stopped = threading.Event()
        self.ghosts: tuple[list[str], list[list[str]]] = [], []  # the expected line as it was drawn last, and its cells

    @property
    def wanted_nodes(self) -> int:
        budget = self.player.search
        if budget is None:
            return 0
        if budget.simulations is None:
            return min(self.max_nodes, int(NODES_A_SECOND * (budget.seconds or 0.0)))
        return room(self.game, budget.simulations, self.max_nodes)

    def run(self, turns: Turns, tell: Tell) -> dict[str, Any]:
        """Search to the end, or to the stop; where somebody looks on, tell what was found so far."""
        if self.player.search is None:
            return {"action": self.choose(), "result": None}
        found, is_quick = (None, False) if self.is_compiled() else self.run_meanwhile(turns, tell)
        if found is None:
            found, _ = self.spend(self.searcher, turns, tell, within(LATE_S + (self.player.search.seconds or math.inf)))
        return {"action": found["best_action"], "result": found, "quick": is_quick}

    def choose(self) -> int:
        """The move of a player that does not search here; an engine has one game at a time, and is told all of it."""
        if self.player.kind == RANDOM:
            return choose_at_random(self.game, Line.begin(self.game, self.state), self.wanted["seed"])
        line = Line.begin(self.game, state_of(self.game, bytes.fromhex(self.wanted["start"])))
        for action in self.wanted["actions"]:
            line = line.play(self.game, action)
        with ENGINES:
            return consult(find_player(self.player.text), self.game, line, self.wanted["seed"]).action

    def run_meanwhile(self, turns: Turns, tell: Tell) -> tuple[dict[str, Any] | None, bool]:
        """Search in plain Python while another process compiles, and whether less was found than the budget allows.

        Nobody waits long for a move. An analysis goes on until the code is there, which then does it again: None.
        """
        notice = threading.Timer(NOTICE_AFTER_S, tell, ({"preparing": True},))
        compiler = threading.Thread(target=self.compile, daemon=True)
        compiler.start()
        notice.start()
        is_counted, live = self.player.search is not None and bool(self.player.search.simulations), self.wanted["live"]
        has_time = within(math.inf if live else QUICK_S)
        try:
            # Where a game that nobody has checked goes wrong, its compiled code says how.
            with suppress(*(Exception,) if self.game.unchecked else ()):
                if is_counted or not live:
                    search = partial(self.spend, self.plain_searcher, turns, tell)
                    found, is_finished = search(lambda: compiler.is_alive() and has_time())
                    if is_finished or not has_time():
                        return found, not (is_finished and is_counted)
            compiler.join()
        finally:
            notice.cancel()
        return None, False

    def spend(self, make: Callable[[], Searcher], turns: Turns, tell: Tell, goes_on: Callable[[], bool]) -> Found:
        """Search as long as it goes on and nobody stops it: what was found, and whether that was all of the budget."""
        look, is_finished = time.perf_counter() + LOOK_EVERY_S / 4, False
        with turns.turn(self.client) as give_way:
            search = LiveSearch(make(), self.state, self.wanted["seed"])
            while not is_finished:
                is_finished = not search.advance() or self.stopped.is_set()
                if is_finished or not goes_on():
                    break
                if self.wanted["live"] and time.perf_counter() >= look:
                    tell({"result": self.values(search.result())})
                    look = time.perf_counter() + LOOK_EVERY_S
                give_way()
            return self.values(search.result()), is_finished

    @cached_property
    def arguments(self) -> dict[str, Any]:
        return search_arguments(self.player, self.game)

    def searcher(self, **changes: Any) -> Searcher:
        return Searcher(self.game, **{**self.arguments, "max_nodes": self.max_nodes, **changes})

    def plain_searcher(self) -> Searcher:
        """The same search with nothing compiled: of the same seed the same moves, a hundred times slower."""
        game = load_plain(self.wanted["game"])
        arguments = search_arguments(self.player, game, lambda _, path: numpy_evaluator(game, read_network(path, game)))
        seconds = arguments["seconds"] and min(arguments["seconds"], QUICK_S)
        changes = {"max_nodes": self.max_nodes, "seconds": seconds, "target": "interpreted"}
        return Searcher(game, **{**arguments, **changes})

    def values(self, result: SearchResult) -> dict[str, Any]:
        """The result as plain values, and the cells of the expected line; those are worked out again if it changes."""
        line = result.principal_variation[:MOST_GHOSTS]
        if self.ghosts[0] != line:
            state, cells = self.state, list[list[str]]()
            for move in line if self.game.has("board") else ():
                action = self.game.parse_action(state, move)
                cells.append(cells_of(self.game, state, action))
                state = self.game.play(state, action)
            self.ghosts = line, cells
        return {**result.to_json(), "ghosts": self.ghosts[1]}

    # --- compiled code

    def try_out(self) -> None:
        """Run every kernel once; a player that does not search has none."""
        if self.player.search is not None:
            self.searcher(simulations=2, seconds=None).choose(self.state, 0)

    def is_compiled(self) -> bool:
        """Load what is compiled; False if something is missing."""
        try:
            with loading_only():
                self.try_out()
        except NotCompiledError:
            return False
        return True

    def compile(self) -> None:
        """Compile in another process: here, the searches of others would stand still."""
        with COMPILING:
            if not self.is_compiled():  # nobody was quicker
                compile_apart([self.wanted], nicer=NICE // 2)


def within(seconds: float) -> Callable[[], bool]:
    """Whether so much time has not yet gone by."""
    end = time.perf_counter() + seconds
    return lambda: time.perf_counter() < end


def compile_apart(jobs: list[dict[str, Any]], *, nicer: int = 0) -> None:
    child = Child(python_command("anyzero.web.worker", "compile_wanted", str(nicer)), own_session=False)
    child.send(json.dumps(jobs))
    child.wait(None)


def compile_wanted(nicer: str) -> None:
    """The process that compiles: jobs come in, their code is on the disk at the end."""
    be_nice(int(nicer))
    line = next(read_lines(), "[]")  # the server may be gone already
    listen()
    for wanted in json.loads(line):
        with suppress(Exception):  # who needs it is told
            Job(wanted).try_out()


def load_all(jobs: list[dict[str, Any]]) -> None:
    """Load what the jobs need, compiled first where that was never done."""
    for wanted in jobs:
        with suppress(Exception):  # who needs it is told
            job = Job(wanted)
            if not job.is_compiled():
                job.compile()


class Jobs:
    def __init__(self, send: Send, max_all_nodes: int) -> None:
        self.send, self.turns, self.nodes = send, Turns(count_cores()), NodePool(max_all_nodes)
        self.running: dict[int, Job] = {}

    def hear(self, wanted: dict[str, Any]) -> None:
        if "prepare" in wanted:
            work = partial(compile_apart, nicer=NICE) if wanted["apart"] else load_all
            threading.Thread(target=work, args=(wanted["prepare"],), daemon=True).start()
            return
        if "stop" in wanted:
            job = self.running.get(wanted["stop"])
            if job is not None:
                job.stopped.set()
            return
        try:
            job = self.running[wanted["job"]] = Job(wanted)
        except Exception as error:  # a game's own code may raise anything
            self.tell(wanted["job"], {"error": words_of(error, FAILED)})
            return
        threading.Thread(target=self.run, args=(wanted["job"], job), daemon=True).start()

    def run(self, number: int, job: Job) -> None:
        try:
            with self.nodes.share(job.wanted_nodes) as job.max_nodes:
                found = job.run(self.turns, lambda values: self.tell(number, values))
                self.tell(number, {"done": True, **found})
        except Exception as error:
            self.tell(number, {"error": words_of(error, FAILED)})
        finally:
            del self.running[number]

    def tell(self, number: int, values: dict[str, Any]) -> None:
        self.send(json.dumps({"job": number, **values}))


def be_nice(more: int) -> None:
    if hasattr(os, "nice"):
        os.nice(more)


def main(max_all_nodes: str) -> None:
    be_nice(NICE)
    sys.setswitchinterval(SWITCH_S)
    jobs = Jobs(take_output(), int(max_all_nodes))
    for line in read_lines():
        jobs.hear(json.loads(line))
    os._exit(0)  # whatever still searches, nobody waits for it
