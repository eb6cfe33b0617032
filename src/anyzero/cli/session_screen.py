"""What a terminal session shows and asks; without a terminal the same words, without colours and prompts."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from textwrap import wrap

from rich.console import Console
from rich.text import Text

from anyzero import stopping
from anyzero.games.contract import CHANCE
from anyzero.games.game import Game, State
from anyzero.records import GameInProgress
from anyzero.views.text import scene_to_terminal


class Screen:
    """Where a session is seen; it holds no game."""

    def __init__(self, *, quiet: bool = False) -> None:
        self.console = Console(markup=False, highlight=False, emoji=False, quiet=quiet)
        self.status = Console(stderr=True)
        if sys.stdin.isatty():
            with suppress(ImportError):
                import readline  # noqa: F401  (lines can be edited and called up again)

    def say(self, text: str) -> None:
        """Print a sentence, broken between words where the terminal ends."""
        lines = wrap(text, self.console.width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
        self.console.print(Text("\n".join(lines)), soft_wrap=True)

    def show_table(self, table: GameInProgress) -> None:
        """The position, the last move marked, and what chance has drawn."""
        drawn = []
        for ply in reversed(table.plies):
            if ply.seat != CHANCE:
                break
            drawn.append(ply.move)
        if drawn:
            self.say(f"drawn: {' '.join(reversed(drawn))}")
        self.show_position(table.game, table.state, last_cells(table))

    def show_position(self, game: Game, state: State, marked: tuple[str, ...] = ()) -> None:
        if game.has("scene"):
            self.console.print(scene_to_terminal(game.scene(state), marked), soft_wrap=True)
        else:
            self.say(game.format_state(state) if game.has("format_state") else f"{game.name}: it has no picture")

    def ask(self, prompt: str) -> str | None:
        """A line from whoever plays; None at the end of the input."""
        with stopping.waiting():
            if sys.stdin.isatty():
                try:
                    return input(prompt)
                except EOFError:
                    print()
                    return None
            line = sys.stdin.readline()
        if not line:
            return None
        self.say(f"{prompt}{line.rstrip()}")
        return line

    @contextmanager
    def busy(self, words: str) -> Iterator[None]:
        """While somebody thinks; shown on a terminal only."""
        if self.console.quiet or not sys.stderr.isatty():
            yield
            return
        with self.status.status(words):
            yield


def last_cells(table: GameInProgress) -> tuple[str, ...]:
    """The cells that the last move named."""
    before = table.last_decision
    if before < 0 or not table.game.has("scene") or table.line[before].action < 0:
        return ()
    return cells_of(table.game, table.state_after(before), table.line[before].action)


def cells_of(game: Game, state: State, action: int) -> tuple[str, ...]:
    """The cells that an action names in this position."""
    return tuple(game.scene(state).clicks.get(action, ())) if game.has("scene") else ()
