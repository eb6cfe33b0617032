"""What a game is by its definition: rules, sizes and functions, with names and texts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from anyzero.core.base.errors import (
    BadGameError,
    BadOptionError,
    MissingFunctionError,
    list_some,
    nearest_hint,
)
from anyzero.core.base.nouns import NamedValues, RecordType, Rules
from anyzero.core.base.structs import struct_of_words
from anyzero.core.compile.bind import Function
from anyzero.core.game import contract
from anyzero.core.game.facts import Facts

ORDINALS = ("first", "second", "third", "fourth")


def game_text(name: str, options: NamedValues) -> str:
    """A game's name with its options, in the form that `load` reads."""
    values = {
        key: str(value).lower() if isinstance(value, bool) else value
        for key, value in options.items()
    }
    texts = ",".join(f"{key}={value}" for key, value in values.items())
    return f"{name}:{texts}" if texts else name


def split_text(text: str) -> tuple[str, str]:
    """Name and options; a file's name ends in .py, and may contain a colon before that."""
    start = (
        text.rfind(".py:") + 3
        if ".py:" in text
        else (len(text) if text.endswith(".py") else text.find(":"))
    )
    return (text, "") if start < 0 else (text[:start], text[start + 1 :])


def split_options(owner: str, parts: Iterable[str]) -> dict[str, str]:
    """Names and values of texts such as `size=7`."""
    options = {}
    for part in parts:
        key, equals, value = (word.strip() for word in part.partition("="))
        if not equals or not key:
            raise BadOptionError(f"{owner}: {part!r} is not of the form option=value")
        options[key] = value
    return options


@dataclass(frozen=True, eq=False, repr=False)
class Definition:
    """What an author says about a game, complete and without contradictions."""

    name: str
    rules: Rules  # a NamedTuple of options and tables; the first argument of every function
    state: Sequence[Any]
    """The fields of a state, in NumPy's form: `[("stones", np.uint64, 2), ("mover", np.int8)]`."""
    functions: Sequence[Function]
    """The game's functions; each one's name says which part of the contract it is."""
    num_actions: int
    max_plies: int  # maximum length of a game, including chance outcomes
    num_seats: int = 2
    num_outcomes: int = 0  # number of chance outcomes; 0 for a game without chance
    max_legal: int = 0  # maximum actions or outcomes in one position; 0: all of them
    planes_shape: tuple[int, ...] = ()
    """The shape of the network's input: (planes, rows, columns) on a grid, (features,) otherwise.
    """
    num_amaf_keys: int = 0  # AMAF keys per seat; 0: one per action
    zero_sum: bool = True  # whether the payoffs of all seats sum to zero
    best_score: float = 0.0  # the maximum score if a payoff is `2 * score / best_score - 1`; else 0
    seat_names: Sequence[str] = ()  # names of the seats; by default `first seat` and so on
    example: str = (
        ""  # moves of a game with default options whose last position illustrates the rules
    )
    facts: Facts = field(default_factory=Facts)
    """What levels, training, files, protocols and the page know of it."""
    options: NamedValues = field(default_factory=dict)  # its options; filled in by `load`
    source: str = ""  # the name or file by which `load` found it
    unchecked: str = (
        ""  # the hash of a user's file whose current content is unchecked: it runs guarded
    )
    # the rules in a few sentences; `load` takes them from the docstring of `make` or of the file
    about: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "max_legal", self.max_legal or max(self.num_actions, self.num_outcomes)
        )
        object.__setattr__(self, "num_amaf_keys", self.num_amaf_keys or self.num_actions)
        check_definition(self)

    def __repr__(self) -> str:
        return f"<Game {self.text}>"

    @cached_property
    def by_name(self) -> dict[str, Function]:
        return {function.__name__: function for function in self.functions}

    @cached_property
    def state_dtype(self) -> RecordType:
        """The fields as a record of whole words, as required by `state_key`."""
        return struct_of_words(self.state)

    @property
    def text(self) -> str:
        """The text from which `load` makes this game."""
        return game_text(self.source or self.name, self.options)

    @cached_property
    def is_from_file(self) -> bool:
        return self.source.endswith(".py")

    @cached_property
    def is_opposed(self) -> bool:
        """Whether there are two seats with opposite payoffs."""
        return self.num_seats == 2 and self.zero_sum

    @cached_property
    def num_values(self) -> int:
        """Values needed to describe a position: one for one seat or two opposed ones, else one per
        seat.
        """
        return 1 if self.num_seats == 1 or self.is_opposed else self.num_seats

    def seat_name(self, seat: int) -> str:
        """A seat's display name."""
        ordinal = ORDINALS[seat] if seat < len(ORDINALS) else f"{seat + 1}th"
        return self.seat_names[seat] if seat < len(self.seat_names) else f"{ordinal} seat"

    def has(self, name: str) -> bool:
        """Whether the game itself defines this function."""
        return name in self.by_name

    def need(self, name: str, purpose: str) -> None:
        """MissingFunctionError unless the game itself defines this function."""
        if not self.has(name):
            raise MissingFunctionError(f"{self.name} has no function {name}, which {purpose} needs")


def check_definition(game: Definition) -> None:
    """BadGameError unless its functions are those of the contract and its rules and state suit
    compiled code.
    """
    if not (isinstance(game.name, str) and game.name.isascii() and game.name.isidentifier()):
        raise BadGameError(
            f"a game's name has letters, digits and _ only, like my_game, unlike {game.name!r}"
        )
    parts = [*contract.COMPILED, *contract.INTERPRETED]
    for name in sorted(game.by_name.keys() - {*parts}):
        hint = nearest_hint(name, parts)
        raise BadGameError(
            f"{game.name}: {name} is not part of the contract; {hint}known: {list_some(parts)}"
        )
    for required in contract.REQUIRED:
        if not game.has(required.__name__):
            raise BadGameError(f"{game.name}: the function {required.__name__} is missing")
    if game.best_score and not game.has("score"):
        raise BadGameError(
            f"{game.name}: best_score turns payoffs into points, and there is no function score"
        )
    if not hasattr(game.rules, "_fields"):
        kind = type(game.rules).__name__
        raise BadGameError(
            f"{game.name}: the rules are a {kind}: make them a NamedTuple, class Rules(NamedTuple)"
        )
    for name in game.rules._fields:
        kind = type(getattr(game.rules, name)).__name__
        if kind in ("list", "dict", "set"):
            raise BadGameError(
                f"{game.name}: the rules hold no {kind}, but {name} is one: make it an array"
            )
    for part in game.state:
        name, form, *_ = (*part, object) if isinstance(part, tuple) else (part, object)
        if hasattr(np.record, name):
            raise BadGameError(
                f"{game.name}: the field {name} of the state has the name of a NumPy "
                "method: rename it"
            )
        if not is_number_type(form):
            raise BadGameError(
                f"{game.name}: the field {name} of the state needs a number type such as np.int8"
            )
    _ = game.state_dtype  # raises an error if two fields have the same name
    if not isinstance(game.planes_shape, tuple):
        raise BadGameError(
            f"{game.name}: planes_shape is {game.planes_shape!r}, not a tuple such as (2, "
            "3, 3) or (18,)"
        )


def is_number_type(form: Any) -> bool:
    """Whether this names a type that compiled code can compute with."""
    try:
        return np.dtype(form).kind in "iufb" and np.dtype(form) != np.float16
    except TypeError:
        return False
