"""A game in progress: moves made, undone and redone. Independent of any interface, so that every
interface can use it.

Laws: `undo` then `redo` changes nothing; playing a move after `undo` discards what was undone; in
the current position a seat is to move or the game is over, because chance is drawn at once; chance
outcomes depend on the seed and the ply alone.
"""

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from anyzero.app.records.record import (
    FORMAT,
    LARGEST_SEED,
    REASON_WORDS,
    BadRecordError,
    Evaluation,
    GameRecord,
    Result,
    RulesOfRecord,
    Termination,
    column_or_none,
    end_of,
    final_payoffs,
    find_game,
    within,
)
from anyzero.core.base.errors import AnyzeroError, IllegalMoveError
from anyzero.core.compile.random import make_streams, next_word, random_unit
from anyzero.core.game.contract import CHANCE, OVER
from anyzero.core.game.game import Game, State
from anyzero.core.game.load import position_of
from anyzero.core.game.play import BY_THE_RULES, UNFINISHED, End, Play, Reason, outcome_at
from anyzero.views.board import Scene

Note = tuple[
    float | None, Evaluation | None
]  # seconds for a move, and the mover's evaluation, if known

UNKNOWN_PLAYER = "?"
MOST_SCENES = 1024  # that are kept, since a page shows a position several times


@dataclass
class Ply:
    """One step of a game: a move, a chance outcome, or a declared end."""

    state: State  # the position after it
    seat: int  # the seat that moved; CHANCE for an outcome
    move: str = ""
    action: int = -1  # -1 for a declared end
    seconds: float | None = None
    evaluation: Evaluation | None = None
    end: End = UNFINISHED  # how it ended the game, if not by the rules
    written: str = ""  # in human notation, once requested

    def notation(self, game: Game, before: State) -> str:
        """The move in human notation; cached, since a page shows all moves of a game after each
        move.
        """
        self.written = self.written or game.notation(before, self.action)
        return self.written


