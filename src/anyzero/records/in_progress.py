"""A game in progress: moves made, taken back and made again. Knows no interface, so that every interface can use it.

Laws: `undo` then `redo` changes nothing; playing a move after `undo` forgets what was undone; the table always stands
where a seat is to move or the game is over, because chance is drawn at once; what chance draws depends on the seed and
the ply alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anyzero.compile.random import make_streams, next_word
from anyzero.errors import AnyzeroError, IllegalMoveError
from anyzero.games.contract import CHANCE, OVER, draw_outcome
from anyzero.games.game import Game, State
from anyzero.games.line import Line
from anyzero.records.ends import AGREEMENT, RESIGN, RULES, UNFINISHED, loss_payoffs, rule_payoffs
from anyzero.records.record import LARGEST_SEED, Evaluation, GameRecord, Replayed, make_record, replay

UNKNOWN_PLAYER = "?"


@dataclass
class Ply:
    """One step of a game: a move, an outcome of chance, or an end that somebody declared."""

    state: State  # the position after it
    seat: int  # whose it was; CHANCE for an outcome
    move: str = ""
    action: int = -1  # -1 where an end was declared
    seconds: float | None = None
    evaluation: Evaluation | None = None
    termination: str = UNFINISHED  # how it ended the game, if it did without the rules
    written: str = ""  # as people write it, once somebody has asked

    def notation(self, game: Game, before: State) -> str:
        """The move as people write it; remembered, since a page shows all moves of a game after each."""
        self.written = self.written or game.notation(before, self.action)
        return self.written


class GameInProgress:
    """The game on the table and its history; `players` are texts by seat."""

    def __init__(
        self,
        game: Game,
        *,
        start: State | None = None,
        players: Sequence[str] = (),
        seed: int | None = 0,
        date: str = "",
        tags: Mapping[str, str] | None = None,
        line: Sequence[Ply] = (),
    ) -> None:
        self.game, self.date, self.tags = game, date, dict(tags or {})
        self.seed = None if seed is None else seed % (LARGEST_SEED + 1)
        """None, where a file did not say it, counts as 0."""
        self.players = (*players, *[UNKNOWN_PLAYER] * (game.num_seats - len(players)))
        self.start = game.initial_state() if start is None else start.copy()
        self.line = list(line)
        self.num_plies = len(self.line)  # how many plies of the line are on the table; the rest has been undone
        self.draw()

    # --- what is on the table

    @property
    def plies(self) -> list[Ply]:
        """What has been played and not undone."""
        return self.line[: self.num_plies]

    @property
    def last_decision(self) -> int:
        """The number of plies before the last one that was not chance's; -1 if there is none."""
        return next((index for index in reversed(range(self.num_plies)) if self.line[index].seat != CHANCE), -1)

    @property
    def state(self) -> State:
        return self.line[self.num_plies - 1].state if self.num_plies else self.start

    @property
    def so_far(self) -> Line:
        """What a player is shown."""
        return Line(self.start, tuple(ply.action for ply in self.plies if ply.action >= 0), self.state)

    @property
    def moves(self) -> list[str]:
        """Texts, chance outcomes among them."""
        return [ply.move for ply in self.plies if ply.action >= 0]

    @property
    def seat_to_move(self) -> int:
        return OVER if self.declared is not None else self.game.seat_to_move(self.state)

    @property
    def is_over(self) -> bool:
        return self.seat_to_move == OVER

    @property
    def declared(self) -> Ply | None:
        """The ply that ended the game without the rules, if there is one."""
        last = self.line[self.num_plies - 1] if self.num_plies else None
        return last if last is not None and last.action < 0 else None

    @property
    def legal_moves(self) -> list[str]:
        return [] if self.is_over else self.game.legal_moves(self.state)

    @property
    def termination(self) -> str:
        if self.declared is not None:
            return self.declared.termination
        return RULES if self.is_over else UNFINISHED

    @property
    def payoffs(self) -> tuple[float, ...] | None:
        """The result a seat; None while the game runs."""
        declared = self.declared
        if declared is None:
            return rule_payoffs(self.game, self.state) if self.is_over else None
        if declared.termination == AGREEMENT:
            return (0.0,) * self.game.num_seats
        return loss_payoffs(self.game.num_seats, declared.seat)

    @property
    def move_seed(self) -> int:
        """What a player that moves now draws from."""
        with np.errstate(over="ignore"):
            return int(next_word(self.stream()))

    # --- what can be done

    def play(self, move: str | int, *, seconds: float | None = None, evaluation: Evaluation | None = None) -> None:
        """Make a move by its text or action number; chance answers at once."""
        self.check_running(f"{move!r} cannot be played")
        game, state = self.game, self.state
        action = game.parse_action(state, move) if isinstance(move, str) else move
        after = game.play(state, action)
        taken = None if seconds is None else round(seconds, 3)
        ply = Ply(after, game.seat_to_move(state), game.format_action(state, action), action, taken, evaluation)
        self.push(ply)
        self.draw()

    def name_player(self, seat: int, text: str) -> None:
        self.players = (*self.players[:seat], text, *self.players[seat + 1 :])

    def resign(self, seat: int | None = None) -> None:
        """End the game as a loss of this seat, by default of the one to move."""
        self.declare(RESIGN, seat)

    @property
    def can_undo(self) -> bool:
        return self.last_decision >= 0

    @property
    def can_redo(self) -> bool:
        return self.num_plies < len(self.line)

    def undo(self) -> None:
        """Take back the last move or declared end, and what chance did after it."""
        if not self.can_undo:
            raise AnyzeroError("there is no move to take back")
        self.num_plies = self.last_decision

    def redo(self) -> None:
        """Make the move again that was taken back last, and what chance did after it."""
        if not self.can_redo:
            raise AnyzeroError("there is no move to make again")
        self.num_plies += 1
        while self.can_redo and self.line[self.num_plies].seat == CHANCE:
            self.num_plies += 1

    # --- records

    def to_record(self) -> GameRecord:
        """What is on the table; moves that were undone are not part of it."""
        moves = [ply for ply in self.plies if ply.action >= 0]
        notes = [(ply.seconds, ply.evaluation) for ply in moves]
        facts: dict[str, Any] = {"players": self.players, "date": self.date, "seed": self.seed, "tags": self.tags}
        end = self.payoffs, self.termination
        return make_record(self.game, self.start, [ply.move for ply in moves], notes, end, **facts)

    @staticmethod
    def from_record(record: GameRecord, game: Game | None = None) -> "GameInProgress":
        """The table on which this record was made; `game` is needed where it is a file's."""
        return GameInProgress.from_replayed(replay(record, game))

    @staticmethod
    def from_replayed(replayed: Replayed) -> "GameInProgress":
        """The same of a record that was played again already."""
        record, game, states, actions = replayed
        seats, nothing = map(game.seat_to_move, states), [None] * len(actions)
        notes = record.clocks or nothing, record.evaluations or nothing
        plies = list(map(Ply, states[1:], seats, record.moves, actions, *notes))
        if record.payoffs is not None and record.termination != RULES:
            loser = 0 if record.termination == AGREEMENT else record.payoffs.index(-1.0)
            plies.append(Ply(states[-1], loser, termination=record.termination))
        about: dict[str, Any] = {name: getattr(record, name) for name in ("players", "seed", "date", "tags")}
        return GameInProgress(game, start=states[0], line=plies, **about)

    # --- the line

    def stream(self) -> np.ndarray:
        stream: np.ndarray = make_streams(self.seed or 0, 1, first=self.num_plies)[0]
        return stream

    def check_running(self, refusal: str) -> None:
        if self.is_over:
            raise IllegalMoveError(f"{self.game.name}: {refusal}, the game is over")

    def declare(self, termination: str, seat: int | None = None) -> None:
        """End the game by resignation, forfeit or agreement."""
        self.check_running("it cannot be ended")
        self.push(Ply(self.state, self.seat_to_move if seat is None else seat, termination=termination))

    def push(self, ply: Ply) -> None:
        """Add a ply, and forget what was undone."""
        self.line[self.num_plies :] = [ply]
        self.num_plies += 1

    def draw(self) -> None:
        """What chance does until a seat is to move."""
        while self.seat_to_move == CHANCE:
            game, state = self.game, self.state
            actions = np.array(game.legal_actions(state), np.int32)
            draw = game.compile(draw_outcome, "interpreted")
            with np.errstate(over="ignore"):
                action = int(actions[draw(game.rules, state, actions, len(actions), self.stream())])
            self.push(Ply(game.play(state, action), CHANCE, game.format_action(state, action), action))
