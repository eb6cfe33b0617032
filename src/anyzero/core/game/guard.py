"""Guards around the functions of an unchecked game: their answers are checked before use.

A guarded game is compiled with bounds checks and with these functions in place of its own, which
they call by names that begin with `own_`. Faults raise errors instead of reading or writing out of
range, loops are counted so that they end, and errors are reported in one sentence. A file that
keeps all laws is remembered and runs without guards.
"""

import ast
import hashlib
import inspect
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from anyzero.core.base.errors import AnyzeroError, BadGameError
from anyzero.core.base.files import cache_folder
from anyzero.core.base.nouns import Actions, NamedValues, Numbers, Rules, State, Values
from anyzero.core.compile.bind import Function, over_globals
from anyzero.core.game import contract
from anyzero.core.game.contract import CHANCE, OVER
from anyzero.core.game.definition import Definition
from anyzero.core.game.faults import is_foreign, tell

NUM_SEATS = 0
NUM_ACTIONS = 0
NUM_OUTCOMES = 0
MAX_LEGAL = 0
NUM_AMAF_KEYS = 0
ZERO_SUM = False
OWN: Any = None
own_seat_to_move = own_legal_actions = own_payoffs = own_chance_weight = own_amaf_key = (
    own_score
) = OWN
"""All of these are filled in for each game."""
LARGEST = 1e300


def guarded_seat_to_move(rules: Rules, state: State) -> int:
    seat: int = own_seat_to_move(rules, state)
    if seat < OVER or seat >= NUM_SEATS:
        raise ValueError("seat_to_move returns a number that is neither a seat, CHANCE nor OVER")
    return seat


def guarded_legal_actions(rules: Rules, state: State, actions: Actions) -> int:
    count: int = own_legal_actions(rules, state, actions)
    if count < 1 or count > MAX_LEGAL:
        raise ValueError("legal_actions returns fewer than 1 or more than max_legal actions")
    size = NUM_OUTCOMES if own_seat_to_move(rules, state) == CHANCE else NUM_ACTIONS
    for index in range(count):
        if actions[index] < 0 or actions[index] >= size:
            raise ValueError("legal_actions lists an action that is out of range")
    return count


def guarded_payoffs(rules: Rules, state: State, out: Numbers) -> None:
    own_payoffs(rules, state, out)
    total = 0.0
    for seat in range(NUM_SEATS):
        total += out[seat]
        if not -1.0 <= out[seat] <= 1.0:
            raise ValueError("payoffs writes a result that is not in [-1, 1]")
    if ZERO_SUM and not -1e-6 < total < 1e-6:
        raise ValueError(
            "payoffs writes results that do not sum to zero, which needs zero_sum=False"
        )


def guarded_chance_weight(rules: Rules, state: State, outcome: int) -> float:
    weight: float = own_chance_weight(rules, state, outcome)
    if not 0.0 < weight < LARGEST:
        raise ValueError("chance_weight returns a weight that is not positive")
    return weight


def guarded_amaf_key(rules: Rules, state: State, action: int) -> int:
    key: int = own_amaf_key(rules, state, action)
    if key < 0 or key >= NUM_AMAF_KEYS:
        raise ValueError("amaf_key returns a key that is out of range")
    return key


def guarded_score(rules: Rules, state: State, seat: int) -> float:
    points: float = own_score(rules, state, seat)
    if not -LARGEST < points < LARGEST:
        raise ValueError("score returns something that is not a finite number")
    return points


GUARDS: dict[str, Any] = {  # plain functions, as `over_globals` takes them
    "seat_to_move": guarded_seat_to_move,
    "legal_actions": guarded_legal_actions,
    "payoffs": guarded_payoffs,
    "chance_weight": guarded_chance_weight,
    "amaf_key": guarded_amaf_key,
    "score": guarded_score,
}


def guards_of(game: Definition) -> dict[Function, Function]:
    """Replacements for the contract's functions: guards over the game's sizes and its own
    functions.
    """
    sizes = ("num_seats", "num_actions", "num_outcomes", "max_legal", "num_amaf_keys", "zero_sum")
    names = {name.upper(): getattr(game, name) for name in sizes}
    names |= {f"own_{name}": function for name, function in game.by_name.items()}
    guards: dict[Function, Function] = {
        contract.COMPILED[name]: over_globals(guard, {**globals(), **names})
        for name, guard in GUARDS.items()
        if game.has(name)
    }
    for play_on in (contract.rollout, contract.traced_rollout):
        if not game.has(play_on.__name__):
            guards[play_on] = limit_loops(
                play_on, game.max_plies, "a game goes on for more than max_plies"
            )
    return guards


