"""The server's side of the searching process: jobs go out, findings come back, a process that dies is replaced.

Whoever waits for a process that dies does not notice: the new one is asked again, once, and finds the same.
"""

import asyncio
import json
import os
from collections.abc import AsyncGenerator, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from anyzero.child import Child, python_command
from anyzero.errors import AnyzeroError
from anyzero.games.game import Game, State
from anyzero.games.line import first_decision
from anyzero.records.in_progress import GameInProgress
from anyzero.web.catalog import ServerConfig


class Engine:
    """Searches for everybody; one process, started when it is first needed."""

    def __init__(self, config: ServerConfig) -> None:
        self.config, self.number, self.closing = config, 0, False
        self.child: Child | None = None
        self.inboxes: dict[int, asyncio.Queue[dict[str, Any] | None]] = {}  # None when the process is gone
        self.sender = ThreadPoolExecutor(1, "job")
        """Lines go out in their order, and the server never waits for a process that is slow to read them."""

    async def search(
        self, table: GameInProgress, player: str, *, seed: int, live: bool = False
    ) -> AsyncGenerator[dict[str, Any], None]:
        """What the search finds, the last answer with `done`; leaving the loop stops it.

        The start of the game and its actions since are for engines, which want to see repetitions.
        """
        if len(self.inboxes) >= self.config.max_jobs:
            raise AnyzeroError("too many searches are under way; try again in a moment")
        self.number += 1
        job = {**self.wanted(table.game, table.state, player), "job": self.number, "live": live, "seed": seed}
        job |= {"start": table.start.tobytes().hex(), "actions": table.so_far.actions}
        inbox = self.inboxes[job["job"]] = asyncio.Queue()
        again, answer = True, dict[str, Any]()
        try:
            self.send(job)
            while not answer.get("done"):
                found = await inbox.get()
                if found is None and again and not self.closing:
                    again = False
                    self.send(job)
                    continue
                answer = found or {
                    "error": "the process that searches broke off twice; the next search starts a new one"
                }
                if "error" in answer:
                    raise AnyzeroError(answer["error"])
                yield answer
        finally:
            del self.inboxes[job["job"]]
            if self.child is not None and not answer.keys() & {"done", "error"}:
                self.send({"stop": job["job"]})

    def wanted(self, game: Game, state: State, player: str) -> dict[str, Any]:
        player = self.config.engine_texts.get(player.removeprefix("engine:"), player)
        return {"game": game.text, "state": state.tobytes().hex(), "player": player, "live": False, "seed": 0}

    def prepare(self, players: Iterable[tuple[Game, str]]) -> None:
        """Have what these players will need in their games compiled and loaded."""
        starts = [(game, first_decision(game), player) for game, player in players]
        jobs = [self.wanted(game, start, player) for game, start, player in starts if start is not None]
        self.send({"prepare": jobs})

    def wake(self) -> Child:
        if self.child is None:
            loop = asyncio.get_running_loop()
            self.child = Child(
                python_command("anyzero.web.worker", "main", str(self.config.max_nodes)),
                hear=lambda line: loop.call_soon_threadsafe(self.hear, line),
                # glibc gives back the memory of a tree when its search ends, rather than keeping it for every thread
                env={**os.environ, "MALLOC_MMAP_THRESHOLD_": str(1 << 20), "MALLOC_ARENA_MAX": "2"},
            )
        return self.child

    def send(self, values: dict[str, Any]) -> None:
        self.sender.submit(self.wake().send, json.dumps(values))

    def hear(self, line: str | None) -> None:
        """Hand on an answer; when the process is gone, everybody who waits for it is told."""
        if line is None:
            self.child = None
            for inbox in self.inboxes.values():
                inbox.put_nowait(None)
            return
        answer = json.loads(line)
        if answer["job"] in self.inboxes:
            self.inboxes[answer["job"]].put_nowait(answer)

    async def close(self) -> None:
        """End the process; a search under way does not keep it."""
        self.closing = True
        if self.child is not None:
            await asyncio.to_thread(self.child.end)
        self.sender.shutdown()
