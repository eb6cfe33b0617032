"""A real server as a process of its own, and clients that speak to it."""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import websockets


class ServerProcess:
    """`anyzero serve` at a port that is free; `kill` leaves it no time for anything."""

    def __init__(self, folder: Path, *words: str, port: int = 0) -> None:
        self.folder, self.words = folder, words
        self.start(port)

    def start(self, port: int) -> None:
        command = [
            sys.executable,
            "-m",
            "anyzero",
            "serve",
            "--json",
            "--no-prepare",
            "--port",
            str(port),
        ]
        data = ["--data", str(self.folder / "games.sqlite3"), *self.words]
        self.process = subprocess.Popen(
            [*command, *data],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.folder,
        )
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(self.process.communicate()[1])
        self.url = json.loads(line)["url"]
        self.port = int(self.url.rstrip("/").rpartition(":")[2])

    @property
    def socket_url(self) -> str:
        return self.url.replace("http", "ws") + "ws"

    def kill(self) -> None:
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.communicate()

    def restart(self) -> None:
        self.start(self.port)

    def stop(self) -> tuple[int, str]:
        """Ctrl-C; the exit code and what was said."""
        self.process.send_signal(signal.SIGINT)
        _, words = self.process.communicate(timeout=120)
        return self.process.returncode, words


class Tab:
    """A client: `ask` waits for the answer to its own message, `hear` for the next message of a
    type.
    """

    def __init__(self, socket: Any, patience_s: float) -> None:
        self.socket, self.patience_s = socket, patience_s
        self.number, self.missed = 0, []

    async def say(self, **message: Any) -> int:
        self.number += 1
        await self.socket.send(json.dumps({**message, "request": self.number}))
        return self.number

    async def hear(self, wanted: Any) -> dict[str, Any]:
        for index, message in enumerate(self.missed):
            if wanted(message):
                return self.missed.pop(index)
        while True:
            message = json.loads(await asyncio.wait_for(self.socket.recv(), self.patience_s))
            if wanted(message):
                return message
            self.missed.append(message)

    async def ask(self, **message: Any) -> dict[str, Any]:
        number = await self.say(**message)
        return await self.hear(lambda found: found.get("request") == number)

    async def hear_table(self, ply: int) -> dict[str, Any]:
        return await self.hear(lambda found: found["type"] == "table" and found["ply"] >= ply)

    async def hear_done(self, number: int) -> list[dict[str, Any]]:
        """All answers to a search, up to the last."""
        found = []
        while not found or not found[-1].get("done", found[-1]["type"] == "error"):
            found.append(await self.hear(lambda message: message.get("request") == number))
        return found


@contextlib.asynccontextmanager
async def open_tab(server: ServerProcess, patience_s: float = 120.0, **options: Any):
    async with websockets.connect(server.socket_url, max_size=1 << 24, **options) as socket:
        yield Tab(socket, patience_s)


def run(work: Any) -> Any:
    """A coroutine to its end, in a thread of its own: the browser has a loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()
