"""The games on disk: what was acknowledged is there, whatever happens to the server afterwards.

A change is with the operating system before it is acknowledged, so that a server can be killed at any time. It is
forced down to the disk once a second, beside the changes: a power cut costs no more than that, and never the file.
"""

import contextlib
import json
import sqlite3
import time
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any

from anyzero.errors import AnyzeroError, UnknownNameError

SCHEMA = """
CREATE TABLE IF NOT EXISTS games (
    id TEXT PRIMARY KEY,
    game TEXT NOT NULL,
    seats TEXT NOT NULL,
    record TEXT NOT NULL,
    actions TEXT NOT NULL DEFAULT '',
    num_plies INTEGER NOT NULL,
    num_moves INTEGER NOT NULL,
    termination TEXT NOT NULL,
    paused INTEGER NOT NULL,
    pace REAL NOT NULL,
    changed REAL NOT NULL
) STRICT
"""
COLUMNS = (
    "id",
    "game",
    "seats",
    "record",
    "actions",
    "num_plies",
    "num_moves",
    "termination",
    "paused",
    "pace",
    "changed",
)
LISTED = ("id", "game", "seats", "num_moves", "termination", "changed")
FORCE_EVERY_S = 1.0
LONGEST_LOG = 16_000
"""Pages in SQLite's log before changes wait until all of it is in the file."""
KEEP_UNPLAYED_S = 24 * 3600
FORMAT = 2


class Shelf:
    """A SQLite file; every change survives the process once `keep` has returned."""

    def __init__(self, path: Path | str) -> None:
        self.lock, self.path, self.ended, self.changed = Lock(), path, Event(), False
        try:
            if str(path) != ":memory:":
                Path(path).parent.mkdir(parents=True, exist_ok=True)
            self.file = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=10.0)
            self.prepare()
            self.forcer = Thread(target=self.force_often, daemon=True)
            self.forcer.start()
        except (OSError, sqlite3.Error) as error:
            raise AnyzeroError(f"cannot keep games in {path}: {error}") from None

    def prepare(self) -> None:
        version = self.file.execute("PRAGMA user_version").fetchone()[0]
        if version > FORMAT:
            raise AnyzeroError(f"{self.path} was written by a newer version")
        self.file.execute("PRAGMA journal_mode=WAL")
        self.file.execute("PRAGMA synchronous=NORMAL")
        self.file.execute("PRAGMA wal_autocheckpoint=0")
        if version == 1:
            self.file.execute("ALTER TABLE games ADD COLUMN actions TEXT NOT NULL DEFAULT ''")
        self.file.execute(SCHEMA)
        self.file.execute(f"PRAGMA user_version={FORMAT}")
        self.forget_unplayed()

    def keep(self, **values: Any) -> None:
        """Write a game; the columns are those of the table, without the time."""
        row = {**values, "seats": json.dumps(values["seats"]), "record": json.dumps(values["record"])}
        row["changed"] = time.time()
        places = ",".join(f":{name}" for name in COLUMNS)
        with self.lock:
            self.file.execute(f"INSERT OR REPLACE INTO games ({','.join(COLUMNS)}) VALUES ({places})", row)
            self.changed = True

    def find(self, number: str) -> dict[str, Any]:
        """A game by its id."""
        with self.lock:
            found = self.file.execute(f"SELECT {','.join(COLUMNS)} FROM games WHERE id = ?", (number,)).fetchone()
        if found is None:
            raise UnknownNameError(f"there is no game {number[:40]!r} here")
        row = dict(zip(COLUMNS, found, strict=True))
        return {**row, "seats": json.loads(row["seats"]), "record": json.loads(row["record"])}

    def list(self, most: int = 50) -> list[dict[str, Any]]:
        """The games that were played last."""
        with self.lock:
            query = f"SELECT {','.join(LISTED)} FROM games WHERE num_moves > 0 ORDER BY changed DESC LIMIT ?"
            rows = self.file.execute(query, (most,)).fetchall()
        found = [dict(zip(LISTED, row, strict=True)) for row in rows]
        return [{**row, "seats": json.loads(row["seats"])} for row in found]

    def count(self) -> int:
        with self.lock:
            return int(self.file.execute("SELECT COUNT(*) FROM games").fetchone()[0])

    def forget_unplayed(self) -> None:
        """Drop games without a move that nobody has looked at for a day."""
        with self.lock:
            old = time.time() - KEEP_UNPLAYED_S
            self.file.execute("DELETE FROM games WHERE num_moves = 0 AND changed < ?", (old,))

    # --- down to the disk

    def force_often(self) -> None:
        """Force changes down in a connection of its own, so that none of them waits for it."""
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
