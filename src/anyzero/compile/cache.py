"""Compiled code on disk: one file a kernel and signature, written at once, thrown away when it is damaged.

Numba's own cache keeps an index that two processes can overwrite for each other. Here the file's name *is* the key
(the code, the signature, the processor), so there is no index, and a rename makes each entry whole.
"""

import contextlib
import hashlib
import os
import pickle
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import numba
from numba.core.compiler import CompileResult

from anyzero.files import cache_folder, remove_unused

NOTICE_AFTER_S = 2.0
DIGEST_BYTES = 32

may_compile: ContextVar[bool] = ContextVar("may_compile", default=True)


class NotCompiledError(Exception):
    """Code that is not on the disk was needed where nothing is to be compiled."""


@contextlib.contextmanager
def loading_only() -> Iterator[None]:
    """Within it, code that would have to be compiled raises NotCompiledError."""
    token = may_compile.set(False)
    try:
        yield
    finally:
        may_compile.reset(token)


class DiskCache:
    """What a Numba dispatcher asks before it compiles, and tells afterwards."""

    def __init__(self, owner: str, kernel: str, key: str | None) -> None:
        self.owner, self.kernel, self.key = owner, kernel, key
        self.notice: threading.Timer | None = None

    @property
    def cache_path(self) -> str:
        return str(cache_folder())

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The compiled code of this signature, or None; then Numba compiles, and a person may be told."""
        path = self.entry(signature, context)
        found = None if path is None else read_entry(path)
        if found is not None and self.is_own(found, signature):
            context.refresh()  # what the code links to must be in place before it is loaded
            return CompileResult._rebuild(context, *found)
        if not may_compile.get():
            raise NotCompiledError(self.owner)
        self.start_notice()
        return None

    def is_own(self, found: Any, signature: Any) -> bool:
        """Whether an entry is the one that its name says; a file may have been copied over another."""
        try:
            _, function, _, made_for, *_ = found
            is_code = function.qualname.endswith(f"{self.kernel}_{self.owner}_{str(self.key)[:12]}")
            return is_code and str(made_for.args) == str(tuple(signature))
        except (AttributeError, TypeError, ValueError):
            return False

    def save_overload(self, signature: Any, result: Any) -> None:
        self.stop_notice()
        path = self.entry(signature, result.target_context)
        if path is not None:
            write_entry(path, pickle.dumps(result._reduce(), pickle.HIGHEST_PROTOCOL))

    def flush(self) -> None:
        """Numba calls this on recompilation; entries are keyed by content, so nothing is stale."""

    def entry(self, signature: Any, context: Any) -> Path | None:
        """The file for this signature on this processor; None when nothing can tell whether it is still right."""
        if self.key is None:
            return None
        processor = context.codegen().magic_tuple()
        key = repr((self.key, str(signature), processor, numba.__version__, sys.version))
        return cache_folder() / self.owner / f"{self.kernel}-{hashlib.sha256(key.encode()).hexdigest()[:24]}.code"

    def start_notice(self) -> None:
        if not sys.stderr.isatty():
            return
        text = f"compiling {self.owner} for this machine (the first time only) ..."
        self.notice = threading.Timer(NOTICE_AFTER_S, lambda: print(text, file=sys.stderr, flush=True))
        self.notice.daemon = True
        self.notice.start()

    def stop_notice(self) -> None:
        if self.notice is not None:
            self.notice.cancel()
            self.notice = None


def entry_path(name: str, parts: object) -> Path:
    """The file of code for another machine that is made from these parts."""
    key = repr((parts, numba.__version__, sys.version))
    return cache_folder() / "ahead" / f"{name}-{hashlib.sha256(key.encode()).hexdigest()[:24]}.code"


def read_entry(path: Path) -> Any:
    """What `write_entry` wrote, or None if there is nothing there or it is damaged (then it is removed)."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    digest, data = content[:DIGEST_BYTES], content[DIGEST_BYTES:]
    if hashlib.sha256(data).digest() == digest:
        # Whole, but perhaps of a Numba that names its parts otherwise: any failure means "compile again".
        with contextlib.suppress(Exception):
            loaded = pickle.loads(data)
            with contextlib.suppress(OSError):
                os.utime(path)
            return loaded
    with contextlib.suppress(OSError):
        path.unlink()
    return None


def write_entry(path: Path, data: bytes) -> None:
    """Write beside the place and rename, so that another process sees all of it or nothing."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        remove_unused(path.parent)
        handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(hashlib.sha256(data).digest() + data)
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink()
            raise
    except OSError as error:
        warn_once(f"anyzero: cannot keep compiled code in {cache_folder()} ({error.strerror}); compiling in memory")


_warned: set[str] = set()


def warn_once(text: str) -> None:
    if text not in _warned:
        _warned.add(text)
        print(text, file=sys.stderr, flush=True)
