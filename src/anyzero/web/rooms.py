"""All rooms: made from requests, taken from the disk when somebody comes, closed when nobody is there."""

import asyncio
import contextlib
import secrets
import time
import zlib
from collections.abc import Sequence
from datetime import date
from typing import Any

from anyzero.errors import AnyzeroError
from anyzero.files import parse_object
from anyzero.games.contract import OVER
from anyzero.games.game import Game
from anyzero.records.ends import RULES, UNFINISHED, BadRecordError, rule_payoffs
from anyzero.records.files import FORMS
from anyzero.records.in_progress import GameInProgress, Ply
from anyzero.records.record import GameRecord, Replayed, find_game, find_start, play_known, play_line
from anyzero.web.catalog import HUMAN, Catalog
from anyzero.web.config import ServerConfig
from anyzero.web.engine import Engine
from anyzero.web.messages import LoadGame, NewGame
from anyzero.web.room import Room, Shelf

ID_BYTES = 9
OPPONENT = "level:medium"  # who sits down against a person where nobody else was named
MOST_PREPARED = 5  # of the games on the disk
RECENT_S, MOST_RECENT = 600.0, 100  # which games are taken up when the server starts


class Rooms:
    """The open tables, and what they share; the functions that take time are called in threads."""

    def __init__(self, config: ServerConfig) -> None:
        self.config = config
        self.catalog, self.shelf, self.engine = Catalog(config), Shelf(config.data), Engine(config)
        self.preparing: asyncio.Task[None] | None = None  # begun when the first page is opened
        self.open: dict[str, Room] = {}
        self.arriving: dict[str, asyncio.Task[Room]] = {}

    async def close(self) -> None:
        for room in self.open.values():
            await room.close()
        await self.engine.close()
        self.shelf.close()

    async def prepare(self) -> None:
        """Have the code of the usual opponent compiled for every game, those that were played last first."""
        if not self.config.prepare:
            return
        texts = [row["game"] for row in await asyncio.to_thread(self.shelf.list, MOST_PREPARED)]
        games = []
        for text in dict.fromkeys([*texts, *self.catalog.names]):
            with contextlib.suppress(Exception):  # it is told to whoever asks for it
                games.append(await asyncio.to_thread(self.catalog.load, text))
        self.engine.prepare(((game, OPPONENT) for game in games), apart=True)

    # --- new ones

    def make(self, wanted: NewGame) -> Room:
        """A new game, with some moves made already, chance's among them where they are told."""
        game = self.catalog.load(wanted.game)
        seats = self.catalog.check_seats(wanted.seats, game)
        states, actions, moves = play_line(game, wanted.position, wanted.moves)
        line = list(map(Ply, states[1:], map(game.seat_to_move, states), moves, actions))
        seed, today = secrets.randbits(32) if wanted.seed is None else wanted.seed, date.today().isoformat()
        table = GameInProgress(game, start=states[0], seed=seed, date=today, line=line)
        return self.add(table, seats, wanted.paused, wanted.pace)

    def read(self, wanted: LoadGame) -> Room:
        """The game of a file's text; a game file's game only if the command line named the file."""
        if wanted.form == "json":
            values = parse_object(wanted.text)
            if values is None:
                raise BadRecordError("the file is not a JSON object")
            record = GameRecord.parse(values)
        else:
            record = FORMS[f".{wanted.form}"][0](wanted.text, 1, None)[0]
        game = self.catalog.load(record.game)
        if record.payoffs is None:  # moves that end the game by the rules may come without a result
            last = play_line(game, record.start, record.moves).states[-1]
            if game.seat_to_move(last) == OVER:
                record = record.change(result={"payoffs": rule_payoffs(game, last), "termination": RULES})
        table = GameInProgress.from_record(record, game)
        if wanted.seats is not None:
            return self.add(table, self.catalog.check_seats(wanted.seats, table.game))
        return self.add(table, [self.known_player(name, table.game) for name in table.players])

    def known_player(self, name: str, game: Game) -> str:
        """A player of a record, or a person in its place if it cannot play here."""
        try:
            return self.catalog.check_player(name, game)
        except AnyzeroError:
            return HUMAN

    def add(self, table: GameInProgress, seats: Sequence[str], paused: bool = False, pace: float = 0.0) -> Room:
        if self.shelf.count() >= self.config.max_games:
            raise AnyzeroError(f"there are {self.config.max_games} games already; {self.shelf.path} is full")
        number, text = secrets.token_urlsafe(ID_BYTES), self.catalog.public(table.game)
        room = Room(number, table, seats, game=text, shelf=self.shelf, engine=self.engine)
        room.set_pace(paused, pace)
        room.keep()
        return room

    # --- those on the disk

    async def fetch(self, number: str) -> Room:
        """A room from the disk, read once for everybody who asks at the same time."""
        self.make_space()
        if number not in self.arriving:
            task = self.arriving[number] = asyncio.create_task(asyncio.to_thread(self.restore, number))
            task.add_done_callback(lambda _: self.arriving.pop(number))
        found = await asyncio.shield(self.arriving[number])
        return self.open.setdefault(number, found)

    async def fetch_recent(self) -> None:
        """Games that were being played when the server ended are there, picture and all, before their pages ask."""
        for row in await asyncio.to_thread(self.shelf.list, MOST_RECENT):
            if row["termination"] == UNFINISHED and time.time() - row["changed"] < RECENT_S:
                with contextlib.suppress(Exception):  # it is told to whoever asks for it
                    room = await self.fetch(row["id"])
                    async with room.lock:
                        await room.text()

    def restore(self, number: str) -> Room:
        row = self.shelf.find(number)
        game = self.catalog.load(row["game"])
        table = take_up(GameRecord.parse(row["record"]), game, row["actions"])
        table.num_plies = min(row["num_plies"], len(table.line))
        room = Room(number, table, row["seats"], game=row["game"], shelf=self.shelf, engine=self.engine)
        room.set_pace(bool(row["paused"]), row["pace"])
        return room

    def tables(self) -> dict[str, Any]:
        return {"tables": self.shelf.list()}

    def make_space(self) -> None:
        """Drop the rooms that nobody looks at, as far as there are too many; in the server's own thread, where nobody
        comes in meanwhile."""
        for number, room in list(self.open.items()):
            if len(self.open) >= self.config.max_rooms and not room.listeners and not room.is_driven:
                del self.open[number]
        if len(self.open) >= self.config.max_rooms:
            raise AnyzeroError(f"{self.config.max_rooms} games are open already; close one first")


def take_up(record: GameRecord, game: Game, numbers: str) -> GameInProgress:
    """The table of a record that this server wrote.

    Its action numbers are played without a look at the texts, five to ten times as fast. Where they do not lead to the
    position that was written with them, the rules have changed, and the record itself is read.
    """
    check, *actions = [int(number) for number in numbers.split()] or [-1]
    if len(actions) == len(record.moves):
        with contextlib.suppress(AnyzeroError, ArithmeticError, LookupError):
            states = play_known(find_game(record, game), find_start(record.start, game), actions)
            if zlib.crc32(states[-1].tobytes()) == check:
                return GameInProgress.from_replayed(Replayed(record, game, states, actions))
    return GameInProgress.from_record(record, game)
