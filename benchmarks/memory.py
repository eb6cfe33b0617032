"""The slope of memory over many thousand games: of the web server, of a training run, of matches;
each in one process.

`python benchmarks/memory.py server --minutes 4`. The memory is looked at after equal numbers of
games; the line goes through what comes after the first half, by which time whatever is filled once
has been filled.
"""

import argparse
import asyncio
import json
import math
import os
import random
import signal
import statistics
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import websockets

from anyzero.core.learning.folder import RunFolder
from anyzero.core.learning.generation import Progress
from anyzero.core.learning.once import OutOfTimeError
from anyzero.core.learning.run import Training
from anyzero.tools.arena.arena import match
from anyzero.tools.lab.opening import fill_in, make_config
from web_process import Server, resident_mb

STEPS = 40  # looks at the memory, in equal parts of the time; games between two of them are counted
CLIENTS = ("human", "human", "human", "uct:50")
"""Who plays against each client."""
GAME = "tic_tac_toe"
TINY: dict[str, Any] = {
    "network": {"kind": "mlp", "layers": 1, "width": 16},
    "selfplay": {"games": 20, "at_once": 10, "simulations": 4},
    "trainer": {"batch_size": 32},
    "replay": {"window": 2000},
    "gate": {"games": 2},
    "league": {"every": 10, "games": 2, "anchors": ("random",)},
    "keep": 5,
    "threads": 1,
}
Point = tuple[int, float]
"""Games so far, and megabytes then."""


async def play_on(url: str, opponent: str, games: list[int], seed: int) -> None:
    """Open a table, play it to its end, leave it, and so on."""
    rng = random.Random(seed)
    async with websockets.connect(url, max_size=1 << 24) as socket:
        while True:
            view = await ask(socket, type="new", game=GAME, seats=["human", opponent])
            assert view["type"] == "table", view
            while not view["over"]:
                table, ply = view["table"], view["ply"]
                if view["seat"] == 0 or opponent == "human":
                    move = rng.choice(view["legal"])["move"]
                    await socket.send(
                        json.dumps({"type": "move", "table": table, "move": move, "ply": ply})
                    )
                view = await next_view(socket, table, ply)
            await socket.send(json.dumps({"type": "leave", "table": view["table"]}))
            games[0] += 1


async def ask(socket: Any, **message: Any) -> dict[str, Any]:
    await socket.send(json.dumps({**message, "request": 1}))
    while (found := json.loads(await socket.recv())).get("request") != 1:
        pass
    return dict(found)


async def next_view(socket: Any, table: str, ply: int) -> dict[str, Any]:
    while True:
        found = json.loads(await socket.recv())
        assert found["type"] != "error", found
        if found["type"] == "table" and found["table"] == table and found["ply"] > ply:
            return dict(found)


async def serve_games(minutes: float) -> AsyncIterator[Point]:
    with tempfile.TemporaryDirectory() as folder:
        server, games = Server(Path(folder), "--no-prepare"), [0]
        await server.start()
        url = f"{server.url.replace('http', 'ws')}ws"
        clients = [
            asyncio.create_task(play_on(url, other, games, seed))
            for seed, other in enumerate(CLIENTS)
        ]
        try:
            for _ in range(STEPS):
                await asyncio.wait(
                    clients, timeout=60 * minutes / STEPS, return_when=asyncio.FIRST_COMPLETED
                )
                for client in clients:
                    if client.done():
                        client.result()
                yield games[0], server.memory_mb()
        finally:
            for client in clients:
                client.cancel()
            await asyncio.gather(*clients, return_exceptions=True)
            await server.end(signal.SIGTERM)


async def measure_server(minutes: float) -> list[Point]:
    return [point async for point in serve_games(minutes)]


class Looks(Progress):
    """Looks at this process whenever a part of the time has gone by."""

    def __init__(self, minutes: float) -> None:
        self.games, self.every, self.next = 0, 60 * minutes / STEPS, time.monotonic()
        self.points: list[Point] = []

    def add(self, games: int) -> bool:
        """So many more games have been played; whether there is time for others."""
        self.games += games
        if time.monotonic() > self.next:
            self.points.append((self.games, resident_mb(os.getpid())))
            self.next += self.every
        return len(self.points) < STEPS

    def finished(self, report: dict[str, Any]) -> None:
        if not self.add(TINY["selfplay"]["games"]):
            raise OutOfTimeError


def measure_training(minutes: float) -> list[Point]:
    """One run, whose generations are looked at as they end."""
    with tempfile.TemporaryDirectory() as place:
        folder = RunFolder.create(Path(place) / "run", fill_in(make_config(GAME, changes=TINY)))
        looks = Looks(minutes)
        with folder.locked():
            Training(folder, looks).run(10**6, 10**6)
        return looks.points


def measure_matches(minutes: float) -> list[Point]:
    """Matches of a hundred games, one after another."""
    looks = Looks(minutes)
    while looks.add(100):
        match(GAME, "uct:20", "random", games=100, workers=1, progress=False)
    return looks.points


def slope(points: list[Point]) -> tuple[float, float]:
    """Kilobytes for 1,000 games, and half of the interval of 95 %."""
    games, memory = zip(*points[len(points) // 2 :], strict=True)
    line = statistics.linear_regression(games, memory)
    rest = sum(
        (mb - line.intercept - line.slope * number) ** 2
        for number, mb in zip(games, memory, strict=True)
    )
    spread = math.sqrt(
        rest / (len(games) - 2) / sum((number - statistics.mean(games)) ** 2 for number in games)
    )
    return 1e6 * line.slope, 2.1 * 1e6 * spread


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["server", "training", "matches"])
    parser.add_argument("--minutes", type=float, default=4.0)
    wanted = parser.parse_args()
    if wanted.what == "server":
        points = asyncio.run(measure_server(wanted.minutes))
    else:
        points = {"training": measure_training, "matches": measure_matches}[wanted.what](
            wanted.minutes
        )
    for games, mb in points[:: STEPS // 20]:
        print(f"{games:8,} games {mb:8.1f} MB")
    each, half = slope(points)
    interval = f"95 % in [{each - half:.0f}, {each + half:.0f}]"
    print(f"{wanted.what}: {points[-1][0]:,} games, {each:.0f} kB for 1,000 games, {interval}")


if __name__ == "__main__":
    main()
