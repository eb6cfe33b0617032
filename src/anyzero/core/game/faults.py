"""Errors in a game's own code, as one sentence with the place: Python's errors and the
compiler's.
"""

import ast
import re
import sysconfig
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple

from anyzero.core.base.nouns import Values

PACKAGE = Path(__file__).resolve().parents[2]
WRITTEN = re.compile(
    r'(?:File "|\bat (?=/|\w:)|Raised from )(?P<file>[^"\n]+?\.py)(?:", line | \()(?P<line>\d+)'
)
"""The form of a place in Numba's messages."""
PLAINLY = {
    r"NRT required but not enabled|Only accept returning of array passed|list\(undefined\)": (
        "compiled code cannot make new lists, dicts, strings or arrays (a slice like "
        "cells[:] is one), and the rules "
        "hold no list (but tuples)"
    ),
    r"reflected (?P<kind>list|set).* assigned to variable '(?P<name>\w+)' in globals": (
        "compiled code cannot use {name}, a {kind}: make it a tuple or an array"
    ),
    r"Untyped global name '(?P<name>\w+)': Cannot determine Numba type of <class "
    r"'(?P<kind>\w+)'>": (
        "compiled code cannot use {name}, a {kind}: it can use numbers, tuples, arrays and "
        "functions"
    ),
    r"STORE_GLOBAL|setitem\(readonly ": (
        "compiled code cannot change global variables: whatever changes during a game "
        "belongs in the state"
    ),
    r"numba_get_\w*random_state": (
        "a game draws no random numbers of its own: where chance decides, seat_to_move "
        "returns CHANCE"
    ),
}
"""Numba's messages about what people often try, and what to tell them instead."""
MOST_LETTERS = 300


class Place(NamedTuple):
    file: Path
    line: int
    function: str | None = None  # None: the function at that place

    def __str__(self) -> str:
        name = function_at(self.file, self.line) if self.function is None else self.function
        return f"{f'in {name}, ' if name else ''}{self.file.name} line {self.line}"


def tell(error: BaseException, functions: Sequence[Callable[..., Any]] = ()) -> str:
    """What was raised, and where; `functions` are the game's, whose files count as its own even in
    this package.
    """
    codes = [function.__code__ for function in functions if isinstance(function, FunctionType)]
    files = {Path(code.co_filename).resolve() for code in codes}
    places = (place for place in places_of(error) if place.file in files or is_foreign(place.file))
    place = next(places, None)
    return first_sentence(error) if place is None else f"{first_sentence(error)}, {place}"


def first_sentence(error: BaseException) -> str:
    """The error's kind and its first words; a compiler's, after its own introduction."""
    text = str(error)
    for pattern, sentence in PLAINLY.items():
        if match := re.search(pattern, text):
            return sentence.format(**match.groupdict())
    lines = [
        line.strip()
        for line in text.splitlines()
        if line.strip() and not line.startswith("Failed in nopython")
    ]
    causes = [line.partition(": ")[2] for line in lines if line.startswith("- argument ")]
    first = next(iter([*causes, *lines]), "").partition(" Raised from ")[0]
    return f"{type(error).__name__}: {first}"[:MOST_LETTERS].rstrip(" .:")


def is_foreign(path: Path) -> bool:
    """Whether a file is a user's: neither of this package nor installed."""
    is_installed = "site-packages" in path.parts or not installed_folders().isdisjoint(path.parents)
    return path.exists() and not is_installed and PACKAGE not in path.parents


@cache
def installed_folders() -> frozenset[Path]:
    paths = sysconfig.get_paths()
    return frozenset(
        Path(paths[key]).resolve() for key in ("stdlib", "platstdlib", "purelib", "platlib")
    )


def places_of(error: BaseException) -> Iterator[Place]:
    """Possible origins of the error, likeliest first: code that ran, then code that was
    compiled.
    """
    frames = list(traceback.walk_tb(error.__traceback__))[::-1]
    for frame, line in frames:
        name = frame.f_code.co_name
        yield Place(
            Path(frame.f_code.co_filename).resolve(), line, "" if name.startswith("<") else name
        )
    for found in WRITTEN.finditer(str(error)):
        yield Place(Path(found["file"]).resolve(), int(found["line"]))
    for frame, _ in frames:
        if frame.f_globals.get("__name__", "").startswith("numba."):
            yield from places_at_hand(frame.f_locals)


def places_at_hand(names: Values) -> Iterator[Place]:
    """What a compiler function was working on: an error may not mention it."""
    for value in names.values():
        if type(value).__module__.startswith("numba."):
            at: Any = getattr(value, "loc", value)
            if isinstance(getattr(at, "line", None), int) and isinstance(
                getattr(at, "filename", None), str
            ):
                yield Place(Path(at.filename).resolve(), at.line)


def function_at(path: Path, line: int) -> str:
    """The innermost function at that place; the compiler's own files take long to read."""
    name = ""
    with suppress(OSError, SyntaxError):  # no file, or edited since it was loaded
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.FunctionDef) and node.lineno <= line <= (
                node.end_lineno or node.lineno
            ):
                name = node.name
    return name