class GameInProgress:
    """The current game and its history; `players` are texts by seat.

    With a `line` of plies already played, chance waits until `draw`.
    """

    def __init__(
        self,
        game: Game,
        *,
        start: State | None = None,
        players: Sequence[str] = (),
        seed: int | None = 0,
        date: str = "",
        tags: Mapping[str, str] | None = None,
        line: Sequence[Ply] | None = None,
    ) -> None:
        self.game = game
        self.date = date
        self.tags = dict(tags or {})
        self.seed = None if seed is None else seed % (LARGEST_SEED + 1)
        """None, if a file did not give it, counts as 0."""
        self.players = (*players, *[UNKNOWN_PLAYER] * (game.num_seats - len(players)))
        self.start = game.initial_state() if start is None else start.copy()
        self.line = list(line or ())
        self.num_plies = len(self.line)  # plies in effect; the rest of the line has been undone
        if line is None:
            self.draw()

    @staticmethod
    def played(
        game: Game,
        start: str | None,
        moves: Sequence[str],
        notes: Sequence[Note] = (),
        places: Sequence[str] = (),
    ) -> "GameInProgress":
        """Play moves from a position, None: the initial one; `places` name each move's place in
        errors.
        """
        with within("the start position"):
            game, first = position_of(game, start)
        state = first
        line: list[Ply] = []
        for index, move in enumerate(moves):
            with within(places[index] if places else f"move {index + 1}"):
                action = game.parse_action(state, move)
            seat = game.seat_to_move(state)
            text = game.format_action(state, action)
            state = game.play(state, action)
            line.append(Ply(state, seat, text, action, *(notes[index] if notes else ())))
        return GameInProgress(game, start=first, line=line)

    def at(self, num_plies: int) -> "GameInProgress":
        """A copy of the game after this many plies, independent of this one."""
        copied = copy.copy(self)
        copied.line = self.line[:num_plies]
        copied.num_plies = num_plies
        return copied

    # --- the current position

    @property
    def plies(self) -> list[Ply]:
        """The plies played and not undone."""
        return self.line[: self.num_plies]

    @property
    def last_decision(self) -> int:
        """The number of plies before the last one not made by chance; -1 if there is none."""
        return next(
            (index for index in reversed(range(self.num_plies)) if self.line[index].seat != CHANCE),
            -1,
        )

    @property
    def state(self) -> State:
        return self.line[self.num_plies - 1].state if self.num_plies else self.start

    @property
    def states(self) -> list[State]:
        """The start, and the position after each ply."""
        return [self.start, *(ply.state for ply in self.plies)]

    def steps(self) -> Iterator[tuple[State, Ply]]:
        """Each move or chance outcome, with the position before it."""
        return (
            (state, ply)
            for state, ply in zip(self.states, self.plies, strict=False)
            if ply.action >= 0
        )

    @property
    def start_text(self) -> str | None:
        """The position before the first move; None: the initial one."""
        is_usual = self.start.tobytes() == self.game.initial_state().tobytes()
        return None if is_usual else self.game.format_state(self.start)

    @property
    def so_far(self) -> Play:
        """The game so far, as shown to a player."""
        actions = tuple(ply.action for ply in self.plies if ply.action >= 0)
        return Play(self.start, actions, self.state, self.end)

    @property
    def moves(self) -> list[str]:
        """Texts, including chance outcomes."""
        return [ply.move for ply in self.plies if ply.action >= 0]

    @property
    def seat_to_move(self) -> int:
        return OVER if self.declared is not None else self.game.seat_to_move(self.state)

    @property
    def is_over(self) -> bool:
        return self.seat_to_move == OVER

    @property
    def declared(self) -> Ply | None:
        """The ply that ended the game other than by the rules, if any."""
        last = self.line[self.num_plies - 1] if self.num_plies else None
        return last if last is not None and last.action < 0 else None

    @property
    def legal_moves(self) -> list[str]:
        return [] if self.is_over else self.game.legal_moves(self.state)

    @property
    def end(self) -> End:
        """How the game ended, or that it has not."""
        if self.declared is not None:
            return self.declared.end
        return BY_THE_RULES if self.is_over else UNFINISHED

    @property
    def termination(self) -> Termination:
        """The same in the word of a record."""
        return REASON_WORDS[self.end.reason]

    @property
    def payoffs(self) -> tuple[float, ...] | None:
        """The result per seat; None while the game is unfinished."""
        return final_payoffs(self.end, self.game, self.state)

    @property
    def move_seed(self) -> int:
        """The seed for a player that moves now."""
        with np.errstate(over="ignore"):
            return int(next_word(self.stream()))

    def cells(self, index: int) -> list[str]:
        """The cells of the board that a ply names; none for -1."""
        if index < 0:
            return []
        return action_cells(self.game, self.states[index], self.plies[index].action)

    # --- actions

    def play(
        self, move: str | int, *, seconds: float | None = None, evaluation: Evaluation | None = None
    ) -> None:
        """Make a move by its text or action number; chance then moves at once."""
        self.check_running(f"{move!r} cannot be played")
        game = self.game
        state = self.state
        action = game.parse_action(state, move) if isinstance(move, str) else move
        after = game.play(state, action)
        taken = None if seconds is None else round(seconds, 3)
        ply = Ply(
            after,
            game.seat_to_move(state),
            game.format_action(state, action),
            action,
            taken,
            evaluation,
        )
        self.push(ply)
        self.draw()

    def name_player(self, seat: int, text: str) -> None:
        self.players = (*self.players[:seat], text, *self.players[seat + 1 :])

    def resign(self, seat: int | None = None) -> None:
        """End the game as a loss for this seat, by default the one to move."""
        self.declare(Reason.RESIGNATION, seat)

    @property
    def can_undo(self) -> bool:
        return self.last_decision >= 0

    @property
    def can_redo(self) -> bool:
        return self.num_plies < len(self.line)

    def undo(self, rests: Callable[[], bool] = lambda: True) -> None:
        """Undo the last move or declared end, with the chance outcomes after it; and more, until
        `rests()`.
        """
        if not self.can_undo:
            raise AnyzeroError("there is no move to take back")
        self.num_plies = self.last_decision
        while self.can_undo and not rests():
            self.num_plies = self.last_decision

    def redo(self, rests: Callable[[], bool] = lambda: True) -> None:
        """Redo the last undone move, with the chance outcomes after it; and more, until
        `rests()`.
        """
        if not self.can_redo:
            raise AnyzeroError("there is no move to redo")
        self.num_plies += 1
        while self.can_redo and (self.line[self.num_plies].seat == CHANCE or not rests()):
            self.num_plies += 1

    # --- records

    def to_record(self) -> GameRecord:
        """The game so far, without undone moves."""
        game = self.game
        moves = [ply for ply in self.plies if ply.action >= 0]
        return GameRecord(
            format=FORMAT,
            game=game.text,
            rules=RulesOfRecord(name=game.name, options=dict(game.options)),
            players=self.players,
            date=self.date,
            seed=self.seed,
            start=self.start_text,
            moves=tuple(ply.move for ply in moves),
            clocks=column_or_none([ply.seconds for ply in moves]),
            evaluations=column_or_none([ply.evaluation for ply in moves]),
            result=Result(payoffs=self.payoffs, termination=self.termination),
            tags=self.tags,
        )

    @staticmethod
    def from_record(record: GameRecord, game: Game | None = None) -> "GameInProgress":
        """The game of this record; `game` is required if its rules are in a file."""
        table = replay_record(record, game)
        table.draw()
        return table

    def finish(self, end: End) -> None:
        """End so; an end by the rules needs no declaration."""
        if end not in (BY_THE_RULES, UNFINISHED):
            self.declare(end.reason, 0 if end.seat is None else end.seat)

    # --- the line

    def stream(self) -> np.ndarray:
        stream: np.ndarray = make_streams(self.seed or 0, 1, first=self.num_plies)[0]
        return stream

    def check_running(self, refusal: str) -> None:
        if self.is_over:
            raise IllegalMoveError(f"{self.game.name}: {refusal}, the game is over")

    def declare(self, reason: Reason, seat: int | None = None) -> None:
        """End the game other than by its rules: lost by this seat, by default the one to move, or
        drawn by agreement.
        """
        self.check_running("it cannot be ended")
        seat = self.seat_to_move if seat is None else seat
        end = End(reason, None if reason is Reason.AGREEMENT else seat)
        self.push(Ply(self.state, seat, end=end))

    def push(self, ply: Ply) -> None:
        """Add a ply, and discard what was undone."""
        self.line[self.num_plies :] = [ply]
        self.num_plies += 1

    def draw(self) -> None:
        """Draw chance outcomes until a seat is to move."""
        while self.seat_to_move == CHANCE:
            game = self.game
            state = self.state
            with np.errstate(over="ignore"):
                action = outcome_at(game, state, random_unit(self.stream()))
            self.push(
                Ply(game.play(state, action), CHANCE, game.format_action(state, action), action)
            )


