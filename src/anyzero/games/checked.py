"""Which game files have been checked, by a hash of their source: those run at full speed, others guarded.

The hash covers the file, the files of the user's that it imports, and the options that the game was made with.
"""

import hashlib
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

from anyzero.files import cache_folder
from anyzero.games.faults import is_foreign

CHECKED, TRIED = "checked", "tried"
"""All laws hold; a few interpreted games showed nothing wrong."""

_known: set[tuple[str, str]] = set()
"""Also for this process, where the folder cannot be written."""


def key_of(module: ModuleType, options: Mapping[str, Any]) -> str:
    """One hash over everything that a user wrote of a game."""
    digest = hashlib.sha256(repr(sorted(options.items())).encode(errors="surrogatepass"))
    for source in sorted(_sources(module, set())):
        digest.update(hashlib.sha256(source).digest())
    return digest.hexdigest()


def _sources(module: ModuleType, seen: set[str]) -> Iterator[bytes]:
    """Of a module and all that it uses, as far as they are the user's."""
    if module.__name__ in seen:
        return
    seen.add(module.__name__)
    file = getattr(module, "__file__", None)
    if file is None or not is_foreign(Path(file).resolve()):
        return
    with suppress(OSError):
        yield getattr(module, "anyzero_source", None) or Path(file).read_bytes()
    for value in list(vars(module).values()):
        used = value if isinstance(value, ModuleType) else sys.modules.get(getattr(value, "__module__", None) or "")
        if used is not None:
            yield from _sources(used, seen)


def is_known(key: str, as_what: str) -> bool:
    """Whether a game of this key has been remembered so."""
    with suppress(OSError):
        return (as_what, key) in _known or _place(key, as_what).exists()
    return False


def remember(key: str, as_what: str) -> None:
    _known.add((as_what, key))
    with suppress(OSError):  # then it is found out again in the next process
        _place(key, as_what).parent.mkdir(parents=True, exist_ok=True)
        _place(key, as_what).touch()


def _place(key: str, as_what: str) -> Path:
    return cache_folder() / as_what / key
