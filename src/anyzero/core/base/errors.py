"""Errors in user input. Each message is one sentence that says what was wrong and what was
possible.
"""

import difflib
import operator
import os
import re
from collections.abc import Iterable
from numbers import Real
from typing import SupportsIndex

from anyzero.core.base.nouns import Number


def shorten(sentence: str) -> str:
    """The sentence with endless words cut off, such as numbers with thousands of digits."""
    return re.sub(r"\S{300,}", lambda word: f"{word[0][:60]}...", sentence)


class AnyzeroError(Exception):
    """Base of every error that a user can cause; the command line prints it as one sentence."""

    def __str__(self) -> str:
        return shorten(super().__str__())


class IllegalMoveError(AnyzeroError):
    """A move that is illegal in this position."""


class BadPositionError(AnyzeroError):
    """Text that is not a position of the game."""


class UnknownNameError(AnyzeroError):
    """A game, option or method that does not exist."""


class BadOptionError(AnyzeroError):
    """An option value with which the game cannot be played."""


class BadGameError(AnyzeroError):
    """A game whose definition does not follow the contract."""


class MissingFunctionError(AnyzeroError):
    """A feature that needs a function missing in this game."""


def words_of(error: BaseException, before: str = "") -> str:
    """An error's message; with its type and after the words `before` if it is not ours: a user's
    code may raise any.
    """
    return (
        str(error)
        if isinstance(error, AnyzeroError)
        else f"{before}{type(error).__name__}: {error}"
    )


def whole(name: str, value: object, within: range | None = None, fault: str = "") -> int:
    """The value as a plain int: JSON and random streams do not take NumPy's. `fault` is the error
    outside a range.
    """
    if isinstance(value, bool) or not isinstance(value, SupportsIndex):
        raise BadOptionError(f"{name} needs a whole number, not {value!r}")
    if within is not None and value not in within:
        raise BadOptionError(fault)
    return operator.index(value)


def text_of(noun: str, value: object) -> str:
    """The text, or the path as a text."""
    if not isinstance(value, str | os.PathLike):
        raise BadOptionError(f"{noun} must be a text, not {value!r}")
    return os.fspath(value)


def is_number(value: object) -> bool:
    return isinstance(value, Real)


def seconds_below(most: float, noun: str, value: Number) -> float:
    """The positive number of seconds as JSON takes it."""
    if not (is_number(value) and 0.0 < value < most):
        raise BadOptionError(
            f"a {noun} of {value!r} seconds is not a positive number below {most:,.0f}"
        )
    return value if isinstance(value, int | float) else float(value)


def list_some(names: Iterable[str], most: int = 40) -> str:
    """The names as a list that fits a sentence."""
    names = list(names)
    shown = ", ".join(names[:most])
    return f"{shown}, ... ({len(names)} in all)" if len(names) > most else shown


def nearest_hint(text: str, names: Iterable[str]) -> str:
    """The name that was probably meant, as the start of a hint; empty if none is near."""
    names = list(names)
    word = text.lower().rpartition(".")[2]
    last = {name: name.rpartition(".")[2] for name in names}
    initials = {
        name: "".join(part[:1] for part in last[name].split("_"))
        for name in names
        if "_" in last[name]
    }
    near = [
        name for name in names if word in (last[name], initials.get(name))
    ]  # `lr` for `trainer.learning_rate`
    near = near or difflib.get_close_matches(text.lower(), names, n=1, cutoff=0.5)
    return f"did you mean {near[0]}? " if near else ""


def check_name(noun: str, name: object, names: Iterable[str], more: str = "") -> None:
    """UnknownNameError, with the nearest name and all known ones, unless the name is known."""
    names = list(names)
    if name not in names:
        raise unknown_name(noun, name, names, more)


def unknown_name(
    noun: str, name: object, names: Iterable[str], more: str = "", none: str = "there are none"
) -> UnknownNameError:
    """The same, to be raised; `none` is the message if nothing is known."""
    names = list(names)
    listed = f"known: {list_some(names)}" if names else none
    return UnknownNameError(
        f"there is no {noun} {name!r}; {nearest_hint(str(name), names)}{listed}{more}"
    )
