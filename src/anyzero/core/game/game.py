"""`Game`: the rules and the sizes in one object, and its Python interface."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from math import inf
from typing import Any, NamedTuple

import numpy as np

from anyzero.core.base.errors import (
    BadPositionError,
    IllegalMoveError,
    MissingFunctionError,
    list_some,
    nearest_hint,
    text_of,
)
from anyzero.core.base.nouns import NamedValues, Values
from anyzero.core.base.report import Sheet
from anyzero.core.base.structs import struct_of_words
from anyzero.core.compile.bind import Function
from anyzero.core.compile.kernels import Constants, LateKernel, Parts, Unit, compile_kernel
from anyzero.core.game import contract, guard
from anyzero.core.game.facts import Facts
from anyzero.views import Board, Scene
from anyzero.views.board import assemble, check_board

ORDINALS = ("first", "second", "third", "fourth")
State = Any  # a position: a NumPy record of the game's dtype


class Symmetry(NamedTuple):
    """A symmetry of the board: `planes.ravel()[turn.planes]` is the transformed input,
    `turn.actions[a]` the action.
    """

    planes: np.ndarray
    actions: np.ndarray
    outcomes: np.ndarray | tuple[()] = ()  # the transformed outcomes of chance; by default the same


def game_text(name: str, options: NamedValues) -> str:
    """A game's name with its options, in the form that `load` reads."""
    values = {
        key: str(value).lower() if isinstance(value, bool) else value
        for key, value in options.items()
    }
    texts = ",".join(f"{key}={value}" for key, value in values.items())
    return f"{name}:{texts}" if texts else name


