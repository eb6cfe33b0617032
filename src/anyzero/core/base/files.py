"""Atomic file writes; locks; lines of JSON."""

import contextlib
import json
import os
import re
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from anyzero.core.base.errors import AnyzeroError
from anyzero.core.base.nouns import Values

KEEP_UNUSED_S = 30 * 24 * 3600


@contextmanager
def writing(path: Path, verb: str = "write") -> Iterator[None]:
    """Turn errors of a full or broken disk into one sentence."""
    try:
        yield
    except OSError as error:
        raise AnyzeroError(f"cannot {verb} {path}: {error.strerror or error}") from None


def reading(path: Path) -> AbstractContextManager[None]:
    """A file that cannot be read just now is not damaged: raise one sentence, and skip nothing."""
    return writing(path, "read")


def write_whole(path: Path, content: bytes) -> None:
    """Temporary file, fsync, rename, fsync of the folder; a device or pipe, such as /dev/stdout, is
    written to.
    """
    if path.exists() and not path.is_file():
        with writing(path):
            path.write_bytes(content)
        return
    path = Path(os.path.realpath(path))  # the target of a link; a link to itself is replaced
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with writing(path):
            with beside.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            beside.replace(path)
            sync(path.parent)
    finally:
        beside.unlink(missing_ok=True)


def sync(path: Path) -> None:
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def is_file(path: Path) -> bool:
    """Whether the file exists; False for an impossible name."""
    try:
        return path.is_file()
    except OSError:
        return False


def file_state(path: Path) -> tuple[int, ...] | None:
    """A value that changes whenever a file is written or replaced; None if there is none."""
    with contextlib.suppress(OSError):
        status = path.stat()
        return status.st_ino, status.st_size, status.st_mtime_ns
    return None


def from_home(path: Path | str) -> Path:
    """The path with `~` expanded; unchanged if there is no such user."""
    try:
        return Path(path).expanduser()
    except (RuntimeError, ValueError):  # a ValueError: a zero byte in the name
        return Path(path)


def put_aside(path: Path) -> None:
    """Rename something so that it no longer counts."""
    aside = path.with_name(f"{path.name}.damaged")
    again = 1
    while aside.exists():
        again += 1
        aside = path.with_name(f"{path.name}.damaged{again}")
    path.rename(aside)


def take_lock(number: int, path: Path, taken: str) -> None:
    """Lock an open file; `taken` is the error message if it is already locked."""
    if not try_lock(number):
        raise AnyzeroError(f"{path} {taken}")


def try_lock(number: int) -> bool:
    """Lock an open file, unless another process has. Without locks, processes are trusted not to
    share.
    """
    with contextlib.suppress(ImportError):
        import fcntl

        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # a file system without locks
            pass
    return True


def numbers_in(folder: Path, pattern: str) -> list[int]:
    """The numbers in the names of the folders that match the pattern."""
    names = [path.name for path in folder.iterdir() if path.is_dir()] if folder.is_dir() else []
    return sorted(int(match[1]) for name in names if (match := re.fullmatch(pattern, name)))


def cache_folder() -> Path:
    """The folder for what can be made again."""
    return own_folder("XDG_CACHE_HOME", ".cache", "cache")


def own_folder(variable: str, usual: str, on_windows: str = "") -> Path:
    """Our folder in the user's home, by the operating system's convention."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "anyzero" / on_windows
    return Path(os.environ.get(variable) or Path.home() / usual) / "anyzero"


def remove_unused(folder: Path) -> None:
    """Drop files and folders of a cache not touched for a month."""
    for entry in folder.iterdir():
        with contextlib.suppress(OSError):
            if time.time() - entry.stat().st_mtime > KEEP_UNUSED_S:
                shutil.rmtree(entry) if entry.is_dir() else entry.unlink()


def parse_object(line: str | bytes) -> Values | None:
    """The JSON object in a line; None if there is none."""
    try:
        content = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None
