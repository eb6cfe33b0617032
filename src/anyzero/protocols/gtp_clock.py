"""The clock of GTP: time settings for both colours, and what is left to one of them."""

import math
from dataclasses import dataclass, replace

MOVES_LEFT = 20
"""What a main time must last for."""
KEPT_BACK = 0.1
"""Of the time of a move."""
LEAST_S = 0.01


@dataclass(frozen=True)
class Clock:
    """Main time, then periods for so many stones each; where a period has no stones, there is no limit at all."""

    main_s: float = 0.0
    period_s: float = 0.0
    stones: int = 0

    @property
    def seconds(self) -> float | None:
        """What the next move may take; None: there is no limit."""
        if self.period_s > 0.0 and self.stones == 0:
            return None
        share = self.main_s / MOVES_LEFT
        if self.stones > 0:
            share = max(share, self.period_s / self.stones)
        return max(LEAST_S, (1 - KEPT_BACK) * share)

    def after(self, seconds: float) -> "Clock":
        """The clock once a move has taken so long; a controller that says more is believed."""
        return replace(self, main_s=max(0.0, self.main_s - seconds))

    def left(self, seconds: float, stones: int) -> "Clock":
        """The clock once so much is left; with stones, of the period, else of the main time."""
        if stones > 0:
            return Clock(0.0, seconds, stones)
        return Clock(seconds, self.period_s, self.stones)


def read_seconds(word: str) -> float | None:
    """A number of seconds, or None if the word is none."""
    try:
        seconds = float(word)
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0.0 else None
