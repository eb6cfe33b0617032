"""What a search found, for people and programs."""

import math
from dataclasses import asdict, dataclass
from typing import Any

PROVEN_NAMES = {1: "win", 2: "draw", -1: "loss"}


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


@dataclass(frozen=True)
class SearchResult:
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

    def to_json(self) -> dict[str, Any]:
        """The same as plain values."""
        return asdict(self)


FINAL_RULES = ("visits", "value", "value_log_visits", "lower_bound")


def final_score(rule: str, child: Child) -> tuple[float, float]:
    """How much the final choice wants this child, and what breaks a tie."""
    certain = {"win": 1e9, "loss": -1e9}.get(child.proven or "", 0.0)
    value = -2.0 if child.value is None else child.value
    if rule == "visits":
        return certain + child.visits, value
    if rule == "value":
        return certain + value, child.visits
    if rule == "value_log_visits":
        return certain + value + math.log(child.visits + 1.0), value
    return certain + value - 2.0 / math.sqrt(child.visits + 1e-9), value  # half the width of a payoff's range
