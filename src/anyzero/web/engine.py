"""The server's side of the searching process: jobs go out, findings come back, a process that dies is replaced."""

import asyncio
import json
import os
from collections.abc import AsyncGenerator
from typing import Any

from anyzero.child import Child, python_command
from anyzero.errors import AnyzeroError
from anyzero.games.game import Game, State
from anyzero.web.config import ServerConfig

BROKEN = "the process that searches broke off; the next search starts a new one"


class Engine:
    """Searches for everybody; one process, started when it is first needed."""

    def __init__(self, config: ServerConfig) -> None:
        self.config = config
        self.child: Child | None = None
        self.inboxes: dict[int, asyncio.Queue[dict[str, Any]]] = {}
        self.clients: dict[int, str] = {}
        self.number = 0

    async def search(
        self, game: Game, state: State, player: str, *, seed: int, client: str, live: bool = False
    ) -> AsyncGenerator[dict[str, Any], None]:
        """What the search finds, the last answer with `done`; leaving the loop stops it."""
        self.check_room(client)
        self.number += 1
        number = self.number
        inbox = self.inboxes[number] = asyncio.Queue()
        self.clients[number] = client
        wanted = {"game": game.text, "state": state.tobytes().hex(), "player": player, "seed": seed}
        about = {"job": number, "client": client, "live": live, "max_nodes": self.config.max_nodes}
        finished = False
        try:
            self.send({**wanted, **about})
            while not finished:
                answer = await inbox.get()
                if "error" in answer:
                    finished = True
                    raise AnyzeroError(answer["error"])
                finished = bool(answer.get("done"))
                yield answer
        finally:
            del self.inboxes[number], self.clients[number]
            if not finished:
                self.stop(number)

    def check_room(self, client: str) -> None:
        if len(self.inboxes) >= self.config.max_jobs:
            raise AnyzeroError("too many searches are under way; try again in a moment")
        if sum(other == client for other in self.clients.values()) >= self.config.max_client_jobs:
            raise AnyzeroError(f"you have {self.config.max_client_jobs} searches under way already; stop one first")

    def stop(self, number: int) -> None:
        if self.child is not None:
            self.child.send(json.dumps({"stop": number}))

    def send(self, wanted: dict[str, Any]) -> None:
        self.running().send(json.dumps(wanted))

    def wake(self) -> None:
        """Start the process before somebody waits for it."""
        self.running()

    def running(self) -> Child:
        """The process that searches; a new one if there is none, or its end was heard of."""
        if self.child is None:
            loop = asyncio.get_running_loop()
            self.child = Child(
                python_command("anyzero.web.worker", "main", str(self.config.max_all_nodes)),
                hear=lambda line: loop.call_soon_threadsafe(self.hear, line),
                own_session=False,  # in this session, so that being nice counts
                env=environment(),
            )
        return self.child

    def hear(self, line: str | None) -> None:
        """Hand on an answer; when the process is gone, nobody may wait for it for ever."""
        if line is None:
            self.child = None
            for inbox in self.inboxes.values():
                inbox.put_nowait({"error": BROKEN})
        elif (answer := json.loads(line))["job"] in self.inboxes:
            self.inboxes[answer["job"]].put_nowait(answer)

    async def close(self) -> None:
        """A search under way does not keep the process."""
        if self.child is not None:
            await asyncio.to_thread(self.child.end)


def environment() -> dict[str, str]:
    """glibc gives back the memory of a tree when its search ends, rather than keeping it for every thread."""
    return {**os.environ, "MALLOC_MMAP_THRESHOLD_": str(1 << 20), "MALLOC_ARENA_MAX": "2"}
