"""A table that clients look at together: people's moves, machines' moves, and every one of them on disk first."""

import asyncio
import contextlib
import copy
import hashlib
import json
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any

from anyzero.errors import AnyzeroError, UnknownNameError, words_of
from anyzero.records.in_progress import GameInProgress
from anyzero.records.record import Evaluation
from anyzero.sealed import DamagedError
from anyzero.web.catalog import HUMAN
from anyzero.web.engine import Engine
from anyzero.web.forms import table_values
from anyzero.web.messages import MakeMove

MOVERS = ThreadPoolExecutor(4, "move")
"""Moves have their own threads, so that none waits behind pictures or behind games that are being read."""


class Room:
    """One table; `game` is what clients call its game."""

    def __init__(
        self, number: str, table: GameInProgress, seats: Sequence[str], *, game: str, shelf: "Shelf", engine: Engine
    ) -> None:
        self.number, self.table, self.game_text, self.shelf, self.engine = number, table, game, shelf, engine
        self.sit(seats)
        self.paused, self.pace = False, 0.0
        self.listeners: set[Callable[[str], None]] = set()  # who is told of every change
        self.lock = asyncio.Lock()
        self.owner = ""  # the client on whose account machines think
        self.trouble = ""  # why a machine does not move
        self.preparing = False  # whether the machine's code is being compiled, which happens once
        self.quick = False
        """Whether the machine's last move came before that was done, after less thought than it should have had."""
        self.driver: asyncio.Task[None] | None = None  # lets the machines move
        self.picture = ""  # what was told last, as text; empty when it is no longer true

    # --- what is told and kept

    def values(self) -> dict[str, Any]:
        game = self.table.game
        return {
            "type": "table",
            "table": self.number,
            "game": self.game_text,
            "num_seats": game.num_seats,
            "opposed": game.is_opposed,
            "seat_names": [game.seat_name(seat) for seat in range(game.num_seats)],
            "thinking": self.machine is not None and not self.paused,
            **{name: getattr(self, name) for name in ("seats", "paused", "pace", "preparing", "quick", "trouble")},
            **table_values(self.table),
        }

    def keep(self) -> None:
        """Write the whole line, what was undone as well."""
        table, whole = self.table, copy.copy(self.table)
        whole.num_plies = len(whole.line)
        check = zlib.crc32(whole.state.tobytes())  # of the last position that the actions lead to
        self.shelf.keep(
            id=self.number,
            game=self.game_text,
            seats=self.seats,
            record=whole.to_record().to_json(),
            actions=" ".join(map(str, [check, *(ply.action for ply in table.line if ply.action >= 0)])),
            num_plies=table.num_plies,
            num_moves=len(table.moves),
            termination=table.termination,
            paused=int(self.paused),
            pace=self.pace,
        )

    async def text(self) -> str:
        """The table as everybody is told it; within the lock."""
        if not self.picture:
            self.picture = await asyncio.to_thread(lambda: json.dumps(self.values()))
        return self.picture

    async def show(self) -> None:
        async with self.lock:
            text = await self.text()
        for tell in list(self.listeners):
            tell(text)

    # --- changes

    @property
    def machine(self) -> str | None:
        """The player to move, if it is a machine."""
        seat = self.table.seat_to_move
        return None if seat < 0 or self.seats[seat] == HUMAN else self.seats[seat]

    async def change(self, work: Callable[[], None], client: str) -> int:
        """Do something to the table on a client's behalf; it is on disk when the number of plies comes back."""
        async with self.lock:
            self.trouble = ""
            await self.apply(work)
            self.go_on(client)
            return self.table.num_plies

    async def apply(self, work: Callable[[], None]) -> None:
        """Work and write; within the lock."""

        def do() -> None:
            work()
            self.keep()

        self.picture = ""
        await asyncio.get_running_loop().run_in_executor(MOVERS, do)

    def move(self, wanted: MakeMove) -> None:
        if wanted.ply not in (None, self.table.num_plies):
            raise AnyzeroError("the game has moved on since; look again")
        if self.machine is not None:
            raise AnyzeroError(f"it is {self.machine}'s turn")
        move = wanted.action if wanted.move is None else wanted.move
        assert move is not None
        self.table.play(move, seconds=wanted.seconds)

    def step(self, kind: str) -> None:
        """`undo` back to the last decision of a person, or `redo`; machines among themselves go one move and wait."""
        step: Callable[[], None] = getattr(self.table, kind)
        step()
        while HUMAN in self.seats and self.machine is not None and getattr(self.table, f"can_{kind}"):
            step()
        self.paused = HUMAN not in self.seats

    def prepare(self) -> None:
        """Have the machines' code compiled while people look at the board."""
        machines = {name for name in self.seats if name != HUMAN}
        if machines and not self.table.is_over:
            self.engine.prepare((self.table.game, player) for player in machines)

    def sit(self, seats: Sequence[str]) -> None:
        self.seats = tuple(seats)
        for seat, name in enumerate(self.seats):
            self.table.name_player(seat, name)

    def set_pace(self, paused: bool, pace: float) -> None:
        self.paused, self.pace = paused, pace

    # --- machines

    @property
    def is_driven(self) -> bool:
        return self.driver is not None and not self.driver.done()

    def go_on(self, client: str) -> None:
        """Let the machines move; one that thinks about an older position starts again."""
        self.owner = client
        if self.driver is not None:
            self.driver.cancel()  # in a search or waiting for the lock, never in the middle of a move
        self.driver = asyncio.create_task(self.drive())

    async def drive(self) -> None:
        """Moves of machines until a person is to move, or somebody is needed."""
        try:
            while await self.let_move():
                await self.show()
        except Exception as error:  # a game that cannot be drawn, a full disk: nobody has asked, so everybody is told
            words = words_of(error, "it failed: ")
            for tell in list(self.listeners):
                tell(json.dumps({"type": "error", "table": self.number, "request": None, "error": words}))

    async def let_move(self) -> bool:
        """A machine's move, or why there is none; False when there is none to make."""
        async with self.lock:
            player = self.machine
        if player is None or self.paused:
            return False
        try:
            answer, seconds = await self.ask(player)
        except AnyzeroError as error:
            async with self.lock:
                self.trouble, self.paused = str(error), True
                await self.apply(lambda: None)
            return True
        async with self.lock:
            await self.apply(lambda: self.table.play(answer["action"], seconds=seconds, evaluation=thought(answer)))
        return True

    async def ask(self, player: str) -> tuple[dict[str, Any], float]:
        start, answer, table = time.perf_counter(), dict[str, Any](), self.table
        line = table.start, [ply.action for ply in table.plies]
        searches = self.engine.search(
            table.game, table.state, player, seed=table.move_seed, client=self.owner, line=line
        )
        async with contextlib.aclosing(searches) as answers:
            async for answer in answers:
                if answer.get("preparing"):
                    self.preparing, self.picture = True, ""
                    await self.show()
        self.preparing, self.quick = False, bool(answer.get("quick"))
        seconds = time.perf_counter() - start
        await asyncio.sleep(max(0.0, self.pace - seconds))
        return answer, seconds

    async def close(self) -> None:
        if self.driver is not None:
            self.driver.cancel()
            await asyncio.gather(self.driver, return_exceptions=True)


