"""All cores: worker processes that play one game at a time, and recovery when one hangs or dies.

The first worker compiles, the others start once it is ready and only load. The same workers play the games of several
plans, since starting one costs a second.
"""

import contextlib
import json
import shutil
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from queue import Empty, Queue, SimpleQueue
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from anyzero import stopping
from anyzero.arena.match import CRASH, LATE, Live, MatchResult, play_match, report
from anyzero.arena.plan import Match, Plan, imbalance, make_opening
from anyzero.child import Child, Send, count_cores, listen, python_command, take_output
from anyzero.cluster import ActorKind, Job, Pace, Pool
from anyzero.errors import AnyzeroError, words_of
from anyzero.files import parse_object
from anyzero.games.game import Game
from anyzero.games.line import first_decision
from anyzero.games.load import files_of, load, split_text
from anyzero.players import Player, parse_player, player_files

GRACE_S = 0.5  # a player that returns by itself within this delay is still reported by its own process
LOOK_EVERY_S = 0.2


class Task(NamedTuple):
    plan: Plan
    match: Match


class Worker:
    """One process and its current task; `hello` is its first message."""

    def __init__(self, hello: dict[str, Any], path: Path, inbox: "Queue[Any]") -> None:
        self.live = Live(path, hello["max_plies"], hello["num_seats"], create=True)
        self.ready, self.late = False, False
        self.number: int | None = None  # its current task
        self.game = ""  # the game that it plays or prepares
        command = python_command("anyzero.arena.workers", "serve_games", str(path))
        self.child = Child(command, hear=lambda line: inbox.put((self, line)))
        self.send(hello)

    def send(self, value: Any) -> None:
        self.child.send(json.dumps(value))


class Crew:
    def __init__(self, tasks: Sequence[Task], num_workers: int, folder: Path) -> None:
        self.tasks, self.folder = tasks, folder
        self.plans = {plan: number for number, plan in enumerate(dict.fromkeys(task.plan for task in tasks))}
        self.games = {text: load(text) for text in {plan.game for plan in self.plans}}
        self.left = deque(range(len(tasks)))
        self.num_workers = max(1, min(num_workers, len(tasks)))
        self.workers: list[Worker] = []
        self.inbox: Queue[Any] = Queue()
        self.num_started = 0

    def play(self) -> Iterator[tuple[Task, MatchResult]]:
        """Results, in the order in which games end."""
        self.start()
        while self.left or any(worker.number is not None for worker in self.workers):
            stopping.check()
            self.stop_late_workers()
            with contextlib.suppress(Empty):
                finished = self.handle(*self.inbox.get(timeout=LOOK_EVERY_S))
                if finished is not None:
                    yield finished

    def handle(self, worker: Worker, line: str | None) -> tuple[Task, MatchResult] | None:
        if line is None:
            return self.bury(worker)
        message = parse_object(line)
        if message is None:  # truncated by a kill
            return None
        if "error" in message:
            raise AnyzeroError(f"{worker.game}: {message['error']}")
        finished = None
        if "ready" in message:
            worker.ready = True
        else:
            task = self.tasks[message.pop("number")]
            finished = task, MatchResult.from_json(message)
            worker.number = None
        if self.left:
            worker.number = self.left.popleft()
            plan, match = self.tasks[worker.number]
            worker.game = plan.game
            worker.send([worker.number, self.plans[plan], *match])
        while worker.ready and len(self.workers) < min(self.num_workers, len(self.workers) + len(self.left)):
            self.start()
        return finished

    def start(self) -> None:
        """Start a worker: it receives all plans, which one to prepare, and the space that the largest game needs."""
        self.num_started += 1
        first, games = self.tasks[self.left[0]].plan, self.games.values()
        sizes = {name: max(getattr(game, name) for game in games) for name in ("max_plies", "num_seats")}
        hello = {"plans": [asdict(plan) for plan in self.plans], "first": self.plans[first], **sizes}
        worker = Worker(hello, self.folder / f"live{self.num_started}", self.inbox)
        worker.game = first.game
        self.workers.append(worker)

    def bury(self, worker: Worker) -> tuple[Task, MatchResult] | None:
        """Handle a worker that died or was killed: the player to move loses the game, and a new worker replaces it."""
        code = worker.child.wait()
        self.workers.remove(worker)
        number, live = worker.number, worker.live
        blamed = live.is_thinking(number)
        if not blamed and not worker.late:
            raise AnyzeroError(f"{worker.game}: a process ended with code {code} outside of any player's move")
        if not blamed and number is not None:  # the move arrived after all, while its process was being stopped
            self.left.appendleft(number)
        if self.left:
            self.start()
        if not blamed:
            return None
        task = self.tasks[int(live.row["number"])]
        game = self.games[task.plan.game]
        players = [task.plan.players[index] for index in task.match.by_seat(game.num_seats)]
        late = LATE, "a move went on past the time limit and was stopped"
        end = late if worker.late else (CRASH, f"its process ended with code {code}")
        return task, report(game, task.match, players, int(live.row["opening"]), live, end)

    def stop_late_workers(self) -> None:
        now = time.monotonic()
        for worker in self.workers:
            live = worker.live
            if live.is_thinking(worker.number) and now > live.row["deadline"] + GRACE_S:
                worker.late = True
                worker.child.kill()

    def end(self) -> None:
        for worker in self.workers:
            worker.child.kill()
        for worker in self.workers:
            worker.child.end()


