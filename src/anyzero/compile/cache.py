"""Compiled code on disk: one file per kernel and signature, written atomically, discarded when damaged.

Numba's own cache keeps an index that two processes can overwrite for each other. Here the file's name *is* the key
(the code, the signature, the processor), so there is no index, and a rename makes each entry atomic.
"""

import contextlib
import hashlib
import os
import pickle
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, ClassVar

import numba
import numpy as np
from numba.core.compiler import CompileResult

from anyzero.compile.bind import Function, global_names
from anyzero.compile.clock import Compiling
from anyzero.errors import AnyzeroError
from anyzero.files import cache_folder, remove_unused, try_lock

NOTICE_AFTER_S = 2.0
MOST_WAIT_S = 15.0
"""Maximum wait for another process compiling the same: a kernel takes half of it, but a niced process may starve."""
DIGEST_BYTES = 32

may_compile: ContextVar[bool] = ContextVar("may_compile", default=True)


class NotCompiledError(AnyzeroError):
    """Code missing on disk was needed where compiling is not allowed."""


@contextlib.contextmanager
def loading_only() -> Iterator[None]:
    """Within this context, code that would have to be compiled raises NotCompiledError."""
    token = may_compile.set(False)
    try:
        yield
    finally:
        may_compile.reset(token)


class DiskCache:
    """The cache interface of a Numba dispatcher, called before and after compiling."""

    def __init__(self, owner: str, kernel: str, key: str | None) -> None:
        self.owner, self.kernel, self.key = owner, kernel, key
        self.notice: threading.Timer | None = None
        self.turn = contextlib.ExitStack()
        """Held while this process compiles, so that others wait instead of compiling the same."""
        self.began = 0.0  # when Numba last started to compile

    @property
    def cache_path(self) -> str:
        return str(cache_folder())

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The compiled code of this signature, or None; then Numba compiles, and the user may be notified."""
        path = self.entry(signature, context)
        found = None if path is None else read_entry(path)
        if found is None:
            if not may_compile.get():
                raise NotCompiledError(self.owner)
            self.start_notice()
            self.began = time.monotonic()
            if path is not None:
                self.turn.enter_context(taking_turns(path))
                found = read_entry(path)  # compiled by another process in the meantime
        if found is None:
            return None
        self.end()
        context.refresh()  # what the code links to must be in place before it is loaded
        return CompileResult._rebuild(context, *found)

    def save_overload(self, signature: Any, result: Any) -> None:
        Compiling.note(self.began)
        path = self.entry(signature, result.target_context)
        if path is not None:
            write_entry(path, pickle.dumps(result._reduce(), pickle.HIGHEST_PROTOCOL))
        self.end()

    def flush(self) -> None:
        """Numba calls this on recompilation; entries are keyed by content, so none is stale."""

    def entry(self, signature: Any, context: Any) -> Path | None:
        """The file for this signature on this processor; None if it is impossible to tell whether it is still valid."""
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

    def end(self) -> None:
        """Compilation has ended, successfully or not."""
        if self.notice is not None:
            self.notice.cancel()
        self.turn.close()


@contextlib.contextmanager
def taking_turns(path: Path) -> Iterator[None]:
    """Wait while another process compiles this entry, up to a limit. A lock ends with its process."""
    lock, until = None, time.monotonic() + MOST_WAIT_S
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = path.with_suffix(".lock").open("ab")
    while lock is not None and not try_lock(lock.fileno()) and time.monotonic() < until:
        time.sleep(0.02)
    try:
        yield
    finally:
        if lock is not None:
            Path(lock.name).unlink(missing_ok=True)
            lock.close()


class SharedCode:
    """The cache interface for parts of a kernel: kernels of one process share identical parts."""

    cache_path = ""
    compiled: ClassVar[dict[Any, Any]] = {}

    def __init__(self, key: Callable[[], str | None]) -> None:
        self.key = cache(key)  # computed only when there is something to compile

    def load_overload(self, signature: Any, _context: Any) -> Any:
        found = self.compiled.get((self.key(), signature))
        return found and found._replace(metadata=None)  # where Numba records its compile time, once

    def save_overload(self, signature: Any, result: Any) -> None:
        if self.key() is not None:
            self.compiled[self.key(), signature] = result

    def flush(self) -> None:
        """Do nothing: no entry is stale."""


def kept(name: str, keys: Sequence[str | None], parts: object, make: Callable[[], Any]) -> Any:
    """The result of `make` for another machine, from disk if present; without a key, always made anew."""
    if None in keys:
        return make()
    key = repr((keys, parts, numba.__version__, sys.version))
    path = cache_folder() / "ahead" / f"{name}-{hashlib.sha256(key.encode()).hexdigest()[:24]}.code"
    found = read_entry(path)
    if found is None:
        with taking_turns(path):
            found = read_entry(path)  # made by another process in the meantime
            if found is None:
                found = make()
                write_entry(path, pickle.dumps(found, pickle.HIGHEST_PROTOCOL))
    return found


def read_entry(path: Path) -> Any:
    """What `write_entry` wrote, or None if it is missing, damaged or of another key (then it is removed)."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    data = content[DIGEST_BYTES:]
    if content == sealed(path, data):
        # Intact, but perhaps from a Numba that names its parts differently: any failure means "compile again".
        with contextlib.suppress(Exception):
            loaded = pickle.loads(data)
            with contextlib.suppress(OSError):
                os.utime(path)
            return loaded
    with contextlib.suppress(OSError):
        path.unlink()
    return None


