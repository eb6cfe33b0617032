"""The record of a game: what was played, by whom, from where, and how it ended; one form for every game."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from anyzero.games.game import Game, State
from anyzero.records.fields import FORMAT, UNFINISHED, Evaluation, parse_fields
from anyzero.records.replay import replay


@dataclass(frozen=True)
class GameRecord:
    """One game. `from_json(record.to_json()) == record` for every record whose moves are legal."""

    game: str
    """The text that the game is loaded from."""
    rules: str
    """The name of the rules."""
    options: Mapping[str, Any]
    """All options of the rules, defaults too."""
    players: tuple[str, ...]
    """A text a seat: the player's, `human`, or a person's name."""
    moves: tuple[str, ...] = ()
    """Texts, chance outcomes among them."""
    start: str | None = None
    """The position before the first move; None: the initial one."""
    clocks: tuple[float | None, ...] | None = None
    """Seconds that each move took, where known."""
    evaluations: tuple[Evaluation | None, ...] | None = None
    """What the mover thought before each move, where known."""
    payoffs: tuple[float, ...] | None = None
    """The result a seat; None while the game is unfinished."""
    termination: str = UNFINISHED
    """One of `TERMINATIONS`."""
    date: str = ""
    """The day, like 2026-01-31, or nothing."""
    seed: int | None = None
    """What chance and the players draw from, so that a game that is taken up again goes on as it would have."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """Further facts by name, as PGN and SGF have them: Event, Round, ..."""

    def to_json(self) -> dict[str, Any]:
        """Plain values for a JSON object."""
        thoughts = self.evaluations
        return {
            "format": FORMAT,
            "game": self.game,
            "rules": {"name": self.rules, "options": dict(self.options)},
            "players": list(self.players),
            "date": self.date,
            "seed": self.seed,
            "start": self.start,
            "moves": list(self.moves),
            "clocks": None if self.clocks is None else list(self.clocks),
            "evaluations": None if thoughts is None else [None if one is None else one._asdict() for one in thoughts],
            "result": {
                "payoffs": None if self.payoffs is None else list(self.payoffs),
                "termination": self.termination,
            },
            "tags": dict(self.tags),
        }

    @staticmethod
    def from_json(values: Any, game: Game | None = None) -> "GameRecord":
        """The record of these plain values, checked by playing it; `game` is needed where it is a file's."""
        return replay(GameRecord(**parse_fields(values)), game).record

    def states(self, game: Game | None = None) -> list[State]:
        """The start and the position after each move."""
        return replay(self, game).states
