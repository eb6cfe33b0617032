"""The public function `solve(game, state)`: the exact value of a position and of each of its moves.

The solver asks yes-or-no questions: does the seat to move win, and if not, does it at least draw?
Answers are proofs, not estimates: the table identifies positions by every byte of their state,
including the history of a game.
"""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from anyzero.core.base import stopping
from anyzero.core.base.errors import (
    AnyzeroError,
    BadGameError,
    BadOptionError,
    check_name,
    is_number,
    seconds_below,
)
from anyzero.core.base.nouns import Values
from anyzero.core.base.progress import progress as bar
from anyzero.core.base.report import Part, Sheet, Shown
from anyzero.core.game.game import Game, State
from anyzero.core.game.load import position_of
from anyzero.core.search.report import PROVEN_NAMES
from anyzero.tools.proofs import proof_search as proof
from anyzero.tools.proofs.proof_search import ProofTable, Stack

TURNS = {
    "both": {proof.PROOF_NUMBERS: 500, proof.DEPTH_FIRST: 1500},
    "depth": {proof.DEPTH_FIRST: 2000},
    "proof": {proof.PROOF_NUMBERS: 2000},
}
"""The strategies, and the nodes each gets per turn; the first to answer wins."""
SMALL_TABLE_MB = 16
"""The initial table of every search: an easy position should not wait for a large table to be
cleared.
"""
FIRST_TRY = 20_000  # initial number of nodes per move before the next is tried
TELL_EVERY_S = 0.1
FAULTS = {
    proof.TOO_LONG: "a game is longer than its max_plies",
    proof.OTHER_PAYOFF: "solve knows payoffs of -1, 0 and 1 only",
    proof.NO_MOVE: "a position has neither a move nor an end",
}


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


Watch = Callable[[Solution], None]


def solve(
    game: Game | str,
    state: State | str | None = None,
    *,
    max_memory: float = 256,
    seconds: float | None = None,
    max_nodes: int | None = None,
    method: str = "both",
    progress: bool = True,
) -> Solution:
    """The exact value of a position of a two-seat zero-sum game without chance, and of all its
    moves.

    `max_memory` is the size of the table in MB. `seconds` and `max_nodes` end the search with what
    is known by then.

    >>> anyzero.solve("tic_tac_toe")
    """
    game, state = position_of(game, state)
    solver = Solver(game, max_memory=max_memory, method=method)
    last: Solution | None = None

    def words() -> str:
        progress = "nothing was found out" if last is None else f"{last.effort}; {last.known}"
        return f"stopped; {progress}, and nothing was kept"

    with stopping.telling(words), bar("solving", shown=progress) as tell:

        def watch(solution: Solution) -> None:
            nonlocal last
            last = solution
            stopping.check()
            tell(words=f"{solution.effort}; {solution.known}")

        return solver.solve(state, seconds=seconds, max_nodes=max_nodes, watch=watch)


class Solver:
    """A table and the searches that fill it. It can be used for many positions of a game, and
    remembers them.
    """

    def __init__(
        self, game: Game, *, max_memory: float = 256, method: str = "both", target: str = "cpu"
    ) -> None:
        check_solvable(game)
        if not (is_number(max_memory) and 0.01 <= max_memory <= 1e7):
            raise BadOptionError(f"a table of {max_memory} MB is not possible")
        check_name("method", method, TURNS)
        self.game = game
        self.turns = TURNS[method]
        try:
            self.large_table = proof.new_table(max_memory)  # costs nothing until it is used
        except MemoryError:
            raise BadOptionError(f"there is no room for a table of {max_memory:g} MB") from None
        self.table: ProofTable = proof.new_table(min(SMALL_TABLE_MB, max_memory))
        self.stacks: dict[int, Stack] = {way: proof.new_stack(game) for way in self.turns}
        self.kernel = game.compile(proof.walk, target)
        for way, stack in self.stacks.items():  # compile before any clock starts
            stack.counters[proof.LEVEL] = proof.NONE
            self.kernel(game.rules, self.table, stack, 0, way, 0)

    def solve(
        self,
        state: State,
        *,
        seconds: float | None = None,
        max_nodes: int | None = None,
        watch: Watch | None = None,
    ) -> Solution:
        task = _Task(self, state, seconds, max_nodes, watch)
        try:
            task.finish()
        except SpentError:
            task.read_table()
        return task.solution

    def ask(self, state: State, goal: int, most: float, tick: Callable[[], None]) -> Bounds:
        """Bounds of the first seat's payoff that tell whether it is at least `goal`, if `most`
        nodes are enough.
        """
        for stack in self.stacks.values():
            stack.states[0] = state
            stack.rows[0].count = proof.NONE
            stack.rows[0].limits[:] = proof.MOST
            stack.counters[proof.LEVEL] = stack.counters[proof.FAULT] = 0
        stop = self.nodes + most
        while self.nodes < stop:
            for way, turn in self.turns.items():
                stack = self.stacks[way]
                self.kernel(self.game.rules, self.table, stack, goal, way, turn)
                if stack.counters[proof.FAULT]:
                    raise BadGameError(
                        f"{self.game.name}: {FAULTS[int(stack.counters[proof.FAULT])]}"
                    )
                if stack.counters[proof.LEVEL] == proof.NONE:
                    return Bounds(int(stack.counters[proof.LOW]), int(stack.counters[proof.HIGH]))
            tick()
            if (
                self.nodes * proof.ENTRY_BYTES > self.table.words.nbytes
            ):  # the first table is too small
                self.table = self.large_table
        return Bounds()

    @property
    def nodes(self) -> int:
        return sum(int(stack.counters[proof.NODES]) for stack in self.stacks.values())


