"""`Game`: the rules and the sizes in one object, and its Python interface."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property, partial
from math import inf
from typing import Any, NamedTuple

import numpy as np

from anyzero.core.base.errors import (
    BadPositionError,
    IllegalMoveError,
    list_some,
    nearest_hint,
    text_of,
)
from anyzero.core.base.extras import find_or_none
from anyzero.core.base.nouns import Board, Scene, State, Values
from anyzero.core.base.report import Sheet
from anyzero.core.compile.bind import Function
from anyzero.core.compile.kernels import Constants, LateKernel, Parts, Unit, compile_kernel
from anyzero.core.game import contract, guard
from anyzero.core.game.contract import GameBoard
from anyzero.core.game.definition import Definition, game_text

__all__ = ["Game", "State", "Symmetry", "game_text"]


class Symmetry(NamedTuple):
    """A symmetry of the board: `planes.ravel()[turn.planes]` is the transformed input,
    `turn.actions[a]` the action.
    """

    planes: np.ndarray
    actions: np.ndarray
    outcomes: np.ndarray | tuple[()] = ()  # the transformed outcomes of chance; by default the same


@dataclass(frozen=True, eq=False, repr=False)
class Game(Definition):
    """A game: its rules, its sizes and the functions that play it. Holds no position."""

    unguarded: "Game | None" = None  # the same without guards, if this one has them

    def _repr_html_(self) -> str:
        sizes = (self.text, self.num_seats, self.num_actions, f"{self.max_plies} plies")
        picture = self.show(self.initial_state()).svg if self.has("board") else ""
        return Sheet(("game", "seats", "actions", "longest game"), [sizes]).to_html() + picture

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

    @cached_property
    def title(self) -> str:
        """The game's display name: its board's title, or its name."""
        title = self.board.title if self.has("board") else ""
        return title or self.name[:1].upper() + self.name[1:].replace("_", " ")

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
        is_users = self.is_from_file and target in ("cpu", "interpreted")
        return guard.ToldKernel(self, compiled) if is_users else compiled

    @cached_property
    def plain(self) -> "Game":
        """The same without guards, for targets that cannot raise exceptions, once a few games have
        shown no fault.
        """
        self.try_out()
        return self.unguarded or self

    def try_out(self) -> None:
        """Before a guarded game is used: BadGameError if a few interpreted games already show a
        fault. Where the laws are not installed it runs guarded, untried.
        """
        if self.unchecked and not guard.is_trusted(self.unchecked, guard.TRIED):
            laws = find_or_none("laws")
            if laws is not None:
                laws.try_out(self)
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
        about_texts = (ValueError,) if name.startswith("parse_") else ()
        with self._told(about_texts):
            return self.by_name[name](self.rules, *args)

    def _told(self, passing: tuple[type[Exception], ...] = ()) -> AbstractContextManager[None]:
        """Exceptions of a user's game become one sentence, except these."""
        return guard.told(self, passing) if self.is_from_file else nullcontext()

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
        for choice in actions_or_moves:
            action = self.parse_action(state, choice) if isinstance(choice, str) else choice
            is_whole = isinstance(action, int | np.integer)  # 1.9 does not pass for 1
            if not is_whole or action not in self.legal_actions(state):
                raise self._illegal(state, str(choice))
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
        turns = self._ask("symmetries") if self.has("symmetries") else []
        return [Symmetry(*map(np.asarray, turn)) for turn in turns]

    def format_action(self, state: State, action: int) -> str:
        """The text of a legal action or outcome: the game's own, or the board's, or its number."""
        return self.format_actions(state, [action])[0]

    def format_actions(self, state: State, actions: Sequence[int]) -> list[str]:
        """The texts of several actions or outcomes of one position."""
        if "format_action" in self.by_name:
            return [str(self._ask("format_action", state, action)) for action in actions]
        if self.seat_to_move(state) == contract.CHANCE:
            return [self.outcomes[action] if self.outcomes else str(action) for action in actions]
        if not self.moves:
            return [str(action) for action in actions]
        return [self.moves[number] for number in self.move_numbers(state, actions)]

    @cached_property
    def moves(self) -> Sequence[str]:
        """The texts of moves, by move number; none: moves are numbers."""
        return self._texts("moves")

    @cached_property
    def outcomes(self) -> Sequence[str]:
        """The texts of chance outcomes; none: outcomes are numbers."""
        return self._texts("outcomes")

    def _texts(self, name: str) -> Sequence[str]:
        """The texts that the game's own function of this name lists, or else its board."""
        if not self.has(name):
            return getattr(self.board, name) if self.has("board") else ()
        with self._told():
            texts = tuple(self._ask(name))
            _ = " ".join(texts)  # raises an error unless all are texts
            if name == "outcomes" and len(texts) != self.num_outcomes:
                raise ValueError(
                    f"outcomes lists {len(texts)} texts, the game has {self.num_outcomes}"
                )
        return texts

    def move_numbers(self, state: State, actions: Sequence[int]) -> list[int]:
        """The indices of legal actions among the texts of moves."""
        numbers = list(actions)
        most = len(self.moves)
        if "move_number" in self.by_name:
            numbers = [int(self._run("move_number", state, action)) for action in actions]
        for action, number in zip(actions, numbers, strict=True):
            if not 0 <= number < most:
                lists = "moves lists" if self.has("moves") else "the board has"
                with self._told():
                    raise ValueError(
                        f"move_number of the action {action} is {number}, and {lists} {most} moves"
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
        entry = text_of("the move", move).strip()
        legal = self.legal_actions(state)
        if self.has("parse_action"):
            try:
                action = int(self._ask("parse_action", state, entry))
            except ValueError as error:
                raise IllegalMoveError(f"{self.name}: {error}") from None
        else:
            texts = ((number, self.format_action(state, number)) for number in legal)
            action = next((number for number, text in texts if text.lower() == entry.lower()), -1)
        if action not in legal:
            raise self._illegal(state, move)
        return action

    def _illegal(self, state: State, move: str) -> IllegalMoveError:
        if self.is_over(state):
            return IllegalMoveError(f"{self.name}: {move!r} cannot be played, the game is over")
        moves = self.legal_moves(state)
        cell = move.strip()
        if self.has("board") and self.board.is_taken(self.shown(state), cell.lower(), moves):
            reason = f"{cell} is taken; "
        else:
            reason = f"{move!r} is not a legal move here; {nearest_hint(move, moves)}"
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
        with self._told():
            board: GameBoard = self._ask("board")
            if not isinstance(board, GameBoard):
                raise TypeError(f"board returns {board!r}, not a Board")
            texts = [self._texts(name) if self.has(name) else () for name in ("moves", "outcomes")]
            if any(texts):
                board = board.with_texts(*texts)
            if self.is_from_file:
                board.check(self.num_outcomes)
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
        is_decision = self.seat_to_move(state) >= 0
        listed = self.legal_actions(state) if is_decision and self.moves else []
        numbers = dict(zip(listed, self.move_numbers(state, listed), strict=True))
        with self._told():
            scene = self.board.scene(self.shown(state), numbers)
            if self.unchecked:
                _ = scene.text, scene.svg  # raises an error here if a part has the wrong type
        return scene

    def show(self, state: State) -> Scene:
        """The picture of a position: `.text`, `.svg`, displayed directly in a notebook."""
        return self.scene(state)