def sealed(path: Path, data: bytes) -> bytes:
    """An entry with its digest, which also covers its path: a file may have been copied over another."""
    return hashlib.sha256("/".join(path.parts[-2:]).encode() + data).digest() + data


def write_entry(path: Path, data: bytes) -> None:
    """Write to a temporary file and rename it, so that another process sees all of it or nothing."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        remove_unused(path.parent)
        handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(sealed(path, data))
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink()
            raise
    except OSError as error:
        text = f"anyzero: cannot keep compiled code in {cache_folder()} ({error.strerror}); compiling in memory"
        if text not in _warned:
            _warned.add(text)
            print(text, file=sys.stderr, flush=True)


_warned: set[str] = set()


# --- the key: one hash over everything a kernel is compiled from. Numba watches only the file of the function it
# compiles; a kernel also contains the code of the game, of all functions it calls and of their constants. The hash
# covers exactly those, as the binding reaches them: bytecode, constants, defaults, and the intrinsics' own code. An
# edited comment recompiles nothing, an edited rule recompiles what uses it.


def all_names(code: CodeType) -> list[str]:
    """Names of globals and of attributes, including comprehensions."""
    inner = (name for part in code.co_consts if isinstance(part, CodeType) for name in all_names(part))
    return list(dict.fromkeys([*code.co_names, *inner]))


class NoFingerprintError(Exception):
    """A global whose content cannot be hashed, so that changes could not be detected."""


@dataclass
class Fingerprint:
    """A walk over everything reachable from a function bound with `functions`, each function once."""

    functions: Mapping[Function, Any]
    constants: Mapping[str, Any]  # replacements for globals of the module
    options: Callable[[Any], Any]  # how each function is compiled
    module: str
    digest: Any = field(default_factory=hashlib.sha256)
    numbers: dict[Any, int] = field(default_factory=dict)

    def of(self, function: Any) -> str:
        self.function(function)
        return str(self.digest.hexdigest())

    def add(self, *parts: object) -> None:
        self.digest.update(repr(parts).encode(errors="surrogatepass") + b"\0")

    def is_new(self, value: Any) -> bool:
        """Whether this is the first encounter; later ones are identified by its number."""
        known = len(self.numbers)
        self.add(self.numbers.setdefault(value, known))
        return len(self.numbers) > known

    def function(self, function: FunctionType) -> None:
        if not self.is_new(function):
            return
        code = function.__code__
        self.add(function.__name__)
        self.value(self.options(function))
        self.code(code, function.__doc__)
        for value in (function.__defaults__, function.__kwdefaults__):
            self.value(value)
        for cell in function.__closure__ or ():
            self.value(cell.cell_contents)
        filled = self.constants if function.__module__ == self.module else {}
        names = {**function.__globals__, **filled}
        for name in global_names(code):
            if name in names:
                self.add(name)
                self.value(names[name], attributes=code)

    def code(self, code: CodeType, docstring: str | None = None) -> None:
        """The instructions and their constants, without the docstring and line numbers."""
        kinds = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
        self.add(*kinds, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
        self.add(code.co_code, code.co_exceptiontable)
        for index, constant in enumerate(code.co_consts):
            if isinstance(constant, CodeType):
                self.code(constant)
            elif index > 0 or constant != docstring:
                self.value(constant)

    def value(self, value: Any, attributes: CodeType | None = None) -> None:
        """A global or a constant; from a module of ours only what the code may look up in it."""
        value = getattr(value, "py_func", value)  # of a function that a user's file compiled with Numba itself
        value = self.functions.get(value, value) if isinstance(value, FunctionType) else value
        if isinstance(value, FunctionType):
            self.function(value)
        elif isinstance(value, ModuleType):
            self.add("module", value.__name__)
            if attributes is not None and not _is_of_others(value.__name__):
                for name in all_names(attributes):
                    found = getattr(value, name, None)
                    if isinstance(found, CONTENTS) or hasattr(found, "py_func"):
                        self.add(name)
                        self.value(found)
        elif isinstance(value, type):
            self.type(value)
        elif (definition := getattr(value, "_defn", None)) is not None:  # an intrinsic of Numba's
            self.function(definition)
        else:
            self.content(value)

    def type(self, kind: type) -> None:
        self.add("type", kind.__module__, kind.__qualname__, getattr(kind, "_fields", None))
        if not _is_of_others(kind.__module__) and not hasattr(kind, "_fields") and self.is_new(kind):
            for member in vars(kind).values():
                if isinstance(member, FunctionType):
                    self.function(member)

    def content(self, value: Any) -> None:
        if isinstance(value, np.ndarray):
            self.add("array", value.dtype.descr, value.shape, hashlib.sha256(value.tobytes()).hexdigest())
        elif isinstance(value, tuple | list | frozenset | set):
            self.add(type(value).__name__, len(value))
            for item in sorted(value, key=repr) if isinstance(value, frozenset | set) else value:
                self.value(item)
        elif isinstance(value, Mapping):
            self.add("mapping", len(value))
            for key, item in value.items():
                self.value(key)
                self.value(item)
        else:
            text = repr(value)
            if " at 0x" in text and not _is_of_others(type(value).__module__):
                raise NoFingerprintError(text)
            self.add(type(value).__name__, text.partition(" at 0x")[0])


CONTENTS = FunctionType | int | float | str | tuple | np.ndarray | np.generic  # types that code may use via a module


def _is_of_others(module: str) -> bool:
    """Whether a module belongs to Python or to an installed compiler, whose version is part of the key."""
    return module.partition(".")[0] in _OTHERS


_OTHERS = {"builtins", "typing", "math", "numpy", "numba", "llvmlite", "collections", "types", "functools", "operator"}
