"""The results of a search: the policy, the value and the final move as kernels write them, and a
result for people.
"""

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from anyzero.core.base.nouns import Numbers, Stream, Values
from anyzero.core.base.report import Part, Sheet, Shown, count, worth, worth_words
from anyzero.core.compile.bits import best_index, by_pointer
from anyzero.core.compile.random import random_unit
from anyzero.core.search.methods import EXPECTIMAX, GUMBEL, Settings
from anyzero.core.search.priors import gumbel_scores, improved_policy
from anyzero.core.search.tree import DRAW, DRAW_BELOW, LOSS, UNKNOWN, WIN, Scratch, Tree, root_of

INLINED = True  # these functions are compiled into their callers: see compile.kernels

LEAST_SHARE = 1e-6


def report_trees(
    tree: Tree,
    scratch: Scratch,
    settings: Settings,
    policies: Numbers,
    values: Numbers,
    actions: Numbers,
    begin: int,
    end: int,
) -> None:
    """Kernel: the policy [trees, actions] after search, the value [trees] for the seat to move, and
    the chosen action.

    The policy is the share of visits; with Gumbel it is the improved policy, and the action the
    one it plays, else the most visited one. If the root is proven, the value is exact, and the
    policy follows the priors of the moves that reach it instead of visits. `policies` must be zero
    on entry.
    """
    tree = by_pointer(tree)
    scratch = by_pointer(scratch)
    settings = by_pointer(settings)
    for number in range(begin, end):
        report_tree(tree, scratch, settings, policies, values, actions, number)


def report_tree(
    tree: Tree,
    scratch: Scratch,
    settings: Settings,
    policies: Numbers,
    values: Numbers,
    actions: Numbers,
    number: int,
) -> None:
    root = root_of(tree, number)
    best = choose_child_of_root(tree, scratch, settings, number)
    first = tree.first[root]
    scores = scratch.scores[number]
    actions[number] = tree.action[best]
    values[number] = value_after(tree, settings, root, best)
    root_policy(tree, settings, root, scores)
    for index in range(tree.num_children[root]):
        policies[number, tree.action[first + index]] = scores[index]


def root_policy(tree: Tree, settings: Settings, root: int, policy: Numbers) -> None:
    """The policy after search, by child."""
    first = tree.first[root]
    count = tree.num_children[root]
    total = 0.0
    if settings.formula == GUMBEL and not is_saved(tree.proven[root]):
        improved_policy(tree, settings, root, policy)
        return
    for index in range(count):
        policy[index] = share_of(tree, settings, root, first + index)
        total += policy[index]
    for index in range(count):
        # a loss found before the first simulation has no visits
        policy[index] = policy[index] / total if total > 0.0 else tree.prior[first + index]


def share_of(tree: Tree, settings: Settings, root: int, child: int) -> float:
    """The unnormalised policy of a child: its visits, unless something is proven.

    With a proven win or draw, the prior of a move that reaches it. A proven draw gets no more
    visits, and open moves that look worse do not count. With expectimax exp(value), so that
    temperatures are in units of payoff.
    """
    prior = tree.prior[child] + LEAST_SHARE
    if is_saved(tree.proven[root]):
        return prior if tree.proven[child] == tree.proven[root] else 0.0
    if settings.formula == EXPECTIMAX:
        return math.exp(tree.value[child])
    if tree.proven[child] == DRAW:
        return tree.visits[child] + prior  # type: ignore[no-any-return]
    is_worse = tree.visits[child] == 0 or tree.value[child] < 0.0
    has_draw = tree.marks[root] & DRAW_BELOW != 0 and tree.proven[child] == UNKNOWN
    return 0.0 if has_draw and is_worse else float(tree.visits[child])


def value_after(tree: Tree, settings: Settings, root: int, best: int) -> float:
    """The value after search, for the seat to move: exact if proven; `best` is the chosen child."""
    if tree.proven[root] != UNKNOWN:
        return float(tree.proven[root])
    if settings.move_value and tree.visits[best] > 0:
        return tree.value[best]  # type: ignore[no-any-return]
    return tree.value[root]  # type: ignore[no-any-return]


def is_saved(proof: int) -> bool:
    """Whether a win or a draw is proven."""
    return DRAW <= proof <= WIN


