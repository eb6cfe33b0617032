"""The web server as a process of its own, and what it and everything else on the machine uses."""

import asyncio
import contextlib
import json
import os
import sys
import time
from pathlib import Path


class Server:
    """`anyzero serve` as a process of its own."""

    def __init__(self, folder: Path, *words: str, env: dict[str, str] | None = None) -> None:
        self.folder, self.words, self.port, self.env = folder, words, 0, env

    async def start(self) -> None:
        command = (
            "-m",
            "anyzero",
            "serve",
            "--json",
            "--port",
            str(self.port),
            "--data",
            "games.sqlite3",
            *self.words,
        )
        self.process = await asyncio.create_subprocess_exec(
            sys.executable, *command, stdout=asyncio.subprocess.PIPE, cwd=self.folder, env=self.env
        )
        assert self.process.stdout is not None
        self.url = json.loads(await self.process.stdout.readline())["url"]
        self.port = int(self.url.rstrip("/").rpartition(":")[2])

    async def end(self, number: int) -> None:
        self.process.send_signal(number)
        await self.process.wait()

    def memory_mb(self) -> float:
        return sum(resident_mb(pid) for pid in family(self.process.pid))

    def cpu(self) -> dict[str, float]:
        """Seconds computed so far: by the server, by those that it started, by the clients, and by
        others.
        """
        server, *workers = family(self.process.pid)
        own = {
            "server": cpu_seconds(server),
            "searches": sum(map(cpu_seconds, workers)),
            "clients": time.process_time(),
        }
        return {**own, "others": busy_seconds() - sum(own.values())}


def family(pid: int) -> list[int]:
    """A process and all that it started."""
    found = [pid]
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found += [other for child in path.read_text().split() for other in family(int(child))]
    return found


def resident_mb(pid: int) -> float:
    try:
        return (
            int(Path(f"/proc/{pid}/statm").read_text().split()[1])
            * os.sysconf("SC_PAGE_SIZE")
            / 1e6
        )
    except (OSError, IndexError):
        return 0.0


def cpu_seconds(pid: int) -> float:
    """Computed so far by a process."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError):
        return 0.0


def busy_seconds() -> float:
    """Computed so far by everything on this machine; what the hypervisor took away counts as
    well.
    """
    fields = [int(field) for field in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    return (sum(fields) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK")
