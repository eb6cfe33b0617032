"""The process that searches: it reads jobs from standard input, one JSON object per line, and
writes their findings.

The server's own process never searches and never compiles, so that it always answers at once. Each
job is a thread here: compiled code releases the GIL, and the operating system shares the cores. The
process ends with the server. If it dies it is replaced, unnoticed by those waiting for it: the new
one is asked again, once, and finds the same.
"""

import asyncio
import json
import math
import os
import sys
import threading
import time
from collections.abc import AsyncGenerator, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache, cached_property, lru_cache
from typing import Any

from anyzero.app.records.in_progress import GameInProgress, action_cells, state_from_bytes
from anyzero.app.web.catalog import ServerConfig, load_interpreted
from anyzero.core.base.errors import AnyzeroError, words_of
from anyzero.core.base.nouns import Values
from anyzero.core.compile.cache import NotCompiledError, loading_only
from anyzero.core.game.game import Game, State
from anyzero.core.game.load import load
from anyzero.core.game.play import Play
from anyzero.core.nets.forward import numpy_evaluator
from anyzero.core.nets.weights import read_network
from anyzero.core.search import LiveSearch, Searcher
from anyzero.core.search.methods import SearchText
from anyzero.tools.child import Child, Send, listen, python_command, read_lines, take_output
from anyzero.tools.players import parse_player
from anyzero.tools.players.player import choose_at_random, consult
from anyzero.tools.players.text import RANDOM, search_arguments, split_player

MOST_GAMES = 16
NICE = 10  # priorities: the server and the browser first, then searches, then their compilers
SWITCH_S = 5e-4  # a search that runs Python code delays the others by at most this
LOOK_EVERY_S = 0.25
NOTICE_AFTER_S = 0.7  # clients waiting longer for code to be compiled are notified
QUICK_S = 2.5  # until it is compiled, a move is searched in plain Python for this long
MOST_GHOSTS = 6  # moves of the principal variation that are drawn
LEAST_NODES = 5_000  # minimum tree size of a search

BROKEN = "the process that searches broke off twice; the next search starts a new one"

Tell = Callable[[Values], None]
ENGINES = threading.Lock()
COMPILERS = threading.BoundedSemaphore(2)
"""Processes that compile at a time, each of some hundred megabytes: one in advance, one on demand.
"""
find_player = cache(parse_player)
load_game = lru_cache(MOST_GAMES)(load)
load_plain = lru_cache(MOST_GAMES)(load_interpreted)


