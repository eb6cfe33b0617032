"""A clock that stands still while this process compiles: for minutes of work whose code may not be ready."""

import time


class Compiling:
    seconds = 0.0
    """Spent by this process so far."""


def clock() -> float:
    return time.monotonic() - Compiling.seconds