def thought(answer: dict[str, Any]) -> Evaluation | None:
    found = answer["result"]
    if found is None:
        return None
    return Evaluation(value=max(-1.0, min(1.0, found["value"])), simulations=found["simulations"])


# --- the games on disk: what was acknowledged is there, whatever happens to the server afterwards
#
# A change is with the operating system before it is acknowledged, so the server may be killed at any time. It is forced
# down to the disk once a second, beside the changes: a power cut costs no more than that, and never the file.

COLUMNS = {
    "id": "TEXT PRIMARY KEY",
    "game": "TEXT NOT NULL",
    "seats": "TEXT NOT NULL",
    "record": "TEXT NOT NULL",
    "actions": "TEXT NOT NULL DEFAULT ''",
    "num_plies": "INTEGER NOT NULL",
    "num_moves": "INTEGER NOT NULL",
    "termination": "TEXT NOT NULL",
    "paused": "INTEGER NOT NULL",
    "pace": "REAL NOT NULL",
    "changed": "REAL NOT NULL",
    "seal": "TEXT NOT NULL DEFAULT ''",
}
UNSEALED = ("changed", "seal")
CREATE = f"CREATE TABLE IF NOT EXISTS games ({', '.join(f'{name} {kind}' for name, kind in COLUMNS.items())}) STRICT"
WRITE = f"INSERT OR REPLACE INTO games ({', '.join(COLUMNS)}) VALUES ({', '.join(f':{name}' for name in COLUMNS)})"
LIST = (
    "SELECT id, game, seats, num_moves, termination, changed FROM games "
    "WHERE num_moves > 0 ORDER BY changed DESC LIMIT ?"
)
FORCE_EVERY_S = 1.0
LONGEST_LOG = 16_000  # pages in SQLite's log before changes wait until all of it is in the file
KEEP_UNPLAYED_S = 24 * 3600  # games without a move are dropped after this time
FORMAT = 3


