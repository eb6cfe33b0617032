"""How many files a reader passes who follows one call: what counts is whose functions run.

    python -m benchmarks.walks

Calls run in the interpreted target, where rules, search and kernels are plain Python. The leaves
that every walk ends in do not count: a game's own file and its grid, words and random streams,
records, errors.
"""

import asyncio
import json
import sys
import threading
from collections.abc import AsyncGenerator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

import anyzero
from anyzero.core.compile import kernels

ROOT = Path(anyzero.__file__).parent
LEAVES = (
    "core/compile/bits.py",
    "core/compile/random.py",
    "core/base/structs.py",
    "core/base/errors.py",
)
CO_NEWLOCALS = 2
"""A flag of the code of functions: the bodies of modules and of classes do not have it."""


@contextmanager
def files_of_calls() -> Iterator[list[str]]:
    """The files of ours whose functions run within this block, in the order of their first calls.

    What runs because a module is imported does not count. Threads begun within the block do.
    """
    files: list[str] = []
    importing: dict[int, int] = {}  # depth of imports, by thread

    def watch(frame: FrameType, event: str, _: object) -> None:
        thread = threading.get_ident()
        code = frame.f_code
        if code.co_filename == "<frozen importlib._bootstrap>" and code.co_name == "_find_and_load":
            step = {"call": 1, "return": -1}.get(event, 0)
            importing[thread] = max(0, importing.get(thread, 0) + step)
        if event != "call" or importing.get(thread) or not code.co_flags & CO_NEWLOCALS:
            return
        path = Path(code.co_filename)
        if path.is_relative_to(ROOT):
            name = path.relative_to(ROOT).as_posix()
            if name not in files and name not in LEAVES:
                files.append(name)

    threading.setprofile(watch)
    sys.setprofile(watch)
    try:
        yield files
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def count_files(call: Callable[[], object]) -> list[str]:
    """The files that one call passes, without those of games."""
    with files_of_calls() as files:
        call()
    return [name for name in files if not name.startswith("games/")]


def search_walk() -> Iterator[tuple[str, list[str]]]:
    """A RAVE search from Python: the first call in a process, and a later one."""
    game = anyzero.load("hex:size=5")
    state = game.initial_state()
    options: dict[str, Any] = {"simulations": 1, "target": "interpreted"}

    def search() -> object:
        return anyzero.search(game, state, "rave", **options)

    yield "a RAVE search, cold", count_files(search)
    yield "a RAVE search, warm", count_files(search)


WALKS_OF_THEIR_OWN = (
    "core/compile/",
    "core/game/",
    "core/search/",
    "core/nets/",
    "extras/fastnets/",
)
TINY: dict[str, Any] = {
    "threads": 1,
    "network": {"blocks": 1, "channels": 8},
    "selfplay": {"games": 2, "simulations": 2},
    "trainer": {"batch_size": 8},
}


def sample_walk() -> Iterator[tuple[str, list[str]]]:
    """A generation of a run on the CPU, from the first move of self-play to the trained network."""
    from anyzero.core.learning.generation import Stages
    from anyzero.tools.lab.opening import open_run

    with TemporaryDirectory() as home, interpreted():
        folder = open_run("tic_tac_toe", run=f"{home}/run", changes=TINY)
        with folder.locked():
            stages = Stages(folder)
            begun = stages.begin()
            part = folder.part(1)

            def generation() -> None:
                stages.self_play(part, begun)
                stages.train(part, begun)

            files = count_files(generation)
            yield "a sample, from self-play to a gradient", files
            others = [name for name in files if not name.startswith(WALKS_OF_THEIR_OWN)]
            yield "the same, without the walks of its search, rules and network", others


@contextmanager
def interpreted() -> Iterator[None]:
    """Within this block code for the CPU stays plain Python, so that its calls are seen."""
    compiler = kernels.COMPILERS["cpu"]
    kernels.COMPILERS["cpu"] = kernels.COMPILERS["interpreted"]
    try:
        yield
    finally:
        kernels.COMPILERS["cpu"] = compiler


def click_walk() -> Iterator[tuple[str, list[str]]]:
    """A click on the page, from its message to the machine's answer on the board: the server's
    side, with the process that searches played by a thread.
    """
    from anyzero.app.web import room, worker
    from anyzero.app.web.catalog import ServerConfig
    from anyzero.app.web.client import Client

    class PlainJob(worker.SearchJob):
        """A search by plain Python, with nothing compiled in another process."""

        def is_compiled(self) -> bool:
            return True

        def searcher(self, **_: Any) -> Any:
            return self.plain_searcher()

    class Searches(worker.SearchProcess):
        def wake(self) -> Any:
            return None

        def prepare(self, _: object) -> None:
            """Nothing is compiled."""

        async def search(
            self, table: Any, player: str, *, seed: int, live: bool = False
        ) -> AsyncGenerator[dict[str, Any], None]:
            job = {**self.job_for(table, player), "seed": seed, "live": live}
            result = await asyncio.to_thread(PlainJob(json.loads(json.dumps(job))).run)
            yield {"done": True, **result}

    async def wait_for_person(client: Client, **message: object) -> dict[str, Any]:
        await client.obey(json.dumps(message))
        while True:
            view = json.loads(await client.outbox.get() or "{}")
            if view["type"] == "table" and not view["thinking"]:
                return dict(view)

    async def play() -> list[str]:
        config = ServerConfig(data=Path(":memory:"), prepare=False)
        rooms = room.Rooms(config)
        rooms.engine = Searches(config)
        client = Client(rooms)
        seats = ["human", "rave:5"]
        table = await wait_for_person(client, type="new", game="hex:size=5", seats=seats)
        for _ in range(2):  # the first click also loads what the later ones use
            room.MOVERS = ThreadPoolExecutor(1)  # only threads that begin now are watched
            asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
            click = {"type": "move", "table": table["table"], "action": table["legal"][0]["action"]}
            with files_of_calls() as files:
                table = await wait_for_person(client, **click)
        await rooms.close()
        return [name for name in files if not name.startswith("games/")]

    yield "a click and its answer", asyncio.run(play())


WALKS = {"search": search_walk, "sample": sample_walk, "click": click_walk}


def main(names: list[str]) -> None:
    for name in names or list(WALKS):
        for title, files in WALKS[name]():
            print(f"{title}: {len(files)} files")
            for path in files:
                print(f"    {path}")


if __name__ == "__main__":
    main(sys.argv[1:])