class SearchJob:
    """One search in its own thread; `stopped` may be set at any time."""

    def __init__(
        self,
        job: Values,
        tell: Tell = print,
        max_nodes: int = LEAST_NODES,
        stopped: threading.Event | None = None,
    ) -> None:
        self.job = job
        self.tell = tell
        self.max_nodes = max_nodes
        self.stopped = stopped or threading.Event()
        self.game: Game = load_game(job["game"])
        self.player = split_player(job["player"]).in_game(self.game)
        self.state = self.position("state")

    def run(self) -> Values:
        """Search to the end, or until stopped; if someone is watching, report intermediate
        results.
        """
        if self.player.search is None:
            return {"action": self.choose(), "result": None}
        result, is_quick = (
            (None, False) if self.is_compiled() else self.run_meanwhile(self.player.search)
        )
        if result is None:
            result, _ = self.spend(self.searcher())
        return {"action": result["best_action"], "result": result, "quick": is_quick}

    def choose(self) -> int:
        """The move of a player that does not search here; an engine has one game at a time, and
        gets all of it.
        """
        game = self.game
        seed = self.job["seed"]
        if self.player.kind == RANDOM:
            return choose_at_random(game, Play.begin(game, self.state), seed)
        line = Play.begin(game, self.position("start"))
        for action in self.job["actions"]:
            line = line.play(game, action)
        with ENGINES:
            return consult(find_player(self.player.text), game, line, seed).action

    def position(self, name: str) -> State:
        """A position that the job names."""
        return state_from_bytes(self.game, bytes.fromhex(self.job[name]))

    def run_meanwhile(self, budget: SearchText) -> tuple[Values | None, bool]:
        """Search in plain Python while another process compiles; also returns whether the budget
        was not reached.

        A move never waits long. An analysis continues until the code is compiled, then starts
        again: None.
        """
        notice = threading.Timer(NOTICE_AFTER_S, self.tell, ({"preparing": True},))
        compiler = threading.Thread(target=self.compile, daemon=True)
        compiler.start()
        notice.start()
        is_counted = bool(budget.simulations)
        live = self.job["live"]
        end = math.inf if live else time.perf_counter() + QUICK_S

        def goes_on() -> bool:
            return compiler.is_alive() and time.perf_counter() < end

        try:
            # If an unchecked game fails, its compiled code will say how.
            with suppress(*(Exception,) if self.game.unchecked else ()):
                if is_counted or not live:
                    result, is_finished = self.spend(self.plain_searcher(), goes_on)
                    if is_finished or time.perf_counter() >= end:
                        return result, not (is_finished and is_counted)
            compiler.join()
        finally:
            notice.cancel()
        return None, False

    def spend(
        self, searcher: Searcher, goes_on: Callable[[], bool] = lambda: True
    ) -> tuple[Values, bool]:
        """Search until stopped or `goes_on` is false: the result, and whether the whole budget was
        spent.
        """
        look = time.perf_counter() + LOOK_EVERY_S / 4
        is_finished = False
        search = searcher.begin(self.state, self.job["seed"])
        while not is_finished:
            is_finished = not search.advance() or self.stopped.is_set()
            if is_finished or not goes_on():
                break
            if self.job["live"] and time.perf_counter() >= look:
                preparing = {"preparing": True} if searcher.target == "interpreted" else {}
                self.tell({"result": self.values(search), **preparing})
                look = time.perf_counter() + LOOK_EVERY_S
        return self.values(search), is_finished

    @cached_property
    def arguments(self) -> Values:
        return search_arguments(self.player, self.game)

    def searcher(self, **changes: Any) -> Searcher:
        return Searcher(self.game, **{**self.arguments, "max_nodes": self.max_nodes, **changes})

    def plain_searcher(self) -> Searcher:
        """The same search without compiled code: the same moves for the same seed, a hundred times
        slower.
        """
        game = load_plain(self.job["game"])
        arguments = search_arguments(
            self.player, game, lambda _, path: numpy_evaluator(game, read_network(path, game))
        )
        seconds = arguments["seconds"] and min(arguments["seconds"], QUICK_S)
        changes = {"max_nodes": self.max_nodes, "seconds": seconds, "target": "interpreted"}
        return Searcher(game, **{**arguments, **changes})

    def values(self, search: LiveSearch) -> Values:
        """The result so far as plain values, and the cells of the principal variation."""
        result = search.result()
        state = self.state
        cells = list[list[str]]()
        if self.game.has("board"):
            for action in search.line_actions(result.best_action)[:MOST_GHOSTS]:
                cells.append(action_cells(self.game, state, action))
                state = self.game.play(state, action)
        return {**result.to_json(), "ghosts": cells}

    def is_compiled(self) -> bool:
        """Load compiled code; False if some is missing."""
        try:
            with loading_only():
                self.try_out()
        except NotCompiledError:
            return False
        return True

    def try_out(self) -> None:
        """Run every kernel once; a player that does not search has none."""
        if self.player.search is not None:
            self.searcher(simulations=2, seconds=None).choose(self.state, 0)

    def compile(self) -> None:
        """Compile in another process, if necessary: here, it would stop the other searches."""
        with COMPILERS:
            if not self.is_compiled():  # by another job for the same code
                child = Child(python_command("anyzero.app.web.worker", "compile_job"))
                child.send(json.dumps(self.job))
                child.wait(None)


def compile_job() -> None:
    """The compiling process: it reads a job and leaves the code on disk."""
    be_nice()
    line = next(read_lines(), "")  # the server may already be gone
    listen()
    with suppress(Exception):  # reported to whoever needs it
        SearchJob(json.loads(line)).try_out()


def load_all(jobs: list[Values]) -> None:
    """Load what the jobs need, compiling it first if necessary."""
    for job in jobs:
        with suppress(Exception):  # reported to whoever needs it
            SearchJob(job).compile()