def seal_of(row: Mapping[str, Any]) -> str:
    """A hash of what a row says; what earlier versions wrote has none."""
    return hashlib.sha256(repr([str(row[name]) for name in COLUMNS if name not in UNSEALED]).encode()).hexdigest()


def read_seats(text: str) -> list[str]:
    """Who sits where, for the list of games; what is damaged is said there, and again to whoever opens the game."""
    with contextlib.suppress(ValueError):
        return list(json.loads(text))
    return ["damaged"]


class Shelf:
    """A SQLite file; every change survives the process once `keep` has returned."""

    def __init__(self, path: Path | str) -> None:
        self.lock, self.path, self.ended, self.changed = Lock(), path, Event(), False
        try:
            if str(path) != ":memory:":
                Path(path).parent.mkdir(parents=True, exist_ok=True)
            with contextlib.ExitStack() as undo:
                self.file = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=10.0)
                undo.callback(self.file.close)
                self.prepare()
                undo.pop_all()
        except (OSError, sqlite3.Error) as error:
            raise AnyzeroError(f"cannot keep games in {path}: {error}") from None
        self.forcer = Thread(target=self.force_often, daemon=True)
        self.forcer.start()

    def prepare(self) -> None:
        self.file.row_factory = sqlite3.Row
        version = self.file.execute("PRAGMA user_version").fetchone()[0]
        if version > FORMAT:
            raise AnyzeroError(f"{self.path} was written by a newer version")
        if (found := self.file.execute("PRAGMA integrity_check(1)").fetchone()[0]) != "ok":
            words = " ".join(found.split())
            raise DamagedError(f"{self.path} is damaged ({words}): move it away, and a new one is begun")
        self.file.execute("PRAGMA journal_mode=WAL")
        self.file.execute("PRAGMA synchronous=NORMAL")
        self.file.execute("PRAGMA wal_autocheckpoint=0")
        for name in {1: ("actions", "seal"), 2: ("seal",)}.get(version, ()):
            self.file.execute(f"ALTER TABLE games ADD COLUMN {name} {COLUMNS[name]}")
        self.file.execute(CREATE)
        self.file.execute(f"PRAGMA user_version={FORMAT}")
        self.file.execute("DELETE FROM games WHERE num_moves = 0 AND changed < ?", (time.time() - KEEP_UNPLAYED_S,))

    def keep(self, **values: Any) -> None:
        """Write a game; the columns are those of the table, without the time."""
        row = {**values, "seats": json.dumps(values["seats"]), "record": json.dumps(values["record"])}
        row |= {"pace": float(row["pace"]), "changed": time.time()}
        with self.using() as file:
            file.execute(WRITE, {**row, "seal": seal_of(row)})
            self.changed = True

    @contextlib.contextmanager
    def using(self) -> Iterator[sqlite3.Connection]:
        """The file for one thread at a time; what is wrong with it is one sentence."""
        try:
            with self.lock:
                yield self.file
        except sqlite3.Error as error:
            raise AnyzeroError(f"cannot use the games in {self.path}: {error}") from None

    def find(self, number: str) -> dict[str, Any]:
        with self.using() as file:
            found = file.execute("SELECT * FROM games WHERE id = ?", (number,)).fetchone()
        if found is None:
            raise UnknownNameError(f"there is no game {number[:40]!r} here")
        if found["seal"] not in ("", seal_of(found)):
            raise DamagedError(f"the game {number[:40]!r} in {self.path} is not what was written: it is damaged")
        return {**dict(found), "seats": json.loads(found["seats"]), "record": json.loads(found["record"])}

    def list(self, most: int = 50) -> list[dict[str, Any]]:
        with self.using() as file:
            rows = file.execute(LIST, (most,)).fetchall()
        return [{**dict(row), "seats": read_seats(row["seats"])} for row in rows]

    def count(self) -> int:
        with self.using() as file:
            return int(file.execute("SELECT COUNT(*) FROM games").fetchone()[0])

    # --- down to the disk

    def force_often(self) -> None:
        """Force changes down over a second connection, so that no change waits for it."""
        with contextlib.closing(sqlite3.connect(self.path, isolation_level=None, timeout=10.0)) as file:
            while not self.ended.wait(FORCE_EVERY_S):
                if self.changed:
                    self.force(file)

    def force(self, file: sqlite3.Connection) -> None:
        self.changed = False
        with contextlib.suppress(sqlite3.Error):  # busy: next time; damaged: whoever uses it is told
            _, length, _ = file.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
            if length > LONGEST_LOG:
                with self.lock:
                    file.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        self.ended.set()
        self.forcer.join()
        with self.lock:
            self.file.close()  # the last one out puts everything into the file
