"""All cores: worker processes that play one game at a time, and recovery when one hangs or dies.

The first worker compiles, the others start once it is ready and only load. The same workers play
the games of several plans, since starting one costs a second.
"""

import json
import os
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import asdict
from functools import cache
from queue import Empty, Queue, SimpleQueue
from shutil import copyfile
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any, NamedTuple, Protocol, runtime_checkable
from urllib.parse import quote

from anyzero.core.base import stopping
from anyzero.core.base.errors import AnyzeroError, whole, words_of
from anyzero.core.base.extras import find
from anyzero.core.base.files import parse_object
from anyzero.core.game.game import Game
from anyzero.core.game.load import load
from anyzero.core.game.play import Reason, first_decision
from anyzero.core.game.rollouts import count_cores
from anyzero.core.learning.find import BEST, COPIES, find_network
from anyzero.tools.arena.match import Live, MatchResult, play_match, result_so_far
from anyzero.tools.arena.plan import Match, Plan, imbalance, make_opening
from anyzero.tools.child import Child, Send, listen, python_command, take_output
from anyzero.tools.players import Player, parse_player
from anyzero.tools.players.text import split_player

GRACE_S = (
    0.5  # a player that returns by itself within this delay is still reported by its own process
)
LOOK_EVERY_S = 0.2


class Task(NamedTuple):
    plan: Plan
    match: Match


Finished = Generator[tuple[Task, MatchResult], None, None]


class Worker:
    """One process and its current task."""

    def __init__(self, max_plies: int, num_seats: int, inbox: "Queue[Any]", networks: str) -> None:
        with TemporaryFile() as file:  # without a name: it is gone once both processes are
            self.live = Live(file, max_plies, num_seats, create=True)
            sizes = map(str, (file.fileno(), max_plies, num_seats))
            command = python_command(__name__, "serve_games", networks, *sizes)
            self.child = Child(
                command, hear=lambda line: inbox.put((self, line)), share=(file.fileno(),)
            )
        self.task: Task | None = None
        self.late = False

    def begin(self, task: Task) -> None:
        self.task = task
        self.child.send(json.dumps({"plan": asdict(task.plan), "match": task.match}))


class Crew:
    """The processes and their tasks; each reads the networks that players name from the same
    copies.
    """

    def __init__(
        self, tasks: Sequence[Task], num_workers: int, networks: Mapping[str, str]
    ) -> None:
        self.left = deque(tasks)
        self.num_workers = num_workers
        self.networks = json.dumps(networks)
        self.games = {text: load(text) for text in {task.plan.game for task in tasks}}
        self.workers: list[Worker] = []
        self.inbox: Queue[Any] = Queue()

    def play(self) -> Finished:
        """Results, in the order in which games end."""
        try:
            self.start()
            while any(worker.task for worker in self.workers):
                stopping.check()
                self.stop_late_workers()
                with suppress(Empty):
                    result = self.handle(*self.inbox.get(timeout=LOOK_EVERY_S))
                    if result is not None:
                        yield result
        finally:
            for worker in self.workers:
                worker.child.kill()
            for worker in self.workers:
                worker.child.end()

    def start(self) -> None:
        """Start a worker with the next game, and with space for the largest one."""
        games = self.games.values()
        sizes = max(game.max_plies for game in games), max(game.num_seats for game in games)
        worker = Worker(*sizes, self.inbox, self.networks)
        worker.begin(self.left.popleft())
        self.workers.append(worker)

    def handle(self, worker: Worker, line: str | None) -> tuple[Task, MatchResult] | None:
        if line is None:
            return self.bury(worker)
        task = worker.task
        message = parse_object(line)
        if task is None or message is None:  # truncated by a kill
            return None
        if "error" in message:
            raise AnyzeroError(f"{task.plan.game}: {message['error']}")
        if "ready" in message:
            while self.left and len(self.workers) < self.num_workers:
                self.start()
            return None
        worker.task = None
        if self.left:
            worker.begin(self.left.popleft())
        return task, MatchResult.from_json(message)

    def bury(self, worker: Worker) -> tuple[Task, MatchResult] | None:
        """Handle a worker that died or was killed: the player to move loses the game, and a new
        worker replaces it.
        """
        code = worker.child.wait()
        task = worker.task
        live = worker.live
        self.workers.remove(worker)
        if task is None:  # it had nothing left to do
            return None
        blamed = live.is_thinking
        plan = task.plan
        if not blamed and not worker.late:
            raise AnyzeroError(
                f"{plan.game}: a process ended with code {code} outside of any player's move"
            )
        if not blamed:  # the move arrived after all, while its process was being stopped
            self.left.appendleft(task)
        if self.left:
            self.start()
        if not blamed:
            return None
        game = self.games[plan.game]
        players = [plan.players[index] for index in task.match.by_seat(game.num_seats)]
        reason = Reason.LATE if worker.late else Reason.CRASH
        detail = f"its process ended with code {code}"
        if worker.late:
            detail = "a move went on past the time limit and was stopped"
        return task, result_so_far(game, task.match, players, live, reason, detail)

    def stop_late_workers(self) -> None:
        now = time.monotonic()
        for worker in self.workers:
            if worker.live.is_thinking and now > worker.live.row["deadline"] + GRACE_S:
                worker.late = True
                worker.child.kill()


