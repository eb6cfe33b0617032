"""The rules of a game for people: a few sentences, and two pictures."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from textwrap import fill

from anyzero.core.base.errors import BadGameError, IllegalMoveError
from anyzero.core.base.nouns import Values
from anyzero.core.base.report import Part, Sheet, Shown
from anyzero.core.game.game import Game, State
from anyzero.core.game.load import as_game
from anyzero.views import Scene

WIDTH = 100  # of the text, in characters
SILENT = "its author wrote no rules down: they belong into the docstring of make()"


@dataclass(frozen=True, repr=False)
class Rules(Shown):
    """A game's rules, its initial position, and a position that illustrates them."""

    game: Game

    @property
    def paragraphs(self) -> list[str]:
        return [" ".join(part.split()) for part in (self.game.about or SILENT).split("\n\n")]

    @property
    def pictures(self) -> list[Scene]:
        """The initial position, and an illustrative position of the game with its default
        options.
        """
        if not self.game.has("board"):
            return []
        usual = as_game(self.game.source or self.game)
        return [self.game.show(self.game.initial_state()), usual.show(telling_state(usual))]

    def report(self) -> Iterator[Part]:
        yield f"{self.game.title}\n"
        yield "\n\n".join(fill(part, WIDTH) for part in self.paragraphs)
        if self.game.options:
            yield ""
            yield Sheet(("option", "now"), list(self.game.options.items()))
        yield from (f"\n{picture.text}" for picture in self.pictures)

    def _repr_html_(self) -> str:
        words = "".join(f"<p>{escape(part)}</p>" for part in self.paragraphs)
        pictures = "".join(picture.svg for picture in self.pictures)
        return f"<h3>{escape(self.game.title)}</h3>{words}{pictures}"

    def to_json(self) -> Values:
        about = {"game": self.game.text, "title": self.game.title, "rules": self.paragraphs}
        return {**about, "options": dict(self.game.options), "example": self.game.example.split()}


def rules(game: Game | str) -> Rules:
    """The rules of a game in a few sentences, with pictures.

    >>> rules("tic_tac_toe").paragraphs[1]
    'A full board without such a line is a draw. A move is the cell to mark: b2 is the centre.'
    """
    return Rules(as_game(game))


def telling_state(game: Game) -> State:
    """The position after the game's example, or halfway through a random game."""
    if game.example:
        try:
            return game.play(game.initial_state(), *game.example.split())
        except IllegalMoveError as error:
            raise BadGameError(f"the game's example cannot be played: {error}") from None
    states = [game.initial_state()]
    draw = random.Random(0)
    while not game.is_over(states[-1]):
        states.append(game.play(states[-1], draw.choice(game.legal_actions(states[-1]))))
    return states[(len(states) - 1) // 2]
