"""Limits of a search: GTP's clocks, and the words of UCI's `go`."""

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Literal, get_args

from pydantic import Field

from anyzero.core.base.errors import BadOptionError, UnknownNameError, list_some, nearest_hint
from anyzero.core.base.nouns import Values
from anyzero.core.base.schema import Schema, limits_of, parse_value, settings_of


def whole_number(word: str) -> int | None:
    """The integer in a word, or None; a sign is allowed."""
    return int(word) if re.fullmatch("-?[0-9]{1,12}", word) else None


# --- GTP

GTP_MOVES_LEFT = 20  # moves for which a main time must last
KEPT_BACK = 0.1  # reserved share of a move's time
GTP_LEAST_S = 0.01


@dataclass(frozen=True)
class Clock:
    """Main time, then periods for a number of stones each; a period without stones means no
    limit.
    """

    main_s: float = 0.0
    period_s: float = 0.0
    stones: int = 0

    @property
    def seconds(self) -> float | None:
        """The time for the next move; None: no limit."""
        if self.period_s > 0.0 and self.stones == 0:
            return None
        share = self.main_s / GTP_MOVES_LEFT
        if self.stones > 0:
            share = max(share, self.period_s / self.stones)
        return max(GTP_LEAST_S, (1 - KEPT_BACK) * share)

    def after(self, seconds: float) -> "Clock":
        """The clock after a move that took this long; a controller's own figures override it."""
        return replace(self, main_s=max(0.0, self.main_s - seconds))

    def left(self, seconds: float, stones: int) -> "Clock":
        """The clock with this much time left; with stones, in the period, else in the main time."""
        if stones > 0:
            return Clock(0.0, seconds, stones)
        return Clock(seconds, self.period_s, self.stones)


# --- UCI

MOVES_LEFT = 30  # moves for which the clock must last if the GUI does not say
LARGEST_SHARE = 0.7  # maximum share of the clock for one move
LEAST_S = 0.005


@dataclass(frozen=True)
class Limits:
    """The words of a `go`; times are in milliseconds, None if not given."""

    nodes: int | None = None
    movetime: int | None = None
    wtime: int | None = None
    btime: int | None = None
    winc: int = 0
    binc: int = 0
    movestogo: int | None = None
    depth: int | None = (
        None  # the search ends once its principal variation is this long, or its memory full
    )
    mate: int | None = (
        None  # accepted, but no limit: a tree search does not look for mates by length
    )
    infinite: bool = False
    ponder: bool = False
    searchmoves: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()  # ignored words, as the protocol requires

    def seconds(self, seat: int, overhead_ms: int) -> float | None:
        """The time for a move, by `movetime` and by the clock of the seat; None: there is no
        clock.
        """
        left, gained = ((self.wtime, self.winc), (self.btime, self.binc))[seat]
        limits = [] if self.movetime is None else [self.movetime]
        if left is not None:
            share = max(left, 0) / (self.movestogo or MOVES_LEFT) + max(gained, 0)
            limits.append(int(min(share, LARGEST_SHARE * max(left, 0))))
        return (
            max(LEAST_S, (min(limits) - overhead_ms) / 1000)
            if limits and not self.infinite
            else None
        )


FLAGS = ("infinite", "ponder")
NUMBERS = ("nodes", "movetime", "wtime", "btime", "winc", "binc", "movestogo", "depth", "mate")
MAY_BE_NEGATIVE = (
    "wtime",
    "btime",
    "winc",
    "binc",
)  # GUIs send negative times to a player out of time
WORDS = (*NUMBERS, *FLAGS, "searchmoves")


def read_limits(words: list[str]) -> Limits:
    said: Values = {}
    left = deque(words)
    unknown = list[str]()
    while left:
        word = left.popleft()
        if word in FLAGS:
            said[word] = True
        elif word in NUMBERS:
            text = left.popleft() if left else ""
            said[word] = number = whole_number(text)
            if (
                number is None
                or (number < 0 and word not in MAY_BE_NEGATIVE)
                or (number == 0 and word == "nodes")
            ):
                raise BadOptionError(f"go {word} needs a number, not {text!r}")
        elif word == "searchmoves":
            said[word] = tuple(takewhile(lambda each: each not in WORDS, left))
            left = deque(list(left)[len(said[word]) :])
        else:
            unknown.append(word)
    if unknown and not said:  # probably a person's typing error, who would wait forever
        hint = nearest_hint(unknown[0], WORDS)
        raise UnknownNameError(f"go knows no {unknown[0]!r}; {hint}known: {list_some(WORDS)}")
    return Limits(**said, unknown=tuple(unknown))


# --- UCI's options


class UciOptions(Schema):
    """The engine's options; a GUI shows the titles."""

    noun = "the engine"

    method: Literal["auto", "flat", "ucb", "uct", "amaf", "rave", "grave", "puct", "gumbel"] = (
        Field("auto", title="Method")
    )
    """A search method that can be stopped at any moment; auto is uct, or gumbel with a network."""
    simulations: int = Field(0, title="Simulations", ge=0, le=1_000_000_000)
    """Maximum simulations per move; 0: as many as the clock allows."""
    network: str = Field("", title="Network")
    """A run's name, a file, or best, the bundled net; empty: rollouts."""
    threads: int = Field(1, title="Threads", ge=1, le=256)
    """Threads of the network; without one, the number of trees, merged at the root."""
    hash: int = Field(256, title="Hash", ge=1, le=1 << 20)
    """Maximum memory of the trees, in MB."""
    seed: int = Field(0, title="Seed", ge=0, le=(1 << 31) - 1)
    multipv: int = Field(1, title="MultiPV", ge=1, le=218)
    """Number of moves reported."""
    ponder: bool = Field(False, title="Ponder")
    """Whether the GUI may let the engine think on the opponent's time; the engine always can."""
    move_overhead: int = Field(30, title="Move Overhead", ge=0, le=10_000)
    """Reserved from the clock for every move, in ms, for the overhead of the GUI and the system."""

    @property
    def search_method(self) -> str:
        return self.method if self.method != "auto" else "gumbel" if self.network else "uct"


def offers() -> Iterator[str]:
    """A line for each option, in the form that a GUI reads."""
    for _, default, _, field in settings_of(UciOptions):
        limits = limits_of(field)
        choices = "".join(f" var {choice}" for choice in get_args(field.annotation))
        kind = f"string default {default or '<empty>'}"
        if isinstance(default, bool):
            kind = f"check default {str(default).lower()}"
        elif isinstance(default, int):
            kind = f"spin default {default} min {limits['ge']} max {limits['le']}"
        elif choices:
            kind = f"combo default {default}{choices}"
        yield f"option name {field.title} type {kind}"


def changed(options: UciOptions, words: list[str]) -> UciOptions:
    """The options after `setoption name NAME value VALUE`; names may contain spaces and are
    case-insensitive.
    """
    if not words or words[0] != "name":
        raise BadOptionError("an option is set by: setoption name NAME value VALUE")
    end = words.index("value") if "value" in words else len(words)
    name = "_".join(words[1:end]).lower()
    value = " ".join(words[end + 1 :])
    if name != "network":
        value = value.lower()
    return options.change(
        **{name: parse_value(UciOptions, name, "" if value == "<empty>" else value)}
    )
