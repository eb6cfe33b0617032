"""What a search found, for people and programs."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from anyzero.errors import UnknownNameError, list_some, nearest_hint
from anyzero.report import Part, Sheet, Shown, count, signed
from anyzero.search.tree import DRAW, LOSS, UNKNOWN, WIN

MOST_SHOWN = 10
"""Moves of a report."""
PROVEN_NAMES = {WIN: "win", DRAW: "draw", LOSS: "loss"}


class RootMoves(NamedTuple):
    """The moves of a root, in columns. Values are mean payoffs for the seat to move, exact where proven."""

    actions: np.ndarray
    visits: np.ndarray
    values: np.ndarray
    """NaN while there are no visits."""
    priors: np.ndarray
    amaf_visits: np.ndarray
    amaf_values: np.ndarray
    """NaN while there are no AMAF visits."""
    proven: np.ndarray


@dataclass(frozen=True)
class Child:
    """A move at the root and its statistics; values are mean payoffs for the seat to move."""

    move: str
    action: int
    visits: int
    value: float | None
    """None while there are no visits."""
    prior: float
    amaf_visits: int
    amaf_value: float | None
    proven: str | None
    """"win", "draw" or "loss" for the seat to move, or None."""


@dataclass(frozen=True, repr=False)
class SearchResult(Shown):
    best_move: str
    best_action: int
    value: float
    """The expected payoff of the best move for the seat to move."""
    proven: str | None
    children: list[Child]
    """Best first."""
    principal_variation: list[str]
    simulations: int
    nodes: int
    depth: int
    seconds: float
    bytes_per_node: float

    @property
    def visits(self) -> dict[str, int]:
        """Visits of each move."""
        return {child.move: child.visits for child in self.children}

    def report(self, most: int = MOST_SHOWN) -> Iterator[Part]:
        """The best moves, the expected line, and what it took."""
        with_amaf = any(child.amaf_visits for child in self.children)
        rows = [
            (child.move, child.visits, signed(child.value), f"{child.prior:.3f}", child.proven or "")
            + ((child.amaf_visits, signed(child.amaf_value)) if with_amaf else ())
            for child in self.children[:most]
        ]
        yield Sheet(("move", "visits", "value", "prior", "proven", *(("AMAF visits", "AMAF value") * with_amaf)), rows)
        if len(self.children) > most:
            yield f"... and {count(len(self.children) - most, 'more move')}"
        proven = f", a proven {self.proven}" if self.proven else ""
        yield f"best {self.best_move}, value {self.value:+.3f}{proven}; {' '.join(self.principal_variation)}"
        rate = self.simulations / max(self.seconds, 1e-9)
        effort = f"{self.simulations} simulations in {self.seconds:.3f} s ({rate:,.0f}/s)"
        yield f"{effort}, {self.nodes} nodes, depth {self.depth}"

    def to_json(self) -> dict[str, Any]:
        """The same as plain values."""
        return asdict(self)


FINAL_RULES = ("visits", "value", "value_log_visits", "lower_bound")

CERTAIN = 1e9


def check_final_rule(rule: str) -> None:
    if rule not in FINAL_RULES:
        hint = nearest_hint(rule, FINAL_RULES)
        raise UnknownNameError(f"there is no final rule {rule!r}; {hint}known: {list_some(FINAL_RULES)}")


def final_order(rule: str, moves: RootMoves) -> np.ndarray:
    """The moves from the one that the final choice wants most: never into a proven loss while there is another.

    What is open and looks worse than a proven draw comes behind it.
    """
    certain = np.where(moves.proven == WIN, CERTAIN, np.where(moves.proven == LOSS, -CERTAIN, 0.0))
    value, visits = np.nan_to_num(moves.values, nan=-2.0), moves.visits
    if (moves.proven == DRAW).any():
        certain[(moves.proven == UNKNOWN) & (value < 0.0)] = -CERTAIN / 2
    if rule == "visits":
        wanted, tie = visits + certain, value
    elif rule == "value":
        wanted, tie = value + certain, visits
    elif rule == "value_log_visits":
        wanted, tie = value + np.log(visits + 1.0) + certain, value
    else:  # half the width of a payoff's range
        wanted, tie = value - 2.0 / np.sqrt(visits + 1e-9) + certain, value
    return np.lexsort((-tie, -wanted))


def make_children(moves: RootMoves, order: np.ndarray, texts: list[str]) -> list[Child]:
    """The moves as rows, in this order."""

    def known(value: float) -> float | None:
        return None if np.isnan(value) else float(value)

    return [
        Child(
            move=texts[index],
            action=int(moves.actions[index]),
            visits=int(moves.visits[index]),
            value=known(moves.values[index]),
            prior=float(moves.priors[index]),
            amaf_visits=int(moves.amaf_visits[index]),
            amaf_value=known(moves.amaf_values[index]),
            proven=PROVEN_NAMES.get(int(moves.proven[index])),
        )
        for index in order
    ]
