"""What a solver knows about a position: bounds of its value and of each move, until they meet."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from anyzero.core.base.nouns import Values
from anyzero.core.base.report import Part, Sheet, Shown
from anyzero.core.search.report import PROVEN_NAMES


class Bounds(NamedTuple):
    """The least and the most a seat can get; equal once solved."""

    low: int = -1
    high: int = 1

    def meet(self, other: "Bounds") -> "Bounds":
        """The intersection of both."""
        return Bounds(max(self.low, other.low), min(self.high, other.high))

    def seen_by(self, seat: int) -> "Bounds":
        """Convert bounds of the first seat's payoff to another seat's, and back."""
        return self if seat == 0 else Bounds(-self.high, -self.low)

    @property
    def value(self) -> int | None:
        return self.low if self.low == self.high else None

    @property
    def words(self) -> tuple[str, str]:
        """The value, or a question mark, and what it means."""
        low, high = (f"{bound:+d}" if bound else "0" for bound in self)
        return (
            (low, PROVEN_NAMES[self.low])
            if self.low == self.high
            else ("?", f"from {low} to {high}")
        )


@dataclass(frozen=True, repr=False)
class Solution(Shown):
    """What is known about a position; values are payoffs of the seat to move: 1 win, 0 draw, -1
    loss.
    """

    bounds: Bounds
    move_bounds: dict[str, Bounds]
    nodes: int  # positions expanded
    seconds: float
    table_mb: float
    seat: int = 0  # the seat to move

    def report(self, *, openings: bool = False) -> Iterator[Part]:
        """The value, the moves that keep it, and the effort; with `openings` the value of every
        move.
        """
        if openings:
            yield Sheet(
                ("move", "value", ""),
                [(move, *bounds.words) for move, bounds in self.move_bounds.items()],
            )
        if self.value is not None:
            seat = ("first", "second")[self.seat]
            yield (
                f"value {self.bounds.words[0]}: a {self.outcome} for the {seat} seat, "
                "which is to move"
            )
            yield f"best moves: {' '.join(self.best_moves)}"
        if not self.solved:
            missing = (
                "not solved"
                if self.value is None
                else "the value is exact, the best moves may not be all"
            )
            yield f"{missing}: {self.known}"
        yield f"{self.effort}, table {self.table_mb:g} MB"

    @property
    def known(self) -> str:
        """The findings, in words."""
        num = len(self.moves) - list(self.moves.values()).count(None)
        return f"value {' '.join(self.bounds.words[1:])}, {num} of {len(self.moves)} moves known"

    @property
    def effort(self) -> str:
        rate = self.nodes / max(self.seconds, 1e-9) / 1e6
        return f"{self.nodes:,} nodes in {self.seconds:.1f} s ({rate:.2f} million/s)"

    @property
    def value(self) -> int | None:
        """None if the budget was too small."""
        return self.bounds.value

    @property
    def outcome(self) -> str | None:
        """ "win", "draw" or "loss"."""
        return None if self.value is None else PROVEN_NAMES[self.value]

    @property
    def moves(self) -> dict[str, int | None]:
        """The value of every move; None if unknown."""
        return {move: bounds.value for move, bounds in self.move_bounds.items()}

    @property
    def best_moves(self) -> list[str]:
        return [
            move for move, value in self.moves.items() if value is not None and value == self.value
        ]

    @property
    def solved(self) -> bool:
        """Whether the value of the position and of all its moves is known."""
        return self.value is not None and None not in self.moves.values()

    def records(self) -> list[Values]:
        return [{"move": move, "value": value} for move, value in self.moves.items()]

    def to_json(self) -> Values:
        names = (
            "value",
            "outcome",
            "bounds",
            "best_moves",
            "moves",
            "nodes",
            "seconds",
            "table_mb",
        )
        values = {name: getattr(self, name) for name in names}
        return {**values, "bounds": list(self.bounds), "seconds": round(self.seconds, 6)}