def choose_child_of_root(tree: Tree, scratch: Scratch, settings: Settings, number: int) -> int:
    """The most visited action, or the best by value (+ log visits); with Gumbel, by noise, prior
    and value.
    """
    root = root_of(tree, number)
    scores = scratch.scores[number]
    first = tree.first[root]
    last = first + tree.num_children[root]
    rule = (
        BY_VALUE_LOG_VISITS
        if settings.log_visits
        else BY_VALUE
        if settings.formula == EXPECTIMAX
        else BY_VISITS
    )
    if settings.formula == GUMBEL:
        rule = BY_GUMBEL
        gumbel_scores(tree, scratch, settings, number, scores)
    final_scores(
        rule, tree.visits[first:last], tree.value[first:last], tree.proven[first:last], scores
    )
    return first + best_index(scores, last - first)  # type: ignore[no-any-return]


# --- the final move

BY_VISITS, BY_VALUE, BY_VALUE_LOG_VISITS, BY_LOWER_BOUND, BY_GUMBEL = range(5)
FINAL_RULES = {
    name: code for code, name in enumerate(("visits", "value", "value_log_visits", "lower_bound"))
}
CERTAIN = 1e9


def final_scores(
    rule: int, visits: Numbers, values: Numbers, proven: Numbers, scores: Numbers
) -> None:
    """Score each move for the final choice: a proven win highest, a proven loss lowest.

    Open moves that look worse than a proven draw rank below it. For Gumbel, `scores` holds on entry
    the sum of noise, log prior and value, and the moves dropped on the way rank below the others.
    """
    most = 0
    has_draw = False
    for index in range(len(visits)):
        most = max(most, visits[index] if proven[index] != LOSS else 0)
        has_draw = has_draw or proven[index] == DRAW
    for index in range(len(visits)):
        num = visits[index]
        proof = proven[index]
        value = float(proof) if proof != UNKNOWN else values[index] if num > 0 else -2.0
        if rule == BY_VISITS:
            score = float(num)
        elif rule == BY_VALUE:
            score = value
        elif rule == BY_VALUE_LOG_VISITS:
            score = value + math.log(num + 1.0)
        elif rule == BY_LOWER_BOUND:  # half the width of the range of payoffs
            score = value - 2.0 / math.sqrt(num + 1e-9)
        else:
            score = scores[index] - (0.0 if num >= most or proof == DRAW else 1e6)
        if proof == WIN:
            score += CERTAIN
        elif proof == LOSS:
            score -= CERTAIN
        elif proof == UNKNOWN and has_draw and value < 0.0:
            score -= CERTAIN / 2
        scores[index] = score


def final_order(rule: str, moves: "RootMoves") -> np.ndarray:
    """The moves, best first; ties by value, or by visits if the rule is value."""
    visits = moves.visits.tolist()
    values = moves.values.tolist()
    scores = [0.0] * len(moves.visits)
    final_scores(FINAL_RULES[rule], visits, values, moves.proven.tolist(), scores)
    tie = moves.visits if rule == "value" else np.nan_to_num(moves.values, nan=-2.0)
    return np.lexsort((-tie, -np.array(scores)))


def gumbel_order(
    tree: Tree, scratch: Scratch, settings: Settings, moves: "RootMoves"
) -> np.ndarray:
    """The moves at the first tree's root, best first."""
    scores = np.zeros_like(scratch.scores[0])
    gumbel_scores(tree, scratch, settings, 0, scores)
    final_scores(BY_GUMBEL, moves.visits, moves.values, moves.proven, scores)
    return np.argsort(-scores[: len(moves.actions)], kind="stable")


DRAWING = 1 << 40  # the number of the stream used to sample a move


def draw_index(shares: Numbers, count: int, temperature: float, rng: Stream) -> int:
    """Sample an index in proportion to share ** (1 / temperature); -1 if there are no shares."""
    most = 0.0
    total = 0.0
    last = -1
    for index in range(count):
        most = max(most, shares[index])
    for index in range(count):
        total += powered(shares[index], most, temperature)
    left = random_unit(rng) * total
    for index in range(count):
        if shares[index] > 0.0:
            last = index
            left -= powered(shares[index], most, temperature)
            if left < 0.0:
                return index
    return last


def powered(share: float, most: float, temperature: float) -> float:
    return 0.0 if share <= 0.0 else math.exp(math.log(share / most) / temperature)


def value_share(visits: int, value: float, proof: int) -> float:
    """The share of a move sampled by value: exp(value), so that temperatures are in units of
    payoff.
    """
    if proof != UNKNOWN:
        return math.exp(proof)
    return math.exp(value) if visits > 0 else 0.0


def draw_move(shares: Numbers, proven: Numbers, count: int, temperature: float, rng: Stream) -> int:
    """The same among the moves that the best proof allows: only wins if there are any, no losses;
    changes `shares`.
    """
    has_win = False
    for index in range(count):
        has_win = has_win or proven[index] == WIN
    for index in range(count):
        if proven[index] == LOSS or (has_win and proven[index] != WIN):
            shares[index] = 0.0
    return draw_index(shares, count, temperature, rng)


