"""Jobs for the tests of the pool; the actors import them too."""

import os
import time
from pathlib import Path

from anyzero.core.base import stopping


def square(kind, number):
    return number * number


def work(kind, number, seconds):
    """Takes a while, and can be stopped."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        stopping.check()
        time.sleep(0.02)
    return number


def who(kind, seconds=0.0):
    """The process and its node."""
    import ray

    return os.getpid(), work(kind, ray.get_runtime_context().get_node_id(), seconds)


def slow_once(kind, place, seconds):
    """Hangs where it is done first, and not where it is done again."""
    try:
        Path(place).open("x").close()
    except FileExistsError:
        return "second"
    return work(kind, "first", seconds)


def wrong(kind, number):
    raise ValueError(f"{number} is wrong")


def wrong_once(kind, place):
    """Fails on the first node."""
    try:
        Path(place).open("x").close()
    except FileExistsError:
        return "right"
    raise MemoryError("no room")


def die(kind):
    os._exit(7)


def read(kind, name):
    return Path(name).read_text()


def sum_of(kind, shared):
    return sum(shared())