Workers = int | Pool | None
"""Who plays: this many processes on this machine, one per core (None), or the actors of a cluster."""


def play_all(tasks: Sequence[Task], workers: Workers = None) -> Generator[tuple[Task, MatchResult], None, None]:
    """Play these games, and yield each result; close the iterator to stop early."""
    if not tasks:
        return
    if isinstance(workers, Pool):
        yield from play_on_cluster(tasks, workers)
        return
    with TemporaryDirectory(prefix="anyzero-", ignore_cleanup_errors=True) as folder:
        crew = Crew(tasks, count_cores() if workers is None else workers, Path(folder))
        try:
            yield from crew.play()
        finally:
            crew.end()


# --- a cluster


def play_on_cluster(tasks: Sequence[Task], pool: Pool) -> Generator[tuple[Task, MatchResult], None, None]:
    """The same on all nodes: each actor plays a few pairs of games at a time in its own processes."""
    left, paces = deque(tasks), {task.plan: Pace(least=2) for task in tasks}
    players = [(text, load(plan.game)) for plan in paces for text in plan.players]
    files = [path for plan in paces for path in files_of(split_text(plan.game)[0])]
    bundle = pool.bundle([*files, *(path for player in players for path in player_files(*player))])

    def next_chunk(kind: ActorKind) -> Job | None:
        """Games of one plan, keeping pairs together."""
        if not left:
            return None
        plan = left[0].plan
        size, chunk = paces[plan].size(kind, len(left), pool.kinds), [left.popleft()]
        while left and left[0].plan == plan:
            if len(chunk) >= size and chunk[-1].match[:3] != left[0].match[:3]:
                break
            chunk.append(left.popleft())
        arguments = {"plan": asdict(plan), "matches": [list(task.match) for task in chunk]}
        return Job(f"{__name__}:play_chunk", arguments, bundle, units=len(chunk), about=chunk)

    with contextlib.closing(pool.run(next_chunk)) as finished:
        for done in finished:
            paces[done.job.about[0].plan].note(done)
            for task, result in zip(done.job.about, done.value, strict=True):
                yield task, MatchResult.from_json(result)


def play_chunk(kind: ActorKind, plan: dict[str, Any], matches: list[list[int]]) -> list[dict[str, Any]]:
    """The actor's side: these games, in this order."""
    own = Plan.from_json(plan)
    tasks = [Task(own, Match(*match)) for match in matches]
    found = dict(play_all(tasks, kind.cores))
    return [found[task].to_json() for task in tasks]


# --- the worker's side: it reads plans and then tasks from standard input, and answers each with a line of JSON


def serve_games(path: str) -> None:
    """Serve until standard input ends; `path` is the file of the live game."""
    send = take_output()
    lines: SimpleQueue[str] = SimpleQueue()
    folder = Path(path).parent
    listen(lines.put, lambda: shutil.rmtree(folder, ignore_errors=True))  # a killed arena leaves it behind
    serve(lambda: json.loads(lines.get()), send, Path(path))


def serve(hear: Callable[[], Any], send: Send, path: Path) -> None:
    """Play the games of several plans; only one is prepared at a time, as its players may need much memory."""
    try:
        wanted, load_game = hear(), cache(load)
        live = Live(path, wanted["max_plies"], wanted["num_seats"], create=False)
        plans, ready = [Plan.from_json(plan) for plan in wanted["plans"]], wanted["first"]
        game = load_game(plans[ready].game)
        players = prepare(game, plans[ready])
        send(json.dumps({"ready": True}))
        while True:
            number, plan_number, *place = hear()
            plan, match = plans[plan_number], Match(*place)
            if plan_number != ready:
                ready, game, players = plan_number, load_game(plan.game), []
                players = prepare(game, plan)
            opening = make_opening(game, plan.seed, match.pair, plan.openings)
            live.start_match(number, len(opening))
            by_seat = (players[index] for index in match.by_seat(game.num_seats))
            result = play_match(game, match, list(by_seat), opening, seed=plan.seed, live=live, limit_s=plan.limit_s)
            send(json.dumps({"number": number, **result.to_json()}))
    except Exception as error:  # a game's own code may raise anything; the arena reports it in one sentence
        send(json.dumps({"error": words_of(error)}))


def prepare(game: Game, plan: Plan) -> list[Player]:
    """The players of a plan, ready: everything is compiled or loaded before a clock starts."""
    players = [parse_player(text) for text in plan.players]
    for player in players:
        player.prepare(game)
    state = first_decision(game)
    if plan.openings and state is not None:
        imbalance(game, state, 0)
    if plan.limit_s is not None or any(player.limit_s is not None for player in players):
        game.compile_door()
    return players