def check_solvable(game: Game) -> None:
    """Require two seats with opposite payoffs and no chance."""
    is_wrong = {
        "it has one seat": game.num_seats == 1,
        f"it has {game.num_seats} seats": game.num_seats > 2,
        "it has chance": game.num_outcomes > 0,
        "its payoffs do not sum to zero": not game.zero_sum,
    }
    for reason in (reason for reason, is_so in is_wrong.items() if is_so):
        raise AnyzeroError(
            f"{game.name} cannot be solved: {reason}; solve needs two seats, no chance and "
            "a zero sum"
        )


# --- one position


class SpentError(Exception):
    """The budget is used up."""


class _Task:
    """One position being solved. Bounds here are for the seat to move at the root."""

    def __init__(
        self,
        solver: Solver,
        state: State,
        seconds: float | None,
        max_nodes: int | None,
        watch: Watch | None,
    ) -> None:
        if seconds is not None:
            seconds_below(1e9, "budget", seconds)
        if max_nodes is not None and max_nodes < 1:
            raise BadOptionError(f"a budget of {max_nodes} nodes is not positive")
        self.solver = solver
        self.game = solver.game
        self.state = state
        self.watch = watch
        self.seconds = seconds or math.inf
        self.max_nodes = max_nodes or math.inf
        self.seat = self.game.seat_to_move(state)
        if self.seat < 0:
            payoffs = " and ".join(f"{payoff:+g}" for payoff in self.game.payoffs(state))
            raise AnyzeroError(
                f"{self.game.name}: there is nothing to solve, the game is over; payoffs {payoffs}"
            )
        self.start = self.told = time.perf_counter()
        self.nodes_before = solver.nodes
        self.after = {
            action: self.game.play(state, action) for action in self.game.legal_actions(state)
        }
        self.bounds = Bounds()
        self.moves = {action: self.bounds_of_end(after) for action, after in self.after.items()}

    def bounds_of_end(self, state: State) -> Bounds:
        """Exact if the game is over there."""
        if not self.game.is_over(state):
            return Bounds()
        payoff = float(self.game.payoffs(state)[self.seat])
        if payoff not in PROVEN_NAMES:
            raise BadGameError(f"{self.game.name}: {FAULTS[proof.OTHER_PAYOFF]}")
        return Bounds(int(payoff), int(payoff))

    def finish(self) -> None:
        """Find the value first, then that of each move, easy ones first."""
        while self.bounds.value is None:
            self.bounds = self.bounds.meet(self.ask(self.state, self.bounds.high))
        most = FIRST_TRY
        while None in [bounds.value for bounds in self.moves.values()]:
            for action, after in self.after.items():
                bounds = self.moves[action].meet(Bounds(-1, self.bounds.high))
                self.moves[action] = bounds
                stop = self.solver.nodes + most
                while bounds.value is None and self.solver.nodes < stop:
                    bounds = bounds.meet(self.ask(after, bounds.high, most))
                    self.moves[action] = bounds
            most *= 10

    def ask(self, state: State, payoff: int, most: float = math.inf) -> Bounds:
        """Whether the seat to move at the root gets this payoff from here."""
        goal = payoff if self.seat == 0 else 1 - payoff
        return self.solver.ask(state, goal, most, self.tick).seen_by(self.seat)

    def tick(self) -> None:
        """Check the budget, and report progress now and then."""
        now = time.perf_counter()
        nodes = self.solver.nodes - self.nodes_before
        if now - self.start >= self.seconds or nodes >= self.max_nodes:
            raise SpentError
        if self.watch is not None and now - self.told > TELL_EVERY_S:
            self.told = now
            self.watch(self.solution)

    def read_table(self) -> None:
        """Collect what the search found about single moves before it had to stop."""
        with np.errstate(over="ignore"):
            for action, after in self.after.items():
                content = proof.find_content(self.solver.table, *proof.position_key(after))
                if content:
                    bounds = Bounds(
                        int(proof.low_of(content)), int(proof.high_of(content))
                    ).seen_by(self.seat)
                    self.moves[action] = self.moves[action].meet(bounds)

    @property
    def solution(self) -> Solution:
        moves = {
            self.game.format_action(self.state, action): bounds
            for action, bounds in self.moves.items()
        }
        nodes = self.solver.nodes - self.nodes_before
        seconds = time.perf_counter() - self.start
        return Solution(
            self.bounds, moves, nodes, seconds, self.solver.table.words.nbytes / 2**20, self.seat
        )
