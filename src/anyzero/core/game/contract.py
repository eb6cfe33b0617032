"""The functions that make a game, as generic functions: kernels call these, and a game's own
replace them.

Compiled functions take `(rules, state, ...)`, write into arrays passed by the caller, allocate
nothing, and draw randomness only from the stream `rng`. Action numbers and encodings are seen from
the seat to move (a pawn's step forward has the same number for both seats), so that one network
plays every seat.

Each function below is either required (its body raises) or a default that a game may replace.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Protocol, runtime_checkable

import numpy as np

from anyzero.core.base.nouns import Actions, Drawing, Numbers, Planes, Rules, Scene, State, Stream
from anyzero.core.compile import Unit
from anyzero.core.compile.bits import record_word, record_words
from anyzero.core.compile.random import U, random_below, random_unit, scramble

CHANCE = -1
OVER = -2


def initial_state(rules: Rules, state: State) -> None:
    """Fill a zeroed state with the position before the first move."""
    raise NotImplementedError


def seat_to_move(rules: Rules, state: State) -> int:
    """0..num_seats-1, or CHANCE, or OVER."""
    raise NotImplementedError


def legal_actions(rules: Rules, state: State, actions: Actions) -> int:
    """Write the legal actions (at a chance node: the outcomes) and return their number; called
    while the game runs.
    """
    raise NotImplementedError


def play(rules: Rules, state: State, action: int) -> None:
    """Change the state by a legal action or outcome."""
    raise NotImplementedError


def payoffs(rules: Rules, state: State, out: Numbers) -> None:
    """Write each seat's result, in [-1, 1]; called only once the game is over."""
    raise NotImplementedError


def chance_weight(rules: Rules, state: State, outcome: int) -> float:
    """Relative weight of an outcome at a chance node."""
    return 1.0


def encode(rules: Rules, state: State, planes: Planes) -> None:
    """Write the network's input over zeros, seen from the seat to move.

    At a chance node this is an afterstate, seen from seat 0: its value is that seat's expected
    payoff.
    """


def amaf_key(rules: Rules, state: State, action: int) -> int:
    """Which moves of one seat share AMAF statistics, in 0..num_amaf_keys-1; by default the action
    itself.
    """
    return action


def score(rules: Rules, state: State, seat: int) -> float:
    """This seat's points so far, as a person counts them."""
    return 0.0


def state_key(rules: Rules, state: State) -> Any:
    """A 64-bit key shared by equal positions; by default a hash of the state's bytes."""
    key = U(0)
    for index in range(record_words(state)):
        key = scramble(key ^ record_word(state, index)) + U(0x9E3779B97F4A7C15)
    return key


def rollout(rules: Rules, state: State, actions: Actions, rng: Stream) -> int:
    """Play the state at random to its end and return the number of moves; `actions` is scratch.

    Moves are uniform over the legal ones and outcomes follow their weights. A game may reach
    another final state if the payoffs have the same distribution.
    """
    moves = 0
    seat = seat_to_move(rules, state)
    while seat != OVER:
        count = legal_actions(rules, state, actions)
        index = (
            draw_outcome(rules, state, actions, count, rng)
            if seat == CHANCE
            else random_below(rng, count)
        )
        play(rules, state, np.int64(actions[index]))  # type: ignore[arg-type]
        moves += 1
        seat = seat_to_move(rules, state)
    return moves


def guided_rollout(rules: Rules, state: State, actions: Actions, rng: Stream) -> int:
    """A rollout with knowledge of the game: better moves are likelier; by default it is
    `rollout`.
    """
    return rollout(rules, state, actions, rng)


def traced_rollout(rules: Rules, state: State, actions: Actions, rng: Stream, seen: Any) -> int:
    """A rollout that also adds the AMAF key of each of its moves to its seat's bit set,
    `seen[seat]`.
    """
    moves = 0
    seat = seat_to_move(rules, state)
    while seat != OVER:
        count = legal_actions(rules, state, actions)
        index = (
            draw_outcome(rules, state, actions, count, rng)
            if seat == CHANCE
            else random_below(rng, count)
        )
        action = np.int64(actions[index])
        if seat != CHANCE:
            mark(seen, seat, amaf_key(rules, state, action))  # type: ignore[arg-type]
        play(rules, state, action)  # type: ignore[arg-type]
        moves += 1
        seat = seat_to_move(rules, state)
    return moves