@contextmanager
def one_sentence(
    of: str, functions: Sequence[Function] = (), advice: str = "", passing: Any = ()
) -> Iterator[None]:
    """Turn any exception of a user's file into one sentence; `passing` ones, and those already so,
    are unchanged.
    """
    try:
        yield
    except (AnyzeroError, *passing):
        raise
    except (Exception, SystemExit) as error:
        modules = [
            frame.f_globals.get("__name__", "")
            for frame, _ in traceback.walk_tb(error.__traceback__)
        ]
        failure = (
            " does not compile" if any(module.startswith("numba.") for module in modules) else ""
        )
        raise BadGameError(f"{of}{failure}: {tell(error, functions)}{advice}") from error


def told(
    game: Definition, passing: tuple[type[Exception], ...] = ()
) -> AbstractContextManager[None]:
    """Report exceptions of a user's game in one sentence, with where to learn more."""
    advice = f"; anyzero check {game.text} has details"
    return one_sentence(game.source, game.functions, advice, passing)


class ToldKernel:
    """A kernel of a user's game: exceptions of its compiler or its code become one sentence."""

    def __init__(self, game: Definition, kernel: Any) -> None:
        self.game = game
        self.kernel = kernel

    def __call__(self, *args: Any) -> Any:
        with told(self.game):
            return self.kernel(*args)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.kernel, name)


# --- loops that end


MOST_TURNS = (
    10_000_000  # of all loops in one call of a game's function; half a second in plain Python
)
ENDLESS = f"its loops turned more than {MOST_TURNS:,} times in one call"


def compile_counted(
    source: bytes | str, file: str, most: int = MOST_TURNS, words: str = ENDLESS
) -> CodeType:
    """The code of a file, in which a function raises ValueError with these words after too many
    loop iterations.
    """
    tree = ast.parse(source, file)
    look = f"_turns += 1\nif _turns > {most}:\n    raise ValueError({words!r})"
    for function in [part for part in tree.body if isinstance(part, ast.FunctionDef)]:
        for node in ast.walk(function):
            if isinstance(node, ast.FunctionDef):
                insert(
                    "_turns = 0", node, 0 if ast.get_docstring(node) is None else 1
                )  # after a docstring
            elif isinstance(node, ast.For | ast.While):
                insert(look, node, 0)
    return compile(tree, file, "exec")


def insert(text: str, node: ast.FunctionDef | ast.For | ast.While, place: int) -> None:
    """Insert statements into the body, on the line of the node."""
    statements = ast.parse(text).body
    for part in (part for statement in statements for part in ast.walk(statement)):
        ast.copy_location(part, node)
    node.body[place:place] = statements


def limit_loops(function: Function, most: int, words: str) -> Function:
    """A copy of a built-in function that raises after too many loop iterations."""
    names: Values = dict(function.__globals__)
    exec(
        compile_counted(inspect.getsource(function), function.__code__.co_filename, most, words),
        names,
    )
    limited: Function = names[function.__name__]
    return limited


# --- files that have been checked


# all laws hold; a few interpreted games showed no fault
CHECKED = "checked"
TRIED = "tried"

_known: set[tuple[str, str]] = set()  # for this process, also if the folder is not writable


def source_key(module: ModuleType, options: NamedValues) -> str:
    """One hash over everything a user wrote for a game."""
    digest = hashlib.sha256(repr(sorted(options.items())).encode(errors="surrogatepass"))
    for source in sorted(_sources(module, set())):
        digest.update(hashlib.sha256(source).digest())
    return digest.hexdigest()


def _sources(module: ModuleType, seen: set[str]) -> Iterator[bytes]:
    """The sources of a module and of all its imports that are the user's."""
    if module.__name__ in seen:
        return
    seen.add(module.__name__)
    file = getattr(module, "__file__", None)
    if file is None or not is_foreign(Path(file).resolve()):
        return
    with suppress(OSError):
        yield getattr(module, "anyzero_source", None) or Path(file).read_bytes()
    for value in list(vars(module).values()):
        used = (
            value
            if isinstance(value, ModuleType)
            else sys.modules.get(getattr(value, "__module__", None) or "")
        )
        if used is not None:
            yield from _sources(used, seen)


def is_trusted(key: str, as_what: str) -> bool:
    with suppress(OSError):
        return (as_what, key) in _known or _place(key, as_what).exists()
    return False


def remember(key: str, as_what: str) -> None:
    _known.add((as_what, key))
    with suppress(OSError):  # then the next process checks it again
        _place(key, as_what).parent.mkdir(parents=True, exist_ok=True)
        _place(key, as_what).touch()


def _place(key: str, as_what: str) -> Path:
    return cache_folder() / as_what / key
