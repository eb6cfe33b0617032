"""All rooms: made from requests, taken from the disk when somebody comes, closed when nobody is there."""

import asyncio
import contextlib
import json
import secrets
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from anyzero.errors import AnyzeroError
from anyzero.games.contract import OVER
from anyzero.records import GameInProgress, GameRecord
from anyzero.records.fields import RULES, UNFINISHED, BadRecordError, parse_fields
from anyzero.records.files import FORMS
from anyzero.records.replay import find_start, play_line, rule_payoffs
from anyzero.web.catalog import HUMAN, Catalog
from anyzero.web.config import ServerConfig
from anyzero.web.engine import BusyError
from anyzero.web.room import Room
from anyzero.web.shelf import Shelf
from anyzero.web.taking_up import take_up

ID_BYTES = 9
RECENT_S, MOST_RECENT = 600.0, 100
"""Which games are taken up when the server starts."""


class Rooms:
    """The open tables and the shelf behind them; the functions that take time are called in threads."""

    def __init__(self, config: ServerConfig, catalog: Catalog, shelf: Shelf) -> None:
        self.config, self.catalog, self.shelf = config, catalog, shelf
        self.open: dict[str, Room] = {}
        self.arriving: dict[str, asyncio.Task[Room]] = {}

    # --- tables

    def make_table(
        self, game_text: str, *, seed: int | None = None, position: str | None = None, moves: Sequence[str] = ()
    ) -> GameInProgress:
        """A new game, with some moves made already, chance's among them where they are told."""
        game = self.catalog.load(game_text)
        if len(moves) > self.config.max_moves:
            raise BusyError(f"{len(moves)} moves are too many for one request")
        drawn = secrets.randbits(32) if seed is None else seed
        start = None if position is None else game.parse_state(position)
        if not moves:
            return GameInProgress(game, start=start, seed=drawn, date=date.today().isoformat())
        start_text = None if start is None else game.format_state(start)
        record = GameRecord(
            game=game.text,
            rules=game.name,
            options=dict(game.options),
            players=("?",) * game.num_seats,
            moves=tuple(moves),
            start=start_text,
            seed=drawn,
            date=date.today().isoformat(),
        )
        return continue_record(record, self.catalog)

    def read_table(self, text: str, form: str) -> GameInProgress:
        """The game of a file's text."""
        suffix = f".{form}"
        if suffix == ".json":
            return continue_record(read_json_text(text, self.catalog), self.catalog)
        return continue_record(FORMS[suffix][0](text, 1, None)[0], self.catalog)

    # --- rooms

    def seats_for(self, table: GameInProgress, seats: Sequence[str] | None) -> tuple[str, ...]:
        """Who sits there: as told, or as the record says, as far as those can play here."""
        if seats is not None:
            return self.catalog.check_seats(list(seats), table.game)
        known = []
        for name in table.players:
            try:
                known.append(self.catalog.check_player(name, table.game))
            except AnyzeroError:
                known.append(HUMAN)
        return tuple(known)

    def make_room(
        self, table: GameInProgress, seats: Sequence[str], *, paused: bool = False, pace: float = 0.0
    ) -> Room:
        """A new room, on the disk already."""
        self.check_space()
        if self.shelf.count() >= self.config.max_games:
            raise BusyError(f"there are {self.config.max_games} games already; {self.shelf.path} is full")
        text = self.catalog.public(table.game)
        room = Room(secrets.token_urlsafe(ID_BYTES), table, (), game_text=text, shelf=self.shelf)
        room.sit(seats)
        room.set_pace(paused, pace)
        room.keep()
        return room

    async def fetch(self, number: str) -> Room:
        """A room from the disk, read once for everybody who asks at the same time."""
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
        """A room from the disk."""
        self.check_space()
        row = self.shelf.find(number)
        game = self.catalog.load(row["game"])
        table = take_up(GameRecord(**parse_fields(row["record"])), game, row["actions"])
        table.num_plies = min(row["num_plies"], len(table.line))
        room = Room(number, table, row["seats"], game_text=row["game"], shelf=self.shelf)
        room.set_pace(bool(row["paused"]), row["pace"])
        return room

    def check_space(self) -> None:
        """Room for one more; those that nobody looks at make place."""
        for number, room in list(self.open.items()):
            if len(self.open) >= self.config.max_rooms and not room.listeners and room.driver is None:
                del self.open[number]
        if len(self.open) >= self.config.max_rooms:
            raise BusyError(f"{self.config.max_rooms} games are open already; close one first")


def read_json_text(text: str, catalog: Catalog) -> GameRecord:
    """A record in JSON; a game file's game only if the command line named the file."""
    try:
        values: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadRecordError(f"it is not JSON: {error}") from None
    record = GameRecord(**parse_fields(values))
    catalog.load(record.game)
    return record


def continue_record(record: GameRecord, catalog: Catalog) -> GameInProgress:
    """The table of a record; moves that end the game by the rules may come without a result."""
    game = catalog.load(record.game)
    if record.payoffs is None and record.moves:
        return play_moves(record, catalog)
    return GameInProgress.from_record(record, game)


def play_moves(record: GameRecord, catalog: Catalog) -> GameInProgress:
    """The same without looking at the result."""
    game = catalog.load(record.game)
    last = play_line(game, find_start(record.start, game), record.moves).states[-1]
    if game.seat_to_move(last) == OVER:
        record = replace(record, payoffs=rule_payoffs(game, last), termination=RULES)
    return GameInProgress.from_record(record, game)