@runtime_checkable
class Nodes(Protocol):
    """The machines of a cluster, which play in place of this one."""

    def describe(self) -> str:
        """What they are doing, in a few words."""


Workers = int | Nodes | None
"""Who plays: this many processes on this machine, one per core (None), or the nodes of a cluster.
"""


def cluster_at(address: str | None) -> AbstractContextManager[Any]:
    """The nodes of the cluster at this address, `auto` or `host:port`; None without an address."""
    if address is None:
        return nullcontext()
    pool: AbstractContextManager[Any] = find("cluster").opened(address)
    return pool


def play_all(tasks: Sequence[Task], workers: Workers = None) -> Finished:
    """Play these games, and yield each result; close the iterator to stop early."""
    if not tasks:
        return
    if isinstance(workers, Nodes):
        yield from find("cluster").play_on_cluster(tasks, workers)
    else:
        num = count_cores() if workers is None else workers
        whole("workers", num, range(1, 10**6), f"workers is {num}, and at least one is needed")
        with copied_networks({task.plan for task in tasks}) as networks:
            yield from Crew(tasks, num, networks).play()


@contextmanager
def copied_networks(plans: Iterable[Plan]) -> Iterator[dict[str, str]]:
    """Files of the networks that players name; a run that trains on may replace its champion during
    a match.
    """
    names = {split_player(text).network for plan in plans for text in plan.players} - {"", BEST}
    with TemporaryDirectory(prefix="anyzero-") as folder:
        places = {name: f"{folder}/{quote(name, '')}" for name in names}  # errors show them
        yield {name: copyfile(find_network(name), place) for name, place in places.items()}


# --- the worker's side: it reads tasks from standard input, and answers each with a line of JSON


def serve_games(networks: str, file: str, *sizes: str) -> None:
    """Play games until standard input ends; `file` is the open file of the live game."""
    COPIES.update(json.loads(networks))
    send = take_output()
    lines = SimpleQueue[str]()
    listen(lines.put)
    with os.fdopen(int(file), "r+b") as shared:
        live = Live(shared, *map(int, sizes), create=False)
    serve_tasks(lambda: json.loads(lines.get()), send, live)


def serve_tasks(hear: Callable[[], Any], send: Send, live: Live) -> None:
    """Play the games of several plans; only one is prepared at a time, as its players may need much
    memory.
    """
    try:
        load_game = cache(load)
        prepared = None
        players = list[Player]()
        while True:
            task = hear()
            plan = Plan.from_json(task["plan"])
            match = Match(*task["match"])
            game = load_game(plan.game)
            if plan != prepared:
                players.clear()
                prepared = plan
                players = prepare(game, plan)
                send(json.dumps({"ready": True}))
            opening = make_opening(game, plan.seed, match.pair, plan.openings)
            by_seat = [players[index] for index in match.by_seat(game.num_seats)]
            result = play_match(
                game, match, by_seat, opening, seed=plan.seed, live=live, limit_s=plan.limit_s
            )
            send(json.dumps(result.to_json()))
    except (
        Exception
    ) as error:  # a game's own code may raise anything; the arena reports it in one sentence
        send(json.dumps({"error": words_of(error)}))


def prepare(game: Game, plan: Plan) -> list[Player]:
    """The players of a plan, ready: everything is compiled or loaded before a clock starts."""
    players = [parse_player(text, threads=1) for text in plan.players]  # of many games at once
    for player in players:
        player.prepare(game)
    state = first_decision(game)
    if plan.openings and state is not None:
        imbalance(game, state, 0)
    if plan.limit_s is not None or any(player.limit_s is not None for player in players):
        game.compile_door()
    return players
