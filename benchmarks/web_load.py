"""A hundred people at the web server, greedy ones among them, and a server that is killed: with
`--help`, its options.

The clients are real websockets, all in this one process, which shares the machine's cores with the
server; how much of a core it took itself is part of the table. A budget of simulations counts as
one of 0 s.
"""

import argparse
import asyncio
import contextlib
import json
import os
import random
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import websockets

from web_process import Server

GAMES = ("hex", "chess", "connect_four", "oware", "breakthrough", "take_it_easy")
MACHINES = ("uct:0.2s", "uct:500")
HUGE = "uct:2000000,solve=0"
FIRST_WAIT_S, LONGEST_WAIT_S = 0.25, 1.5
"""How the page waits before it connects again."""


@dataclass
class Figures:
    """What one phase measured; times in seconds."""

    acknowledged: list[float] = field(default_factory=list)
    shown: list[float] = field(default_factory=list)
    """From the move to the new picture of the board."""
    answered: dict[str, list[float]] = field(default_factory=dict)
    """From the move to the machine's own, by its name."""
    errors: list[str] = field(default_factory=list)
    memory: list[tuple[float, float]] = field(default_factory=list)
    """Seconds since the phase began, and the megabytes of the server and its searches then."""
    games: int = 0
    """Games that ended."""
    cores: dict[str, float] = field(default_factory=dict)
    """Who used how much of the machine, 1.0 being one core."""


class Person:
    """A client that plays its seat with pauses; `friend` joins the same table from a second
    client.
    """

    def __init__(
        self, load: "Load", game: str, machine: str = "", host: "Person | None" = None
    ) -> None:
        self.load, self.game, self.machine, self.host = load, game, machine, host
        self.rng, self.number = random.Random(load.seed + len(load.people)), 0
        self.table: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.seat = 0 if host is None else 1
        self.sent: dict[int, tuple[float, int, str]] = {}
        """By request: when, at which ply, which move."""
        self.kept: dict[int, str] = {}
        """The moves of this game that were acknowledged, by ply."""
        self.planned: tuple[str, int, Any] = ("", -1, None)
        """The table and ply of the move that it thinks about, and the connection: news of one ply
        may come twice.
        """
        self.asked_at = -1
        self.back_s = 0.0
        """When its game was there again."""

    @property
    def seats(self) -> list[str]:
        other = [] if self.game == "take_it_easy" else [self.machine or "human"]
        return ["human", *other]

    async def live(self) -> None:
        """Connect, play, and come back as the page does."""
        wait = FIRST_WAIT_S
        while True:
            try:
                async with websockets.connect(self.load.socket_url, max_size=1 << 24) as socket:
                    wait = FIRST_WAIT_S
                    await self.play(socket)
            except (OSError, websockets.WebSocketException):
                await asyncio.sleep(wait)
                wait = min(LONGEST_WAIT_S, 2 * wait)

    async def play(self, socket: Any) -> None:
        self.socket = socket
        self.sent.clear()
        await self.enter()
        async for text in socket:
            now = time.perf_counter()
            kind = text[10:14]  # {"type": "...
            if kind == "done":
                self.hear_done(json.loads(text), now)
            elif kind == "tabl":
                self.hear_table(json.loads(text), now)
            else:
                self.load.figures.errors.append(text[:200])

    async def enter(self) -> None:
        """A new table, or the old one; a friend waits for the host's."""
        if self.host is not None and not self.table.done():
            number = await self.host.table
            if not self.table.done():  # the old connection may have come first
                self.table.set_result(number)
        if self.table.done():
            await self.say(type="join", table=self.table.result())
        else:
            await self.say(
                type="new", game=self.game, seats=self.seats, seed=self.rng.getrandbits(32)
            )

    async def say(self, **message: Any) -> int:
        self.number += 1
        await self.socket.send(json.dumps({**message, "request": self.number}))
        return self.number

    def hear_done(self, message: dict[str, Any], now: float) -> None:
        start, ply, move = self.sent.pop(message["request"])
        if message["table"] == self.table.result():
            self.kept[ply] = move
        self.load.figures.acknowledged.append(now - start)

    def hear_table(self, view: dict[str, Any], now: float) -> None:
        """Time what was waited for, then think about a move of our own."""
        if not self.table.done():
            self.table.set_result(view["table"])
        if "request" in view:
            self.check(view, now)
        elif self.asked_at >= 0 and view["ply"] > self.asked_at:
            self.time_answer(view, now)
        place = view["table"], view["ply"]
        if view["table"] != self.table.result() or (*place, self.socket) == self.planned:
            return
        self.planned = *place, self.socket
        if view["over"]:
            self.load.figures.games += 1
            self.load.spawn(self.begin_again())
        elif view["seat"] == self.seat:
            self.load.spawn(self.move(view, self.socket))

    def time_answer(self, view: dict[str, Any], now: float) -> None:
        figures, gone = self.load.figures, now - self.asked_since
        plies = [ply for ply in view["moves"][self.asked_at :] if ply["seat"] >= 0]
        if len(plies) == 1:
            figures.shown.append(gone)
        if len(plies) >= 2 or view["over"] or not self.machine:
            if len(plies) >= 2 and self.machine:
                figures.answered.setdefault(self.machine, []).append(gone)
            self.asked_at = -1

    def check(self, view: dict[str, Any], now: float) -> None:
        """After a break: every acknowledged move is there."""
        self.back_s, self.asked_at = now, -1
        moves = [ply["move"] for ply in view["moves"]]
        self.load.lost += [
            f"{self.game} ply {ply} {move}"
            for ply, move in self.kept.items()
            if moves[ply : ply + 1] != [move]
        ]

    async def begin_again(self) -> None:
        """The host makes a new table, and the friend follows."""
        old = self.table.result()
        await asyncio.sleep(self.pause())
        while self.host is not None and self.host.table.done() and self.host.table.result() == old:
            await asyncio.sleep(0.1)
        await self.say(type="leave", table=old)
        self.kept.clear()
        self.table = asyncio.get_running_loop().create_future()
        await self.enter()

    def pause(self) -> float:
        return self.rng.uniform(*self.load.pauses)

    async def move(self, view: dict[str, Any], socket: Any) -> None:
        ply = view["ply"]
        await asyncio.sleep(self.pause())
        if self.planned != (view["table"], ply, socket) or self.socket is not socket:
            return
        move = self.rng.choice(view["legal"])["move"]
        self.asked_since, self.asked_at = time.perf_counter(), ply
        self.number += 1
        self.sent[self.number] = self.asked_since, ply, move
        words = {
            "type": "move",
            "table": self.table.result(),
            "move": move,
            "ply": ply,
            "request": self.number,
        }
        await socket.send(json.dumps(words))


