"""The games on disk: whatever was acknowledged survives a crash of the server or the machine."""

import contextlib
import hashlib
import json
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Lock

from anyzero.core.base.errors import AnyzeroError, UnknownNameError
from anyzero.core.base.nouns import NamedValues, Values
from anyzero.core.base.sealed import DamagedError

COLUMNS = {
    "id": "TEXT PRIMARY KEY",
    "game": "TEXT NOT NULL",
    "seats": "TEXT NOT NULL",
    "record": "TEXT NOT NULL",
    "actions": "TEXT NOT NULL DEFAULT ''",  # of earlier versions
    "num_plies": "INTEGER NOT NULL",
    "num_moves": "INTEGER NOT NULL",
    "termination": "TEXT NOT NULL",
    "paused": "INTEGER NOT NULL",
    "pace": "REAL NOT NULL",
    "changed": "REAL NOT NULL",
    "seal": "TEXT NOT NULL DEFAULT ''",
}
UNSEALED = ("changed", "seal")
CREATE = (
    "CREATE TABLE IF NOT EXISTS games "
    f"({', '.join(f'{name} {kind}' for name, kind in COLUMNS.items())}) STRICT"
)
WRITE = (
    f"INSERT OR REPLACE INTO games ({', '.join(COLUMNS)}) VALUES "
    f"({', '.join(f':{name}' for name in COLUMNS)})"
)
LISTED = "id, game, seats, num_moves, termination, changed"
KEEP_UNPLAYED_S = 24 * 3600  # games without a move are dropped after this time
FORMAT = 3


def row_seal(row: NamedValues) -> str:
    """A hash of a row's content; rows of earlier versions have none."""
    return hashlib.sha256(
        repr([str(row[name]) for name in COLUMNS if name not in UNSEALED]).encode()
    ).hexdigest()


class Shelf:
    """A SQLite file; a change is on disk once `keep` has returned."""

    def __init__(self, path: Path | str) -> None:
        self.lock = Lock()
        self.path = path
        try:
            if str(path) != ":memory:":
                Path(path).parent.mkdir(parents=True, exist_ok=True)
            with contextlib.ExitStack() as undo:
                self.file = sqlite3.connect(
                    path, check_same_thread=False, isolation_level=None, timeout=10.0
                )
                undo.callback(self.file.close)
                self.prepare()
                undo.pop_all()
        except (OSError, sqlite3.Error) as error:
            raise AnyzeroError(f"cannot save games in {path}: {error}") from None

    def prepare(self) -> None:
        self.file.row_factory = sqlite3.Row
        version = self.file.execute("PRAGMA user_version").fetchone()[0]
        if version > FORMAT:
            raise AnyzeroError(f"{self.path} was written by a newer version")
        if (verdict := self.file.execute("PRAGMA integrity_check(1)").fetchone()[0]) != "ok":
            words = " ".join(verdict.split())
            raise DamagedError(f"{self.path} is damaged ({words}): move it away to start a new one")
        self.file.execute("PRAGMA journal_mode=WAL")
        self.file.execute(
            "PRAGMA synchronous=FULL"
        )  # each change is flushed to disk before it is acknowledged
        for name in {1: ("actions", "seal"), 2: ("seal",)}.get(version, ()):
            self.file.execute(f"ALTER TABLE games ADD COLUMN {name} {COLUMNS[name]}")
        self.file.execute(CREATE)
        self.file.execute(f"PRAGMA user_version={FORMAT}")
        self.file.execute(
            "DELETE FROM games WHERE num_moves = 0 AND changed < ?",
            (time.time() - KEEP_UNPLAYED_S,),
        )

    @contextlib.contextmanager
    def using(self) -> Iterator[sqlite3.Connection]:
        """The file for one thread at a time; its faults become one sentence."""
        try:
            with self.lock:
                yield self.file
        except sqlite3.Error as error:
            raise AnyzeroError(f"cannot use the games in {self.path}: {error}") from None

    def keep(self, values: NamedValues) -> None:
        """Store a game; the columns are those of the table, without the time."""
        row = {
            **values,
            "seats": json.dumps(values["seats"]),
            "record": json.dumps(values["record"]),
            "actions": "",
            "pace": float(values["pace"]),
            "changed": time.time(),
        }
        with self.using() as file:
            file.execute(WRITE, {**row, "seal": row_seal(row)})

    def find(self, number: str) -> Values:
        with self.using() as file:
            row = file.execute("SELECT * FROM games WHERE id = ?", (number,)).fetchone()
        if row is None:
            raise UnknownNameError(f"there is no game {number[:40]!r} here")
        if row["seal"] not in ("", row_seal(row)):
            raise DamagedError(f"the game {number[:40]!r} in {self.path} is damaged")
        return {
            **dict(row),
            "seats": json.loads(row["seats"]),
            "record": json.loads(row["record"]),
        }

    def list(self, most: int = 50) -> list[Values]:
        """The last changed games; damage is reported here, and again when the game is opened."""
        with self.using() as file:
            query = f"SELECT {LISTED} FROM games WHERE num_moves > 0 ORDER BY changed DESC LIMIT ?"
            rows = [dict(row) for row in file.execute(query, (most,))]
        for row in rows:
            try:
                row["seats"] = json.loads(row["seats"])
            except ValueError:
                row["seats"] = ["damaged"]
        return rows

    def close(self) -> None:
        with self.lock:
            self.file.close()  # the last connection merges the log into the file
