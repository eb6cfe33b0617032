"""A game as it was played: where it began, the actions since, and how it ended.

Whatever plays games adds names, clocks and texts to this: a record, the result of a match, a table
where moves are taken back, a game of self-play. Files have their own words for an end, in one table
for each format.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from anyzero.core.base.seeds import pick_index
from anyzero.core.game.contract import CHANCE
from anyzero.core.game.game import Game, State


class Reason(StrEnum):
    """Why a game ended, or that it has not."""

    RULES = "by the rules"
    RESIGNATION = "resignation"
    CUT_OFF = "cut off"  # after a number of plies, without a result
    AGREEMENT = "agreement"  # on a draw
    ILLEGAL_MOVE = "illegal move"
    CRASH = "crash"
    LATE = "late"
    FORFEIT = "forfeit"  # a fault that was not noted
    UNFINISHED = "unfinished"


FAULTS = (Reason.ILLEGAL_MOVE, Reason.CRASH, Reason.LATE, Reason.FORFEIT)


@dataclass(frozen=True)
class End:
    """How a game ended, and by whom: the seat that resigned or was at fault, and so has lost."""

    reason: Reason
    seat: int | None = None

    def payoffs(self, game: Game, state: State) -> tuple[float, ...] | None:
        """The result per seat of a game with this last position; None if there is none."""
        if self.seat is not None:
            return loss_payoffs(game.num_seats, self.seat)
        if self.reason is Reason.RULES:
            return tuple(game.payoffs(state).tolist())
        return (0.0,) * game.num_seats if self.reason is Reason.AGREEMENT else None

    def sentence(self, game: Game, state: State, names: tuple[str, ...]) -> str:
        """How it ended, for people: who resigned, who wins, and the score."""
        payoffs = self.payoffs(game, state)
        if payoffs is None:
            return "the game is not finished"
        seats = [f"{name} as {game.seat_name(seat)}" for seat, name in enumerate(names)]
        words = []
        if self.seat is not None:
            verb = "resigns" if self.reason is Reason.RESIGNATION else "forfeits"
            words.append(f"{seats[self.seat]} {verb}")
        elif self.reason is Reason.AGREEMENT:
            words.append("agreed")
        best = [name for name, payoff in zip(seats, payoffs, strict=True) if payoff == max(payoffs)]
        if 1 < len(seats) == len(best):
            words.append("a draw")
        elif len(seats) > 1:
            words.append(f"{' and '.join(best)} win{'s' * (len(best) == 1)}")
        if game.has("score"):
            scores = [f"{game.score(state, seat):g}" for seat in range(game.num_seats)]
            words.append(f"score {' : '.join(scores)}")
        return "game over: " + "; ".join(words)


BY_THE_RULES = End(Reason.RULES)
UNFINISHED = End(Reason.UNFINISHED)


def loss_payoffs(num_seats: int, loser: int) -> tuple[float, ...]:
    """The worst payoff for the seat that resigned or was at fault; the others share its loss."""
    return tuple(-1.0 if seat == loser else 1.0 / (num_seats - 1) for seat in range(num_seats))


@dataclass(frozen=True, eq=False)
class Play:
    """A start position, the actions since (including chance outcomes), the resulting position, and
    how it ended.

    A player is shown one that is unfinished. Plays of one game share the same `start` object;
    another game has its own, even from an equal position.
    """

    start: State
    actions: tuple[int, ...]
    state: State
    end: End = UNFINISHED

    @staticmethod
    def begin(game: Game, start: State | None = None) -> "Play":
        start = game.initial_state() if start is None else start
        return Play(start, (), start)

    def play(self, game: Game, action: int) -> "Play":
        """The game after one more action, which must be legal."""
        return Play(self.start, (*self.actions, action), game.play(self.state, action))

    def copy(self) -> "Play":
        """The same for a caller who may write into its position."""
        return replace(self, state=self.state.copy())

    def extends(self, earlier: "Play | None") -> bool:
        """Whether the earlier one belongs to the same game and none of it was taken back."""
        return self.since(earlier) is not None

    def since(self, earlier: "Play | None") -> tuple[int, ...] | None:
        """The actions since the earlier one; None if this does not extend it."""
        if earlier is None or earlier.start is not self.start:
            return None
        num = len(earlier.actions)
        return self.actions[num:] if self.actions[:num] == earlier.actions else None


def outcome_at(game: Game, state: State, unit: float) -> int:
    """The chance outcome selected by a number from 0 to 1."""
    outcomes = game.legal_actions(state)
    return outcomes[pick_index([game.chance_weight(state, outcome) for outcome in outcomes], unit)]


def first_decision(game: Game) -> State | None:
    """The first position in which a seat is to move, for any chance outcomes before it; None if
    there is none.
    """
    state = game.initial_state()
    while (seat := game.seat_to_move(state)) == CHANCE:
        state = game.play(state, game.legal_actions(state)[0])
    return state if seat >= 0 else None


def move_texts(game: Game, state: State, actions: Iterable[int]) -> tuple[list[str], State]:
    """The texts of these actions, played in turn from a position, and the resulting position."""
    moves = []
    for action in actions:
        moves.append(game.format_action(state, action))
        state = game.play(state, action)
    return moves, state