@dataclass(frozen=True, eq=False, repr=False)
class Game:
    """A game: its rules, its sizes and the functions that play it. Holds no position."""

    name: str
    rules: Any  # a NamedTuple of options and tables; the first argument of every function
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
        guard.check_definition(self)

    def __repr__(self) -> str:
        return f"<Game {self.text}>"

    def _repr_html_(self) -> str:
        sizes = (self.text, self.num_seats, self.num_actions, f"{self.max_plies} plies")
        picture = self.show(self.initial_state()).svg if self.has("board") else ""
        return Sheet(("game", "seats", "actions", "longest game"), [sizes]).to_html() + picture

    # --- the names and origins of the game's parts

    @cached_property
    def by_name(self) -> dict[str, Function]:
        return {function.__name__: function for function in self.functions}

    @cached_property
    def state_dtype(self) -> np.dtype[Any]:
        """The fields as a record of whole words, as required by `state_key`."""
        return struct_of_words(self.state)

    @cached_property
    def unit(self) -> Unit:
        """The unit for which kernels are compiled; a built-in game loaded again keeps its
        kernels.
        """
        if self.is_from_file:
            return contract.make_unit(
                self.name, self.functions, guard.guards_of(self) if self.unchecked else {}
            )
        return contract.unit_of_ours(self.name, tuple(self.functions))

    @property
    def text(self) -> str:
        """The text from which `load` makes this game."""
        return game_text(self.source or self.name, self.options)

    @property
    def is_from_file(self) -> bool:
        return self.source.endswith(".py")

    @property
    def is_opposed(self) -> bool:
        """Whether there are two seats with opposite payoffs."""
        return self.num_seats == 2 and self.zero_sum

    @property
    def num_values(self) -> int:
        """Values needed to describe a position: one for one seat or two opposed ones, else one per
        seat.
        """
        return 1 if self.num_seats == 1 or self.is_opposed else self.num_seats

    @cached_property
    def title(self) -> str:
        """The game's display name: its board's title, or its name."""
        title = self.board.title if self.has("board") else ""
        return title or self.name[:1].upper() + self.name[1:].replace("_", " ")

    def seat_name(self, seat: int) -> str:
        """A seat's display name."""
        ordinal = ORDINALS[seat] if seat < len(ORDINALS) else f"{seat + 1}th"
        return self.seat_names[seat] if seat < len(self.seat_names) else f"{ordinal} seat"

    def has(self, name: str) -> bool:
        """Whether the game itself defines this function."""
        return name in self.by_name

    def compile(
        self,
        kernel: Function,
        target: str = "cpu",
        constants: Constants | None = None,
        parts: Parts | None = None,
    ) -> Any:
        """A kernel for this game; see `anyzero.compile.compile_kernel`."""
        if self.unchecked:
            self.try_out()
            if target not in ("cpu", "interpreted"):
                return self.plain.compile(kernel, target, constants, parts)
        compiled = compile_kernel(kernel, self.unit, target, constants, parts)
        is_told = self.is_from_file and target in ("cpu", "interpreted")
        return guard.ToldKernel(self, compiled) if is_told else compiled

    @cached_property
    def plain(self) -> "Game":
        """The same without guards, for targets that cannot raise exceptions, once a few games have
        shown no fault.
        """
        from anyzero.core.game.load import load_trusted

        self.try_out()
        return load_trusted(self.text) if self.unchecked else self

    def try_out(self) -> None:
        """Before a guarded game is used: BadGameError if a few interpreted games already show a
        fault.
        """
        if self.unchecked and not guard.is_known(self.unchecked, guard.TRIED):
            from anyzero.tools.laws.check import try_out

            try_out(self)
            guard.remember(self.unchecked, guard.TRIED)

    def new_states(self, num: int) -> Any:
        return np.zeros(num, self.state_dtype)

    def new_actions(self) -> Any:
        return np.zeros(self.max_legal, np.int32)

    @cached_property
    def _steps(self) -> dict[str, LateKernel]:
        return {
            name: LateKernel(partial(self.compile, generic))
            for name, generic in contract.COMPILED.items()
        }

    def _run(self, name: str, state: State, *args: Any) -> Any:
        if getattr(state, "dtype", None) != self.state_dtype:
            raise BadPositionError(
                f"not a state of {self.text}: make one with initial_state, play or parse_state"
            )
        return self._steps[name](self.rules, state, *args)

    def _ask(self, name: str, *args: Any) -> Any:
        """Call an interpreted function of the game; any exception of a user's code becomes one
        sentence.
        """
        with guard.told(
            self, passing=(ValueError,) if name.startswith("parse_") else ()
        ):  # about an invalid text
            return self.by_name[name](self.rules, *args)

    def need(self, name: str, purpose: str) -> None:
        """MissingFunctionError unless the game itself defines this function."""
        if not self.has(name):
            raise MissingFunctionError(f"{self.name} has no function {name}, which {purpose} needs")

    # --- the Python interface

    def compile_door(self) -> None:
        """Compile or load now what a move through the interface needs, instead of in the middle of
        a timed game.
        """
        for step in self._steps.values():
            step.compile()
        state = self.initial_state()
        for _ in range(4):
            if not self.is_over(state):
                state = self.play(state, self.legal_moves(state)[0])

    def stay_interpreted(self) -> None:
        """Never compile the interface: for a process in which no move may wait for a compiler."""
        for step in self._steps.values():
            step.seconds = inf

    def initial_state(self) -> State:
        """The position before the first move."""
        state = self.new_states(1)[0]
        self._run("initial_state", state)
        return state

    def seat_to_move(self, state: State) -> int:
        """0..num_seats-1, or CHANCE, or OVER."""
        return int(self._run("seat_to_move", state))

    def is_over(self, state: State) -> bool:
        return self.seat_to_move(state) == contract.OVER

    def legal_actions(self, state: State) -> list[int]:
        """The numbers of the legal actions, or of the outcomes at a chance node; empty once the
        game is over.
        """
        if self.is_over(state):
            return []
        actions = self.new_actions()
        count = self._run("legal_actions", state, actions)
        return [int(action) for action in actions[:count]]

    def legal_moves(self, state: State) -> list[str]:
        """The legal actions as texts."""
        return self.format_actions(state, self.legal_actions(state))

    def play(self, state: State, *actions_or_moves: int | str) -> State:
        """The position after legal actions (numbers) or moves (texts), in turn; the old state is
        unchanged.
        """
        for wanted in actions_or_moves:
            action = self.parse_action(state, wanted) if isinstance(wanted, str) else wanted
            is_whole = isinstance(action, int | np.integer)  # 1.9 does not pass for 1
            if not is_whole or action not in self.legal_actions(state):
                raise self._illegal(state, str(wanted))
            state = state.copy()
            self._run("play", state, int(action))
        return state

    def payoffs(self, state: State) -> np.ndarray:
        """The result of each seat, in [-1, 1]."""
        if not self.is_over(state):
            raise BadPositionError(
                f"{self.name}: the game is not over, so there are no payoffs yet"
            )
        out = np.zeros(self.num_seats)
        self._run("payoffs", state, out)
        return out

    def score(self, state: State, seat: int = 0) -> float:
        """The points a person would count."""
        self.need("score", "a score")
        return float(self._run("score", state, seat))

    def chance_weight(self, state: State, outcome: int) -> float:
        """Relative weight of an outcome at a chance node."""
        return float(self._run("chance_weight", state, outcome))

    def encode(self, state: State) -> np.ndarray:
        """The network's input for this position."""
        self.need("encode", "a network")
        planes = np.zeros(self.planes_shape, np.float32)
        self._run("encode", state, planes)
        return planes

    def amaf_key(self, state: State, action: int) -> int:
        """Which moves of the seat to move share AMAF statistics."""
        return int(self._run("amaf_key", state, action))

    def state_key(self, state: State) -> int:
        """A 64-bit key shared by equal positions."""
        return int(self._run("state_key", state))

    @cached_property
    def symmetries(self) -> list[Symmetry]:
        """The symmetries of the board, without the identity."""
        found = self._ask("symmetries") if self.has("symmetries") else []
        return [Symmetry(*map(np.asarray, turn)) for turn in found]

    def format_action(self, state: State, action: int) -> str:
        """The text of a legal action or outcome: the game's own, or the board's, or its number."""
        return self.format_actions(state, [action])[0]

    def format_actions(self, state: State, actions: Sequence[int]) -> list[str]:
        """The texts of several actions or outcomes of one position."""
        if self.has("format_action"):
            return [str(self._ask("format_action", state, action)) for action in actions]
        if not self.has("board"):
            return [str(action) for action in actions]
        is_chance = self.seat_to_move(state) == contract.CHANCE
        texts = self.board.outcomes if is_chance else self.board.moves
        numbers = actions if is_chance or not texts else self.move_numbers(state, actions)
        return [texts[number] if texts else str(number) for number in numbers]

    def move_numbers(self, state: State, actions: Sequence[int]) -> list[int]:
        """The indices of legal actions in the board's texts."""
        numbers = list(actions)
        most = len(self.board.moves)
        if self.has("move_number"):
            numbers = [int(self._run("move_number", state, action)) for action in actions]
        with guard.told(self):
            for action, number in zip(actions, numbers, strict=True):
                if not 0 <= number < most:
                    raise ValueError(
                        f"move_number of the action {action} is {number}, and the board has "
                        f"{most} moves"
                    )
        return numbers

    def notation(self, state: State, action: int) -> str:
        """A legal action in the notation of move lists: Nf3 in chess; elsewhere its text."""
        return (
            str(self._ask("notation", state, action))
            if self.has("notation")
            else self.format_action(state, action)
        )

    def parse_action(self, state: State, move: str) -> int:
        """The action number of a move that is legal here."""
        wanted = text_of("the move", move).strip()
        legal = self.legal_actions(state)
        if self.has("parse_action"):
            try:
                found = int(self._ask("parse_action", state, wanted))
            except ValueError as error:
                raise IllegalMoveError(f"{self.name}: {error}") from None
        else:
            texts = ((action, self.format_action(state, action)) for action in legal)
            found = next((action for action, text in texts if text.lower() == wanted.lower()), -1)
        if found not in legal:
            raise self._illegal(state, move)
        return found

    def _illegal(self, state: State, move: str) -> IllegalMoveError:
        if self.is_over(state):
            return IllegalMoveError(f"{self.name}: {move!r} cannot be played, the game is over")
        moves = self.legal_moves(state)
        cell = move.strip()
        scene = self.scene(state) if self.has("board") else Scene(())
        taken = {piece.cell for piece in scene.pieces}
        cells = {cell.name for cell in scene.cells}
        is_taken = cell.lower() in taken and not cells.isdisjoint(moves) and taken.isdisjoint(moves)
        reason = (
            f"{cell} is taken; "
            if is_taken
            else f"{move!r} is not a legal move here; {nearest_hint(move, moves)}"
        )
        return IllegalMoveError(f"{self.name}: {reason}legal: {list_some(moves)}")

    def format_state(self, state: State) -> str:
        """The position as one line of text."""
        self.need("format_state", "a position's text")
        return str(self._ask("format_state", state))

    def parse_state(self, text: str) -> State:
        """The position described by a line of text."""
        self.need("parse_state", "a position's text")
        state = self.new_states(1)[0]
        try:
            self._ask("parse_state", state, text_of("the position", text).strip())
        except ValueError as error:
            example = self.format_state(self.initial_state())
            raise BadPositionError(
                f"{self.name}: {error}; a position looks like {example!r}"
            ) from None
        return state

    def fields(self, state: State) -> Values:
        """The fields of a state, as plain values: how people see a game without a picture."""
        names = [field[0] for field in self.state]
        return {
            name: getattr(state[name], "tolist", lambda name=name: state[name])() for name in names
        }

    @cached_property
    def board(self) -> Board:
        """The constant part of the game's pictures."""
        self.need("board", "a picture")
        with guard.told(self):
            board: Board = self._ask("board")
            if self.is_from_file:
                check_board(board, self.num_outcomes)
        return board

    def shown(self, state: State) -> Any:
        """The position's content on the board: the record written by the game's `draw`."""
        shown = self.board.new_shown()
        self._run("draw", state, shown)
        return shown

    def scene(self, state: State) -> Scene:
        """The picture of a position, as cells, pieces and labels, with the cells to click for each
        legal action.
        """
        listed = (
            self.legal_actions(state) if self.seat_to_move(state) >= 0 and self.board.moves else []
        )
        numbers = dict(zip(listed, self.move_numbers(state, listed), strict=True))
        with guard.told(self):
            scene = assemble(self.board, self.shown(state), numbers)
            if self.unchecked:
                _ = scene.text, scene.svg  # raises an error here if a part has the wrong type
        return scene

    def show(self, state: State) -> Scene:
        """The picture of a position: `.text`, `.svg`, displayed directly in a notebook."""
        return self.scene(state)
