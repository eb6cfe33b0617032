"""The games on disk: what was acknowledged is there, whatever happens to the server afterwards.

A change is with the operating system before it is acknowledged, so the server may be killed at any time. Once a second
it is forced down to the disk, beside the changes: a power cut costs no more than that, and never the file.
"""

import contextlib
import json
import sqlite3
import time
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any

from anyzero.errors import AnyzeroError, UnknownNameError

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
}
CREATE = f"CREATE TABLE IF NOT EXISTS games ({', '.join(f'{name} {kind}' for name, kind in COLUMNS.items())}) STRICT"
WRITE = f"INSERT OR REPLACE INTO games ({', '.join(COLUMNS)}) VALUES ({', '.join(f':{name}' for name in COLUMNS)})"
LIST = (
    "SELECT id, game, seats, num_moves, termination, changed FROM games "
    "WHERE num_moves > 0 ORDER BY changed DESC LIMIT ?"
)
FORCE_EVERY_S = 1.0
LONGEST_LOG = 16_000
"""Pages in SQLite's log before changes wait until all of it is in the file."""
KEEP_UNPLAYED_S = 24 * 3600
"""Games without a move are dropped after this time."""
FORMAT = 2


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
        self.file.execute("PRAGMA journal_mode=WAL")
        self.file.execute("PRAGMA synchronous=NORMAL")
        self.file.execute("PRAGMA wal_autocheckpoint=0")
        if version == 1:
            self.file.execute(f"ALTER TABLE games ADD COLUMN actions {COLUMNS['actions']}")
        self.file.execute(CREATE)
        self.file.execute(f"PRAGMA user_version={FORMAT}")
        self.file.execute("DELETE FROM games WHERE num_moves = 0 AND changed < ?", (time.time() - KEEP_UNPLAYED_S,))

    def keep(self, **values: Any) -> None:
        """Write a game; the columns are those of the table, without the time."""
        row = {**values, "seats": json.dumps(values["seats"]), "record": json.dumps(values["record"])}
        with self.lock:
            self.file.execute(WRITE, {**row, "changed": time.time()})
            self.changed = True

    def find(self, number: str) -> dict[str, Any]:
        """A game by its id."""
        with self.lock:
            found = self.file.execute("SELECT * FROM games WHERE id = ?", (number,)).fetchone()
        if found is None:
            raise UnknownNameError(f"there is no game {number[:40]!r} here")
        return {**dict(found), "seats": json.loads(found["seats"]), "record": json.loads(found["record"])}

    def list(self, most: int = 50) -> list[dict[str, Any]]:
        """The games that were played last."""
        with self.lock:
            rows = self.file.execute(LIST, (most,)).fetchall()
        return [{**dict(row), "seats": json.loads(row["seats"])} for row in rows]

    def count(self) -> int:
        with self.lock:
            return int(self.file.execute("SELECT COUNT(*) FROM games").fetchone()[0])

    # --- down to the disk

    def force_often(self) -> None:
        """Force changes down over a second connection, so that no change waits for it."""
        with contextlib.closing(sqlite3.connect(self.path, isolation_level=None, timeout=10.0)) as file:
            while not self.ended.wait(FORCE_EVERY_S):
                if self.changed:
                    self.force(file)

    def force(self, file: sqlite3.Connection) -> None:
        self.changed = False
        with contextlib.suppress(sqlite3.OperationalError):  # busy: next time
            _, length, _ = file.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
            if length > LONGEST_LOG:
                with self.lock:
                    file.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        self.ended.set()
        self.forcer.join()
        with self.lock:
            self.file.close()  # the last one out puts everything into the file
