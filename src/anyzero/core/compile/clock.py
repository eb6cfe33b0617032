"""A clock that stops while this process compiles: for time budgets of work whose code may not be
compiled yet.
"""

import time


class Compiling:
    seconds = 0.0  # spent by this process so far
    until = 0.0
    """When it last ended: functions compile within others and in several threads, and no second
    counts twice.
    """

    @classmethod
    def note(cls, began: float) -> None:
        """Record a compilation that started at `began` and ends now."""
        now = time.monotonic()
        cls.seconds += now - max(began, cls.until)
        cls.until = now


def clock() -> float:
    return time.monotonic() - Compiling.seconds