class Load:
    """Everybody at the server."""

    def __init__(self, server: Server, args: argparse.Namespace) -> None:
        self.server, self.args, self.seed, self.pauses = (
            server,
            args,
            args.seed,
            (args.pause[0], args.pause[1]),
        )
        self.figures = Figures()
        self.lost: list[str] = []
        self.people: list[Person] = []
        self.tasks: set[asyncio.Task[Any]] = set()

    @property
    def socket_url(self) -> str:
        return f"{self.server.url.replace('http', 'ws')}ws"

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(quietly(work))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def seat_people(self) -> None:
        """Those against machines, pairs, and people alone at Take It Easy."""
        two = [game for game in GAMES if game != "take_it_easy"]
        for number in range(self.args.against_machines):
            self.people.append(
                Person(self, two[number % len(two)], machine=MACHINES[number // len(two) % 2])
            )
        number = 0
        while len(self.people) < self.args.clients:
            game, number = GAMES[number % len(GAMES)], number + 1
            host = Person(self, game)
            self.people.append(host)
            if game != "take_it_easy" and len(self.people) < self.args.clients:
                self.people.append(Person(self, game, host=host))

    async def warm_up(self) -> None:
        """Every kind of search once, so that nothing is compiled while the clock runs."""
        async with websockets.connect(self.socket_url, max_size=1 << 24) as socket:
            for game in GAMES[:-1]:
                await socket.send(json.dumps({"type": "analyse", "game": game, "player": "uct:50"}))
                while '"done": true' not in (await socket.recv())[-4_000_000:]:
                    pass

    async def measure(self, name: str, seconds: float, greedy: int = 0) -> dict[str, Any]:
        """A phase with so many clients that each ask for the largest search, one after another."""
        hogs = [asyncio.create_task(self.be_greedy(number)) for number in range(greedy)]
        hogs += [
            asyncio.create_task(self.flood(number))
            for number in range(self.args.floods if greedy else 0)
        ]
        await asyncio.sleep(2.0)
        figures = self.figures = Figures()
        start, before = time.perf_counter(), self.server.cpu()
        while (gone := time.perf_counter() - start) < seconds:
            figures.memory.append((gone, self.server.memory_mb()))
            await asyncio.sleep(0.25)
        figures.cores = {
            name: round((now - before[name]) / gone, 2) for name, now in self.server.cpu().items()
        }
        for hog in hogs:
            hog.cancel()
        await asyncio.gather(*hogs, return_exceptions=True)
        return summary(name, figures)

    async def be_greedy(self, number: int) -> None:
        async with websockets.connect(self.socket_url, max_size=1 << 24) as socket:
            for request in range(10**6):
                game = GAMES[number % 5]
                wanted = {"type": "analyse", "game": game, "player": HUGE, "request": request}
                await socket.send(json.dumps(wanted))
                while '"done": true' not in (text := await socket.recv()):
                    if '"type": "error"' in text:
                        self.figures.errors.append(str(text[:200]))
                        await asyncio.sleep(1.0)
                        break

    async def flood(self, number: int) -> None:
        """Send what is no message as fast as it is taken, and begin again when let go: words,
        bytes, half a request.
        """
        rng = random.Random(number)
        while True:
            with contextlib.suppress(OSError, websockets.WebSocketException):
                if number % 3 == 2:
                    _, half = await asyncio.open_connection("127.0.0.1", self.server.port)
                    half.write(b"GET / HTTP/1.1\r\nHost: ")
                    await asyncio.sleep(1.0)
                    half.close()
                    continue
                async with websockets.connect(self.socket_url, max_size=1 << 24) as socket:
                    while True:
                        await socket.send(
                            rng.choice(
                                ('{"type": "', "[" * 10_000, '{"type": "join", "table": "none"}')
                            )
                        )
                        await socket.recv()
                        if number % 3 == 1:
                            await socket.send(rng.randbytes(100))
            await asyncio.sleep(0.05)

    async def kill_often(self) -> dict[str, Any]:
        """All kills, each after the pause in which people go on with their games."""
        found, figures = [], Figures()
        self.figures = figures
        for _ in range(self.args.kills):
            await asyncio.sleep(self.args.between)
            found.append(await self.kill())
            print(f"kill {len(found)}: {found[-1]}", file=sys.stderr, flush=True)
        last = {key: max(kill[key] for kill in found) for key in found[0]}
        total = sum(kill["acknowledged_moves_of_open_games"] for kill in found)
        fewest = min(kill["clients_back"] for kill in found)
        counted = {
            "acknowledged_moves_of_open_games": total,
            "clients_back": fewest,
            "kills": len(found),
        }
        answers = sum(map(len, figures.answered.values()))
        said = {
            "answers": answers,
            "errors": len(figures.errors),
            "first_errors": figures.errors[:3],
        }
        return {**last, **counted, **said}

    async def kill(self) -> dict[str, Any]:
        """Kill the server in the middle of it all, start it again, and wait for everybody's
        game.
        """
        acknowledged = sum(len(person.kept) for person in self.people)
        killed = time.perf_counter()
        await self.server.end(signal.SIGKILL)
        for person in self.people:
            person.back_s = 0.0
        await self.server.start()
        ready = time.perf_counter()
        while (
            not all(person.back_s for person in self.people) and time.perf_counter() < killed + 60
        ):
            await asyncio.sleep(0.01)
        back = sorted(person.back_s for person in self.people)
        return {
            "acknowledged_moves_of_open_games": acknowledged,
            "lost_moves": len(self.lost),
            "clients_back": sum(1 for when in back if when),
            "server_ready_s": round(ready - killed, 2),
            "half_back_s": round(back[len(back) // 2] - killed, 2),
            "all_back_s": round(back[-1] - killed, 2),
            "all_back_after_ready_s": round(back[-1] - ready, 2),
        }

    async def close(self) -> None:
        for task in list(self.tasks):
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)


async def quietly(work: Coroutine[Any, Any, None]) -> None:
    """A connection that breaks is the business of `live`."""
    with contextlib.suppress(OSError, websockets.WebSocketException):
        await work


# --- tables


def at(values: list[float], share: float) -> float | None:
    ordered = sorted(values)
    return round(ordered[min(len(ordered) - 1, int(share * len(ordered)))], 4) if ordered else None


def spread(values: list[float]) -> dict[str, Any]:
    return {
        "count": len(values),
        "p50": at(values, 0.5),
        "p95": at(values, 0.95),
        "p99": at(values, 0.99),
        "max": at(values, 1.0),
    }


def slope(points: list[tuple[float, float]]) -> float:
    """Of the straight line through the second half of the points: what is filled once has been
    filled by then.
    """
    late = points[len(points) // 2 :]
    return statistics.linear_regression(*zip(*late, strict=True)).slope if len(late) > 1 else 0.0


def budget_s(machine: str) -> float:
    text = machine.partition(":")[2].partition(",")[0]
    return float(text[:-1]) if text.endswith("s") else 0.0


def summary(name: str, figures: Figures) -> dict[str, Any]:
    over = [
        gone - budget_s(machine) for machine, times in figures.answered.items() for gone in times
    ]
    return {
        "phase": name,
        "acknowledged_s": spread(figures.acknowledged),
        "shown_s": spread(figures.shown),
        "answer_minus_budget_s": spread(over),
        "answer_s": {machine: spread(times) for machine, times in sorted(figures.answered.items())},
        "memory_mb": round(max(mb for _, mb in figures.memory)),
        "memory_mb_a_minute": round(60 * slope(figures.memory), 2),
        "games": figures.games,
        "cores": figures.cores,
        "errors": len(figures.errors),
        "first_errors": figures.errors[:3],
    }


def print_tables(found: dict[str, Any]) -> None:
    print(
        f"load average before: {found['load_before']}; cores: {found['cores']}; clients: "
        f"{found['clients']}"
    )
    print(
        "\n| phase | what | count | p50 ms | p95 | p99 | max | against quiet p50, p95 "
        f"|\n|{'---|' * 8}"
    )
    first = found["phases"][0]
    for phase in found["phases"]:
        for what, times, quiet in rows(phase, first):
            ms = " | ".join(
                "" if times[key] is None else f"{1000 * times[key]:.0f}"
                for key in ("p50", "p95", "p99", "max")
            )
            print(
                f"| {phase['phase']} | {what} | {times['count']} | {ms} | {ratios(times, quiet)} |"
            )
    names = ("server", "searches", "clients", "others")
    heads = (
        "phase",
        "memory MB",
        "MB a minute",
        "games",
        "errors",
        *(f"{name}, cores" for name in names),
    )
    print(f"\n| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for phase in found["phases"]:
        shares = " | ".join(f"{phase['cores'][name]:.2f}" for name in names)
        figures = [
            phase[key] for key in ("phase", "memory_mb", "memory_mb_a_minute", "games", "errors")
        ]
        print(f"| {' | '.join(map(str, figures))} | {shares} |")
        for error in phase["first_errors"]:
            print(f"  {error}")
    if "kill" in found:
        print("\n| killed |  |\n|---|---|")
        for key, value in found["kill"].items():
            print(f"| {key} | {value} |")


def rows(
    phase: dict[str, Any], first: dict[str, Any]
) -> list[tuple[str, dict[str, Any], dict[str, Any]]]:
    found = [
        (words, phase[key], first[key])
        for words, key in (
            ("move acknowledged", "acknowledged_s"),
            ("move shown", "shown_s"),
            ("answer minus budget", "answer_minus_budget_s"),
        )
    ]
    return found + [
        (f"answer of {name}", times, first["answer_s"][name])
        for name, times in phase["answer_s"].items()
    ]


def ratios(times: dict[str, Any], quiet: dict[str, Any]) -> str:
    pairs = [(times[key], quiet[key]) for key in ("p50", "p95")]
    return ", ".join(f"{one / other:.2f}" for one, other in pairs if one is not None and other)


async def run(args: argparse.Namespace) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder))
        await server.start()
        load = Load(server, args)
        found: dict[str, Any] = {
            "clients": args.clients,
            "cores": os.cpu_count(),
            "load_before": os.getloadavg(),
        }
        try:
            await load.warm_up()
            load.seat_people()
            for person in load.people:
                load.spawn(person.live())
                await asyncio.sleep(0.02)
            await asyncio.sleep(3.0)
            found["phases"] = [
                await load.measure(f"{greedy} greedy", args.seconds, greedy)
                for greedy in args.greedy
            ]
            found["kill"] = await load.kill_often()
        finally:
            await load.close()
            await server.end(signal.SIGTERM)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=100)
    parser.add_argument("--against-machines", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=40.0, help="of each phase")
    parser.add_argument(
        "--pause", type=float, nargs=2, default=(0.5, 2.0), help="of a person before a move"
    )
    parser.add_argument(
        "--greedy", type=int, nargs="+", default=[0, 1, 6], help="huge searches in each phase"
    )
    parser.add_argument(
        "--floods", type=int, default=6, help="clients that send nonsense beside the greedy ones"
    )
    parser.add_argument("--kills", type=int, default=1)
    parser.add_argument("--between", type=float, default=0.0, help="seconds between two kills")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    found = asyncio.run(run(args := parser.parse_args()))
    print(json.dumps(found)) if args.json else print_tables(found)


if __name__ == "__main__":
    main()
