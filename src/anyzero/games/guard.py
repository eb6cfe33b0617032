"""Guards around the functions of a game that nobody has checked: what they say is looked at before it is used.

A guarded game is compiled with its indices checked and with these functions in the place of its own, which they call.
What is wrong is raised instead of read or written out of range. Only a game's own functions are guarded.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from types import FunctionType
from typing import TYPE_CHECKING, Any

from anyzero.compile.bind import Function
from anyzero.errors import AnyzeroError, BadGameError
from anyzero.games import contract
from anyzero.games.contract import CHANCE, OVER
from anyzero.games.faults import tell
from anyzero.games.loops import limit_loops

if TYPE_CHECKING:
    from anyzero.games.game import Game

NUM_SEATS, NUM_ACTIONS, NUM_OUTCOMES, MAX_LEGAL, NUM_AMAF_KEYS, ZERO_SUM = 0, 0, 0, 0, 0, False
"""Filled in for each game."""
LARGEST = 1e300


def seat_to_move(rules: Any, state: Any) -> int:
    seat = own_seat_to_move(rules, state)
    if seat < OVER or seat >= NUM_SEATS:
        raise ValueError("seat_to_move returns a number that is no seat, nor CHANCE, nor OVER")
    return seat


def legal_actions(rules: Any, state: Any, actions: Any) -> int:
    count = own_legal_actions(rules, state, actions)
    if count < 1 or count > MAX_LEGAL:
        raise ValueError("legal_actions returns fewer than 1 or more than max_legal actions")
    size = NUM_OUTCOMES if own_seat_to_move(rules, state) == CHANCE else NUM_ACTIONS
    for index in range(count):
        if actions[index] < 0 or actions[index] >= size:
            raise ValueError("legal_actions lists an action that is out of range")
    return count


def payoffs(rules: Any, state: Any, out: Any) -> None:
    own_payoffs(rules, state, out)
    total = 0.0
    for seat in range(NUM_SEATS):
        total += out[seat]
        if not -1.0 <= out[seat] <= 1.0:
            raise ValueError("payoffs writes a result that is not in [-1, 1]")
    if ZERO_SUM and not -1e-6 < total < 1e-6:
        raise ValueError("payoffs writes results that do not sum to zero")


def chance_weight(rules: Any, state: Any, outcome: int) -> float:
    weight = own_chance_weight(rules, state, outcome)
    if not 0.0 < weight < LARGEST:
        raise ValueError("chance_weight returns a weight that is not positive")
    return weight


def amaf_key(rules: Any, state: Any, action: int) -> int:
    key = own_amaf_key(rules, state, action)
    if key < 0 or key >= NUM_AMAF_KEYS:
        raise ValueError("amaf_key returns a key that is out of range")
    return key


def score(rules: Any, state: Any, seat: int) -> float:
    points = own_score(rules, state, seat)
    if not -LARGEST < points < LARGEST:
        raise ValueError("score returns something that is not a finite number")
    return points


# --- what stands for the game's own function


def own_seat_to_move(rules: Any, state: Any) -> int:
    raise NotImplementedError


def own_legal_actions(rules: Any, state: Any, actions: Any) -> int:
    raise NotImplementedError


def own_payoffs(rules: Any, state: Any, out: Any) -> None:
    raise NotImplementedError


def own_chance_weight(rules: Any, state: Any, outcome: int) -> float:
    raise NotImplementedError


def own_amaf_key(rules: Any, state: Any, action: int) -> int:
    raise NotImplementedError


def own_score(rules: Any, state: Any, seat: int) -> float:
    raise NotImplementedError


GUARDS: dict[Function, Function] = {
    seat_to_move: own_seat_to_move,
    legal_actions: own_legal_actions,
    payoffs: own_payoffs,
    chance_weight: own_chance_weight,
    amaf_key: own_amaf_key,
    score: own_score,
}


def guards_of(game: "Game") -> dict[Function, Function]:
    """What stands in for the contract's functions, and for the own functions of the guards."""
    sizes = ("num_seats", "num_actions", "num_outcomes", "max_legal", "num_amaf_keys", "zero_sum")
    names = {name.upper(): getattr(game, name) for name in sizes}
    found: dict[Function, Function] = {}
    for guard, own in GUARDS.items():
        if guard.__name__ in game.by_name:
            found[contract.COMPILED[guard.__name__]] = _with_names(guard, names)
            found[own] = game.by_name[guard.__name__]
    for play_on in (contract.rollout, contract.traced_rollout):
        if play_on.__name__ not in game.by_name:
            found[play_on] = limit_loops(play_on, game.max_plies, "a game goes on for more than max_plies")
    return found


def _with_names(guard: Any, names: dict[str, Any]) -> FunctionType:
    copy = FunctionType(guard.__code__, {**guard.__globals__, **names}, guard.__name__)
    copy.__module__ = guard.__module__
    return copy


class GuardedKernel:
    """A compiled kernel whose errors are the game's, in one sentence."""

    def __init__(self, game: "Game", kernel: Any) -> None:
        self.game, self.kernel = game, kernel

    def __call__(self, *args: Any) -> Any:
        try:
            return self.kernel(*args)
        except Exception as error:
            raise explain(self.game, error) from error

    def __getattr__(self, name: str) -> Any:
        return getattr(self.kernel, name)


def explain(game: "Game", error: Exception) -> Exception:
    """What a user's game raised, as a sentence; what is one already, or ours, as it is."""
    from anyzero.compile.cache import NotCompiledError

    if isinstance(error, AnyzeroError | NotCompiledError):
        return error
    return BadGameError(f"{game.source}: {tell(error, game.functions)}; anyzero check {game.text} says more")


@contextmanager
def told(game: "Game", passing: tuple[type[Exception], ...] = ()) -> Iterator[None]:
    """What is raised within becomes one sentence if the game is a user's; what is `passing` stays as it is."""
    try:
        yield
    except passing:
        raise
    except Exception as error:
        sentence = explain(game, error) if game.is_from_file else error
        if sentence is error:
            raise
        raise sentence from error


def explain_compiler(game: "Game", kernel: Any) -> Any:
    """The kernel, whose compiler says in one sentence what is wrong with a user's file."""
    from anyzero.compile.cache import NotCompiledError

    compile_for = type(kernel)._compile_for_args  # what Numba calls where there is no machine code yet

    def explained(*args: Any, **named: Any) -> Any:
        try:
            return compile_for(kernel, *args, **named)
        except NotCompiledError:
            raise
        except Exception as error:
            sentence = tell(error, game.functions)
            raise BadGameError(
                f"{game.source} does not compile: {sentence}; anyzero check {game.text} says more"
            ) from error

    kernel._compile_for_args = explained
    return kernel
