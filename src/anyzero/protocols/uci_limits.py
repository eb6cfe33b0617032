"""When a search is to end: what `go` says, and what the clock leaves for a move."""

from dataclasses import dataclass, replace
from typing import Any

from anyzero.errors import BadOptionError, UnknownNameError, list_some, nearest_hint
from anyzero.protocols.lines import whole_number

MOVES_LEFT = 30
"""What the clock must last for where nobody says."""
LARGEST_SHARE = 0.7
"""Most of what the clock has that one move may take."""
LEAST_S = 0.005


@dataclass(frozen=True)
class Limits:
    """The words of a `go`; times are in milliseconds, None where nothing was said."""

    nodes: int | None = None
    movetime: int | None = None
    wtime: int | None = None
    btime: int | None = None
    winc: int = 0
    binc: int = 0
    movestogo: int | None = None
    depth: int | None = None
    """The search ends once its principal variation is so long, or its memory full."""
    mate: int | None = None
    """Read, but no limit: a tree search does not look for mates by length."""
    infinite: bool = False
    ponder: bool = False
    searchmoves: tuple[str, ...] = ()

    def seconds(self, seat: int, overhead_ms: int) -> float | None:
        """What a move may take, by `movetime` and by the clock of the seat; None: there is no clock."""
        allowed = [self.movetime, self.by_clock(seat)]
        known = [time for time in allowed if time is not None]
        return max(LEAST_S, (min(known) - overhead_ms) / 1000) if known and not self.infinite else None

    def by_clock(self, seat: int) -> int | None:
        left, gained = ((self.wtime, self.winc), (self.btime, self.binc))[seat]
        if left is None:
            return None
        share = max(left, 0) / (self.movestogo or MOVES_LEFT) + max(gained, 0)
        return int(min(share, LARGEST_SHARE * max(left, 0)))


FLAGS = ("infinite", "ponder")
NUMBERS = ("nodes", "movetime", "wtime", "btime", "winc", "binc", "movestogo", "depth", "mate")
MAY_BE_NEGATIVE = ("wtime", "btime", "winc", "binc")
"""GUIs send times below zero to whoever has overstepped."""
WORDS = (*NUMBERS, *FLAGS, "searchmoves")


def read_limits(words: list[str]) -> Limits:
    """The limits that follow `go`."""
    limits, index = Limits(), 0
    while index < len(words):
        word = words[index]
        if word in FLAGS:
            limits = replace(limits, **{word: True})  # type: ignore[arg-type]
        elif word in NUMBERS:
            index += 1
            number: Any = read_number(word, words[index] if index < len(words) else "")
            limits = replace(limits, **{word: number})
        elif word == "searchmoves":
            moves = []
            while index + 1 < len(words) and words[index + 1] not in WORDS:
                index += 1
                moves.append(words[index])
            limits = replace(limits, searchmoves=tuple(moves))
        else:
            raise UnknownNameError(f"go knows no {word!r}; {nearest_hint(word, WORDS)}known: {list_some(WORDS)}")
        index += 1
    return limits


def read_number(word: str, text: str) -> int:
    number = whole_number(text)
    if number is None or (number < 0 and word not in MAY_BE_NEGATIVE) or (number == 0 and word == "nodes"):
        raise BadOptionError(f"go {word} wants a number, not {text!r}")
    return number