# --- for people and programs


MOST_SHOWN = 10  # maximum moves in a report
PROVEN_NAMES = {WIN: "win", DRAW: "draw", LOSS: "loss"}


class RootMoves(NamedTuple):
    """The moves of a root, in columns. Values are mean payoffs for the seat to move, exact if
    proven.
    """

    actions: np.ndarray
    visits: np.ndarray
    values: np.ndarray  # NaN without visits
    priors: np.ndarray
    amaf_visits: np.ndarray
    amaf_values: np.ndarray  # NaN without AMAF visits
    proven: np.ndarray


@dataclass(frozen=True)
class RootMove:
    """A move at the root and its statistics; values are mean payoffs for the seat to move."""

    move: str
    action: int
    visits: int
    value: float | None  # None without visits
    prior: float
    amaf_visits: int
    amaf_value: float | None
    proven: str | None  # "win", "draw" or "loss" for the seat to move, or None


@dataclass(frozen=True, repr=False)
class SearchResult(Shown):
    best_move: str
    best_action: int
    value: float  # the expected payoff of the best move for the seat to move
    proven: str | None
    children: list[RootMove]  # best first
    principal_variation: list[str]
    simulations: int
    nodes: int
    depth: int
    seconds: float
    bytes_per_node: float
    best_score: float = 0.0  # the game's: values are shown in points unless it is 0

    @property
    def visits(self) -> dict[str, int]:
        return {child.move: child.visits for child in self.children}

    def report(self, most: int = MOST_SHOWN) -> Iterator[Part]:
        """The best moves, the principal variation, and the effort; columns without information are
        left out.
        """
        shown = self.children[:most]
        columns = {name: [getattr(child, name) for child in shown] for name in ("move", "visits")}
        unit = "points" if self.best_score else "value"
        columns[unit] = [worth(child.value, self.best_score) for child in shown]
        if len({child.prior for child in self.children}) > 1:
            columns["prior"] = [f"{child.prior:.3f}" for child in shown]
        if any(child.proven for child in self.children):
            columns["proven"] = [child.proven or "" for child in shown]
        if any(child.amaf_visits for child in self.children):
            columns["AMAF visits"] = [child.amaf_visits for child in shown]
            columns[f"AMAF {unit}"] = [worth(child.amaf_value, self.best_score) for child in shown]
        yield Sheet(tuple(columns), list(zip(*columns.values(), strict=True)))
        if len(self.children) > most:
            yield f"... and {count(len(self.children) - most, 'more move')}"
        proven = f", a proven {self.proven}" if self.proven else ""
        value = worth_words(self.value, self.best_score)
        yield f"best {self.best_move}, {value}{proven}; {' '.join(self.principal_variation)}"
        rate = self.simulations / max(self.seconds, 1e-9)
        effort = f"{self.simulations} simulations in {self.seconds:.3f} s ({rate:,.0f}/s)"
        yield f"{effort}, {self.nodes} nodes, depth {self.depth}"

    def to_json(self) -> Values:
        return asdict(self)


def _none_if_nan(cell: Any) -> Any:
    return None if cell != cell else cell


def make_children(moves: RootMoves, order: np.ndarray, texts: list[str]) -> list[RootMove]:
    *columns, proofs = (column[order].tolist() for column in moves)
    proven = [PROVEN_NAMES.get(proof) for proof in proofs]
    rows = zip((texts[place] for place in order), *columns, proven, strict=True)
    return [RootMove(*map(_none_if_nan, row)) for row in rows]


def merge_moves(parts: list[RootMoves]) -> RootMoves:
    """The moves of several trees over one position as if one tree had all visits."""
    if len(parts) == 1:
        return parts[0]
    ordered = [[column[np.argsort(part.actions)] for column in part] for part in parts]
    actions, visits, values, priors, amaf_visits, amaf_values, proven = map(
        np.stack, zip(*ordered, strict=True)
    )

    def mean(column: np.ndarray, weights: np.ndarray) -> np.ndarray:
        total = weights.sum(axis=0)
        return np.where(
            total > 0, np.nansum(column * weights, axis=0) / np.maximum(total, 1), np.nan
        )

    proofs = proven.min(axis=0)  # UNKNOWN unless any tree has one
    return RootMoves(
        actions=actions[0],
        visits=visits.sum(axis=0),
        values=np.where(proofs == UNKNOWN, mean(values, visits), proofs),
        priors=priors.mean(axis=0),
        amaf_visits=amaf_visits.sum(axis=0),
        amaf_values=mean(amaf_values, amaf_visits),
        proven=proofs,
    )
