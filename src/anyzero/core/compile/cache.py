"""Compiled code on disk: one file per kernel and signature, written atomically, discarded when
damaged.

Numba's own cache keeps an index that two processes can overwrite for each other. Here the file's
name *is* the key (the code, the signature, the processor), so there is no index, and a rename makes
each entry atomic.
"""

import contextlib
import hashlib
import os
import pickle
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numba
import numpy as np
from numba.core.compiler import CompileResult

from anyzero.core.base.errors import AnyzeroError
from anyzero.core.base.files import cache_folder, remove_unused, try_lock, write_whole, writing
from anyzero.core.base.nouns import Context, Dispatcher, NumbaType, Signature
from anyzero.core.compile.bind import global_names
from anyzero.core.compile.clock import Compiling

NOTICE_AFTER_S = 2.0
MOST_WAIT_S = 15.0
"""Maximum wait for another process compiling the same: a kernel takes half of it, but a niced
process may starve.
"""
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


@contextlib.contextmanager
def compiling(owner: str) -> Iterator[None]:
    """While something compiles: `clock` stands still, and a person at a terminal is told if it
    takes long.
    """
    if not may_compile.get():
        raise NotCompiledError(owner)
    notice = threading.Timer(NOTICE_AFTER_S, announce, [owner])
    began = time.monotonic()
    notice.daemon = True
    if sys.stderr.isatty():
        notice.start()
    try:
        yield
    finally:
        notice.cancel()
        Compiling.note(began)


_announced: set[str] = set()

Compiled = Any  # Numba's result of compiling a function
Entry = Any  # of the cache: what a compiled function is made from again


def announce(owner: str) -> None:
    """Say once what is being compiled: a game has many kernels."""
    if owner not in _announced:
        _announced.add(owner)
        print(
            f"compiling {owner} for this machine (the first time only) ...",
            file=sys.stderr,
            flush=True,
        )


def kept(folder: str, name: str, key: object, make: Callable[[], Entry]) -> Entry:
    """The result of `make`, from disk if present; without a key, always made anew."""
    if key is None:
        with compiling(folder):
            return make()
    whole_key = repr((key, numba.__version__, sys.version)).encode()
    path = cache_folder() / folder / f"{name}-{hashlib.sha256(whole_key).hexdigest()[:24]}.code"
    entry = read_entry(path)
    if entry is None:
        with compiling(folder), taking_turns(path):
            entry = read_entry(path)  # made by another process in the meantime
            if entry is None:
                entry = make()
                write_entry(path, entry)
    return entry


def keep_on_disk(dispatcher: Dispatcher, owner: str, key: str | None) -> None:
    """Let a dispatcher look for its code on disk before it compiles; without a key, it only
    compiles.
    """
    context = dispatcher.targetctx
    compile_it = dispatcher._compiler.compile

    def load_or_compile(args: Signature, return_type: NumbaType) -> Compiled:
        results = []

        def make() -> Entry:
            results.append(compile_it(args, return_type))
            return results[0]._reduce()

        whole_key = key and (key, str(args), context.codegen().magic_tuple())
        entry = kept(owner, dispatcher.__name__, whole_key, make)
        if results:
            return results[0]
        dispatcher._cache_hits[args] += 1  # for `dispatcher.stats`
        context.refresh()  # what the code links to must be in place before it is loaded
        return adopt(context, CompileResult._rebuild(context, *entry))

    dispatcher._compiler.compile = load_or_compile


_shared: dict[tuple[object, ...], Compiled] = {}


def share(dispatcher: Dispatcher, name_key: Callable[[], str | None]) -> None:
    """Let a part of a kernel use the code of an identical part that this process has compiled."""
    context = dispatcher.targetctx
    compile_it = dispatcher._compiler.compile
    name_once = cache(name_key)  # and only when there is something to compile

    def compile_once(args: Signature, return_type: NumbaType) -> Compiled:
        key = name_once(), args, return_type
        if key in _shared:
            return adopt(
                context, _shared[key]._replace(metadata=None)
            )  # where Numba records its compile time, once
        result = compile_it(args, return_type)
        if key[0] is not None:
            _shared[key] = result
        return result

    dispatcher._compiler.compile = compile_once


def adopt(context: Context, result: Compiled) -> Compiled:
    """Tell Numba about code that it has not compiled just now."""
    context.insert_user_function(result.entry_point, result.fndesc, [result.library])
    return result


@contextlib.contextmanager
def taking_turns(path: Path) -> Iterator[None]:
    """Wait while another process compiles this entry, up to a limit. A lock ends with its
    process.
    """
    lock = None
    until = time.monotonic() + MOST_WAIT_S
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


def read_entry(path: Path) -> Entry:
    """What `write_entry` wrote, or None if it is missing, damaged or of another key (then it is
    removed).
    """
    try:
        content = path.read_bytes()
    except OSError:
        return None
    data = content[DIGEST_BYTES:]
    if content == sealed(path, data):
        # Intact, but perhaps from a Numba that names its parts differently: any failure means
        # "compile again".
        with contextlib.suppress(Exception):
            loaded = pickle.loads(data)
            with contextlib.suppress(OSError):
                os.utime(path)
            return loaded
    with contextlib.suppress(OSError):
        path.unlink()
    return None


