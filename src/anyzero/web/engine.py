"""The server's side of the searching process: jobs go out, findings come back, a process that dies is replaced."""

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import AsyncGenerator
from typing import Any

from anyzero.errors import AnyzeroError
from anyzero.games.game import Game, State
from anyzero.web.config import ServerConfig

COMMAND = (sys.executable, "-P", "-c", "import sys; from anyzero.web.worker import main; main(int(sys.argv[1]))")
LONGEST_LINE = 1 << 24
BROKEN = "the process that searches broke off; the next search starts a new one"


class Engine:
    """Searches for everybody; one process, started when it is first needed."""

    def __init__(self, config: ServerConfig) -> None:
        self.config = config
        self.process: asyncio.subprocess.Process | None = None
        self.reader: asyncio.Task[None] | None = None
        self.inboxes: dict[int, asyncio.Queue[dict[str, Any]]] = {}
        self.clients: dict[int, str] = {}
        self.number = 0
        self.starting = asyncio.Lock()
        self.waking: asyncio.Task[Any] | None = None

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
            await self.send({**wanted, **about})
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
        if self.process is not None and self.process.stdin is not None and self.process.returncode is None:
            with contextlib.suppress(OSError):
                self.process.stdin.write(json.dumps({"stop": number}).encode() + b"\n")

    async def send(self, wanted: dict[str, Any]) -> None:
        process = await self.running()
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps(wanted).encode() + b"\n")
            await process.stdin.drain()
        except OSError:
            raise AnyzeroError(BROKEN) from None

    def wake(self) -> None:
        """Start the process before somebody waits for it."""
        if self.process is None and self.waking is None:
            self.waking = asyncio.create_task(self.running())

    async def running(self) -> asyncio.subprocess.Process:
        """The process that searches; a new one if there is none."""
        async with self.starting:
            process = self.process
            if process is None or process.returncode is not None or self.reader is None or self.reader.done():
                process = self.process = await self.start()
        return process

    async def start(self) -> asyncio.subprocess.Process:
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *COMMAND,
            str(self.config.max_all_nodes),
            stdin=pipe,
            stdout=pipe,
            limit=LONGEST_LINE,
            process_group=0,  # in this session, so that being nice counts; Ctrl-C is not for it
            env=environment(),
        )
        self.reader = asyncio.create_task(self.read(process))
        return process

    async def read(self, process: asyncio.subprocess.Process) -> None:
        """Hand on the answers; when the process is gone, nobody may wait for it for ever."""
        assert process.stdout is not None
        async for line in process.stdout:
            answer = json.loads(line)
            inbox = self.inboxes.get(answer["job"])
            if inbox is not None:
                inbox.put_nowait(answer)
        await process.wait()
        for inbox in self.inboxes.values():
            inbox.put_nowait({"error": BROKEN})

    async def close(self) -> None:
        """The process ends with its input; a search under way does not keep it."""
        await asyncio.gather(*filter(None, [self.waking]), return_exceptions=True)
        process, reader = self.process, self.reader
        if process is not None and process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        if reader is not None:
            await reader


def environment() -> dict[str, str]:
    """glibc gives back the memory of a tree when its search ends, rather than keeping it for every thread."""
    return {**os.environ, "MALLOC_MMAP_THRESHOLD_": str(1 << 20), "MALLOC_ARENA_MAX": "2"}
