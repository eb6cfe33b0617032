"""One browser tab: its socket, its messages, and their handling."""

import asyncio
import contextlib
import json
from collections.abc import Callable
from functools import partial

from fastapi import WebSocket, WebSocketDisconnect

from anyzero.app.records.in_progress import GameInProgress
from anyzero.app.web.forms import Message, position_values, twin_actions
from anyzero.app.web.room import Room, Rooms
from anyzero.core.base.errors import AnyzeroError, words_of
from anyzero.core.base.files import parse_object
from anyzero.core.base.nouns import Values

MOST_WAITING = 500  # messages queued for a slow client before it is disconnected


async def serve_socket(rooms: Rooms, page: WebSocket) -> None:
    """Serve one client from its first message to its last."""

    async def send_all() -> None:
        while (text := await client.outbox.get()) is not None:
            await page.send_text(text)
        await page.close(1013, "too slow")

    await page.accept()
    client = Client(rooms)
    rooms.engine.wake()
    if rooms.config.prepare and rooms.preparing is None:
        rooms.preparing = asyncio.create_task(rooms.prepare())
    sender = asyncio.create_task(send_all())
    try:
        while True:
            await client.obey(await page.receive_text())
    except (WebSocketDisconnect, RuntimeError, KeyError):
        pass  # disconnected, or a message that is not text
    finally:
        await client.close()
        sender.cancel()
        await asyncio.gather(sender, return_exceptions=True)


class Client:
    """One browser tab: its requests are handled in order; searches run concurrently and report
    their findings.

    `outbox` is sent by the owner of the socket.
    """

    def __init__(self, rooms: Rooms) -> None:
        self.rooms = rooms
        self.joined: dict[str, Room] = {}
        self.lanes: dict[str, asyncio.Task[None]] = {}
        self.outbox: asyncio.Queue[str | None] = asyncio.Queue(MOST_WAITING)

    def tell(self, message: str | Values) -> None:
        """Put a message into the outbox; a full one belongs to a client that no longer reads."""
        try:
            self.outbox.put_nowait(message if isinstance(message, str) else json.dumps(message))
        except asyncio.QueueFull:
            self.outbox.get_nowait()
            self.outbox.put_nowait(None)

    async def obey(self, text: str) -> None:
        """Handle a message; errors are answered in one sentence."""
        values = parse_object(text)
        try:
            if values is None:
                raise AnyzeroError("the message is not a JSON object")
            await self.answer(Message.parse(values))
        except Exception as error:  # a game's own code may raise anything
            request = (values or {}).get("request")
            about = {"type": "error", "request": request if type(request) is int else None}
            self.tell({**about, "error": words_of(error, "it failed: ")})

    async def answer(self, message: Message) -> None:
        match message.type:
            case "new" | "load":
                await self.make(message)
            case "join":
                room = await self.enter(message.table)
                await room.show_to(self.tell, message.request)
                if not room.is_driven:  # a thinking machine continues
                    room.go_on()
            case "leave":
                self.leave(message.table)
            case "look":
                await self.look(message)
            case "hint" | "analyse":
                await self.start(message)
            case "stop":
                self.stop(message.lane)
            case _:
                await self.change(message)

    # --- tables

    async def make(self, message: Message) -> None:
        self.rooms.make_space()
        room = await asyncio.to_thread(
            self.rooms.make if message.type == "new" else self.rooms.read, message
        )
        self.rooms.open[room.number] = room
        self.sit_down(room)
        await room.show_to(self.tell, message.request)
        room.go_on()

    async def enter(self, number: str) -> Room:
        if number not in self.joined:
            self.sit_down(await self.rooms.find(number))
        return self.joined[number]

    def sit_down(self, room: Room) -> None:
        self.joined[room.number] = room
        if not room.listeners:
            room.prepare()
        room.listeners.add(self.tell)

    def leave(self, number: str) -> None:
        if (room := self.joined.pop(number, None)) is not None:
            room.listeners.discard(self.tell)

    async def change(self, message: Message) -> None:
        """Change a table: acknowledged once it is on disk, then drawn for all its clients."""
        room = await self.enter(message.table)
        works: dict[str, Callable[[], None]] = {
            "move": lambda: room.move(message),
            **{kind: partial(room.step, kind) for kind in ("undo", "redo")},
            "resign": room.resign,
            "sit": lambda: room.sit(self.rooms.catalog.check_seats(message.seats, room.table.game)),
            "pace": lambda: room.set_pace(message.paused, message.pace),
        }
        ply = await room.change(works[message.type])
        self.tell({"type": "done", "request": message.request, "table": room.number, "ply": ply})
        await room.show()

    # --- positions

    async def find_position(self, message: Message) -> GameInProgress:
        """The game up to the position named by a message."""
        if not message.table:
            game = await asyncio.to_thread(self.rooms.catalog.load, message.game)
            return await asyncio.to_thread(
                GameInProgress.played, game, message.position, message.moves
            )
        room = await self.enter(message.table)
        async with room.lock:
            table = room.table
            ply = table.num_plies if message.ply is None else message.ply
            if ply > len(table.line):
                raise AnyzeroError(f"the game has {len(table.line)} plies, not {ply}")
            return table.at(ply)

    async def look(self, message: Message) -> None:
        table = await self.find_position(message)
        values = await asyncio.to_thread(position_values, table)
        twins = await asyncio.to_thread(twin_actions, table.game, table.state)
        about = {
            "type": "look",
            "request": message.request,
            "table": message.table or None,
            "ply": table.num_plies,
        }
        self.tell({**values, **about, "twins": twins})

    # --- searches

    async def start(self, message: Message) -> None:
        """Start a search in the background; the old search of this lane ends."""
        kind, lane = ("hint", "hint") if message.type == "hint" else ("analysis", message.lane)
        self.stop(lane)
        table = await self.find_position(message)
        if table.game.seat_to_move(table.state) < 0:
            raise AnyzeroError(
                "there is nothing to search: the game is over or it is chance's turn"
            )
        player = self.rooms.catalog.check_player(message.player, table.game, searches=True)
        if len(self.lanes) >= self.rooms.config.max_client_jobs:
            raise AnyzeroError(
                f"you have {len(self.lanes)} searches running already; stop one first"
            )
        about = {
            "request": message.request,
            "table": message.table or None,
            "ply": table.num_plies,
            "lane": lane,
            "type": kind,
            "player": player,
        }
        task = asyncio.create_task(self.search(table, about, message.seed or 0))
        self.lanes[lane] = task
        task.add_done_callback(
            lambda done: self.lanes.pop(lane) if self.lanes.get(lane) is done else None
        )

    async def search(self, table: GameInProgress, about: Values, seed: int) -> None:
        live = about["type"] == "analysis"
        answers = self.rooms.engine.search(table, about["player"], seed=seed, live=live)
        try:
            async with contextlib.aclosing(answers) as findings:
                async for answer in findings:
                    reached = {"done": bool(answer.get("done")), "preparing": "preparing" in answer}
                    self.tell({**about, **reached, "result": answer.get("result")})
        except AnyzeroError as error:
            self.tell(
                {
                    "type": "error",
                    "request": about["request"],
                    "lane": about["lane"],
                    "error": str(error),
                }
            )

    def stop(self, lane: str) -> None:
        if (task := self.lanes.pop(lane, None)) is not None:
            task.cancel()

    async def close(self) -> None:
        for number in list(self.joined):
            self.leave(number)
        tasks = list(self.lanes.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
