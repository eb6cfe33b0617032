"""Files that are there whole or not at all, whatever happens while they are written; and lines of JSON."""

import json
import os
from pathlib import Path
from typing import Any

from anyzero.games.errors import AnyzeroError


def write_whole(path: Path, content: bytes) -> None:
    """Temporary file, fsync, rename, fsync of the folder."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with beside.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        raise AnyzeroError(f"cannot write {path}: {error.strerror or error}") from None
    finally:
        beside.unlink(missing_ok=True)


def parse_object(line: str | bytes) -> dict[str, Any] | None:
    """The JSON object of a line; None if it is none."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
