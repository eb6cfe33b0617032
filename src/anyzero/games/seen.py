"""What random play showed of a game, so that a person sees at a glance what no law can know to be wrong."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from anyzero.games.contract import OVER
from anyzero.games.game import Game
from anyzero.games.observe import Observations
from anyzero.report import percent

ENOUGH_GAMES, ENOUGH_MOVES = 8, 30  # decided games, and moves on cells, without which nothing is suspected
MOST_EXTRAS = 4  # actions besides those of the cells, in a game that places stones


@dataclass(frozen=True)
class Seen:
    """Numbers about some random games; moves are those of seats, plies count what chance does too."""

    games: int
    plies: int
    shortest: int
    longest: int
    wins: list[int]
    """By seat: games in which no other has as much."""
    draws: int
    mean_payoffs: list[float]
    unfinished: int
    last_mover_wins: int
    """Decided games that were won by whoever moved last."""
    moves: int
    passes: int
    """Moves with a text like `pass`."""
    forced: int
    """Moves that were the only legal one."""
    seats: list[str]
    warnings: list[str]

    def report(self) -> Iterator[str]:
        mean = self.plies / max(1, self.games)
        yield f"seen: {self.games} random games of {mean:.1f} plies on average, {self.shortest} to {self.longest}"
        if len(self.wins) == 1:
            yield f"mean payoff {self.mean_payoffs[0]:+.3f}"
        else:
            yield self.describe_results()
        shares = [percent(part / max(1, self.moves)) for part in (self.passes, self.forced)]
        yield f"of {self.moves} moves {shares[0]} were passes, {shares[1]} the only legal one"
        yield from (f"warning: {warning}" for warning in self.warnings)

    def describe_results(self) -> str:
        """Who won, and whether that was who moved last."""
        results = [f"{name} won {won}" for name, won in zip(self.seats, self.wins, strict=True)]
        results += [f"{self.draws} draws"] + ([f"{self.unfinished} without an end"] if self.unfinished else [])
        decided = sum(self.wins)
        last = f"; who moved last won {self.last_mover_wins} of {decided}" if decided else ""
        return f"{', '.join(results)}{last}"

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def look(game: Game, records: Sequence[Observations]) -> Seen:
    lengths = [len(record.seats) - 1 for record in records]
    ends = [record for record in records if record.seats[-1] == OVER]
    winners = [winner_of(record.payoffs) for record in ends]
    moved = [moves_of(record) for record in records]
    texts = action_texts(game, records)
    last = [int(record.seats[rows[-1]]) if len(rows) else -1 for record, rows in zip(records, moved, strict=True)]
    last = [seat for seat, record in zip(last, records, strict=True) if record.seats[-1] == OVER]
    passes = [action for action, text in texts.items() if "pass" in text.lower()]
    return Seen(
        games=len(records),
        plies=sum(lengths),
        shortest=min(lengths),
        longest=max(lengths),
        wins=[winners.count(seat) for seat in range(game.num_seats)],
        draws=winners.count(None),
        mean_payoffs=np.mean([record.payoffs for record in ends] or [np.zeros(game.num_seats)], axis=0).tolist(),
        unfinished=len(records) - len(ends),
        last_mover_wins=sum(seat == winner for seat, winner in zip(last, winners, strict=True)),
        moves=sum(map(len, moved)),
        passes=sum(
            int(np.isin(record.chosen[rows], passes).sum()) for record, rows in zip(records, moved, strict=True)
        ),
        forced=sum(int((record.counts[rows] == 1).sum()) for record, rows in zip(records, moved, strict=True)),
        seats=[game.seat_name(seat) for seat in range(game.num_seats)],
        warnings=[
            *idle_seats(game, records),
            *doubtful_payoffs(game, last, winners),
            *taken_cells(game, records, texts),
        ],
    )


def winner_of(payoffs: np.ndarray) -> int | None:
    best = payoffs == payoffs.max()
    return int(best.argmax()) if best.sum() == 1 else None


def moves_of(record: Observations) -> np.ndarray:
    return np.flatnonzero((record.seats >= 0) & (record.chosen >= 0))


def action_texts(game: Game, records: Sequence[Observations]) -> dict[int, str]:
    """The text of every action that was chosen, where it was chosen first."""
    found: dict[int, str] = {}
    for record in records:
        for row in moves_of(record).tolist():
            action = int(record.chosen[row])
            if action not in found:
                found[action] = game.format_action(record.states[row].copy(), action)
    return found


# --- what may be meant so, and is more often a fault


def idle_seats(game: Game, records: Sequence[Observations]) -> Iterator[str]:
    moved = {int(seat) for record in records for seat in np.unique(record.seats)}
    for seat in range(game.num_seats):
        if seat not in moved:
            yield f"{game.seat_name(seat)} never moves: does play change whose turn it is?"


def doubtful_payoffs(game: Game, last: Sequence[int], winners: Sequence[int | None]) -> Iterator[str]:
    lost = [winner != seat for seat, winner in zip(last, winners, strict=True) if winner is not None]
    if game.num_seats > 1 and len(lost) >= ENOUGH_GAMES and all(lost):
        yield f"who moved last lost all {len(lost)} decided games: have payoffs the right sign?"


def taken_cells(game: Game, records: Sequence[Observations], texts: dict[int, str]) -> Iterator[str]:
    """A game places stones if every action marks its own entry of some field, which mostly was empty before."""
    for name, form in game.state_dtype.fields.items() if game.state_dtype.fields else ():
        size = form[0].shape[0] if len(form[0].shape) == 1 else 0
        if not game.num_actions - MOST_EXTRAS <= size <= game.num_actions:
            continue
        played = [(record, row, int(record.chosen[row])) for record in records for row in moves_of(record).tolist()]
        marks = [
            (record.states[row][name][action] != 0, record.states[row + 1][name][action] != 0, action)
            for record, row, action in played
            if action < size
        ]
        taken = [action for before, _, action in marks if before]
        if len(marks) >= ENOUGH_MOVES and all(after for _, after, _ in marks) and 0 < len(taken) < len(marks) / 2:
            cell = texts[taken[0]]
            yield f"{cell} is played where {name} says that it is taken: does legal_actions leave taken cells out?"
