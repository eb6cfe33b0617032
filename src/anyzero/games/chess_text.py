"""Chess moves as text: UCI (`e2e4`, `e7e8q`) and SAN (`Nf3`, `exd8=Q+`), and how a game has ended."""

import re
from typing import NamedTuple

import numpy as np

from anyzero.errors import list_some, nearest_hint
from anyzero.games.chess_board import (
    CHECKMATE,
    FIFTY_MOVES,
    FIRST_UNDERPROMOTION,
    INSUFFICIENT,
    MAX_LEGAL,
    NUM_PLANES,
    REPETITION,
    RUNNING,
    STALEMATE,
    Chess,
)
from anyzero.games.chess_fen import SEAT_NAMES, kinds_of, name_of
from anyzero.games.chess_moves import legal_actions
from anyzero.games.chess_play import play
from anyzero.games.game import State

DRAWS = {
    STALEMATE: "stalemate",
    INSUFFICIENT: "insufficient material",
    FIFTY_MOVES: "the fifty-move rule",
    REPETITION: "threefold repetition",
}
SAN = re.compile(r"([NBRQK]?)([a-h]?)([1-8]?)x?([a-h][1-8])(?:=?([NBRQ]))?[+#]?[!?]{0,2}")
CASTLES = re.compile(r"([O0]-[O0](?:-[O0])?)[+#]?[!?]{0,2}")


class Move(NamedTuple):
    """What the text of a move is made of."""

    kind: str
    source: str
    target: str
    promotion: str
    takes: bool

    @property
    def uci(self) -> str:
        return self.source + self.target + self.promotion.lower()

    @property
    def castles(self) -> str:
        """`O-O`, `O-O-O` or nothing."""
        if self.kind != "K" or self.source[0] != "e":
            return ""
        return {"g": "O-O", "c": "O-O-O"}.get(self.target[0], "")


def move_of(rules: Chess, state: State, action: int) -> Move:
    source, plane = divmod(action, NUM_PLANES)
    target = source + int(rules.steps[plane])
    kind = next(kind for kind, squares in kinds_of(state).items() if squares >> source & 1)
    promotion = "Q" if kind == "P" and target >= 56 else ""
    if plane >= FIRST_UNDERPROMOTION:
        promotion = "NBR"[(plane - FIRST_UNDERPROMOTION) % 3]
    takes = int(state.theirs) | (int(state.en_passant) if kind == "P" else 0)
    return Move(kind, name_of(state, source), name_of(state, target), promotion, bool(takes >> target & 1))


@np.errstate(over="ignore")
def legal_moves(rules: Chess, state: State) -> dict[int, Move]:
    """The legal actions and their moves; nothing once the game is over."""
    if state.ended != RUNNING:
        return {}
    actions = np.zeros(MAX_LEGAL, np.int32)
    count = legal_actions(rules, state, actions)
    return {int(action): move_of(rules, state, int(action)) for action in actions[:count]}


def format_action(rules: Chess, state: State, action: int) -> str:
    return move_of(rules, state, action).uci


def parse_action(rules: Chess, state: State, text: str) -> int:
    """The action of a move in UCI or in SAN."""
    moves = legal_moves(rules, state)
    for action, move in moves.items():
        if move.uci == text:
            return action
    return find_san(moves, text)


# --- SAN


@np.errstate(over="ignore")
def format_san(rules: Chess, state: State, action: int) -> str:
    """The move as chess players write it down."""
    after, moves = state.copy(), legal_moves(rules, state)
    play(rules, after, action)
    suffix = "#" if after.ended == CHECKMATE else "+" if after.checkers else ""
    return shorten(moves[action], moves) + suffix


def shorten(move: Move, moves: dict[int, Move]) -> str:
    """SAN without the mark of a check."""
    if move.castles:
        return move.castles
    takes = "x" if move.takes else ""
    if move.kind == "P":
        start = move.source[0] if takes else ""
        return start + takes + move.target + (f"={move.promotion}" if move.promotion else "")
    return move.kind + distinction(move, moves) + takes + move.target


def distinction(move: Move, moves: dict[int, Move]) -> str:
    """What tells a piece from others of its kind with the same target: its file, else its rank, else both."""
    rivals = [other.source for other in moves.values() if other.kind == move.kind and other.target == move.target]
    file, rank = move.source[0], move.source[1]
    if len(rivals) == 1:
        return ""
    if sum(rival[0] == file for rival in rivals) == 1:
        return file
    return rank if sum(rival[1] == rank for rival in rivals) == 1 else move.source


def parse_san(rules: Chess, state: State, text: str) -> int:
    """The one legal action that a text can mean; it may say more than it must, and leave out `x`, `+`, `#` and `=`."""
    return find_san(legal_moves(rules, state), text)


def find_san(moves: dict[int, Move], text: str) -> int:
    found = [action for action, move in moves.items() if can_mean(text, move)]
    if len(found) > 1:
        raise ValueError(f"{text!r} can mean {', '.join(moves[action].uci for action in found)}")
    if not found:
        legal = [move.uci for move in moves.values()]
        choice = f"{nearest_hint(text, legal)}legal: {list_some(legal)}" if legal else "the game is over"
        raise ValueError(f"{text!r} is not a legal move here; {choice}")
    return found[0]


def can_mean(text: str, move: Move) -> bool:
    """Whether a text in SAN fits a move; a pawn that takes is named by its file."""
    if castles := CASTLES.fullmatch(text):
        return move.castles == castles[1].replace("0", "O")
    if not (match := SAN.fullmatch(text)):
        return False
    kind, file, rank, target, promotion = match.groups(default="")
    if (kind or "P", target, promotion) != (move.kind, move.target, move.promotion):
        return False
    if move.kind == "P" and move.takes and not file:
        return False
    return file in ("", move.source[0]) and rank in ("", move.source[1])


# --- results


def outcome_text(rules: Chess, state: State) -> str:
    """How the game has ended, or nothing while it runs."""
    if state.ended == RUNNING:
        return ""
    if state.ended == CHECKMATE:
        return f"{SEAT_NAMES[1 - state.mover]} wins by checkmate"
    return f"draw by {DRAWS[int(state.ended)]}"
