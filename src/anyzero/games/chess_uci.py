"""What programs that speak UCI do otherwise than the rules."""

import re

from anyzero.core.game.game import State
from anyzero.games import chess_board as board
from anyzero.games import chess_moves

COUNTERS = re.compile(" ([0-9]{1,9}) ([0-9]{1,9})$")  # a FEN's half-move clock and move number


def read_fen(text: str) -> str:
    """A FEN as `parse_state` reads it: GUIs play on past the fifty-move rule, and some count moves
    from 0.
    """
    return COUNTERS.sub(
        lambda counters: f" {min(int(counters[1]), board.MAX_CLOCK)} {max(int(counters[2]), 1)}",
        text,
    )


def play_on(state: State) -> State:
    """The state; if it is a draw that players of a GUI need not claim, one in which the game
    continues.
    """
    if state.ended not in (board.INSUFFICIENT, board.FIFTY_MOVES, board.REPETITION):
        return state
    alive = state.copy()
    if alive.ended == board.FIFTY_MOVES:  # the history is full
        chess_moves.forget(alive)
        alive.clock = 0
    alive.ended = board.RUNNING
    return alive
