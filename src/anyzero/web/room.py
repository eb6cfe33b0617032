"""A table that clients look at together: their moves, the machines' moves, and every one of them on disk first."""

import asyncio
import contextlib
import json
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

from anyzero.errors import AnyzeroError
from anyzero.records import Evaluation, GameInProgress
from anyzero.web.catalog import HUMAN
from anyzero.web.engine import Engine
from anyzero.web.shelf import Shelf
from anyzero.web.table_form import table_values
from anyzero.web.taking_up import actions_text

MOVERS = ThreadPoolExecutor(4, "move")
"""Moves have threads of their own: none waits behind pictures, or behind games that are read."""


class Listener(Protocol):
    """Who is told."""

    def tell(self, message: str) -> None: ...


class Room:
    """One table. `game_text` is what clients call its game."""

    def __init__(
        self, number: str, table: GameInProgress, seats: Sequence[str], *, game_text: str, shelf: Shelf
    ) -> None:
        self.number, self.table, self.game_text, self.shelf = number, table, game_text, shelf
        self.seats = tuple(seats)
        self.paused, self.pace = False, 0.0
        self.listeners: set[Listener] = set()
        self.lock = asyncio.Lock()
        self.version = 0
        """Changes with every change; a machine's answer to an older one is dropped."""
        self.owner = ""
        """The client on whose account machines think."""
        self.trouble = ""
        """Why a machine does not move."""
        self.driver: asyncio.Task[None] | None = None
        self.search: asyncio.Task[Any] | None = None
        self.picture = ""
        """What was told last, as text; empty when it is no longer true."""

    # --- what is told and kept

    def values(self) -> dict[str, Any]:
        return {
            "type": "table",
            "table": self.number,
            "game": self.game_text,
            "num_seats": self.table.game.num_seats,
            "opposed": self.table.game.is_opposed,
            "seats": self.seats,
            "paused": self.paused,
            "pace": self.pace,
            "thinking": self.machine is not None and not self.paused,
            "trouble": self.trouble,
            **table_values(self.table),
        }

    def keep(self) -> None:
        """Write the whole line, what was undone as well."""
        table, num_plies = self.table, self.table.num_plies
        table.num_plies = len(table.line)
        try:
            record = table.to_record().to_json()
        finally:
            table.num_plies = num_plies
        self.shelf.keep(
            id=self.number,
            game=self.game_text,
            seats=self.seats,
            record=record,
            actions=actions_text(table),
            num_plies=num_plies,
            num_moves=len(table.moves),
            termination=table.termination,
            paused=int(self.paused),
            pace=self.pace,
        )

    async def text(self) -> str:
        """What it looks like, as everybody is told; within the lock."""
        if not self.picture:
            self.picture = await asyncio.to_thread(lambda: json.dumps(self.values()))
        return self.picture

    async def show(self) -> None:
        """Tell everybody."""
        text = await self.text()
        for listener in list(self.listeners):
            listener.tell(text)

    # --- changes

    @property
    def machine(self) -> str | None:
        """The player that is to move, if it is a machine."""
        seat = self.table.seat_to_move
        return None if seat < 0 or self.seats[seat] == HUMAN else self.seats[seat]

    async def change(
        self, work: Callable[[], None], engine: Engine, client: str, acknowledge: Callable[[int], None]
    ) -> None:
        """Do something to the table on a client's behalf; it is acknowledged once it is on disk, and drawn then."""
        async with self.lock:
            self.owner, self.trouble = client, ""
            await self.apply(work)
            acknowledge(self.table.num_plies)
            self.go_on(engine)
            await self.show()

    async def apply(self, work: Callable[[], None]) -> None:
        """Work and write; within the lock."""

        def do() -> None:
            work()
            self.keep()

        self.picture = ""
        await asyncio.get_running_loop().run_in_executor(MOVERS, do)
        self.version += 1

    def move(self, move: str | int, ply: int | None, seconds: float | None) -> None:
        """A person's move; `ply` is where that person saw the game."""
        if ply is not None and ply != self.table.num_plies:
            raise AnyzeroError("the game has moved on since; look again")
        if self.machine is not None:
            raise AnyzeroError(f"it is the turn of {self.machine}")
        self.table.play(move, seconds=seconds)

    def undo(self) -> None:
        """Back to the last decision of a person; machines among themselves go back one move and wait."""
        self.table.undo()
        while HUMAN in self.seats and self.machine is not None and self.table.can_undo:
            self.table.undo()
        self.paused = HUMAN not in self.seats

    def redo(self) -> None:
        self.table.redo()
        while HUMAN in self.seats and self.machine is not None and self.table.can_redo:
            self.table.redo()
        self.paused = HUMAN not in self.seats

    def sit(self, seats: Sequence[str]) -> None:
        self.seats = tuple(seats)
        for seat, name in enumerate(self.seats):
            self.table.name_player(seat, name)

    def set_pace(self, paused: bool, pace: float) -> None:
        self.paused, self.pace = paused, pace

    # --- machines

    def go_on(self, engine: Engine) -> None:
        """Let the machines move; one that thinks about an older position starts again."""
        if self.search is not None:
            self.search.cancel()
        if self.driver is None:
            self.driver = asyncio.create_task(self.drive(engine))

    async def drive(self, engine: Engine) -> None:
        while await self.let_move(engine):
            pass

    async def let_move(self, engine: Engine) -> bool:
        """A machine's move; False when there is none to make."""
        async with self.lock:
            player, version = self.machine, self.version
            if player is None or self.paused:
                self.driver = None
                return False
            self.search = asyncio.create_task(self.ask(engine, player))
        try:
            answer, seconds = await self.search
        except asyncio.CancelledError:
            if asyncio.current_task().cancelling():  # type: ignore[union-attr]
                raise
            return True
        except AnyzeroError as error:
            await self.give_up(str(error), version)
            return True
        finally:
            self.search = None
        async with self.lock:
            if version == self.version:
                await self.apply(lambda: self.table.play(answer["action"], seconds=seconds, evaluation=thought(answer)))
                await self.show()
        return True

    async def ask(self, engine: Engine, player: str) -> tuple[dict[str, Any], float]:
        start, answer, table = time.perf_counter(), {}, self.table
        searches = engine.search(table.game, table.state, player, seed=table.move_seed, client=self.owner)
        async with contextlib.aclosing(searches) as answers:
            async for found in answers:
                answer = found
        seconds = time.perf_counter() - start
        await asyncio.sleep(max(0.0, self.pace - seconds))
        return answer, seconds

    async def give_up(self, reason: str, version: int) -> None:
        """A machine that cannot move: the game waits until somebody does something about it."""
        async with self.lock:
            if version == self.version:
                self.trouble, self.paused = reason, True
                await self.apply(lambda: None)
                await self.show()

    async def close(self) -> None:
        tasks = [task for task in (self.driver, self.search) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def thought(answer: dict[str, Any]) -> Evaluation | None:
    """What the machine thought of its position."""
    found = answer["result"]
    return None if found is None else Evaluation(max(-1.0, min(1.0, found["value"])), found["simulations"])
