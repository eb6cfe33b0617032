"""Tables that clients share: people's moves, machines' moves, each written to disk first."""

import asyncio
import contextlib
import json
import secrets
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from functools import partial

from anyzero.app.records.files import FIRST, READERS, read_chosen
from anyzero.app.records.in_progress import GameInProgress
from anyzero.app.records.record import BadRecordError, Evaluation, GameRecord
from anyzero.app.records.seats import HUMAN, OPPONENT, known_player
from anyzero.app.web.catalog import Catalog, ServerConfig
from anyzero.app.web.forms import Message, table_values
from anyzero.app.web.shelf import Shelf
from anyzero.app.web.worker import SearchProcess
from anyzero.core.base.errors import AnyzeroError, words_of
from anyzero.core.base.files import parse_object
from anyzero.core.base.nouns import Values

MOVERS = ThreadPoolExecutor(4, "move")
"""Moves have their own threads, so that none waits for pictures or for games being read."""
MOST_PREPARED = 5  # of the games on disk


class Rooms:
    """The open tables, and what they share; slow functions are called in threads."""

    def __init__(self, config: ServerConfig) -> None:
        self.config = config
        self.catalog = Catalog(config)
        self.shelf = Shelf(config.data)
        self.engine = SearchProcess(config)
        self.preparing: asyncio.Task[None] | None = None  # started when the first page is opened
        self.open: dict[str, Room] = {}

    async def close(self) -> None:
        for room in self.open.values():
            await room.close()
        await self.engine.close()
        self.shelf.close()

    async def prepare(self) -> None:
        """Compile the usual opponent's code for every game, recently played ones first."""
        texts = [row["game"] for row in await asyncio.to_thread(self.shelf.list, MOST_PREPARED)]
        games = []
        for text in dict.fromkeys([*texts, *self.catalog.names]):
            with contextlib.suppress(Exception):  # reported to whoever uses it
                games.append(await asyncio.to_thread(self.catalog.load, text))
        self.engine.prepare((game, OPPONENT) for game in games)

    def make(self, message: Message) -> "Room":
        """A new game, with any moves already made, including given chance outcomes."""
        game = self.catalog.load(message.game)
        seats = self.catalog.check_seats(message.seats, game)
        table = GameInProgress.played(game, message.position, message.moves)
        table.seed = secrets.randbits(32) if message.seed is None else message.seed
        table.players = seats
        table.date = date.today().isoformat()
        table.draw()
        return self.add(table, seats, message.paused, message.pace)

    def read(self, message: Message) -> "Room":
        """The game in a file's text; a game defined by a file only if the command line named the
        file.
        """
        if message.form == "json":
            values = parse_object(message.text)
            if values is None:
                raise BadRecordError("the file is not a JSON object")
            unread = [lambda: GameRecord.parse(values)]
        else:
            unread = READERS[f".{message.form}"](message.text, None)
        (record,) = read_chosen(unread, 1)
        game = self.catalog.load(record.game)
        if record.payoffs is None:  # moves that end the game by the rules may come without a result
            played = GameInProgress.played(game, record.start, record.moves)
            if played.is_over:
                record = record.change(
                    result={"payoffs": played.payoffs, "termination": played.termination}
                )
        table = GameInProgress.from_record(record, game)
        if message.seats:
            table.players = self.catalog.check_seats(message.seats, table.game)
        check = partial(self.catalog.check_player, game=table.game)
        # who cannot play here is replaced by a person
        room = self.add(table, [known_player(name, check) or HUMAN for name in table.players])
        room.trouble = f"the file {FIRST.format(len(unread))}" if len(unread) > 1 else ""
        return room

    def add(
        self, table: GameInProgress, seats: Sequence[str], paused: bool = False, pace: float = 0.0
    ) -> "Room":
        room = Room(self, secrets.token_urlsafe(9), table, seats, paused, pace)
        room.keep()
        return room

    async def find(self, number: str) -> "Room":
        """An open room, or one from disk."""
        if number not in self.open:
            self.make_space()
            room = await asyncio.to_thread(self.restore, number)
            self.open.setdefault(number, room)  # another client may have been faster
        return self.open[number]

    def restore(self, number: str) -> "Room":
        row = self.shelf.find(number)
        table = GameInProgress.from_record(
            GameRecord.parse(row["record"]), self.catalog.load(row["game"])
        )
        table.num_plies = min(row["num_plies"], len(table.line))
        return Room(self, number, table, row["seats"], bool(row["paused"]), row["pace"])

    def tables(self) -> Values:
        return {"tables": self.shelf.list()}

    def make_space(self) -> None:
        """Drop rooms without clients if there are too many; in the server's own thread, where no
        client can enter meanwhile.
        """
        for number, room in list(self.open.items()):
            if (
                len(self.open) >= self.config.max_rooms
                and not room.listeners
                and not room.is_driven
            ):
                del self.open[number]
        if len(self.open) >= self.config.max_rooms:
            raise AnyzeroError(f"{self.config.max_rooms} games are open already; close one first")


