"""The game so far, as shown to a player."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from anyzero.core.game.contract import CHANCE
from anyzero.core.game.game import Game, State


@dataclass(frozen=True, eq=False)
class Line:
    """A start position, the actions since (including chance outcomes), and the resulting position.

    Lines of one game share the same `start` object; another game has its own, even from an equal
    position.
    """

    start: State
    actions: tuple[int, ...]
    state: State

    @staticmethod
    def begin(game: Game, start: State | None = None) -> "Line":
        start = game.initial_state() if start is None else start
        return Line(start, (), start)

    def play(self, game: Game, action: int) -> "Line":
        """The line after one more action, which must be legal."""
        return Line(self.start, (*self.actions, action), game.play(self.state, action))

    def copy(self) -> "Line":
        """The same line for a caller who may write into its position."""
        return replace(self, state=self.state.copy())

    def extends(self, earlier: "Line | None") -> bool:
        """Whether the earlier line belongs to the same game and none of it was taken back."""
        return self.since(earlier) is not None

    def since(self, earlier: "Line | None") -> tuple[int, ...] | None:
        """The actions since the earlier line; None if it does not extend it."""
        if earlier is None or earlier.start is not self.start:
            return None
        num = len(earlier.actions)
        return self.actions[num:] if self.actions[:num] == earlier.actions else None


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
