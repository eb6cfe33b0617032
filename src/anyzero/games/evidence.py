"""What the laws look at: random games of one game, interpreted and compiled."""

import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter

import numpy as np

from anyzero.games.contract import OVER
from anyzero.games.game import Game, State
from anyzero.games.observe import Observations, observe, observe_game

INTERPRETED_PLIES = 2000
INTERPRETED_S = 4.0
"""How much is interpreted: so many plies, and no other game is begun after so long."""


class Skip(Exception):  # noqa: N818  (not an error)
    """The law does not apply here."""


@dataclass(frozen=True)
class Evidence:
    """A game and what was seen of it; shared by the laws."""

    game: Game
    num_games: int = 24
    plies: int = 2_000_000
    """How many plies of rollouts are compared from each position; long games get fewer of them."""
    simulate: bool = True
    seed: int = 1

    @cached_property
    def rows(self) -> int:
        """Room for the longest game and one position more; rows that are never reached cost no memory."""
        return self.game.max_plies + 2

    @cached_property
    def interpreted(self) -> list[Observations]:
        """The first of the games in plain Python, which says what compiled code does not: an index out of range."""
        records: list[Observations] = []
        start, left = perf_counter(), INTERPRETED_PLIES
        while len(records) < self.num_games and left > 1 and perf_counter() - start < INTERPRETED_S:
            seed, rows = self.seed + len(records), min(self.rows, left)
            records.append(observe(self.game, seed=seed, rows=rows, target="interpreted"))
            left -= len(records[-1].seats)
        return records

    @cached_property
    def records(self) -> list[Observations]:
        return [observe(self.game, seed=self.seed + number, rows=self.rows) for number in range(self.num_games)]

    @cached_property
    def ends(self) -> bool:
        return all(record.seats[-1] == OVER for record in self.records)

    @cached_property
    def rollouts(self) -> int:
        plies = sum(len(record.seats) for record in self.records)
        return min(200_000, self.plies * len(self.records) // plies)

    def need_an_end(self) -> None:
        """Rollouts of a game that never ends would not come back."""
        if not self.ends:
            raise Skip("games do not end within max_plies")

    def positions(self, most: int) -> Iterator[State]:
        """Up to `most` positions, spread over the games seen."""
        everything = [(record, row) for record in self.records for row in range(len(record.seats))]
        chosen = np.random.default_rng(self.seed).permutation(len(everything))[:most]
        for record, row in (everything[index] for index in chosen):
            yield record.states[row].copy()


def last_seen(error: BaseException) -> tuple[Observations, int] | None:
    """The record of the interpreted game that an error ended, and the ply that it had come to."""
    for frame, _ in traceback.walk_tb(error.__traceback__):
        if frame.f_code is observe_game.__code__:
            return frame.f_locals["record"], frame.f_locals.get("row", 0)
    return None
