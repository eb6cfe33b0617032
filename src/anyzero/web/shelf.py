"""The games on disk: what was acknowledged is there, whatever happens to the server afterwards."""

import json
import sqlite3
import time
from pathlib import Path
from threading import Lock
from typing import Any

from anyzero.games.errors import AnyzeroError, UnknownNameError

SCHEMA = """
CREATE TABLE IF NOT EXISTS games (
    id TEXT PRIMARY KEY,
    game TEXT NOT NULL,
    seats TEXT NOT NULL,
    record TEXT NOT NULL,
    num_plies INTEGER NOT NULL,
    num_moves INTEGER NOT NULL,
    termination TEXT NOT NULL,
    paused INTEGER NOT NULL,
    pace REAL NOT NULL,
    changed REAL NOT NULL
) STRICT
"""
COLUMNS = ("id", "game", "seats", "record", "num_plies", "num_moves", "termination", "paused", "pace", "changed")
LISTED = ("id", "game", "seats", "num_moves", "termination", "changed")
KEEP_UNPLAYED_S = 24 * 3600
FORMAT = 1


class Shelf:
    """A SQLite file; every change is on the disk before `keep` returns."""

    def __init__(self, path: Path | str) -> None:
        self.lock, self.path = Lock(), path
        try:
            if str(path) != ":memory:":
                Path(path).parent.mkdir(parents=True, exist_ok=True)
            self.file = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=10.0)
            self.prepare()
        except (OSError, sqlite3.Error) as error:
            raise AnyzeroError(f"cannot keep games in {path}: {error}") from None

    def prepare(self) -> None:
        version = self.file.execute("PRAGMA user_version").fetchone()[0]
        if version not in (0, FORMAT):
            raise AnyzeroError(f"{self.path} was written by a newer version")
        self.file.execute("PRAGMA journal_mode=WAL")
        self.file.execute("PRAGMA synchronous=FULL")
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

    def close(self) -> None:
        with self.lock:
            self.file.close()
