"""Statistics of random play, so that a person sees at a glance what no law can detect."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anyzero.core.base.report import count, percent
from anyzero.core.game.contract import OVER
from anyzero.core.game.game import Game
from anyzero.tools.laws.observe import Observations

# decided games, and moves on cells, needed for any suspicion
ENOUGH_GAMES = 8
ENOUGH_MOVES = 30
MOST_EXTRAS = 4  # maximum actions besides those of the cells, in a game that places stones


@dataclass(frozen=True)
class Seen:
    """Statistics of random games; moves are those of seats, plies include chance outcomes."""

    games: int
    plies: int
    shortest: int
    longest: int
    wins: list[int]  # by seat: games in which no other seat has as much
    draws: int
    mean_payoffs: list[float]
    unfinished: int
    last_mover_wins: int  # decided games won by the seat that moved last
    moves: int
    passes: int  # moves with a text like `pass`
    forced: int  # moves that were the only legal one
    seats: list[str]
    warnings: list[str]

    def report(self) -> Iterator[str]:
        mean = self.plies / max(1, self.games)
        yield (
            f"{self.games} random games of {mean:.1f} plies on average, {self.shortest} "
            f"to {self.longest}"
        )
        if len(self.wins) == 1:
            yield f"mean payoff {self.mean_payoffs[0]:+.3f}"
        else:
            results = [f"{name} won {won}" for name, won in zip(self.seats, self.wins, strict=True)]
            results += [count(self.draws, "draw")] + (
                [f"{self.unfinished} unfinished"] if self.unfinished else []
            )
            decided = sum(self.wins)
            last = f"; the last mover won {self.last_mover_wins} of {decided}" if decided else ""
            yield f"{', '.join(results)}{last}"
        shares = [percent(part / max(1, self.moves)) for part in (self.passes, self.forced)]
        yield f"of {self.moves} moves {shares[0]} were passes, {shares[1]} the only legal one"
        yield from (f"warning: {warning}" for warning in self.warnings)


def look(game: Game, records: Sequence[Observations]) -> Seen:
    lengths = [len(record.seats) - 1 for record in records]
    ends = [record for record in records if record.seats[-1] == OVER]
    best = [np.flatnonzero(record.payoffs == record.payoffs.max()) for record in ends]
    winners = [int(seats[0]) if len(seats) == 1 else None for seats in best]
    last = [next((int(seat) for seat in record.seats[::-1] if seat >= 0), -1) for record in ends]
    moves = [
        (record, row, int(record.chosen[row]))
        for record in records
        for row in np.flatnonzero((record.seats >= 0) & (record.chosen >= 0)).tolist()
    ]
    texts: dict[int, str] = {}  # of each action when first chosen
    for record, row, action in moves:
        if action not in texts:
            texts[action] = game.format_action(record.states[row].copy(), action)
    return Seen(
        games=len(records),
        plies=sum(lengths),
        shortest=min(lengths),
        longest=max(lengths),
        wins=[winners.count(seat) for seat in range(game.num_seats)],
        draws=winners.count(None),
        mean_payoffs=np.mean(
            [record.payoffs for record in ends] or [np.zeros(game.num_seats)], axis=0
        ).tolist(),
        unfinished=len(records) - len(ends),
        last_mover_wins=sum(seat == winner for seat, winner in zip(last, winners, strict=True)),
        moves=len(moves),
        passes=sum("pass" in texts[action].lower() for _, _, action in moves),
        forced=sum(int(record.counts[row] == 1) for record, row, _ in moves),
        seats=[game.seat_name(seat) for seat in range(game.num_seats)],
        warnings=[
            *doubtful_seats(game, records, last, winners),
            *taken_cells(game, moves, texts),
            *doubtful_keys(game, [(record, row) for record, row, _ in moves]),
        ],
    )


# --- what may be intended, but is more often a mistake


def doubtful_seats(
    game: Game, records: Sequence[Observations], last: Sequence[int], winners: Sequence[int | None]
) -> Iterator[str]:
    moved = {int(seat) for record in records for seat in np.unique(record.seats)}
    for seat in range(game.num_seats):
        if seat not in moved:
            yield f"{game.seat_name(seat)} never moves: does play change whose turn it is?"
    lost = [
        winner != seat for seat, winner in zip(last, winners, strict=True) if winner is not None
    ]
    if game.num_seats > 1 and len(lost) >= ENOUGH_GAMES and all(lost):
        yield (
            f"the last mover lost all {len(lost)} decided games: does payoffs have the right sign?"
        )


def taken_cells(
    game: Game, moves: Sequence[tuple[Observations, int, int]], texts: dict[int, str]
) -> Iterator[str]:
    """A game places stones if every action marks its own entry of some field, which was mostly
    empty before.
    """
    for name, form in game.state_dtype.fields.items() if game.state_dtype.fields else ():
        size = form[0].shape[0] if len(form[0].shape) == 1 else 0
        if not game.num_actions - MOST_EXTRAS <= size <= game.num_actions:
            continue
        marks = [
            (
                record.states[row][name][action] != 0,
                record.states[row + 1][name][action] != 0,
                action,
            )
            for record, row, action in moves
            if action < size
        ]
        taken = [action for before, _, action in marks if before]
        if (
            len(marks) >= ENOUGH_MOVES
            and all(after for _, after, _ in marks)
            and 0 < len(taken) < len(marks) / 2
        ):
            cell = texts[taken[0]]
            yield (
                f"{cell} is played although {name} marks it as occupied: does "
                "legal_actions skip occupied cells?"
            )


def doubtful_keys(game: Game, places: Iterable[tuple[Observations, int]]) -> Iterator[str]:
    """A state_key that differs where nothing else does may count moves."""
    known: dict[Any, Any] = {}
    if game.has("state_key") and game.has("encode"):
        for at in (record.at(row) for record, row in places):
            looks = int(at.seats), at.actions.tobytes(), at.scores.tobytes(), at.planes.tobytes()
            if known.setdefault(looks, at.keys) != at.keys:
                yield (
                    "state_key gives positions that look the same different keys: does it "
                    "count moves?"
                )
                return