class Jobs:
    """The running searches; each new one gets a smaller tree than the one before, so that all
    fit.
    """

    def __init__(self, send: Send, max_nodes: int) -> None:
        self.send = send
        self.max_nodes = max_nodes
        self.running: dict[int, threading.Event] = {}  # set to stop one

    def hear(self, job: Values) -> None:
        if "prepare" in job:
            threading.Thread(target=load_all, args=(job["prepare"],), daemon=True).start()
        elif "stop" in job:
            self.running.get(job["stop"], threading.Event()).set()
        else:
            max_nodes = max(LEAST_NODES, self.max_nodes // (1 + len(self.running)))
            self.running[job["job"]] = threading.Event()
            threading.Thread(
                target=self.run, args=(job["job"], job, max_nodes), daemon=True
            ).start()

    def run(self, number: int, job: Values, max_nodes: int) -> None:
        def tell(values: Values) -> None:
            self.send(json.dumps({"job": number, **values}))

        try:
            tell({"done": True, **SearchJob(job, tell, max_nodes, self.running[number]).run()})
        except Exception as error:  # a game's own code may raise anything
            tell({"error": words_of(error, "the search failed: ")})
        finally:
            del self.running[number]


def be_nice() -> None:
    if hasattr(os, "nice"):
        os.nice(NICE)


def serve_jobs(max_nodes: str) -> None:
    be_nice()
    sys.setswitchinterval(SWITCH_S)
    jobs = Jobs(take_output(), int(max_nodes))
    for line in read_lines():
        jobs.hear(json.loads(line))
    os._exit(0)  # no one waits for the remaining searches


# --- the server's side: sends jobs, receives findings


class SearchProcess:
    """Searches for all clients, in one process, started when first needed."""

    def __init__(self, config: ServerConfig) -> None:
        self.config = config
        self.number = 0
        self.closing = False
        self.child: Child | None = None
        self.inboxes: dict[int, asyncio.Queue[Values | None]] = {}  # None when the process is gone
        self.sender = ThreadPoolExecutor(1, "job")
        """Sends lines in order, so that the server never waits for a process that is slow to read.
        """

    async def search(
        self, table: GameInProgress, player: str, *, seed: int, live: bool = False
    ) -> AsyncGenerator[Values, None]:
        """The findings of the search, the last one with `done`; leaving the loop stops it.

        The start of the game and its actions since are for engines, which need to see repetitions.
        """
        if len(self.inboxes) >= self.config.max_jobs:
            raise AnyzeroError("too many searches are running; try again in a moment")
        self.number += 1
        job = {**self.job_for(table, player), "job": self.number, "live": live, "seed": seed}
        inbox = self.inboxes[job["job"]] = asyncio.Queue()
        again = True
        answer = Values()
        try:
            self.send(job)
            while not answer.get("done"):
                finding = await inbox.get()
                if finding is None and again and not self.closing:
                    again = False
                    self.send(job)
                    continue
                answer = finding or {"error": BROKEN}
                if "error" in answer:
                    raise AnyzeroError(answer["error"])
                yield answer
        finally:
            del self.inboxes[job["job"]]
            if self.child is not None and not answer.keys() & {"done", "error"}:
                self.send({"stop": job["job"]})

    def job_for(self, table: GameInProgress, player: str) -> Values:
        player = self.config.engine_texts.get(player.removeprefix("engine:"), player)
        line = {"start": table.start.tobytes().hex(), "actions": table.so_far.actions}
        position = {"game": table.game.text, **line, "state": table.state.tobytes().hex()}
        return {**position, "player": player, "live": False, "seed": 0}

    def prepare(self, players: Iterable[tuple[Game, str]]) -> None:
        """Compile and load what these players will need in their games."""
        tables = [(GameInProgress(game), player) for game, player in players]
        self.send(
            {
                "prepare": [
                    self.job_for(table, player) for table, player in tables if not table.is_over
                ]
            }
        )

    def wake(self) -> Child:
        if self.child is None:
            loop = asyncio.get_running_loop()
            self.child = Child(
                python_command("anyzero.app.web.worker", "serve_jobs", str(self.config.max_nodes)),
                hear=lambda line: loop.call_soon_threadsafe(self.hear, line),
                # glibc then frees the memory of a tree when its search ends, instead of keeping it
                # for every thread
                env={**os.environ, "MALLOC_MMAP_THRESHOLD_": str(1 << 20), "MALLOC_ARENA_MAX": "2"},
            )
        return self.child

    def send(self, values: Values) -> None:
        self.sender.submit(self.wake().send, json.dumps(values))

    def hear(self, line: str | None) -> None:
        """Deliver an answer; when the process is gone, notify all who wait for it."""
        if line is None:
            self.child = None
            for inbox in self.inboxes.values():
                inbox.put_nowait(None)
            return
        answer = json.loads(line)
        if answer["job"] in self.inboxes:
            self.inboxes[answer["job"]].put_nowait(answer)

    async def close(self) -> None:
        """End the process, even during a search."""
        self.closing = True
        if self.child is not None:
            await asyncio.to_thread(self.child.end)
        self.sender.shutdown()
