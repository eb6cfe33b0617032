"""One browser tab: what it asks for is done in its order; searches run beside that and tell what they find."""

import asyncio
import contextlib
import json
import secrets
from collections.abc import Callable
from typing import Any

from anyzero.errors import AnyzeroError
from anyzero.games.contract import CHANCE
from anyzero.games.game import Game, State
from anyzero.records.replay import find_start, play_line
from anyzero.web import messages
from anyzero.web.engine import BusyError, Engine
from anyzero.web.room import Room
from anyzero.web.rooms import Rooms
from anyzero.web.table_form import cells_of, last_cells, look_values

MOST_WAITING = 500
"""Messages that wait for a slow client before it is let go."""


class Client:
    """What a connection has joined and asked for; `outbox` is sent by whoever owns the socket."""

    def __init__(self, rooms: Rooms, engine: Engine) -> None:
        self.rooms, self.engine = rooms, engine
        self.name = secrets.token_hex(8)
        self.joined: dict[str, Room] = {}
        self.lanes: dict[str, asyncio.Task[None]] = {}
        self.outbox: asyncio.Queue[str | None] = asyncio.Queue(MOST_WAITING)

    def tell(self, message: str | dict[str, Any]) -> None:
        """Put a message into the outbox; one that is full belongs to a client that no longer reads."""
        try:
            self.outbox.put_nowait(message if isinstance(message, str) else json.dumps(message))
        except asyncio.QueueFull:
            self.outbox.get_nowait()
            self.outbox.put_nowait(None)

    async def obey(self, text: str) -> None:
        """Do what a message says; what is wrong with it is told in one sentence."""
        request = None
        try:
            message = messages.read_message(text)
            request = message.request
            await self.answer(message)
        except messages.BadMessageError as error:
            self.tell({"type": "error", "request": error.request, "error": str(error)})
        except AnyzeroError as error:
            self.tell({"type": "error", "request": request, "error": str(error)})
        except Exception as error:  # a game's own code may raise anything
            self.tell({"type": "error", "request": request, "error": f"it failed: {type(error).__name__}: {error}"})

    async def answer(self, message: Any) -> None:
        match message:
            case messages.New() | messages.Load():
                await self.make(message)
            case messages.Join():
                room = await self.enter(message.table)
                await self.show(room, message.request)
                if room.driver is None:  # a machine that thinks goes on thinking
                    room.go_on(self.engine)
            case messages.Leave():
                self.leave(message.table)
            case messages.Look():
                self.tell({"type": "look", "request": message.request, **await self.look(message)})
            case messages.Hint():
                await self.start("hint", message, message.player)
            case messages.Analyse():
                await self.start(message.lane, message, message.player)
            case messages.Stop():
                self.stop(message.lane)
            case _:
                await self.change(message)

    # --- tables

    async def make(self, message: messages.New | messages.Load) -> None:
        """A new table, joined at once."""
        rooms = self.rooms

        def make() -> Room:
            if isinstance(message, messages.Load):
                table = rooms.read_table(message.text, message.form)
                return rooms.make_room(table, rooms.seats_for(table, message.seats))
            game = rooms.catalog.load(message.game)
            seats = rooms.catalog.check_seats(message.seats, game)
            table = rooms.make_table(message.game, seed=message.seed, position=message.position, moves=message.moves)
            return rooms.make_room(table, seats, paused=message.paused, pace=message.pace)

        self.check_joined()
        room = await asyncio.to_thread(make)
        room.owner = self.name
        rooms.open[room.number] = room
        self.sit_down(room)
        await self.show(room, message.request)
        room.go_on(self.engine)

    async def show(self, room: Room, request: int | None) -> None:
        """What a table looks like, as the answer to a request."""
        async with room.lock:
            text = await room.text()
            self.tell(f'{text[:-1]}, "request": {json.dumps(request)}}}')

    async def enter(self, number: str) -> Room:
        """A room, from the disk if it is not open."""
        room = self.joined.get(number) or self.rooms.open.get(number)
        if room is None:
            self.check_joined()
            room = await self.rooms.fetch(number)
            room.owner = room.owner or self.name
        if number not in self.joined:
            self.check_joined()
            self.sit_down(room)
        return room

    def check_joined(self) -> None:
        most = self.rooms.config.max_joined
        if len(self.joined) >= most:
            raise BusyError(f"you look at {most} games already; leave one first")

    def sit_down(self, room: Room) -> None:
        self.joined[room.number] = room
        room.listeners.add(self)

    def leave(self, number: str) -> None:
        room = self.joined.pop(number, None)
        if room is not None:
            room.listeners.discard(self)

    async def change(self, message: Any) -> None:
        """What changes a table, and who is told is everybody there."""
        room = await self.enter(message.table)
        work: dict[Any, Callable[[], None]] = {
            messages.Move: lambda: room.move(self.move_of(message), message.ply, message.seconds),
            messages.Undo: room.undo,
            messages.Redo: room.redo,
            messages.Resign: room.table.resign,
            messages.Sit: lambda: room.sit(self.rooms.catalog.check_seats(message.seats, room.table.game)),
            messages.Pace: lambda: room.set_pace(message.paused, message.pace),
        }
        about = {"type": "done", "request": message.request, "table": room.number}
        await room.change(work[type(message)], self.engine, self.name, lambda ply: self.tell({**about, "ply": ply}))

    def move_of(self, message: messages.Move) -> str | int:
        if (message.move is None) == (message.action is None):
            raise AnyzeroError("a move is named by its text or by its action, and only one of them")
        return message.move if message.move is not None else message.action  # type: ignore[return-value]

    # --- positions

    async def find_position(self, message: Any) -> tuple[Game, State, list[str], int]:
        """The position that a message names: of a table after some plies, or of a game after some moves."""
        if (message.table is None) == (getattr(message, "game", None) is None):
            raise AnyzeroError("a position is that of a table, or of a game after some moves")
        if message.table is None:
            return await asyncio.to_thread(self.play_free, message)
        room = await self.enter(message.table)
        async with room.lock:
            table, ply = room.table, getattr(message, "ply", None)
            ply = table.num_plies if ply is None else ply
            if ply > len(table.line):
                raise AnyzeroError(f"the game has {len(table.line)} plies, not {ply}")
            return table.game, table.state_after(ply), last_cells(table, ply), ply

    def play_free(self, message: Any) -> tuple[Game, State, list[str], int]:
        if len(message.moves) > self.rooms.config.max_moves:
            raise BusyError(f"{len(message.moves)} moves are too many for one request")
        game = self.rooms.catalog.load(message.game)
        line = play_line(game, find_start(message.position, game), message.moves)
        decisions = [index for index, state in enumerate(line.states[:-1]) if game.seat_to_move(state) != CHANCE]
        last = cells_of(game, line.states[decisions[-1]], line.actions[decisions[-1]]) if decisions else []
        return game, line.states[-1], last, len(line.actions)

    async def look(self, message: messages.Look) -> dict[str, Any]:
        game, state, last, ply = await self.find_position(message)
        values = await asyncio.to_thread(look_values, game, state, last)
        return {**values, "table": message.table, "ply": ply}

    # --- searches

    async def start(self, lane: str, message: messages.Hint | messages.Analyse, player: str) -> None:
        """Search beside everything else; the old search of this lane ends."""
        self.stop(lane)
        game, state, _, ply = await self.find_position(message)
        if game.seat_to_move(state) < 0:
            raise AnyzeroError("there is nothing to search: the game is over or it is chance's turn")
        checked = self.rooms.catalog.check_machine(player, game)
        about = {"request": message.request, "table": message.table, "ply": ply, "lane": lane, "player": checked}
        kind = "hint" if isinstance(message, messages.Hint) else "analysis"
        task = asyncio.create_task(self.search(game, state, {"type": kind, **about}))
        self.lanes[lane] = task
        task.add_done_callback(lambda done: self.lanes.pop(lane) if self.lanes.get(lane) is done else None)

    async def search(self, game: Game, state: State, about: dict[str, Any]) -> None:
        live = about["type"] == "analysis"
        answers = self.engine.search(game, state, about["player"], seed=0, client=self.name, live=live)
        try:
            async with contextlib.aclosing(answers) as found:
                async for answer in found:
                    self.tell({**about, "done": bool(answer.get("done")), "result": answer["result"]})
        except AnyzeroError as error:
            self.tell({"type": "error", "request": about["request"], "lane": about["lane"], "error": str(error)})

    def stop(self, lane: str) -> None:
        task = self.lanes.pop(lane, None)
        if task is not None:
            task.cancel()

    async def close(self) -> None:
        """Nobody is there any more."""
        for number in list(self.joined):
            self.leave(number)
        tasks = list(self.lanes.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