def sealed(path: Path, data: bytes) -> bytes:
    """An entry with its digest, which also covers its path: a file may have been copied over
    another.
    """
    return hashlib.sha256("/".join(path.parts[-2:]).encode() + data).digest() + data


def write_entry(path: Path, content: object) -> None:
    """Another process sees all of the entry or nothing; a folder that cannot be written costs one
    warning.
    """
    try:
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            remove_unused(path.parent)
        write_whole(path, sealed(path, pickle.dumps(content, pickle.HIGHEST_PROTOCOL)))
    except AnyzeroError as error:
        folder = str(cache_folder())
        if folder not in _warned:
            _warned.add(folder)
            print(f"anyzero: {error}; compiling in memory", file=sys.stderr, flush=True)


_warned: set[str] = set()


# --- the key: one hash over everything a kernel is compiled from. Numba watches only the file of
# the function it compiles; a kernel also contains the code of the game, of all functions it calls
# and of their constants. The hash covers exactly those, as the binding reaches them: bytecode,
# constants, defaults, and the intrinsics' own code. An edited comment recompiles nothing, an edited
# rule recompiles what uses it.


def all_names(code: CodeType) -> list[str]:
    """Names of globals and of attributes, including comprehensions."""
    inner = (
        name for part in code.co_consts if isinstance(part, CodeType) for name in all_names(part)
    )
    return list(dict.fromkeys([*code.co_names, *inner]))


class NoFingerprintError(Exception):
    """A global whose content cannot be hashed, so that changes could not be detected."""


@dataclass
class Fingerprint:
    """A walk over everything reachable from a bound function, each function once."""

    manner: Callable[[FunctionType], object] = lambda _function: ()
    """How each function is compiled."""
    digest: "hashlib._Hash" = field(default_factory=hashlib.sha256)
    numbers: dict[object, int] = field(default_factory=dict)

    def of(self, *values: object) -> str:
        self.value(values)
        return str(self.digest.hexdigest())

    def add(self, *parts: object) -> None:
        self.digest.update(repr(parts).encode(errors="surrogatepass") + b"\0")

    def is_new(self, value: object) -> bool:
        """Whether this is the first encounter; later ones are identified by its number."""
        count = len(self.numbers)
        self.add(self.numbers.setdefault(value, count))
        return len(self.numbers) > count

    def function(self, function: FunctionType) -> None:
        if not self.is_new(function):
            return
        code = function.__code__
        self.add(function.__name__)
        self.value(self.manner(function))
        self.code(code, function.__doc__)
        for value in (function.__defaults__, function.__kwdefaults__):
            self.value(value)
        for cell in function.__closure__ or ():
            self.value(cell.cell_contents)
        for name in global_names(code):
            if name in function.__globals__:
                self.add(name)
                self.value(function.__globals__[name], attributes=code)

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

    def value(self, value: object, attributes: CodeType | None = None) -> None:
        """A global or a constant; from a module of ours only what the code may look up in it."""
        value = getattr(
            value, "py_func", value
        )  # of a function that a user's file compiled with Numba itself
        if isinstance(value, FunctionType):
            self.function(value)
        elif isinstance(value, ModuleType):
            self.add("module", value.__name__)
            if attributes is not None and not _is_of_others(value.__name__):
                for name in all_names(attributes):
                    attribute = getattr(value, name, None)
                    if isinstance(attribute, CONTENTS) or hasattr(attribute, "py_func"):
                        self.add(name)
                        self.value(attribute)
        elif isinstance(value, type):
            self.type(value)
        elif (definition := getattr(value, "_defn", None)) is not None:  # an intrinsic of Numba's
            self.function(definition)
        else:
            self.content(value)

    def type(self, kind: type) -> None:
        self.add("type", kind.__module__, kind.__qualname__, getattr(kind, "_fields", None))
        if (
            not _is_of_others(kind.__module__)
            and not hasattr(kind, "_fields")
            and self.is_new(kind)
        ):
            for member in vars(kind).values():
                if isinstance(member, FunctionType):
                    self.function(member)

    def content(self, value: object) -> None:
        if isinstance(value, np.ndarray):
            self.add(
                "array", value.dtype.descr, value.shape, hashlib.sha256(value.tobytes()).hexdigest()
            )
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


CONTENTS = (
    FunctionType | int | float | str | tuple | np.ndarray | np.generic
)  # types that code may use via a module


def _is_of_others(module: str) -> bool:
    """Whether a module belongs to Python or to an installed compiler, whose version is part of the
    key.
    """
    return module.partition(".")[0] in _OTHERS


_OTHERS = {
    "builtins",
    "typing",
    "math",
    "numpy",
    "numba",
    "llvmlite",
    "collections",
    "types",
    "functools",
    "operator",
}
