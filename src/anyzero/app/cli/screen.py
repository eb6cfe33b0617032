"""What a person sees of a game at the terminal: the board, and the sentences of a session and of a
replay.

Without a terminal the same words are printed, without colours and prompts.
"""

import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress
from itertools import takewhile
from textwrap import wrap

from rich.console import Console
from rich.text import Text

from anyzero.app.records.in_progress import GameInProgress, Ply
from anyzero.core.base import stopping
from anyzero.core.base.nouns import Values
from anyzero.core.base.report import count, worth_words
from anyzero.core.game.contract import CHANCE
from anyzero.core.game.game import Game, State
from anyzero.tools.players.player import Answer
from anyzero.tools.players.text import split_player
from anyzero.tools.progress import progress
from anyzero.views.text import scene_to_terminal


class Screen:
    """Where a session is seen; it holds no game."""

    def __init__(self, *, quiet: bool = False) -> None:
        self.console = Console(markup=False, highlight=False, emoji=False, quiet=quiet)
        if sys.stdin.isatty():
            with suppress(ImportError):
                import readline  # noqa: F401  (lines can be edited and called up again)

    def say(self, text: str) -> None:
        """Print a sentence, broken between words where the terminal ends."""
        lines = wrap(
            text,
            self.console.width,
            subsequent_indent="  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        self.console.print(Text("\n".join(lines)), soft_wrap=True)

    def show_table(self, table: GameInProgress) -> None:
        """The position, the last move marked, and what chance has drawn."""
        drawn = [
            ply.move for ply in takewhile(lambda ply: ply.seat == CHANCE, reversed(table.plies))
        ]
        if drawn:
            self.say(f"drawn: {' '.join(reversed(drawn))}")
        self.show_position(table.game, table.state, table.cells(table.last_decision))

    def show_position(self, game: Game, state: State, marked: Sequence[str]) -> None:
        if game.has("board"):
            self.console.print(scene_to_terminal(game.scene(state), marked), soft_wrap=True)
        else:
            for name, value in game.fields(state).items():
                self.say(f"{name}: {value}")

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

    def busy(self, words: str) -> AbstractContextManager[object]:
        """While somebody thinks; shown on a terminal only."""
        return progress(words, shown=not self.console.quiet)


# --- sentences


def player_words(text: str, game: Game) -> str:
    """The player's text; for a level, who that is in this game."""
    plain = split_player(text).in_game(game).text
    return text if plain == text else f"{text} ({plain})"


def answer_words(name: str, move: str, answer: Answer) -> str:
    """`uct:50 plays b2 (value +0.310, 50 simulations, 0.02 s, line b2 a1 c3)`; without a name only
    what follows it.
    """
    result = answer.result
    start = f"{name} plays {move}" if name else move
    if result is None:
        return f"{start} ({answer.seconds:.2f} s)"
    proven = f", a proven {result.proven}" if result.proven else ""
    effort = f"{count(result.simulations, 'simulation')}, {result.seconds:.2f} s"
    line = " ".join(result.principal_variation)
    return (
        f"{start} ({worth_words(result.value, result.best_score)}{proven}, {effort}, line {line})"
    )


def end_words(table: GameInProgress) -> str:
    return table.end.sentence(table.game, table.state, table.players)


# --- a game that was played


def describe_replayed(table: GameInProgress, move: int | None) -> Values:
    """For programs: the record, and its positions after each move or after so many."""
    game = table.game
    moves = [None, *table.moves]
    positions = []
    for after in range(len(moves)) if move is None else [move]:
        state = table.states[after]
        about = {
            "moves": after,
            "last_move": moves[after],
            "seat_to_move": game.seat_to_move(state),
            "state": game.format_state(state) if game.has("format_state") else None,
            "text": game.show(state).text if game.has("board") else None,
        }
        positions.append(about)
    return {**table.to_record().to_json(), "positions": positions}


def show_replayed(screen: Screen, table: GameInProgress, move: int | None, title: str) -> None:
    """The same for people."""
    game = table.game
    date = f"; {table.date}" * bool(table.date)
    screen.say(f"{title}{game.text}; {' against '.join(table.players)}{date}")
    for after in range(len(table.moves) + 1) if move is None else [move]:
        now = table.at(after)
        screen.say(f"{after}. {move_words(table, now.plies[-1])}" if after else "the start")
        screen.show_position(game, now.state, now.cells(after - 1))
    if move is None:
        screen.say(end_words(table))


def move_words(table: GameInProgress, ply: Ply) -> str:
    """Who made which move, how long it took, and what the mover thought."""
    who = f"{table.players[ply.seat]} plays" if ply.seat >= 0 else "drawn:"
    thought = ply.evaluation
    notes = [] if ply.seconds is None else [f"{ply.seconds:.2f} s"]
    if thought is not None:
        value = worth_words(thought.value, table.game.best_score)
        notes.append(f"{value}, {count(thought.simulations, 'simulation')}")
    return f"{who} {ply.move}" + (f" ({', '.join(notes)})" if notes else "")