def mark(seen: Any, seat: int, key: int) -> None:
    """Add a key to the seat's bit set."""
    seen[seat, key >> 6] |= U(1) << U(key & 63)


def draw_outcome(rules: Rules, state: State, actions: Actions, count: int, rng: Stream) -> int:
    """The index of an outcome, sampled by weight."""
    total = 0.0
    for index in range(count):
        total += chance_weight(rules, state, np.int64(actions[index]))  # type: ignore[arg-type]
    left = total * random_unit(rng)
    for index in range(count):
        left -= chance_weight(rules, state, np.int64(actions[index]))  # type: ignore[arg-type]
        if left < 0.0:
            return index
    return count - 1


def draw(rules: Rules, state: State, shown: Drawing) -> None:
    """Write the position's picture on the game's board, over zeros; see `Board.shown_dtype`."""


def move_number(rules: Rules, state: State, action: int) -> int:
    """The index of a legal action's text among `moves`; by default the action itself."""
    return action


@runtime_checkable
class GameBoard(Protocol):
    """What the function `board` returns: the part of a game's picture that is the same in all
    positions. `views.Board` is one; the core imports none.
    """

    @property
    def title(self) -> str: ...

    @property
    def moves(self) -> Sequence[str]: ...

    @property
    def outcomes(self) -> Sequence[str]: ...

    @property
    def shown_dtype(self) -> np.dtype[Any]: ...

    def new_shown(self) -> Drawing:
        """The record that `draw` writes, all zeros."""

    def with_texts(self, moves: Sequence[str], outcomes: Sequence[str]) -> "GameBoard":
        """The same board with these texts, where they are not empty."""

    def check(self, num_outcomes: int = 0) -> None:
        """Raise an error if any part of it is invalid."""

    def scene(self, shown: Drawing, numbers: Mapping[int, int] | None = None) -> Scene:
        """A position as a picture; `numbers` has the move number of each legal action."""

    def is_taken(self, shown: Drawing, cell: str, moves: Sequence[str]) -> bool:
        """Whether a piece stands on this cell, in a game whose moves name empty cells."""


REQUIRED = (
    initial_state,
    seat_to_move,
    legal_actions,
    play,
    payoffs,
)  # compiled functions of every game

ROLLOUTS = (rollout, guided_rollout, traced_rollout)
"""Compiled into a search, which spends most of its time there: LLVM then inlines more of their
callees.
"""

OPTIONAL = (chance_weight, encode, amaf_key, score, state_key, *ROLLOUTS, draw, move_number)
"""Compiled functions with a default, or that enable a feature."""

COMPILED = {function.__name__: function for function in (*REQUIRED, *OPTIONAL)}

INTERPRETED = (
    "symmetries",
    "format_action",
    "notation",
    "parse_action",
    "format_state",
    "parse_state",
    "moves",
    "outcomes",
    "board",
)
"""Functions called only from Python: text, pictures and tables."""


def make_unit(
    name: str, functions: Sequence[Callable[..., Any]], guards: Mapping[Any, Any]
) -> Unit:
    """The unit for which kernels of a game are compiled."""
    by_name = {function.__name__: function for function in functions}
    functions_of_game = {generic: by_name.get(name, generic) for name, generic in COMPILED.items()}
    modules = {function.__module__ for function in functions} | {__name__}
    loops = frozenset(function.__name__ for function in ROLLOUTS)
    return Unit(
        name,
        {**functions_of_game, **guards},
        tuple(sorted(modules)),
        loops=loops,
        guarded=bool(guards),
    )


@lru_cache(maxsize=64)
def unit_of_ours(name: str, functions: tuple[Callable[..., Any], ...]) -> Unit:
    return make_unit(name, functions, {})
