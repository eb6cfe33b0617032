"""The public function `solve(game, state)`: the exact value of a position and of each of its moves.

The solver asks yes-or-no questions: does the seat to move win, and if not, does it at least draw?
Answers are proofs, not estimates: the table identifies positions by every byte of their state,
including the history of a game.
"""

import math
import time
from collections.abc import Callable

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
from anyzero.core.game.game import Game, State
from anyzero.core.game.load import position_of
from anyzero.core.search.report import PROVEN_NAMES
from anyzero.tools.progress import progress as bar
from anyzero.tools.proofs import proof_search as proof
from anyzero.tools.proofs.proof_search import Stack
from anyzero.tools.proofs.proof_table import (
    ENTRY_BYTES,
    MOST,
    ProofTable,
    find_content,
    high_of,
    low_of,
    new_table,
    position_key,
)
from anyzero.tools.proofs.solution import Bounds, Solution

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
            self.large_table = new_table(max_memory)  # costs nothing until it is used
        except MemoryError:
            raise BadOptionError(f"there is no room for a table of {max_memory:g} MB") from None
        self.table: ProofTable = new_table(min(SMALL_TABLE_MB, max_memory))
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
            stack.rows[0].limits[:] = MOST
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
            if self.nodes * ENTRY_BYTES > self.table.words.nbytes:  # the first table is too small
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
                content = find_content(self.solver.table, *position_key(after))
                if content:
                    bounds = Bounds(int(low_of(content)), int(high_of(content))).seen_by(self.seat)
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