def replay_record(record: GameRecord, game: Game | None = None) -> GameInProgress:
    """Replay a record, which is how it is checked: an error for anything that does not fit."""
    game = find_game(record, game)
    nothing = [None] * len(record.moves)
    if len(record.players) != game.num_seats:
        raise BadRecordError(
            f"{game.name} has {game.num_seats} seats, the record {len(record.players)} players"
        )
    for name, column in (("clocks", record.clocks), ("evaluations", record.evaluations)):
        if column is not None and len(column) != len(record.moves):
            raise BadRecordError(
                f"the record has {len(record.moves)} moves but {len(column)} {name}"
            )
    notes = list(zip(record.clocks or nothing, record.evaluations or nothing, strict=True))
    table = GameInProgress.played(game, record.start, record.moves, notes)
    table.players = record.players
    table.seed = record.seed
    table.date = record.date
    table.tags = dict(record.tags)
    table.finish(end_of(record, game, table.state))
    return table


# --- the cells that a move names, for whoever marks them


def action_cells(game: Game, state: State, action: int) -> list[str]:
    """The cells that an action names; none for a declared end."""
    if action < 0 or not game.has("board"):
        return []
    return list(scene_of(game, state).clicks.get(action, ()))


def scene_of(game: Game, state: State) -> Scene:
    return _remembered_scene(game, state.tobytes())


@lru_cache(MOST_SCENES)
def _remembered_scene(game: Game, content: bytes) -> Scene:
    scene: Scene = game.scene(state_from_bytes(game, content))
    return scene


def state_from_bytes(game: Game, content: bytes) -> State:
    return np.frombuffer(content, game.state_dtype).copy()[0]