class Room:
    """One table, its clients, and the driver of its machines."""

    def __init__(
        self,
        rooms: Rooms,
        number: str,
        table: GameInProgress,
        seats: Sequence[str],
        paused: bool,
        pace: float,
    ) -> None:
        self.number = number
        self.table = table
        self.shelf = rooms.shelf
        self.engine = rooms.engine
        self.game_text = rooms.catalog.public(table.game)  # the game's name for clients
        self.seats = tuple(seats)  # the movers; a person may have another name in the record
        self.paused = paused
        self.pace = pace  # the least seconds between machines' moves
        self.trouble = ""  # why a machine does not move, or what people should know
        self.listeners: set[Callable[[str], None]] = set()  # notified of every change
        self.lock = asyncio.Lock()
        self.preparing = False  # whether the machine's code is being compiled, which happens once
        self.quick = False
        """Whether the machine's last move came before that was done, with less thought than it
        should have had.
        """
        self.driver: asyncio.Task[None] | None = None  # makes the machines' moves

    # --- messages and storage

    def values(self) -> Values:
        game = self.table.game
        return {
            "type": "table",
            "table": self.number,
            "game": self.game_text,
            "num_seats": game.num_seats,
            "opposed": game.is_opposed,
            "best_score": game.best_score,
            "seat_names": [game.seat_name(seat) for seat in range(game.num_seats)],
            "thinking": self.machine is not None and not self.paused,
            **{
                name: getattr(self, name)
                for name in ("seats", "paused", "pace", "preparing", "quick", "trouble")
            },
            **table_values(self.table),
        }

    def keep(self) -> None:
        """Store the whole line, including undone moves."""
        table = self.table
        whole = self.table.at(len(self.table.line))
        about = {
            "id": self.number,
            "game": self.game_text,
            "seats": self.seats,
            "record": whole.to_record().to_json(),
        }
        stands = {
            "num_plies": table.num_plies,
            "num_moves": len(table.moves),
            "termination": table.termination,
        }
        self.shelf.keep({**about, **stands, "paused": int(self.paused), "pace": self.pace})

    async def text(self) -> str:
        """The table as sent to all its clients."""
        async with self.lock:
            return await asyncio.to_thread(lambda: json.dumps(self.values()))

    async def show(self) -> None:
        self.tell(await self.text())

    async def show_to(self, tell: Callable[[str], None], request: int | None) -> None:
        """The same to one client, as the answer to a request."""
        tell(f'{(await self.text())[:-1]}, "request": {json.dumps(request)}}}')

    def tell(self, text: str) -> None:
        for tell in list(self.listeners):
            tell(text)

    # --- changes

    @property
    def machine(self) -> str | None:
        """The player to move, if it is a machine."""
        seat = self.table.seat_to_move
        return None if seat < 0 or self.seats[seat] == HUMAN else self.seats[seat]

    async def change(self, work: Callable[[], None]) -> int:
        """Change the table; returns the number of plies once it is on disk."""
        async with self.lock:
            self.trouble = ""
            await self.apply(work)
            self.go_on()
            return self.table.num_plies

    async def apply(self, work: Callable[[], None]) -> None:
        """Work and write; within the lock."""

        def do() -> None:
            work()
            self.keep()

        await asyncio.get_running_loop().run_in_executor(MOVERS, do)

    def move(self, message: Message) -> None:
        if message.ply not in (None, self.table.num_plies):
            raise AnyzeroError("the game has moved on; look again")
        self.check_turn()
        self.table.play(
            message.move if message.action is None else message.action, seconds=message.seconds
        )

    def resign(self) -> None:
        self.check_turn()
        self.table.resign()

    def check_turn(self) -> None:
        if self.machine is not None:
            raise AnyzeroError(f"it is {self.machine}'s turn")

    def step(self, kind: str) -> None:
        """`undo` back to a person's last decision, or `redo`; machines among themselves go one move
        and wait.
        """
        getattr(self.table, kind)(lambda: HUMAN not in self.seats or self.machine is None)
        self.paused = HUMAN not in self.seats

    def prepare(self) -> None:
        """Compile the machines' code while people look at the board."""
        machines = {name for name in self.seats if name != HUMAN}
        if machines and not self.table.is_over:
            self.engine.prepare((self.table.game, player) for player in machines)

    def sit(self, seats: Sequence[str]) -> None:
        for seat, (before, name) in enumerate(zip(self.seats, seats, strict=True)):
            if name != before:
                self.table.name_player(seat, name)
        self.seats = tuple(seats)

    def set_pace(self, paused: bool, pace: float) -> None:
        self.paused = paused
        self.pace = pace

    def stop_machines(self, trouble: str) -> None:
        """They wait until people have read why."""
        self.paused = True
        self.trouble = trouble

    # --- machines

    @property
    def is_driven(self) -> bool:
        return self.driver is not None and not self.driver.done()

    def go_on(self) -> None:
        """Let the machines move; one that thinks about an older position starts again."""
        if self.driver is not None:
            # in a search or waiting for the lock, never in the middle of a move
            self.driver.cancel()
        self.driver = asyncio.create_task(self.drive())

    async def drive(self) -> None:
        """Make machines' moves until a person is to move, or a problem needs one."""
        try:
            while True:
                async with self.lock:
                    player = self.machine
                if player is None or self.paused:
                    return
                work = await self.ask(player)
                async with self.lock:
                    await self.apply(work)
                await self.show()
        except Exception as error:
            # a game that cannot be drawn, a full disk: no request to answer, so all are told
            words = words_of(error, "it failed: ")
            self.tell(
                json.dumps({"type": "error", "table": self.number, "request": None, "error": words})
            )

    async def ask(self, player: str) -> Callable[[], None]:
        """A function that makes the machine's move; if it finds none, one that stores the
        reason.
        """
        start = time.perf_counter()
        answer = Values()
        table = self.table
        searches = self.engine.search(table, player, seed=table.move_seed)
        try:
            async with contextlib.aclosing(searches) as answers:
                async for answer in answers:
                    if answer.get("preparing"):
                        self.preparing = True
                        await self.show()
        except AnyzeroError as error:
            return partial(self.stop_machines, str(error))
        self.preparing = False
        self.quick = bool(answer.get("quick"))
        seconds = time.perf_counter() - start
        result = answer["result"]
        evaluation = result and Evaluation(
            value=max(-1.0, min(1.0, result["value"])), simulations=result["simulations"]
        )
        await asyncio.sleep(max(0.0, self.pace - seconds))
        return partial(table.play, answer["action"], seconds=seconds, evaluation=evaluation)

    async def close(self) -> None:
        if self.driver is not None:
            self.driver.cancel()
            await asyncio.gather(self.driver, return_exceptions=True)
