"""The text of an engine: `uci:stockfish,elo=1400,movetime=0.1`: a command, and what it is told.

The command goes up to the first comma and is split into words as a shell does; quotes keep commas and spaces together.
Where quotes enclose all of it, it is one program if there is such a file, else a command line.
"""

import math
import os
import re
import shlex
import shutil
from dataclasses import dataclass, field
from typing import Any

from anyzero.errors import BadOptionError, UnknownNameError
from anyzero.players.player import LATE_FACTOR, LATE_S

PATIENCE_S = 60.0
"""For a start, and for a move without a clock."""
MOVETIME_S = 0.1
GAME_FOLDERS = ("/usr/games", "/usr/local/games")
"""Where some systems put engines without telling everybody's PATH."""


@dataclass(frozen=True)
class EngineText:
    """What an engine's text says."""

    text: str
    command: tuple[str, ...]
    movetime: float | None = None
    """Seconds a move; None: as long as it likes, within the limit."""
    nodes: int | None = None
    depth: int | None = None
    elo: int | None = None
    level: int | None = None
    start: float = PATIENCE_S
    """Most seconds until it is ready."""
    limit: float = PATIENCE_S
    """Most seconds that a move may take."""
    options: dict[str, str] = field(default_factory=dict)
    """Options of the engine's own, by name."""


SECONDS = ("movetime", "start", "limit")
NUMBERS = ("nodes", "depth", "elo", "level")


def parse_engine(text: str) -> EngineText:
    """What a text says; an error names what is wrong. The program must be there, but is not started."""
    kind, _, rest = text.partition(":")
    command, *parts = split_parts(text, rest)
    known: dict[str, Any] = {}
    options: dict[str, str] = {}
    for part in parts:
        name, equals, value = (word.strip() for word in part.partition("="))
        if not equals or not name:
            raise BadOptionError(f"{text!r}: {part!r} is not of the form option=value")
        if name in SECONDS:
            known[name] = read_seconds(text, name, value)
        elif name in NUMBERS:
            known[name] = read_number(text, name, value)
        else:
            options[name] = value
    if kind == "uci" and not known.keys() & {"movetime", "nodes", "depth"}:
        known["movetime"] = MOVETIME_S
    if "movetime" in known:
        known.setdefault("limit", LATE_FACTOR * known["movetime"] + LATE_S)
    return EngineText(text, find_command(text, command), **known, options=options)


def split_parts(text: str, rest: str) -> list[str]:
    """Cut at the commas that stand outside of quotes."""
    parts, quote = [""], ""
    for letter in rest:
        if letter == "," and not quote:
            parts.append("")
            continue
        parts[-1] += letter
        if letter in ("'", '"') and quote in ("", letter):
            quote = "" if quote else letter
    if quote:
        raise BadOptionError(f"{text!r}: a quote is not closed")
    return parts


def find_command(text: str, command: str) -> tuple[str, ...]:
    """The words of a command, its program with its path."""
    words = split_words(text, command)
    if len(words) == 1 and find_program(words[0]) is None:
        words = split_words(text, words[0])
    if not words:
        raise BadOptionError(f"{text!r}: there is no command, as in uci:stockfish")
    program = find_program(words[0])
    if program is None:
        raise UnknownNameError(f"{text!r}: there is no program {words[0]!r}")
    return program, *words[1:]


def split_words(text: str, command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError as error:
        raise BadOptionError(f"{text!r}: {str(error).lower()}") from None


def find_program(name: str) -> str | None:
    return shutil.which(name, path=os.pathsep.join([os.environ.get("PATH", os.defpath), *GAME_FOLDERS]))


def read_seconds(text: str, name: str, value: str) -> float:
    try:
        seconds = float(value)
    except ValueError:
        seconds = math.nan
    if not 0.0 < seconds < 1e6:
        raise BadOptionError(f"{text!r}: {name} is a positive number of seconds, not {value!r}")
    return seconds


def read_number(text: str, name: str, value: str) -> int:
    if not re.fullmatch(r"[0-9]{1,12}", value):
        raise BadOptionError(f"{text!r}: {name} is a whole number, not {value!r}")
    return int(value)
