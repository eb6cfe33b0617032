"""The position that the UCI engine has been given: a start, and the moves that were made since."""

from dataclasses import dataclass

from anyzero.errors import BadPositionError
from anyzero.games.chess_board import FIFTY_MOVES, INSUFFICIENT, REPETITION, RUNNING
from anyzero.games.chess_moves import forget
from anyzero.games.game import Game, State

START = "startpos"


@dataclass(frozen=True)
class Position:
    start: str
    """`startpos`, or a FEN."""
    moves: tuple[str, ...]
    states: tuple[State, ...]
    """The start, and what each move led to."""

    @property
    def state(self) -> State:
        return self.states[-1]


def first_position(game: Game) -> Position:
    return Position(START, (), (game.initial_state(),))


def read_position(game: Game, words: list[str], known: Position) -> Position:
    """The position after `position startpos|fen FEN [moves ...]`; moves that `known` shares with it are not made again.

    The words are refused as a whole: an error says which of them was wrong.
    """
    end = words.index("moves") if "moves" in words else len(words)
    start, moves = read_start(words[:end]), tuple(words[end + 1 :])
    if start == known.start:
        shared = count_shared(moves, known.moves)
        states = list(known.states[: shared + 1])
    else:
        shared, states = 0, [start_state(game, start)]
    for move in moves[shared:]:
        states.append(playable(game.play(states[-1], move)))
    return Position(start, moves, tuple(states))


def read_start(words: list[str]) -> str:
    if words == [START]:
        return START
    if len(words) > 1 and words[0] == "fen":
        return " ".join(words[1:])
    raise BadPositionError("a position is given by: position startpos [moves ...], or position fen FEN [moves ...]")


def start_state(game: Game, start: str) -> State:
    return game.initial_state() if start == START else playable(game.parse_state(start))


def count_shared(first: tuple[str, ...], second: tuple[str, ...]) -> int:
    """How many moves both lines begin with."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((index for index, (one, other) in pairs if one != other), min(len(first), len(second)))


def playable(state: State) -> State:
    """The state; where it is a draw that the players of a GUI need not claim, one in which the game still runs."""
    if state.ended not in (INSUFFICIENT, FIFTY_MOVES, REPETITION):
        return state
    alive = state.copy()
    if alive.ended == FIFTY_MOVES:  # the history has no room for more
        forget(alive)
        alive.clock = 0
    alive.ended = RUNNING
    return alive
