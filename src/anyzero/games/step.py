"""One compiled function of a game as the door calls it: interpreted at first, compiled once it takes its time."""

import math
from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anyzero.games.game import Game

COMPILE_AFTER_S = 0.5
"""A function is compiled once it has been interpreted for this long in all."""


class Step:
    """One compiled function of a game as the door calls it: interpreted at first, compiled once it takes its time.

    Both give the same results; the first answer comes at once, and a long loop still runs at machine speed.
    """

    def __init__(self, game: "Game", generic: Callable[..., Any]) -> None:
        self.game, self.generic, self.seconds = game, generic, 0.0
        self.run = game.compile(generic, "interpreted")

    def __call__(self, *args: Any) -> Any:
        if self.seconds > COMPILE_AFTER_S:
            return self.run(*args)
        start = perf_counter()
        result = self.run(*args)
        self.seconds += perf_counter() - start
        if self.seconds > COMPILE_AFTER_S:
            self.compile()
        return result

    def compile(self) -> None:
        """From now on machine code."""
        self.seconds = math.inf
        self.run = self.game.compile(self.generic)
